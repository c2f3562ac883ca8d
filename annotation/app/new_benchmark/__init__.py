"""A dialogue in the browser for a new benchmark; it produces a recipe that `benchwright run` also accepts."""
