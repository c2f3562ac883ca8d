"""Meaning of a file's columns: inferred from names, stated by a curator, or, for splits, taken from paths."""
