"""Tables and lists as files: spreadsheets, CSV cells, JSON, lists too long for memory."""
