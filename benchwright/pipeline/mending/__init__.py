"""Damage in workspaces: a check that reads every file, and repair where the recipe can make the file again."""
