"""The commands `review ...`, and `filter restore | drop | undo | overrides`."""
