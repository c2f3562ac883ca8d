"""Question tables from any kind of file, as rows that map columns to values."""
