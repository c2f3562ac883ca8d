"""Rows, files and members of archives that are not used, each with the reason."""

from __future__ import annotations

from typing import Any, NamedTuple

from benchwright.texts.normalization import counted

BAD_ROW = "bad_row"
MISSING_PICTURE = "missing_picture"
AMBIGUOUS_PICTURE = "ambiguous_picture"
REPEATED = "repeated"
BAD_CELL = "bad_cell"
"""Reason for a cell that is wrong, where its row is used without it."""
DAMAGED_ARCHIVE, UNUSABLE_MEMBER, UNUSABLE_ENTRY = "damaged_archive", "unusable_member", "unusable_entry"
"""Reasons for an archive that cannot be opened, a member of one, and an entry of a folder that is no file."""


class RefusedRow(NamedTuple):
    """A row, file or picture of a dataset that is not used.

    Args:
        file: Path of the file below the dataset's folder.
        entry: Which row of it, such as `line 3`; empty for the file as a whole.
        reason: Stable code, such as `bad_row` or `missing_picture`.
        detail: What is wrong, with the value.
        rows: Number of rows that are left out with it: a picture's annotations where the picture is missing, 0 for a
            cell or an entry that rows only refer to, as those that cannot do without it are counted themselves.
        by_rule: Whether nothing is wrong with it, and a rule leaves it out, such as a smallest number of votes.
        position: Place of the row in its file, from 0; None where it is no row, or its reader does not count.
        source_id: Id that the row states; None for none.
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
        """Return it as lists of refusals have it, with the number of rows where several are left out with it."""
        stated = {"file": self.file, "entry": self.entry, "reason": self.reason, "detail": self.detail}
        return stated | ({"rows": self.rows} if self.rows != 1 else {})

    def __str__(self) -> str:
        return ": ".join(part for part in (self.file, self.entry, f"{self.reason} ({self.detail})") if part)


class Refused:
    """What of a dataset's folder is not read, each entry once and in the order in which it was met.

    A stranger's archive can have any number of wrong members: of one file the first are listed, the rest counted.
    """

    _LISTED = 1000

    def __init__(self) -> None:
        self._rows: dict[str, dict[str, RefusedRow]] = {}
        self._more: dict[str, int] = {}

    def add(self, file: str, reason: str, detail: str, *, entry: str = "") -> None:
        """Record one entry of the folder, or one member of an archive in it."""
        rows = self._rows.setdefault(file, {})
        if len(rows) < self._LISTED:
            rows.setdefault(entry, RefusedRow(file, entry, reason, detail))
        elif entry not in rows:
            self._more[file] = self._more.get(file, 0) + 1

    def rows(self) -> list[RefusedRow]:
        """Return what was met so far."""
        listed = [row for rows in self._rows.values() for row in rows.values()]
        more = [
            RefusedRow(file, counted(number, "more member"), UNUSABLE_MEMBER, "as the ones before")
            for file, number in self._more.items()
        ]
        return listed + more
