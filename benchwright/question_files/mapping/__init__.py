"""Meaning of a file's columns: guesses from names, a curator's statements, splits from paths."""
