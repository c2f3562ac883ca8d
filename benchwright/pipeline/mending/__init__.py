"""Damaged workspaces: found by reading every file, and made again where the recipe can."""
