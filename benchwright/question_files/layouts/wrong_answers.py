"""A right answer and a list of wrong answers, which together are the options."""

from __future__ import annotations

from collections.abc import Iterator

from benchwright.source_files.rows import BadRow

from ..mapping.columns import FIELDS, option_columns
from ..mapping.readings import KnownKey
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


_UNMIXED = "multiple_choices"
"""In Visual7W only the wrong answers; elsewhere all options."""
_SEVEN = frozenset({"what", "where", "when", "who", "why", "how", "which"})


def _unmixed(entry: Entry) -> tuple[str, str] | None:
    """Return the columns of the right and the wrong answers, if an entry has the form of Visual7W."""
    columns = named(entry)
    if not all(name in columns for name in (_UNMIXED, "qa_id", "answer", "type")):
        return None
    right, wrong = entry[columns["answer"]], entry[columns[_UNMIXED]]
    has_form = str(entry[columns["type"]]) in _SEVEN and right not in (None, "") and isinstance(wrong, list) and wrong
    return (columns["answer"], columns[_UNMIXED]) if has_form else None


def _columns(entry: Entry) -> tuple[str, str] | None:
    if (unmixed := _unmixed(entry)) is not None:
        return unmixed
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
    if not isinstance(right, str):
        raise BadRow(f"{names[0]} is {str(right)[:40]}, not words; options must not be numbers of boxes in the picture")
    # The index is the key, since words of options may be letters or numbers.
    options = [right, *(option for option in wrong if str(option).strip().casefold() != right.strip().casefold())]
    rest = without(entry, frozenset((*names, *(n for n in entry if str(n).lower() in FIELDS["options"]))))
    yield PlainRow("", {**rest, "options": options, "answer": KnownKey(0, "from_0")})


WRONG_ANSWERS = Layout(
    "a right answer and wrong ones",
    "`answer` or `correct_answer`, and a list `distractors`, `incorrect_answers` or `wrong_answers`; "
    "`multiple_choices` with `qa_id` and a `type` such as `what` or `who`",
    "the right answer is the first option and the key; the wrong answers follow in their order",
    ("OpenTDB", "Visual7W"),
    _taken,
    _rows,
)
