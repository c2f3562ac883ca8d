"""Parsing of untrusted JSON, with values counted before objects are created.

Two bytes of JSON (`[]`) become an object of 56 bytes. A file limited in bytes alone may take thirty times its size.
"""

from __future__ import annotations

import json
import sys
from math import isnan
from typing import Any

from benchwright.files.bounds import ROW_VALUES, Bound

_UNCOUNTED = 1 << 20
"""Length in bytes up to which a text cannot contain too many values."""
_MARKS = ",[{"
_SPACE = " \t\n\r"
_EXACT = 1 << 53
"""Largest whole number up to which floats are exact."""


def bounded_json(data: bytes | str, *, bound: Bound = ROW_VALUES) -> Any:
    """Return the value of a JSON text; bytes must be UTF-8.

    `NaN`, which programs write for a missing value, becomes None. Whole numbers become integers, because programs write
    a 3 in a column with missing values as 3.0.

    Raises:
        ValueError: The text is not JSON, repeats a key of an object, is nested too deeply, or has more values than
            `bound`.

    Example:
        >>> bounded_json('{"C": NaN, "answer": 2.0, "D": "NaN"}')
        {'C': None, 'answer': 2, 'D': 'NaN'}
    """
    if has_more_values(data, bound):
        raise ValueError(f"it has more than {bound.most():,} values; split it, {bound.or_raise()}")
    if isinstance(data, bytes):
        try:
            data = data.decode()
        except UnicodeDecodeError as error:
            byte = f"byte 0x{data[error.start]:02x} at {error.start}"
            raise ValueError(f"it is not UTF-8 ({byte}); save it in UTF-8") from None
    text = data.lstrip("\ufeff").strip(_SPACE)
    try:
        value, end = _JSON_DECODER.raw_decode(text)
        if end != len(text):
            raise json.JSONDecodeError("Extra data", text, end)
        return value
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except ValueError as error:
        if "integer string conversion" in str(error):
            raise ValueError(f"a number has more than {sys.get_int_max_str_digits():,} digits") from None
        raise


def plain_value(value: Any) -> Any:
    """Return a value without markers of missing values: NaN becomes None, and whole floats become integers."""
    if isinstance(value, float):
        return None if isnan(value) else int(value) if value.is_integer() and abs(value) < _EXACT else value
    if isinstance(value, list):
        return [plain_value(entry) for entry in value]
    return {name: plain_value(entry) for name, entry in value.items()} if isinstance(value, dict) else value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{twice[:40]!a} occurs twice in one object")
    return document


_JSON_DECODER = json.JSONDecoder(
    parse_constant=lambda name: None if name == "NaN" else float(name),
    parse_float=lambda digits: plain_value(float(digits)),
    object_pairs_hook=_once,
)
"""Decoder that is created once, because `json.loads` would create one per line."""


def has_more_values(data: bytes | str, bound: Bound) -> bool:
    """Return whether a JSON text, or its beginning, has more values than a limit, judging by commas and brackets."""
    if len(data) <= _UNCOUNTED:
        return False
    most = bound.most()
    if isinstance(data, str):
        return sum(data.count(mark) for mark in _MARKS) > most
    return sum(data.count(mark.encode()) for mark in _MARKS) > most
