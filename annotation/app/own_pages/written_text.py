"""User-written texts on the app's own pages: escaped, in the direction of their script, with formulas drawn."""

from __future__ import annotations

from functools import cache
from html import escape

from benchwright.pages.drawing import ASSETS
from benchwright.texts.formulas import formulas_html
from benchwright.texts.hidden_characters import escaped


@cache
def text_style() -> str:
    """Return the style element that a page with formulas needs."""
    return f"<style>{(ASSETS / 'formulas.css').read_text(encoding='utf-8')}</style>"


def text_html(*parts: str, between: str = " · ") -> str:
    """Return texts on one line as HTML, each in its own direction.

    Args:
        *parts: The texts.
        between: Separator of several texts.
    """
    texts = [written_html(part) for part in parts]
    line = texts[0] if len(texts) == 1 else escape(between).join(f"<bdi>{text}</bdi>" for text in texts)
    return f'<div class="benchwright-text" dir="auto">{line}</div>'


def written_html(text: str) -> str:
    """Return a text as escaped HTML with its formulas drawn and invisible characters spelled out."""
    return formulas_html(escaped(text))
