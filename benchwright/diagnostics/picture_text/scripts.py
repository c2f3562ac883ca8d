"""Scripts whose letters the readers know, apart from the heavy modules that read, so that a command can name them."""

from __future__ import annotations

SCRIPTS = ("Latin", "Greek", "Chinese", "Japanese")
"""Scripts in the list of characters of PP-OCRv6 small, which both engines read with unless another model is named."""
