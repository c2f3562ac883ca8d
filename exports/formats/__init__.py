"""Formats of other tools, one module each; `exports/room.py` lists them by name."""
