"""One question of a benchmark that exists, whatever file it stands in."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from pydantic import Field, model_validator

from benchwright.records import LETTERS, Item, Record, Scalar, Source
from benchwright.texts.normalization import counted

YES_NO = ("Yes", "No")
MAX_KEY = 400
"""Most characters of a question's id."""
_NO_TASK_LETTER = re.compile(r"[^a-z0-9]+")


class AskedPicture(NamedTuple):
    """A picture as a file of questions gives it: by name, or whole.

    Args:
        path: Path below the folder of pictures, or the name by which it is to be found; empty for none. A number may
            also be the `index` of the row that has the picture.
        data: Bytes of the picture's file, where they stand in the file of questions.
        source: Where it came from, as its source states it; None for nothing stated.
        is_only_named: Whether the text shows the picture, as by `<image 2>`, and the row has none; `path` is that mark.
    """

    path: str = ""
    data: bytes | None = None
    source: Source | None = None
    is_only_named: bool = False


class ModelReply(NamedTuple):
    """What a model replied to a question, as a file beside the questions has it.

    Args:
        model: Name of the model.
        key: Id of the question.
        text: Raw reply; empty where only the choice read from it is stored.
        choice: Choice that the source read from it; None where it stores none.
    """

    model: str
    key: str
    text: str
    choice: str | None = None


class KeyFault(NamedTuple):
    """Why the key of a row names no option of it: a stable code such as `key_not_an_option`, and words."""

    reason: str
    detail: str


class AskedQuestion(Record):
    """A question with its options, as checked; its pictures are counted from 0.

    Attributes:
        key: The question's own id, unique in the source.
        split: Its own split; None where none is stated.
        task: Task, as items name it.
        kind: `open` where it has no options; it is then no item.
        ask: The question, with `<image 2>` where it places its pictures; empty where the source has keys only.
        options: For each option its text, or the number of the picture that it is.
        padded: Numbers of the options around whose words the source has white space, which is not kept.
        answer: Number of the right option, from 0; None where no option is marked as right.
        stated_answer: The key in the words of the source, where there are no options.
        refusal: Number of the option that declines; None where none does.
        lacks_key: Whether the source does not say which option is right, because it keeps the key to itself.
        key_fault: What is wrong with the key, where it names no option or several; such a question is no item.
        pictures: Number of pictures.
        labels: Everything else that the source says of it, by column.
        rotates: Id of the question of which this one has the options in another order; None for none.
        item: The item itself, where the source is a release of Benchwright.
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
                raise ValueError(f"{name} is option {place + 1}, and there are {len(self.options)}")
        for option in self.options:
            if isinstance(option, int) and not 0 <= option < self.pictures:
                raise ValueError(f"an option is picture {option + 1}, and there are {self.pictures}")
        return self


def task_name(text: str) -> str:
    """Return a text as the name of a task: small letters, digits and `_`, a letter first."""
    name = _NO_TASK_LETTER.sub("_", text.lower()).strip("_")[:64]
    return name if name[:1].isalpha() else f"task_{name}".rstrip("_")
