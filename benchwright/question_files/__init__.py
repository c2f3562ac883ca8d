"""Questions read from anybody's files: tables, columns, pictures found, items checked."""
