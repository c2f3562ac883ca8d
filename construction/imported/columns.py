"""Which column of a table of questions holds what: guessed from its name, or as a curator says.

| field         | content                                                                                   |
|---------------|-------------------------------------------------------------------------------------------|
| `id`          | the question's own id; the row's number where there is none                               |
| `question`    | its words                                                                                 |
| `options`     | a list, a mapping from letter to text, or either as text; or columns A, B, ..., option1, ... |
| `answer`      | letter, text, or number of the right option; yes or no where there are no options         |
| `image`       | path, name, address, base64 or bytes of the picture, or a list of such; also image_1, ... |
| `task`, `category`, `level`, `split`, `group`, `explanation` | as in an item                              |

What no field takes is kept as a label.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import count, takewhile

from pydantic import Field

from benchwright.errors import DataError
from benchwright.records import LETTERS, Record

FIELDS: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "question_id", "questionid", "qid", "item_id", "uid", "idx", "index", "sample_id", "key"),
    "question": ("question", "query", "ask", "question_text", "text", "prompt", "problem", "input"),
    "options": ("options", "choices", "candidates", "answer_choices", "multiple_choices", "mc_options"),
    "answer": (
        "answer", "correct_option", "correct_answer", "answer_key", "right", "gt_answer", "ground_truth", "target",
        "label", "correct", "gt", "multiple_choice_answer",
    ),
    "image": (
        "image", "images", "image_path", "img_path", "local_path", "image_file", "file_name", "filename", "img",
        "picture", "pictures", "image_paths", "image_id",
    ),
    "task": ("task", "sub_task", "subtask"),
    "category": ("category", "subject", "subfield", "domain", "topic", "l2-category", "question_type"),
    "level": ("level", "difficulty", "topic_difficulty"),
    "split": ("split", "subset"),
    "group": ("group", "pair_id", "scene", "scene_id"),
    "explanation": ("explanation", "rationale", "solution", "reason"),
}  # fmt: skip
"""For each field the names of columns that are taken for it, the likeliest first, in small letters."""

_OPTION = re.compile(r"(?:option|choice|opt|answer)?[ _-]?([a-z])", re.I)
_NUMBERED_OPTION = re.compile(r"(?:option|choice|opt)[ _-]?(\d{1,2})", re.I)
_NUMBERED_IMAGE = re.compile(r"(?:image|img|picture)[ _-]?(\d{1,2})", re.I)


class ColumnMapping(Record):
    """Columns by field.

    Attributes:
        fields: Column by field, of `FIELDS`.
        options: Columns of the options, in order, where each has its own.
        images: Columns of the pictures, in order, where each has its own.
    """

    fields: dict[str, str] = Field(default_factory=dict)
    options: tuple[str, ...] = ()
    images: tuple[str, ...] = ()

    @property
    def taken(self) -> frozenset[str]:
        """Return all columns that a field takes."""
        return frozenset((*self.fields.values(), *self.options, *self.images))

    def column(self, field: str) -> str | None:
        """Return the column of a field; None where no column has it."""
        return self.fields.get(field)

    def __str__(self) -> str:
        """Return it in one line, as a user reads it before it is used."""
        parts = [f"{field}: {column}" for field, column in self.fields.items()]
        parts += [f"options: {', '.join(self.options)}"] if self.options else []
        parts += [f"image: {', '.join(self.images)}"] if self.images else []
        return "; ".join(parts)


def guessed_columns(
    columns: Sequence[str], stated: Mapping[str, str | list[str]] | None = None, *, of: str = "the file"
) -> ColumnMapping:
    """Return which column holds what.

    Args:
        columns: Names of the columns, in order.
        stated: Columns as a curator says, by field; a list for `options` and `image`. They go before guesses, and an
            empty text leaves a field out.
        of: Path of the file, for errors.

    Raises:
        DataError: A stated field or column does not exist.
    """
    given = stated or {}
    fields: dict[str, str] = {}
    several: dict[str, tuple[str, ...]] = {}
    for field, column in given.items():
        if field not in FIELDS:
            raise DataError(f"{of}: there is no field {field!r} to map a column to; fields are {', '.join(FIELDS)}")
        named = [column] if isinstance(column, str) else list(column)
        if missing := [name for name in named if name and name not in columns]:
            raise DataError(f"{of}: there is no column {missing[0]!r} for {field}; there are {', '.join(columns)}")
        if isinstance(column, str):
            fields[field] = column
        elif field in ("options", "image"):
            several[field] = tuple(named)
        else:
            raise DataError(f"{of}: {field} is one column, not a list; only options and image may be several")
    lowered: dict[str, str] = {}
    for name in columns:
        lowered.setdefault(name.strip().lower(), name)
    for field, names in FIELDS.items():
        taken = {*fields.values(), *(name for group in several.values() for name in group)}
        if field in fields or field in several:
            continue
        guess = next((lowered[name] for name in names if name in lowered and lowered[name] not in taken), None)
        if guess is not None:
            fields[field] = guess
    if "options" not in given and "options" not in fields:
        several["options"] = _in_order(columns, _OPTION, _NUMBERED_OPTION, without=frozenset(fields.values()))
    if "image" not in given and (numbered := _in_order(columns, None, _NUMBERED_IMAGE)):
        fields.pop("image", None)
        several["image"] = numbered
    return ColumnMapping(
        fields={field: column for field, column in fields.items() if column},
        options=several.get("options", ()),
        images=several.get("image", ()),
    )


def _in_order(
    columns: Sequence[str],
    lettered: re.Pattern[str] | None,
    numbered: re.Pattern[str],
    *,
    without: frozenset[str] = frozenset(),
) -> tuple[str, ...]:
    """Return the columns that are letters from A on, or numbers from 0 or 1 on, without a gap, in that order."""
    by_letter: dict[str, str] = {}
    by_number: dict[int, str] = {}
    for name in columns:
        if name in without:
            continue
        if lettered is not None and (match := lettered.fullmatch(name.strip())):
            by_letter.setdefault(match[1].upper(), name)
        elif match := numbered.fullmatch(name.strip()):
            by_number.setdefault(int(match[1]), name)
    letters = [by_letter[letter] for letter in takewhile(by_letter.__contains__, LETTERS)]
    numbers = [by_number[number] for number in takewhile(by_number.__contains__, count(0 if 0 in by_number else 1))]
    return tuple(letters if len(letters) >= 2 else numbers)
