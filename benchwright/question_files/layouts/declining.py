"""Options that decline to answer, recognized by their wording: `Sorry, I can't help with it` (MM-SAP)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from ..mapping.columns import FIELDS, option_columns
from .layout import NOTHING, Entry, Layout, PlainRow, named

_DECLINES = re.compile(
    r"(?:\(?[A-Z][.):]\s*)?(?:"
    r"(?:i'?\s*a?m\s+)?sorry\b.{0,80}|"
    r"i\s+(?:do\s*n[o']t|don't|do not)\s+know\b.{0,40}|"
    r"i\s+(?:can\s*not|can't)\s+(?:answer|tell|say|help|determine|see|know)\b.{0,80}|"
    r"i\s*(?:'m|\s+am)\s+(?:not\s+sure|unable\s+to\s+(?:answer|tell|say|determine))\b.{0,80}|"
    r"(?:the\s+question\s+(?:is|cannot\s+be)\s+)?(?:unanswerable|not\s+answerable)\b.{0,40}|"
    r"(?:the\s+question\s+|it\s+)?can\s*(?:not|'t)\s+be\s+answered\b.{0,80}|"
    r"don'?t\s+know|unable\s+to\s+answer\b.{0,60})[.!]?",
    re.I | re.S,
)


@lru_cache(maxsize=1 << 12)
def declines(option: str) -> bool:
    """Return whether an option does nothing but decline to answer."""
    return _DECLINES.fullmatch(option.strip().replace("’", "'")) is not None


def _found(entry: Entry) -> str | None:
    """Return the text of the one option that declines; None if no option does, or if the entry names it."""
    columns = named(entry)
    if any(name in columns for name in FIELDS["refusal"]):
        return None
    answer = next((entry[columns[name]] for name in FIELDS["answer"] if name in columns), None)
    if answer in (None, "", []):
        return None  # no key, rather than a key that declines
    options = _options(entry, columns)
    found = [option for option in options if isinstance(option, str) and declines(option)]
    return found[0] if len(found) == 1 and options.count(found[0]) == 1 and len(options) > 1 else None


def _options(entry: Entry, columns: Mapping[str, str]) -> list[Any]:
    lettered = option_columns(list(entry))
    value = next((entry[columns[name]] for name in FIELDS["options"] if name in columns), None)
    if isinstance(value, list):
        return value
    if isinstance(value, dict):
        texts = value.get("text")
        return texts if isinstance(texts, list) else list(value.values())
    return [entry[name] for name in lettered]


def _taken(entry: Entry) -> frozenset[str]:
    return NOTHING if _found(entry) is None else frozenset({"refusal"})


def _rows(entry: Entry) -> Iterator[PlainRow]:
    yield PlainRow("", {**entry, "refusal": _found(entry)})


DECLINING = Layout(
    "an option that declines",
    "an option `Sorry, I can't help with it`, `I don't know`, `Unanswerable` or similar",
    "it is the option that declines; if it is also the key, nothing in the picture answers the question",
    ("MM-SAP", "UNK-VQA"),
    _taken,
    _rows,
)
