"""Texts as they may stand on the page: nothing of a user's is ever markup, and every character shows."""

from __future__ import annotations

import html

from benchwright.text_normalization import printable


def safe(text: object) -> str:
    """Return text escaped for HTML, in an element or in a quoted attribute; control characters are spelled out."""
    return html.escape(printable(str(text)), quote=True)


def number(value: float) -> str:
    """Return a count or a measurement as people read it."""
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"


def cut(text: str, *, at_most: int) -> str:
    """Return a name as there is room for it, cut in the middle."""
    half = (at_most - 1) // 2
    return text if len(text) <= at_most else f"{text[:half]}…{text[-half:]}"
