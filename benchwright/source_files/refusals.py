"""Rows, files and archive members that are not used, and the reason for each."""

from __future__ import annotations

from typing import Any, NamedTuple

from benchwright.texts.normalization import counted

BAD_ROW = "bad_row"
MISSING_PICTURE = "missing_picture"
AMBIGUOUS_PICTURE = "ambiguous_picture"
REPEATED = "repeated"
BAD_CELL = "bad_cell"
"""Reason for an invalid cell whose row is used without it."""
DAMAGED_ARCHIVE, UNUSABLE_MEMBER, UNUSABLE_ENTRY = "damaged_archive", "unusable_member", "unusable_entry"
"""Reasons for an unreadable archive, for an unusable archive member, and for a folder entry that is not a file."""


class RefusedRow(NamedTuple):
    """An unused row, file or picture of a dataset.

    Args:
        file: Path of the file below the dataset's folder.
        entry: Row of the file, such as `line 3`; empty for the file as a whole.
        reason: Stable code, such as `bad_row` or `missing_picture`.
        detail: The mistake, with the value. rows: Number of rows lost with it: a missing picture's annotations; 0 for a
            cell or an entry that rows only refer to, since rows that require it count themselves.
        by_rule: Whether a rule, such as a minimum number of votes, omits a valid row.
        position: Index of the row in its file; None if it is not a row, or its reader does not count rows.
        source_id: Id that the row states; None if it states none.
    """

    file: str
    entry: str
    reason: str
    detail: str
    rows: int = 1
    by_rule: bool = False
    position: int | None = None
    source_id: str | None = None

    def document(self) -> dict[str, Any]:
        """Return the entry for a list of refusals, with the number of rows if the refusal loses several."""
        stated = {"file": self.file, "entry": self.entry, "reason": self.reason, "detail": self.detail}
        return stated | ({"rows": self.rows} if self.rows != 1 else {})

    def __str__(self) -> str:
        return ": ".join(part for part in (self.file, self.entry, f"{self.reason} ({self.detail})") if part)


class Refused:
    """Entries of a dataset's folder that were not read, each once, in the order in which they were found.

    An untrusted archive can have any number of invalid members: for each file the first are listed, the rest counted.
    """

    _LISTED = 1000

    def __init__(self) -> None:
        self._rows: dict[str, dict[str, RefusedRow]] = {}
        self._more: dict[str, int] = {}

    def add(self, file: str, reason: str, detail: str, *, entry: str = "") -> None:
        """Record one entry of the folder, or one member of an archive in the folder."""
        rows = self._rows.setdefault(file, {})
        if len(rows) < self._LISTED:
            rows.setdefault(entry, RefusedRow(file, entry, reason, detail))
        elif entry not in rows:
            self._more[file] = self._more.get(file, 0) + 1

    def rows(self) -> list[RefusedRow]:
        """Return the entries found so far."""
        listed = [row for rows in self._rows.values() for row in rows.values()]
        more = [
            RefusedRow(file, counted(number, "more member"), UNUSABLE_MEMBER, "as the ones before")
            for file, number in self._more.items()
        ]
        return listed + more
