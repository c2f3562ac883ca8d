"""Tables of questions of any kind of file, as rows of columns with values, and which column holds what."""
