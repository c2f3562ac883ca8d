"""JSON of strangers, whose values are counted before they are made.

Two bytes of JSON (`[]`) become an object of 56. A file that is bounded in bytes alone may take thirty times its size.
"""

from __future__ import annotations

import json
from typing import Any

MAX_VALUES = 2_000_000
"""Most values of an entry: a row, a line, a list's element."""
MAX_DOCUMENT_VALUES = 8_000_000
"""Most values of a whole file, which take less than a gigabyte."""
_UNCOUNTED = 1 << 20
"""Length up to which values need not be counted: they cannot be too many."""
_MARKS = ",[{"


def bounded_json(data: bytes | str, *, max_values: int = MAX_VALUES) -> Any:
    """Return the value of a JSON text, in UTF-8 where it is bytes.

    Raises:
        ValueError: It is no JSON, or has more than `max_values` values.
    """
    if has_more_values(data, max_values):
        raise ValueError(f"it has more than {max_values:,} values; split it")
    return json.loads(data)


def has_more_values(data: bytes | str, most: int) -> bool:
    """Return whether a JSON text, or the beginning of one, has more values than that, as commas and brackets tell."""
    if len(data) <= _UNCOUNTED:
        return False
    if isinstance(data, str):
        return sum(data.count(mark) for mark in _MARKS) > most
    return sum(data.count(mark.encode()) for mark in _MARKS) > most
