"""One question of a benchmark that exists, whatever file it stands in."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from pydantic import Field, model_validator

from benchwright.records import LETTERS, Record, Scalar

YES_NO = ("Yes", "No")
_NO_TASK_LETTER = re.compile(r"[^a-z0-9]+")


class AskedPicture(NamedTuple):
    """A picture as a file of questions gives it: by name, or whole.

    Args:
        path: Path below the folder of pictures, or the name by which it is to be found; empty for none.
        data: Bytes of the picture's file, where they stand in the file of questions.
    """

    path: str = ""
    data: bytes | None = None


class AskedQuestion(Record):
    """A question with its options, as checked; its pictures are counted from 0.

    Attributes:
        key: The question's own id, unique in the source.
        split: Its own split; None where none is stated.
        task: Task, as items name it.
        ask: The question, with `<image 2>` where it places its pictures.
        options: For each option its text, or the number of the picture that it is.
        answer: Number of the right option, from 0; None where no option is marked as right.
        refusal: Number of the option that declines; None where none does.
        pictures: Number of pictures.
        labels: Everything else that the source says of it, by column.
    """

    key: str = Field(min_length=1, max_length=400)
    split: str | None = None
    task: str
    kind: Literal["yes_no", "multiple_choice"]
    ask: str = Field(min_length=1, max_length=100_000)
    options: tuple[str | int, ...] = Field(min_length=2, max_length=len(LETTERS))
    answer: int | None
    refusal: int | None = None
    pictures: int = Field(ge=0)
    level: str | None = None
    category: str | None = None
    group: str | None = None
    explanation: str | None = None
    labels: dict[str, Scalar] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _hangs_together(self) -> AskedQuestion:
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
