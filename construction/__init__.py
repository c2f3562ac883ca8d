"""Steps that make items, and what they share: choices, views, points."""
