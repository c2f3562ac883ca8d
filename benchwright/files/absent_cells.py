"""Cells of text tables such as `NA` or `nan`: missing values, or words.

Programs write missing values in this way, and authors write the same letters as words: `None` is the right option of
many questions. The file's quoting of texts and the other cells of the column decide:

| cell without quotation marks                                     | read as                                     |
|------------------------------------------------------------------|---------------------------------------------|
| in a file that puts all its texts into quotation marks           | absent                                      |
| in a column with a text                                          | its text                                    |
| in a column whose other cells are numbers, but for `None`        | absent                                      |
| `None` there, which can also be a count ("how many?")           | its text                                    |
| in a column with nothing else, if only programs write it (`nan`) | absent                                      |
| in a column with nothing else, if authors also write it (`None`)    | its text                                    |

A cell in quotation marks is its text. Before Python 3.12 the csv module does not report quoting, so a row with such a
cell is examined once more as written.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from benchwright.texts.normalization import counted

OF_PROGRAMS = frozenset({"nan", "NaN", "NAN", "-nan", "<NA>", "NaT", "null", "Null", "NULL", "#N/A"})
"""Marks of a missing value that only programs write."""
_OF_PEOPLE = frozenset({"None", "none"})
"""Answers to "how many?" that can occur in a column of numbers."""
ABSENT_MARKS = OF_PROGRAMS | _OF_PEOPLE | {"NA", "N/A", "n/a"}
"""Marks of a missing value, as pandas, R, NumPy, databases and Python spell them."""
_NUMBER = re.compile(r"\s*[+-]?(?:\d[\d.,]*|\.\d+)(?:[eE][+-]?\d+)?\s*%?\s*")


def cells_in_quotes(row: str, delimiter: str, *, is_spaced: bool) -> list[bool]:
    """Return, for each cell of a valid row, whether it is in quotation marks.

    Args:
        row: The row as written in the file, in one or more lines.
        delimiter: Separator of cells.
        is_spaced: Whether spaces before a cell are ignored.

    Example:
        >>> cells_in_quotes('"NA",NA,"a, b"', ",", is_spaced=False)
        [True, False, True]
    """
    return [bool(match[1]) for match in _cell(delimiter, is_spaced).finditer(row)]


@lru_cache(maxsize=16)
def _cell(delimiter: str, is_spaced: bool) -> re.Pattern[str]:
    part, spaces = re.escape(delimiter), " *" if is_spaced else ""
    return re.compile(rf'(?:\A|{part}){spaces}(")?(?(1)(?:[^"]++|"")*+"[^{part}]*|[^{part}]*)')


class AbsentCells:
    """The absent cells of a table, determined from all its rows."""

    def __init__(self) -> None:
        self._absent: list[frozenset[str]] = []
        """By column, the marks of absent cells."""
        self._are_texts_quoted = False
        self._told: list[str] = []

    @classmethod
    def of(cls, rows: Iterable[tuple[Sequence[str], Callable[[], Sequence[bool]]]]) -> AbsentCells:
        """Determine the absent cells of a table.

        Args:
            rows: The rows, header first: the cells, and a function that returns which of them are in quotation marks.
        """
        found, ahead = cls(), iter(rows)
        names, quoted = next(ahead, ((), tuple))
        columns = [_CellsOfColumn(name) for name in names]
        found._are_texts_quoted = bool(names) and all(quoted())
        undecided = list(enumerate(columns))
        for cells, quoted in ahead:
            has_marks = not ABSENT_MARKS.isdisjoint(cells)
            in_quotes = quoted() if has_marks or found._are_texts_quoted else ()
            if has_marks and len(in_quotes) != len(cells):
                in_quotes = [True] * len(cells)  # a row too long to examine again: its cells are texts
            if found._are_texts_quoted and not _are_texts_quoted(cells, in_quotes):
                found._are_texts_quoted = False
            for place, column in undecided:
                if place < len(cells):
                    column.add(cells[place], is_quoted=place < len(in_quotes) and in_quotes[place])
            if any(column.has_texts for _, column in undecided) and not found._are_texts_quoted:
                undecided = [(place, column) for place, column in undecided if not column.has_texts]
                if not undecided:
                    return found
        for column in columns:
            marks = frozenset(column.marks) if found._are_texts_quoted else column.absent()
            found._absent.append(marks)
            if marks:
                found._told.append(column.told(marks, are_texts_quoted=found._are_texts_quoted))
        return found

    def told(self) -> str:
        """Return a description of the absent cells, with their number per column; empty if there are none."""
        return "; ".join(self._told)

    def empty(self, cells: list[str], in_quotes: Callable[[], Sequence[bool]]) -> None:
        """Empty the absent cells of a row in place; `in_quotes` returns which cells are in quotation marks."""
        marked = [
            place for place, (cell, absent) in enumerate(zip(cells, self._absent, strict=False)) if cell in absent
        ]
        if marked:
            quoted = in_quotes()
            for place in marked:
                if len(quoted) == len(cells) and not quoted[place]:
                    cells[place] = ""


class _CellsOfColumn:
    """Statistics on the cells of a column."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.has_texts = self.has_numbers = False
        self.marks: Counter[str] = Counter()
        """Unquoted cells that are marks of absent values."""

    def add(self, cell: str, *, is_quoted: bool) -> None:
        if cell in ABSENT_MARKS:
            if is_quoted:
                self.has_texts = True
            else:
                self.marks[cell] += 1
        elif _NUMBER.fullmatch(cell):
            self.has_numbers = True
        elif cell and not cell.isspace():
            self.has_texts = True

    def absent(self) -> frozenset[str]:
        """Return the marks that denote absent values, as determined from the other cells of the column."""
        if self.has_texts:
            return frozenset()
        return frozenset(self.marks.keys() - _OF_PEOPLE if self.has_numbers else OF_PROGRAMS & self.marks.keys())

    def told(self, marks: Iterable[str], *, are_texts_quoted: bool) -> str:
        number = sum(self.marks[mark] for mark in marks)
        why = (
            "the file puts its texts into quotation marks, but not these"
            if are_texts_quoted
            else "its other cells are numbers"
            if self.has_numbers
            else "it contains nothing else"
        )
        return (
            f"column {self.name[:40]!a}: {counted(number, 'cell that says', 'cells that say')} "
            f"{' or '.join(sorted(marks))} {'is' if number == 1 else 'are'} absent, since {why}; put quotation marks "
            "around any that is a word"
        )


def _are_texts_quoted(cells: Sequence[str], in_quotes: Sequence[bool]) -> bool:
    """Return whether all texts of a row are in quotation marks, where numbers, marks and empty cells are not texts."""
    return len(in_quotes) == len(cells) and all(
        is_quoted or not cell or cell in ABSENT_MARKS or _NUMBER.fullmatch(cell)
        for cell, is_quoted in zip(cells, in_quotes, strict=True)
    )
