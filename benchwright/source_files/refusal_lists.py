"""Refusals, written to a file as they come, and what became of all rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from benchwright.canonical import canonical_json
from benchwright.texts.normalization import counted
from benchwright.workspace.atomic import replacing

from .refusals import RefusedRow


class RowCounts(NamedTuple):
    """What became of the rows that a dataset states: records, and the annotations that they are made of.

    Args:
        used: Rows of records that are used.
        refused: Rows that are wrong, by reason.
        left_out: Sound rows that a rule leaves out, by reason.
    """

    used: int
    refused: Mapping[str, int]
    left_out: Mapping[str, int]

    @property
    def read(self) -> int:
        """Return the number of rows that were read: each is used, refused, or left out."""
        return self.used + sum(self.refused.values()) + sum(self.left_out.values())

    def document(self) -> dict[str, Any]:
        """Return the counts as JSON values."""
        refused, left_out = (dict(sorted(counts.items())) for counts in (self.refused, self.left_out))
        return {"read": self.read, "used": self.used, "refused": refused, "left_out": left_out}

    def __str__(self) -> str:
        parts = [f"{counted(self.read, 'row')} read, {self.used:,} used"]
        for what, counts in (("wrong", self.refused), ("left out by rule", self.left_out)):
            if counts:
                parts.append(f"{what}: {', '.join(f'{reason} {n:,}' for reason, n in sorted(counts.items()))}")
        return "; ".join(parts)


class Refusals:
    """Refusals, written to a file of one JSON object a line as they come, and counted.

    Args:
        handle: The file.

    Attributes:
        counts: Number of refusals by reason.
        wrong: Number of rows that are refused with them, by reason.
        left_out: Number of sound rows by the rule that leaves them out; the file does not list these.
        records: Number of records whose pictures are all there.
    """

    def __init__(self, handle: BinaryIO) -> None:
        self._handle = handle
        self.counts: Counter[str] = Counter()
        self.wrong: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()
        self.records = 0

    def add(self, row: RefusedRow) -> None:
        """Record one refusal, or what a rule leaves out."""
        if row.by_rule:
            self.left_out[row.reason] += row.rows
            return
        self.counts[row.reason] += 1
        self.wrong[row.reason] += row.rows
        self._handle.write((canonical_json(row.document()) + "\n").encode("utf-8", "backslashreplace"))

    def rows(self, used: int) -> RowCounts:
        """Return what became of all rows, given the number of those that are used."""
        return RowCounts(used, *(dict(sorted(counts.items())) for counts in (self.wrong, self.left_out)))


@contextmanager
def refusals_in(path: Path, *, tmp: Path) -> Iterator[Refusals]:
    """Yield the refusals of a file, which replaces the one of an earlier run once all are known.

    Args:
        path: Path of the file.
        tmp: Folder for the draft.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path, tmp=tmp) as draft, draft.open("wb") as handle:
        yield Refusals(handle)
