"""Scripts that the readers know, kept apart from the heavy reader modules so that a command can list them."""

from __future__ import annotations

SCRIPTS = ("Latin", "Greek", "Chinese", "Japanese")
"""Scripts in the character list of PP-OCRv6 small, the default model of both engines."""
