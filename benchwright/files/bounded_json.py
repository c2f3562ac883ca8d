"""JSON of strangers, whose values are counted before they are made.

Two bytes of JSON (`[]`) become an object of 56. A file that is bounded in bytes alone may take thirty times its size.
"""

from __future__ import annotations

import json
from typing import Any

from benchwright.files.bounds import ROW_VALUES, Bound

_UNCOUNTED = 1 << 20
"""Length up to which values need not be counted: they cannot be too many."""
_MARKS = ",[{"


def bounded_json(data: bytes | str, *, bound: Bound = ROW_VALUES) -> Any:
    """Return the value of a JSON text, in UTF-8 where it is bytes.

    Raises:
        ValueError: It is no JSON, or has more values than `bound` says.
    """
    if has_more_values(data, bound):
        raise ValueError(f"it has more than {bound.most():,} values; split it, {bound.or_raise()}")
    return json.loads(data)


def has_more_values(data: bytes | str, bound: Bound) -> bool:
    """Return whether a JSON text, or its beginning, has more values than a bound, as commas and brackets tell."""
    if len(data) <= _UNCOUNTED:
        return False
    most = bound.most()
    if isinstance(data, str):
        return sum(data.count(mark) for mark in _MARKS) > most
    return sum(data.count(mark.encode()) for mark in _MARKS) > most
