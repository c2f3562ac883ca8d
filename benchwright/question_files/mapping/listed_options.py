"""A column of options with an unusual name, recognized by a word in its name and by its content."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from benchwright.records import LETTERS

from .cell_values import value_in
from .columns import ColumnMapping, spellings

_NAMED = frozenset({"options", "choices", "alternatives", "candidates"})
"""Words that indicate a column of options, such as `response_options`, `choicesText`, `mcq choices`."""
_OF_OTHERS = frozenset(
    {"wrong", "incorrect", "false", "other", "negative", "image", "images", "img", "picture", "pictures"}
)
"""Words that indicate something else: columns of wrong options only, or of options' pictures."""
_BARE = re.compile(r"[(\[]?(\w{1,2})[)\].:]?")
"""A letter or number as a key."""


def with_listed_options(
    rows: Sequence[Mapping[str, Any]],
    names: Sequence[str],
    columns: ColumnMapping,
    stated: Mapping[str, Any] | None = None,
) -> ColumnMapping:
    """Return columns, adding the only one that lists options if no column has a usual name for options.

    In each sampled row with a value, the column must list two or more texts, as a list or mapping or as either in text,
    and the key must be one of them. A column whose keys name several options ("select all that apply") is not accepted.

    Args:
        rows: Sample of the file's rows.
        names: Names of the file's columns.
        columns: Columns by field, recognized by their names.
        stated: Columns that a curator states; `options` among them leaves the columns unchanged.
    """
    if "options" in (stated or {}) or columns.column("options") or columns.options or not columns.column("question"):
        return columns
    likely = [name for name in names if name not in columns.taken and _is_likely(name)]
    found = [name for name in likely if _lists_options(rows, name, columns.column("answer") or "")]
    if len(found) != 1:
        return columns
    return columns.model_copy(update={"fields": {**columns.fields, "options": found[0]}})


def _is_likely(name: str) -> bool:
    words = set(re.split(r"[^a-z0-9]+", spellings(name)[-1]))
    return bool(words & _NAMED) and not words & _OF_OTHERS


def _lists_options(rows: Sequence[Mapping[str, Any]], name: str, answer: str) -> bool:
    """Return whether a column lists options in every row with a value, and each row's key names one of its options."""
    listed = [(row[name], row.get(answer)) for row in rows if row.get(name) not in (None, "")]
    return bool(listed) and all(_names_one(key, _options(value)) for value, key in listed)


def _options(value: Any) -> dict[str, str]:
    """Return the texts of options by their letters; empty if a value does not list two texts."""
    if isinstance(value, str):
        value = value_in(value)
    if isinstance(value, Mapping):
        options = {str(letter).strip().upper(): text for letter, text in value.items()}
    elif isinstance(value, list | tuple) and len(value) <= len(LETTERS):
        options = dict(zip(LETTERS, value, strict=False))
    else:
        return {}
    texts = {letter: str(text).strip() for letter, text in options.items() if isinstance(text, str | int | float)}
    return texts if len(texts) == len(options) and len(texts) > 1 and all(texts.values()) else {}


def _names_one(key: Any, options: Mapping[str, str]) -> bool:
    """Return whether a key, if there is one, is the text, letter or number of an option."""
    if not options or isinstance(key, list | tuple | Mapping):
        return False
    if key is None or not (stated := str(key).strip()):
        return True
    if stated.casefold() in {text.casefold() for text in options.values()}:
        return True
    bare = _BARE.fullmatch(stated)
    if bare is None:
        return False
    return bare[1].upper() in options or (bare[1].isdecimal() and int(bare[1]) <= len(options))
