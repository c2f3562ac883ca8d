"""Formats of other tools, one file each; `exports/room.py` lists them by name."""
