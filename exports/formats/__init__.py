"""Formats of other tools, a file each; `exports/room.py` lists them by name."""
