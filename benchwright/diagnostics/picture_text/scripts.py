"""Scripts that the readers know, kept separate from the heavy modules that read so that a command can name them."""

from __future__ import annotations

SCRIPTS = ("Latin", "Greek", "Chinese", "Japanese")
"""Scripts in the character list of PP-OCRv6 small, the default model of both engines."""
