"""Cells of a table in text that say `NA` or `nan`: a missing value, or a word.

Programs write so what is missing, and people write the same letters as words: `None` is the right option of many
questions. What a cell is shows in how the file writes texts, and in the other cells of its column:

| cell without quotation marks                                     | read as                                     |
|------------------------------------------------------------------|---------------------------------------------|
| in a file that puts all its texts into quotation marks           | absent                                      |
| in a column with a text                                          | its text                                    |
| in a column whose other cells are numbers, but for `None`        | absent                                      |
| `None` there, which counts, too, can say ("how many?")           | its text                                    |
| in a column with nothing else, what programs alone write (`nan`) | absent                                      |
| in a column with nothing else, what people write too (`None`)    | its text                                    |

A cell in quotation marks is its text. The csv module does not tell which cells had them before Python 3.12, so a row
with such a cell is looked at once more as it was written.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from benchwright.texts.normalization import counted

OF_PROGRAMS = frozenset({"nan", "NaN", "NAN", "-nan", "<NA>", "NaT", "null", "Null", "NULL", "#N/A"})
"""What programs alone write for a missing value."""
_OF_PEOPLE = frozenset({"None", "none"})
"""What answers a question of how many, so that numbers beside it do not show that it is missing."""
ABSENT_MARKS = OF_PROGRAMS | _OF_PEOPLE | {"NA", "N/A", "n/a"}
"""What programs write for a missing value, as spelled: pandas, R, NumPy, databases and Python."""
_NUMBER = re.compile(r"\s*[+-]?(?:\d[\d.,]*|\.\d+)(?:[eE][+-]?\d+)?\s*%?\s*")


def cells_in_quotes(row: str, delimiter: str, *, is_spaced: bool) -> list[bool]:
    """Return for each cell of a sound row whether it is written in quotation marks.

    Args:
        row: The row as it stands in the file, in one or more lines.
        delimiter: What separates two cells.
        is_spaced: Whether spaces before a cell do not count.

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
    """Which cells of a table are absent, from all of its rows together."""

    def __init__(self) -> None:
        self._absent: list[frozenset[str]] = []
        """By column, the marks that are absent there."""
        self._are_texts_quoted = False
        self._told: list[str] = []

    @classmethod
    def of(cls, rows: Iterable[tuple[Sequence[str], Callable[[], Sequence[bool]]]]) -> AbsentCells:
        """Return them for a table.

        Args:
            rows: Its rows, the one with the columns' names first: the cells, and a function that returns which of them
                are in quotation marks.
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
                in_quotes = [True] * len(cells)  # a row too long to look at once more: its cells are texts
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
        """Return in words what is taken for absent, by column with the number of cells; empty for nothing."""
        return "; ".join(self._told)

    def empty(self, cells: list[str], in_quotes: Callable[[], Sequence[bool]]) -> None:
        """Empty the cells of a row that are absent; the function returns which are in quotation marks."""
        marked = [
            place for place, (cell, absent) in enumerate(zip(cells, self._absent, strict=False)) if cell in absent
        ]
        if marked:
            quoted = in_quotes()
            for place in marked:
                if len(quoted) == len(cells) and not quoted[place]:
                    cells[place] = ""


class _CellsOfColumn:
    """What the cells of a column are."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.has_texts = self.has_numbers = False
        self.marks: Counter[str] = Counter()
        """Cells without quotation marks that are marks of absent values."""

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
        """Return the marks that stand for absent values, as the other cells of the column tell."""
        if self.has_texts:
            return frozenset()
        return frozenset(self.marks.keys() - _OF_PEOPLE if self.has_numbers else OF_PROGRAMS & self.marks.keys())

    def told(self, marks: Iterable[str], *, are_texts_quoted: bool) -> str:
        number = sum(self.marks[mark] for mark in marks)
        why = (
            "the file puts its texts into quotation marks, and not these"
            if are_texts_quoted
            else "its other cells are numbers"
            if self.has_numbers
            else "it holds nothing else"
        )
        return (
            f"column {self.name[:40]!a}: {counted(number, 'cell that says', 'cells that say')} "
            f"{' or '.join(sorted(marks))} {'is' if number == 1 else 'are'} absent, since {why}; put quotation marks "
            "around one that is a word"
        )


def _are_texts_quoted(cells: Sequence[str], in_quotes: Sequence[bool]) -> bool:
    """Return whether all texts of a row are in quotation marks: all but numbers, marks and empty cells."""
    return len(in_quotes) == len(cells) and all(
        is_quoted or not cell or cell in ABSENT_MARKS or _NUMBER.fullmatch(cell)
        for cell, is_quoted in zip(cells, in_quotes, strict=True)
    )
