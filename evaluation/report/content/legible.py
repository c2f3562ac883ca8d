"""Texts of releases and replies in the form that a report shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass


_CONTROLS = {code: 0x2400 + code for code in range(32) if chr(code) not in "\n\t"} | {0x7F: 0x2421}
"""Control characters that HTML cannot contain, mapped to Unicode's visible symbols for them."""


def legible(text: str) -> str:
    """Return a text with control characters, except tabs and line ends, replaced by their visible symbols."""
    return text.encode("utf-8", "replace").decode("utf-8").translate(_CONTROLS)
