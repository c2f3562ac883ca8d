"""Steps that make items from photographs, with one module per task."""
