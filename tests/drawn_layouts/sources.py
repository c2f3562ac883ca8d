"""A drawn source: its files, the truth of each row, and how it was drawn."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .words import LETTERS

OMITTED = object()  # a field that a JSON entry does not have at all
NAN = float("nan")


def absent(value: Any) -> bool:
    """Whether a cell or field says nothing."""
    return value is OMITTED or value is None or value == "" or (isinstance(value, float) and math.isnan(value))


@dataclass
class Row:
    """One question with what is true of it, and where it was written."""

    question: str
    options: list[str]
    right: int | None  # position of the right option; None where the file gives no readable key
    key_state: str = "key"  # key, missing, stray, twice (the key's text belongs to two options)
    meant: int | None = None  # what the author meant, also where the file does not say it readably
    file: str = ""
    row: int = -1
    source_id: Any = None
    image: str = ""
    texts: str = "words"
    repeated: bool = False
    key: Any = None  # the key as it was put into the file
    second_key: Any = OMITTED

    def as_truth(self, lettered: bool = True) -> dict[str, Any]:
        """The row as `construct items SOURCE --list` would print an item."""
        keys = list(LETTERS) if lettered else [str(i) for i in range(10)]
        return {
            "file": self.file, "row": self.row, "source_id": self.source_id, "question": self.question,
            "options": [{"key": keys[i], "text": text} for i, text in enumerate(self.options)],
            "answer": None if self.right is None else keys[self.right],
            "images": [self.image],
            "right_text": None if self.right is None else self.options[self.right],
            "key_state": self.key_state, "key_in_file": None if self.key is OMITTED else plain(self.key),
            "repeated_option": self.repeated,
        }  # fmt: skip


@dataclass
class Source:
    """One source: files, truth, how it was drawn, and what the judge says."""

    seed: int
    files: dict[str, bytes] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    kind: dict[str, str] = field(default_factory=dict)
    judge: dict[str, Any] = field(default_factory=dict)

    @property
    def ambiguous(self) -> bool:
        return bool(self.judge["ambiguous"])

    def write(self, folder: Path) -> None:
        for name, data in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

    def about(self) -> dict[str, Any]:
        return {"seed": self.seed, "kind": self.kind, "judge": self.judge, "files": sorted(
            name for name in self.files if not name.endswith(".png"))}  # fmt: skip


def plain(value: Any) -> Any:
    """A value as strict JSON can hold it."""
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    return value
