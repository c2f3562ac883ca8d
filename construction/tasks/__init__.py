"""Steps that make items of photographs, one file for each task."""
