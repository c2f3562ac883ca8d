"""Question tables from any kind of file, as rows of columns with values."""
