"""Helpers that propose regions, in processes separate from the app."""
