"""Parts common to spreadsheet readers: limits on archive parts, and merged cells."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from benchwright.errors import DataError
from benchwright.files.bounds import MIB, ROW_BYTES, ROW_VALUES, UNPACKED_BYTES
from benchwright.files.packed import BrokenOff

MAX_UNPACKED_BYTES = 2 << 30
_MAX_PART_BYTES = 4 << 20
"""Largest size, in bytes, of a row or of a part without rows, such as the styles; both are loaded as a whole."""
MAX_ROWS = 1_048_576
"""Largest number of rows in a sheet, the same as in spreadsheet programs."""
_NAMED = 4
"""Largest number of sheet names in a message."""
PIECE_BYTES, KEPT_BYTES = 1 << 20, 256
"""Number of bytes of a part to examine at a time, and of the preceding piece to keep."""


class SheetRow(NamedTuple):
    """A row of a sheet.

    Args:
        number: Number of the row in spreadsheet programs, from 1.
        cells: The row's cells as texts; empty texts for empty cells.
        problem: Reason why the row is unusable; empty if it is usable.
        sheet: Name of the row's sheet if several are read; otherwise empty.
    """

    number: int
    cells: list[str]
    problem: str = ""
    sheet: str = ""


class ShownCell(str):
    """The value of a cell as text, with the text that the spreadsheet displays: `0.25`, displayed as 25%.

    Attributes:
        shown: The displayed text.
    """

    shown: str

    @classmethod
    def of(cls, value: str, shown: str) -> str:
        """Return a value with its displayed text, or the value alone if both are equal."""
        if value == shown:
            return value
        made = cls(value)
        made.shown = shown
        return made


class FaultyCell(str):
    """A cell without a value: with an error such as `#N/A`, or with a formula that was never computed.

    Attributes:
        fault: The problem and its remedy.
    """

    fault: str

    @classmethod
    def of(cls, text: str, fault: str) -> FaultyCell:
        """Return a faulty cell with a text in place of its value."""
        made = cls(text)
        made.fault = fault
        return made


def untold(_words: str) -> None:
    """Ignore an assumption about a file instead of reporting it."""


def chosen_sheets(
    titles: Sequence[str],
    shown: Sequence[int],
    first: Mapping[int, Sequence[str]],
    tell: Callable[[str], None],
    parts_of: Callable[[Sequence[str]], bool] | None,
) -> list[int]:
    """Return the indices of the sheets to read, and report the names of others.

    By default, this is the first visible sheet with two columns, or else the first visible one. Among sheets that are
    parts of one table, every sheet with the same first row is chosen.

    Args:
        titles: Names of all sheets.
        shown: Indices of the visible sheets.
        first: For each of these, the cells of its first nonempty row; empty for a single sheet.
        tell: Function that receives each assumption as text.
        parts_of: Function that returns, from their names, whether sheets are parts of one table; if None, one sheet is
            read.
    """
    filled = [place for place in shown if first.get(place)]
    wide = [place for place in filled if len(first[place]) > 1] or filled
    chosen = [(wide or list(shown))[0]]
    alike = [place for place in wide if first[place] == first[chosen[0]]]
    if len(alike) > 1 and parts_of is not None and parts_of([titles[place] for place in alike]):
        chosen = alike
        tell(f"its sheets {', '.join(f'{titles[place][:40]!a}' for place in chosen[:_NAMED])} are read as one table")
    if others := [f"{title[:40]!a}" for place, title in enumerate(titles) if place not in chosen]:
        more = f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
        of = f"its sheet {titles[chosen[0]][:40]!a} is read, and" if len(chosen) == 1 else "of its sheets"
        are = "" if len(chosen) == 1 else " is read" if len(others) == 1 else " are read"
        tell(f"{of} not {', '.join(others[:_NAMED])}{more}{are}")
    return chosen


def unreadable_sheet(name: str, error: Exception) -> DataError:
    """Return the error for an unreadable spreadsheet: truncated, damaged or of another kind."""
    if isinstance(error, SyntaxError | EOFError | zlib.error | zipfile.BadZipFile):
        return BrokenOff(
            f"{name} cannot be read as a spreadsheet (it is cut off, damaged or of another kind: {error}); "
            "fetch it again, or save it as .xlsx, .tsv or .csv"
        )
    why: object = error
    if isinstance(error, RecursionError):
        why = "its parts are nested too deeply"
    elif isinstance(error, RuntimeError) and "encrypted" in str(error):
        why = "it is locked with a password"
    return DataError(f"{name} cannot be read as a spreadsheet ({why}); save it as .xlsx, .tsv or .csv")


def check_size(archive: zipfile.ZipFile, max_unpacked_bytes: int | None) -> None:
    """Check the stated unpacked size of a spreadsheet; a member never unpacks to more than it states.

    Raises:
        ValueError: The size exceeds the limit.
    """
    most = UNPACKED_BYTES.most(MAX_UNPACKED_BYTES) if max_unpacked_bytes is None else max_unpacked_bytes
    if sum(member.file_size for member in archive.infolist()) > most:
        more = f"; split it, {UNPACKED_BYTES.or_raise(MAX_UNPACKED_BYTES)}" if max_unpacked_bytes is None else ""
        raise ValueError(f"it unpacks to more than {most / MIB:g} MiB{more}")


def signs_in_part(
    archive: zipfile.ZipFile,
    member: zipfile.ZipInfo,
    row_end: re.Pattern[bytes],
    signs: Mapping[str, re.Pattern[bytes]],
) -> set[str]:
    """Return which signs an XML part contains, after checking how far it expands.

    A part is loaded as a whole, except that rows and texts are loaded one by one. A large part must consist of these.

    Args:
        archive: The spreadsheet.
        member: The part.
        row_end: End mark of a row or a text.
        signs: Patterns to look for, by name.

    Raises:
        ValueError: A row, or a part without rows, exceeds the limit, or the part declares entities.
    """
    most = ROW_BYTES.most(_MAX_PART_BYTES)
    found: set[str] = set()
    with archive.open(member) as handle:
        since, before = 0, b""
        while piece := handle.read(min(PIECE_BYTES, most)):
            both = before + piece
            if b"<!DOCTYPE" in both or b"<!ENTITY" in both or b"\0" in piece:
                raise ValueError(
                    f"{member.filename[:200]!a} declares entities or is not UTF-8, which no spreadsheet program writes"
                )
            found.update(name for name, sign in signs.items() if name not in found and sign.search(both))
            if member.file_size > most:
                ends = [match.end() for match in row_end.finditer(piece)]
                since = len(piece) - ends[-1] if ends else since + len(piece)
                if since > most or b"<!" in piece:
                    raise ValueError(
                        f"{member.filename[:200]!a} has more than {most / MIB:g} MiB without the end of a row; "
                        f"split it, {ROW_BYTES.or_raise(_MAX_PART_BYTES)}"
                    )
            before = piece[-KEPT_BYTES:]
    return found


class MergedCells:
    """Cells merged over several rows; the file states the value in the first row, and every row receives it."""

    def __init__(self) -> None:
        self._begin: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        self._open: dict[int, tuple[int, str]] = {}
        self._cells = self._filled = 0

    def add(self, place: int, first: int, last: int) -> None:
        """Add a cell by its column, counted from 0, and its first and last row.

        Raises:
            ValueError: All merged cells together exceed the limit.
        """
        if last <= first:
            return
        self._begin[first].append((place, last))
        self._cells += 1
        self._filled += last - first
        if self._filled > (most := ROW_VALUES.most()):
            raise ValueError(f"it merges more than {most:,} cells; split them, {ROW_VALUES.or_raise()}")

    def tell(self, tell: Callable[[str], None]) -> None:
        """Report the number of merged cells, if any."""
        if self._cells:
            tell(f"each row takes the value of the cells merged over it ({self._cells:,} in all)")

    def fill(self, number: int, cells: list[str]) -> None:
        """Fill in the cells of a row that belong to merged cells; rows must be passed in order."""
        for place in [place for place, (last, _) in self._open.items() if last < number]:
            del self._open[place]
        for place, (_, text) in self._open.items():
            cells += [""] * (place + 1 - len(cells))
            cells[place] = cells[place] or text
        for place, last in self._begin.pop(number, ()):
            if place < len(cells) and cells[place]:
                self._open[place] = last, cells[place]
