"""Several questions about one picture or lesson in one entry: keyed by their text, by id, or by kind and id."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..mapping.columns import FIELDS
from .layout import NOTHING, Entry, Layout, PlainRow, named, without

_WORDS = ("processedText", "rawText", "text", "value")
"""Names under which a value with several forms of a text may store it."""
_DEEPEST = 2


def _questions(entry: Entry) -> Mapping[str, Any] | None:
    """Return an entry's `questions` if they are objects by name."""
    found = entry.get("questions")
    is_nested = isinstance(found, Mapping) and bool(found) and all(isinstance(v, Mapping) for v in found.values())
    return found if is_nested else None


def _taken(entry: Entry) -> frozenset[str]:
    return NOTHING if _questions(entry) is None else frozenset({"questions"})


def _rows(entry: Entry) -> Iterator[PlainRow]:
    questions = _questions(entry)
    assert questions is not None
    rest = without(entry, frozenset({"questions", *(n for n, v in entry.items() if isinstance(v, Mapping | list))}))
    for number, (name, kind, question) in enumerate(_each(questions), start=1):
        own = {column: _plain(value) for column, value in question.items()}
        columns = named(own)
        if not any(column in columns for column in FIELDS["question"]):
            own["question"] = name
        elif not any(column in columns for column in FIELDS["id"]):
            own["id"] = name
        shared = {column: value for column, value in rest.items() if not _is_id(column, own)}
        yield PlainRow(f", question {number}", {**shared, **({"kind_of_question": kind} if kind else {}), **own})


def _each(questions: Mapping[str, Any], kind: str = "", depth: int = 0) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield the name, the kind and the content of each nested question."""
    for name, value in questions.items():
        if not isinstance(value, Mapping):
            continue
        columns = named(value)
        if any(column in columns for column in (*FIELDS["answer"], *FIELDS["options"], *FIELDS["question"])):
            yield name, kind, value
        elif depth < _DEEPEST:
            yield from _each(value, name, depth + 1)


def _is_id(column: str, own: Mapping[str, Any]) -> bool:
    """Return whether a column of the whole entry states its id while the question has a separate one."""
    ids = [name for name in FIELDS["id"] if name in named({column: None})]
    return bool(ids) and any(name in named(own) for name in FIELDS["id"])


def _plain(value: Any) -> Any:
    """Return the text of a value that contains several forms of the text; return any other value unchanged."""
    if isinstance(value, Mapping):
        words = next((value[name] for name in _WORDS if isinstance(value.get(name), str)), None)
        return words if words is not None else {name: _plain(entry) for name, entry in value.items()}
    return value


NESTED_QUESTIONS = Layout(
    "questions within an entry",
    "`questions` as an object: by the words of the question, by id, or by kind and id; words as `processedText`",
    "a row for each question, with the entry's data on all of them",
    ("AI2D", "TQA"),
    _taken,
    _rows,
)
