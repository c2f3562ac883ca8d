"""Tables and lists as files: spreadsheets, CSV cells, files of questions, lists too long for memory."""
