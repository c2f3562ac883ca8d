"""The commands `filter ...`."""
