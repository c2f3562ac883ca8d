"""Lines behind a checksum, for what is kept only to save work: a changed one is known and made again."""

from __future__ import annotations

from zlib import crc32

_DIGITS = 8


def checked_line(text: str) -> str:
    """Return a line of a file: the text behind its checksum."""
    return f"{crc32(text.encode()):0{_DIGITS}x} {text}\n"


def text_of(line: str) -> str:
    """Return the text of a line.

    Raises:
        ValueError: The line is not as it was written.
    """
    text = line[_DIGITS + 1 : -1]
    if line != checked_line(text):
        raise ValueError("the line is damaged")
    return text
