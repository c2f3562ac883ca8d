"""Items without pictures, question text and history, which suffice for judging and for scoring a file of predictions.

If pictures are not needed, a million pictures need not be decoded and hashed one by one. Instead, the files that
contain them are compared as a whole with the manifest before reading (`check_files`).

Each attribute of an item is a single text, in which several labels are separated by commas (`labels_in`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.records import LETTERS

from .question import Question
from .release_files import columns_of

if TYPE_CHECKING:
    import pyarrow as pa

    from benchwright.release import Release


OUTLINE_COLUMNS = ("item_id", "task", "choices", "answer", "refusal", "split", "attributes")


def labels_in(value: object) -> tuple[str, ...]:
    """Return the labels in the value of an attribute, without repetitions; empty if the value is not a text.

    Example:
        >>> labels_in("Metaphor, Contrast")
        ('Metaphor', 'Contrast')
    """
    parts = value.split(",") if isinstance(value, str) else []
    return tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))


class OptionOutline(NamedTuple):
    """An option: its letter and, if it has any, its words."""

    key: str
    text: str | None


class ItemOutline(NamedTuple):
    """An item in outline; its fields have the same names as those of its record."""

    item_id: str
    task: str
    choices: tuple[OptionOutline, ...]
    answer: str | None
    refusal: str | None
    attributes: str | None = None
    """JSON in the form stored in the release."""


class ReleasedOutline(NamedTuple):
    """An item in outline, in the form in which `Release.items` yields items."""

    item: ItemOutline
    split: str


def outlines_of(release: Release, split: str | None) -> Iterator[ReleasedOutline]:
    """Yield the items of a split, or of all splits, in the order of the release.

    Raises:
        DataError: A data file is damaged.
    """
    for batch in columns_of(release, split, OUTLINE_COLUMNS):
        yield from outlines_in(batch)


def outlines_in(batch: pa.RecordBatch) -> Iterator[ReleasedOutline]:
    """Yield the items in a batch that has the columns `OUTLINE_COLUMNS`."""
    plain = (batch.column(name).to_pylist() for name in ("item_id", "task", "answer", "refusal", "split", "attributes"))
    for (item_id, task, answer, refusal, its_split, attributes), choices in zip(
        zip(*plain, strict=True), _choices(batch.column("choices")), strict=True
    ):
        yield ReleasedOutline(ItemOutline(item_id, task, choices, answer, refusal, attributes), its_split)


def question_of_outline(outline: ItemOutline) -> Question:
    """Return a question without words and pictures, for a backend that uses neither of them."""
    options: Any = outline.choices  # they have the key and the text of a choice, and nothing else is used
    return Question(outline.item_id, outline.task, "", (), options)


def _choices(column: pa.ListArray) -> Iterator[tuple[OptionOutline, ...]]:
    """Yield the options of each item; their letters are A, B, C and so on, as in every release."""
    texts = column.flatten().field("text").to_pylist()
    made: dict[tuple[str | None, ...], tuple[OptionOutline, ...]] = {}
    start = 0
    for length in column.value_lengths().to_pylist():
        option_texts = tuple(texts[start : start + length])
        start += length
        if (outlines := made.get(option_texts)) is None:
            outlines = made[option_texts] = tuple(map(OptionOutline, LETTERS, option_texts))
        yield outlines
