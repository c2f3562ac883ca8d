"""A right answer and a list of wrong ones, which together are the options."""

from __future__ import annotations

from collections.abc import Iterator

from .columns import FIELDS, option_columns
from .layout import Entry, Layout, PlainRow, named, without

WRONG_COLUMNS = (
    "distractors", "distractor", "incorrect_answers", "wrong_answers", "incorrect_options", "wrong_options", "decoys",
    "negative_answers", "false_answers", "wrong_choices", "incorrect_choices", "foils",
)  # fmt: skip
_RIGHT = (
    "correct_answer",
    "right_answer",
    "answer",
    "correct",
    "ground_truth",
    "target",
    "gt_answer",
    "correct_option",
)


def _columns(entry: Entry) -> tuple[str, str] | None:
    columns = named(entry)
    wrong = next(
        (columns[name] for name in WRONG_COLUMNS if name in columns and isinstance(entry[columns[name]], list)), None
    )
    right = next((columns[name] for name in _RIGHT if name in columns and entry[columns[name]]), None)
    if wrong is None or right is None or not entry[wrong] or not isinstance(entry[right], str):
        return None
    has_options = any(entry[columns[name]] for name in FIELDS["options"] if name in columns)
    return None if has_options or option_columns(list(entry)) else (right, wrong)


def _taken(entry: Entry) -> frozenset[str]:
    return frozenset(_columns(entry) or ())


def _rows(entry: Entry) -> Iterator[PlainRow]:
    names = _columns(entry)
    assert names is not None
    right, wrong = (entry[name] for name in names)
    options = [right, *(option for option in wrong if option != right)]
    rest = without(entry, frozenset((*names, *(n for n in entry if str(n).lower() in FIELDS["options"]))))
    yield PlainRow("", {**rest, "options": options, "answer": "A"})


WRONG_ANSWERS = Layout(
    "a right answer and wrong ones",
    "`answer` or `correct_answer`, and a list `distractors`, `incorrect_answers` or `wrong_answers`",
    "the right answer is the first option and the key, the wrong ones follow in their order",
    ("OpenTDB", "Visual7W (decoys)"),
    _taken,
    _rows,
)
