"""Recipes that come with Benchwright; `benchwright run NAME.yaml` takes any file, these are found by name too."""
