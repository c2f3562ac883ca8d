"""Checks of untrusted texts before they are stored."""

from __future__ import annotations


def can_be_kept(text: str) -> bool:
    """Return whether every database can store a text; PostgreSQL refuses NUL, and surrogates cannot be encoded."""
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)
