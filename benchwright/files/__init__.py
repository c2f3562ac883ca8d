"""Tables and lists in files: spreadsheets, CSV cells, JSON, and lists too long for memory."""
