"""Damage in workspaces: a check that reads every file, and repair of files that the recipe can recreate."""
