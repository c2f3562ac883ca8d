"""A question whose parts are in one object inside its entry, such as `task_instance`."""

from __future__ import annotations

from collections.abc import Iterator

from ..mapping.columns import FIELDS
from .layout import NOTHING, Entry, Layout, PlainRow, named, without

INSTANCES = ("task_instance", "instance")


def _instance(entry: Entry) -> tuple[str, Entry] | None:
    """Return the column of the object that contains the question, and the object; None if there is none."""
    columns = named(entry)
    for name in INSTANCES:
        if name in columns and isinstance(instance := entry[columns[name]], dict):
            parts = named(instance)
            if any(part in parts for part in (*FIELDS["question"], *FIELDS["context"])):
                return columns[name], instance
    return None


def _taken(entry: Entry) -> frozenset[str]:
    return NOTHING if (found := _instance(entry)) is None else frozenset({found[0]})


def _rows(entry: Entry) -> Iterator[PlainRow]:
    found = _instance(entry)
    assert found is not None
    column, instance = found
    parts = named(instance)
    is_asked = any(name in parts for name in FIELDS["question"])
    # Without separate words for the question, its context asks it.
    asks = None if is_asked else next(parts[name] for name in FIELDS["context"] if name in parts)
    own = {("question" if name == asks else name): value for name, value in instance.items()}
    yield PlainRow("", {**without(entry, frozenset({column})), **own})


NESTED_INSTANCES = Layout(
    "a question within one object",
    "`task_instance` with `context`, `images_path` and `choice_list`, with `response` outside it",
    "the object's columns join the others; its context is the question if nothing else asks one",
    ("MileBench",),
    _taken,
    _rows,
)
