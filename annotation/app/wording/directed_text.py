"""User-written texts, shown on Streamlit pages as plain text in the direction of their script."""

from __future__ import annotations

import unicodedata

from benchwright.texts.hidden_characters import escaped

RIGHT_TO_LEFT = "benchwright-rtl"
LEFT_TO_RIGHT = "benchwright-ltr"
"""Prefixes of the keys of containers with a fixed text direction, whatever the language of the page."""
DIRECTED_STYLE = f"""
[class*="st-key-{RIGHT_TO_LEFT}"] {{ direction: rtl; text-align: right; }}
[class*="st-key-{LEFT_TO_RIGHT}"] {{ direction: ltr; text-align: left; }}
.benchwright-text {{ overflow-wrap: anywhere; white-space: pre-wrap; }}
"""


def runs_right_to_left(text: str) -> bool:
    """Return whether a text runs from right to left, according to its first letter that has a direction."""
    directions = (unicodedata.bidirectional(character) for character in text)
    return next((direction != "L" for direction in directions if direction in {"L", "R", "AL"}), False)


def inert(text: str) -> str:
    """Return a text in which all characters that Markdown would interpret, and all invisible ones, are escaped."""
    special = "\\`*_{}[]<>()#+-.!|~:$"
    return "".join(f"\\{character}" if character in special else character for character in escaped(text))
