"""Texts that somebody wrote, on pages that Streamlit builds: text and nothing else, in the direction of its script."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

RIGHT_TO_LEFT = "benchwright-rtl"
"""Begins the keys of containers whose texts run from right to left; the frame's style sheet knows it."""
DIRECTED_STYLE = f"""
[class*="st-key-{RIGHT_TO_LEFT}"] {{ direction: rtl; text-align: right; }}
.benchwright-text {{ overflow-wrap: anywhere; white-space: pre-wrap; }}
"""


def show_text(place: DeltaGenerator, *parts: str, between: str = " · ") -> None:
    """Show texts in a line, each in its own direction, whatever the others are."""
    place.html(html_of(parts, between=between))


def html_of(parts: Iterable[str], *, between: str = " · ") -> str:
    """Return texts as harmless HTML, one text in its own direction, several each in its own from left to right."""
    texts = [escape(part) for part in parts]
    told = texts[0] if len(texts) == 1 else escape(between).join(f"<bdi>{text}</bdi>" for text in texts)
    return f'<div class="benchwright-text" dir="auto">{told}</div>'


def runs_right_to_left(text: str) -> bool:
    """Return whether a text runs from right to left: by its first letter that has a direction."""
    directions = (unicodedata.bidirectional(character) for character in text)
    return next((one != "L" for one in directions if one in {"L", "R", "AL"}), False)
