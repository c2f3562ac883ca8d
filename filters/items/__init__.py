"""Filters of items by their words and answers."""
