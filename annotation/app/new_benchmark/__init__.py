"""A new benchmark from a dialogue in the browser, which produces a recipe that `benchwright run` also accepts."""
