"""Steps that make items of photographs, a file a task."""
