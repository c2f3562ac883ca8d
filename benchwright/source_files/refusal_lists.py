"""Refusals, which are written to a file as they occur, and counts of all rows by outcome."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from benchwright.canonical import canonical_json
from benchwright.errors import DamagedError
from benchwright.texts.normalization import counted
from benchwright.workspace.atomic import replacing, write_json

from .refusals import RefusedRow

REFUSED = "datasets"
"""Folder of a workspace with two files for each entry that reads rows: a list of refusals, and counts of all rows."""
_COUNTS = ".counts.json"


class RowCounts(NamedTuple):
    """Counts of a dataset's rows by outcome: the rows of records and those of the annotations of which records consist.

    Args:
        used: Rows of records that are used.
        refused: Invalid rows, by reason.
        left_out: Valid rows that a rule omits, by reason.
    """

    used: int
    refused: Mapping[str, int]
    left_out: Mapping[str, int]

    @property
    def read(self) -> int:
        """Return the number of rows read, whether used, refused or omitted."""
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


class RowLedger:
    """Counts of a dataset's rows by outcome, accumulated during reading.

    Attributes:
        wrong: Number of refused rows, by reason.
        left_out: Number of valid rows that were omitted, by rule.
    """

    def __init__(self) -> None:
        self.wrong: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()

    def add(self, row: RefusedRow) -> None:
        """Count the rows lost with a refusal, or omitted by a rule."""
        if row.rows:
            (self.left_out if row.by_rule else self.wrong)[row.reason] += row.rows

    def rows(self, used: int) -> RowCounts:
        """Return the counts of all rows, given the number of used rows."""
        return RowCounts(used, *(dict(sorted(counts.items())) for counts in (self.wrong, self.left_out)))


class Refusals(RowLedger):
    """Refusals, counted and written to a file as they occur, one JSON object per line.

    Args:
        handle: The file, which does not list rows omitted by a rule.

    Attributes:
        counts: Number of refusals by reason.
        records: Number of records whose pictures are all present.
    """

    def __init__(self, handle: BinaryIO) -> None:
        super().__init__()
        self._handle = handle
        self.counts: Counter[str] = Counter()
        self.records = 0

    def add(self, row: RefusedRow) -> None:
        """Record one refusal, or one row omitted by a rule."""
        super().add(row)
        if not row.by_rule:
            self.counts[row.reason] += 1
            self._handle.write((canonical_json(row.document()) + "\n").encode("utf-8", "backslashreplace"))


@contextmanager
def refusals_in(path: Path, *, tmp: Path) -> Iterator[Refusals]:
    """Yield a writer of refusals, whose file finally replaces that of an earlier run.

    Args:
        path: Path of the file.
        tmp: Folder for the draft.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path, tmp=tmp) as draft, draft.open("wb") as handle:
        yield Refusals(handle)


def write_row_counts(counts: RowCounts, workspace: Path, entry: str, *, tmp: Path) -> None:
    """Write the row counts of a recipe entry into the workspace."""
    write_json(workspace / REFUSED / f"{entry}{_COUNTS}", counts.document(), tmp=tmp)


def row_counts_in(workspace: Path, entries: Iterable[str]) -> dict[str, RowCounts]:
    """Return the row counts of a recipe's entries, by entry, for the entries that read rows."""
    counts: dict[str, RowCounts] = {}
    for entry in entries:
        path = workspace / REFUSED / f"{entry}{_COUNTS}"
        try:
            document = json.loads(path.read_bytes())
            counts[entry] = RowCounts(document["used"], dict(document["refused"]), dict(document["left_out"]))
        except FileNotFoundError:
            continue
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise DamagedError(path, f"is damaged: {error}") from None
    return counts
