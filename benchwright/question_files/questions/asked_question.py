"""One question of an existing benchmark, from any kind of file."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from pydantic import Field, model_validator

from benchwright.records import LETTERS, Item, Record, Scalar, Source
from benchwright.texts.normalization import counted

YES_NO = ("Yes", "No")
MAX_KEY = 400
"""Largest length of a question's id in characters."""
_NO_TASK_LETTER = re.compile(r"[^a-z0-9]+")


class AskedPicture(NamedTuple):
    """A picture in a question file: by name, or embedded.

    Args:
        path: Path below the picture folder, or a name to look up; empty if there is none. A number may also be the
            `index` of the row that has the picture.
        data: Bytes of the picture's file, if it is embedded in the question file.
        source: Stated origin; None if unstated.
        is_only_named: Whether the text shows the picture, for example as `<image 2>`, but the row has none; `path` is
            that mark.
    """

    path: str = ""
    data: bytes | None = None
    source: Source | None = None
    is_only_named: bool = False


class ModelReply(NamedTuple):
    """A model's reply to a question, from a file next to the questions.

    Args:
        model: Name of the model.
        key: Id of the question.
        text: Raw reply; empty if the source stores only the choice read from it.
        choice: Choice that the source read from it; None if it stores none.
    """

    model: str
    key: str
    text: str
    choice: str | None = None


class KeyFault(NamedTuple):
    """The reason why a row's key names none of its options: a stable code such as `key_not_an_option`, and text."""

    reason: str
    detail: str


class AskedQuestion(Record):
    """A checked question with its options; pictures are numbered from 0.

    Attributes:
        key: The question's own id, unique in the source.
        split: The stated split of the question; None if not stated.
        task: Task, as items name it.
        kind: `open` if it has no options; it is then not an item.
        ask: The question, with `<image 2>` at the positions of its pictures; empty if the source has only keys.
        options: For each option its text, or the number of its picture.
        padded: Indices of the options around whose text the source has white space, which is removed.
        answer: Index of the right option; None if no option is marked as right.
        stated_answer: The key as worded in the source, if the question has no options.
        refusal: Index of the option that declines; None if none does.
        lacks_key: Whether the source does not publish which option is right.
        key_fault: The mistake of a key that names no option or several; such a question is not an item.
        pictures: Number of pictures.
        labels: All other statements of the source about the question, by column.
        rotates: Id of the question whose options this one has in another order; None if there is none.
        item: The item, if the source is a release of Benchwright.
    """

    key: str = Field(min_length=1, max_length=MAX_KEY)
    split: str | None = None
    task: str
    kind: Literal["yes_no", "multiple_choice", "open"]
    ask: str = Field(max_length=100_000)
    options: tuple[str | int, ...] = Field(max_length=len(LETTERS))
    padded: tuple[int, ...] = ()
    answer: int | None
    stated_answer: str | None = None
    refusal: int | None = None
    lacks_key: bool = False
    key_fault: KeyFault | None = None
    pictures: int = Field(ge=0)
    level: str | None = None
    category: str | None = None
    group: str | None = None
    explanation: str | None = None
    labels: dict[str, Scalar] = Field(default_factory=dict)
    rotates: str | None = None
    item: Item | None = None

    @model_validator(mode="after")
    def _hangs_together(self) -> AskedQuestion:
        if (self.kind == "open") != (len(self.options) == 0) or len(self.options) == 1:
            raise ValueError(
                f"{counted(len(self.options), 'option')}; a question needs two or more, an open one has none"
            )
        for name in ("answer", "refusal"):
            place = getattr(self, name)
            if place is not None and not 0 <= place < len(self.options):
                raise ValueError(f"{name} is option {place + 1}, but the question has {len(self.options)}")
        for option in self.options:
            if isinstance(option, int) and not 0 <= option < self.pictures:
                raise ValueError(f"an option is picture {option + 1}, but the question has {self.pictures}")
        return self


def task_name(text: str) -> str:
    """Return a text in the form of a task name: lowercase letters, digits and `_`, beginning with a letter."""
    name = _NO_TASK_LETTER.sub("_", text.lower()).strip("_")[:64]
    return name if name[:1].isalpha() else f"task_{name}".rstrip("_")
