"""Texts preceded by a mark that states their role: `Q: ...`, `A: ...`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from ..mapping.columns import FIELDS
from .layout import NOTHING, Entry, Layout, PlainRow, named

_QUESTION = re.compile(r"\s*(?:Q|Question)\s*:\s*", re.I)
_ANSWER = re.compile(r"\s*(?:A|Answer)\s*:\s*", re.I)


def _marked(entry: Entry) -> tuple[str, str] | None:
    """Return the columns of question and answer if both have such a mark."""
    if (names := _columns(tuple(entry))) is None:
        return None
    for name, mark in zip(names, (_QUESTION, _ANSWER), strict=True):
        if not isinstance(entry[name], str) or mark.match(entry[name]) is None:
            return None
    return names


@lru_cache(maxsize=64)
def _columns(entry: tuple[str, ...]) -> tuple[str, str] | None:
    """Return the columns of question and answer; None if one is missing."""
    columns = named(entry)
    question, answer = (next((columns[n] for n in FIELDS[f] if n in columns), None) for f in ("question", "answer"))
    return None if question is None or answer is None else (question, answer)


def _taken(entry: Entry) -> frozenset[str]:
    return NOTHING if (names := _marked(entry)) is None else frozenset(names)


def _rows(entry: Entry) -> Iterator[PlainRow]:
    names = _marked(entry)
    assert names is not None
    question, answer = names
    bare = {question: _QUESTION.sub("", entry[question], count=1), answer: _ANSWER.sub("", entry[answer], count=1)}
    yield PlainRow("", {**entry, **bare})


MARKED_WORDS = Layout(
    "words with marks",
    "a question `Q: ...` and an answer `A: ...`",
    "the words without the marks",
    ("BenchLMM",),
    _taken,
    _rows,
)
