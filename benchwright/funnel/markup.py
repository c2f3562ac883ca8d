"""Escaping of texts for the page: no user text is read as markup, and every character is visible."""

from __future__ import annotations

import html

from benchwright.text_normalization import printable


def safe(text: object) -> str:
    """Return text escaped for HTML, in an element or a quoted attribute; control characters are shown as escapes."""
    return html.escape(printable(str(text)), quote=True)


def number(value: float) -> str:
    """Return a count or a measurement formatted for people."""
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"


def cut(text: str, *, at_most: int) -> str:
    """Return a name with at most `at_most` characters, cut in the middle."""
    half = (at_most - 1) // 2
    return text if len(text) <= at_most else f"{text[:half]}…{text[-half:]}"
