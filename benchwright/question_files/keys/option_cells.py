"""The options of a row as its cells state them, with the names that keys may use for them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from benchwright.records import LETTERS

from ..mapping.cell_values import value_in
from ..mapping.columns import ColumnMapping

_LETTERED = re.compile(r"\s*\(?([A-Z])[.):]\s+(.+)", re.S)
_MARK = re.compile(r"(?:\(([A-Za-z]|\d{1,2})\)|(?<!\S)([A-Za-z]|\d{1,2})[.):](?=\s))\s*")
"""A letter or number before one of several options in a line: `(a) open (b) closed` (MMVP), `A. cat B. dog`."""
_OWN_MARK = re.compile(
    r"\s*(?:[(\[（]\s?([A-Za-z]|\d{1,2})\s?[)\]）]|([A-Za-z]|\d{1,2})(?:[)\]）、]|[.:．：](?!\d)|(?<=[A-Za-z])[.:．：]))(?![A-Za-z]\.)\s*(?=\S)"
)
"""A mark at the start of an option: `(A) cat`, `B: dog`, `1. cow`; `1.5`, `1:30` and `A.D.` have no mark."""

_CLOSING = re.compile(r"\s*(?:please\s+)?(?:answer|select|choose|reply|respond)\b.{0,160}", re.I)
"""A line after the options that only explains how to respond."""


class OptionCells(NamedTuple):
    """The options of a row.

    Args:
        cells: Value of each option in the file, in order.
        names: Name of each option in the file: its column, its key in a mapping, its label, or the mark before its
            words; empty if it has none.
        padded: Indices of the options around whose words the file has white space.
    """

    cells: Sequence[Any] = ()
    names: tuple[str, ...] = ()
    padded: tuple[int, ...] = ()


def option_cells(document: Mapping[str, Any], columns: ColumnMapping) -> OptionCells:
    """Return the options of a row with surrounding white space removed; empty if the row has none."""
    found = _option_cells(document, columns)
    cells = [_trimmed(cell) for cell in found.cells]
    padded = tuple(place for place, cell in enumerate(found.cells) if isinstance(cell, str) and cell != cells[place])
    return found._replace(cells=cells, padded=padded)


def _trimmed(cell: Any) -> Any:
    """Return an option with surrounding white space removed, unless it is significant as in a Benchwright export."""
    if isinstance(cell, str):
        return cell.strip()
    if isinstance(cell, Mapping) and isinstance(text := cell.get("text"), str) and not cell.get("as_it_stands"):
        return {**cell, "text": text.strip()}
    return cell


def _option_cells(document: Mapping[str, Any], columns: ColumnMapping) -> OptionCells:
    if columns.options:
        cells = _without_padding([document.get(column) for column in columns.options])
        return OptionCells(cells, columns.options[: len(cells)])
    column = columns.column("options")
    value = None if column is None else document.get(column)
    if isinstance(value, str):
        value = parsed_cell(value)
    if value is None or isinstance(value, OptionCells):
        return value or OptionCells()
    if isinstance(value, Mapping):
        if isinstance(texts := value.get("text"), list):  # {"text": [...], "label": [...]}
            labels = value.get("label")
            return _named(texts, [str(label) for label in labels] if isinstance(labels, list) else [])
        keys = sorted((key for key, entry in value.items() if not is_absent(entry)), key=_by_number)
        return OptionCells([value[key] for key in keys], tuple(str(key) for key in keys))
    if isinstance(value, list | tuple):
        labelled = [e for e in value if not isinstance(e, str) and isinstance(e, Mapping)]
        return _named(value, [str(e.get("label", e.get("key", ""))) for e in labelled])
    return OptionCells()


def is_absent(value: Any) -> bool:
    """Return whether a cell is empty or contains only white space."""
    is_blank = isinstance(value, str) and not value.strip()
    return value is None or is_blank or (isinstance(value, float) and math.isnan(value))


def _without_padding(cells: Sequence[Any]) -> Sequence[Any]:
    """Return options without the empty cells that pad a row to the length of the longest row."""
    last = len(cells)
    while last and is_absent(cells[last - 1]):
        last -= 1
    return cells[:last]


def _named(cells: Sequence[Any], names: Sequence[str]) -> OptionCells:
    """Return options with their names, if each option has a name: a stated name, or else the mark before its words."""
    cells = _without_padding(cells)
    names = names[: len(cells)]
    if len(names) != len(cells) or not all(names):
        names = own_marks(cells)
    return OptionCells(cells, tuple(names))


def own_marks(cells: Sequence[Any]) -> tuple[str, ...]:
    """Return the letters or numbers at the start of options' texts, if these form a sequence without gaps.

    Example:
        >>> own_marks(["B. dog", "A. cat"]), own_marks(["A. Smith", "a dog"])
        (('B', 'A'), ())
    """
    marks = []
    for cell in cells:
        match = _OWN_MARK.match(cell) if isinstance(cell, str) else None
        if match is None:
            return ()
        marks.append((match[1] or match[2]).upper())
    return tuple(marks) if len(marks) >= 2 and _are_counted(sorted(marks, key=_by_number)) else ()


def are_marked_in_order(texts: Sequence[str | None]) -> bool:
    """Return whether the texts of options begin with letters from A on, or numbers from 0 or 1 on, in that order.

    Example:
        >>> are_marked_in_order(["(A) cat", "(B) dog"]), are_marked_in_order(["B. dog", "A. cat"])
        (True, False)
    """
    marks = own_marks(texts)
    return bool(marks) and _are_counted(marks)


def _are_counted(marks: Sequence[str]) -> bool:
    expected = (LETTERS[: len(marks)], map(str, range(len(marks))), map(str, range(1, len(marks) + 1)))
    return bool(marks) and list(marks) in [list(run) for run in expected]


def without_mark(text: str) -> str:
    """Return the words of an option without the letter or number that precedes them."""
    return _OWN_MARK.sub("", text, count=1)


def _by_number(key: Any) -> tuple[int, str]:
    return (int(key), "") if str(key).isdecimal() else (-1, str(key))


def parsed_cell(text: str) -> Any:
    """Return a list or mapping that a cell contains in JSON or Python notation, or else its options or lines."""
    if (value := value_in(text)) is not None:
        return value
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) == 1 and (marked := _marked_in(text)):
        return marked
    matches = [_LETTERED.fullmatch(line) for line in lines]
    if lines and all(match is not None and match[1] == LETTERS[n] for n, match in enumerate(matches[: len(LETTERS)])):
        cells = [match[2] for match in matches if match is not None]
        return OptionCells(cells, tuple(LETTERS[: len(cells)])) if len(cells) <= len(LETTERS) else lines
    return lines


def _marked_in(line: str) -> OptionCells | None:
    """Return the options in a line such as `A. cat B. dog`; None if its marks are not a sequence that begins with the
    first letter or number.

    A mark out of sequence belongs to the words, as in `A. vitamin C. B. salt`.
    """
    marks = _MARK.finditer(line)
    first = next(marks, None)
    if first is None or line[: first.start()].strip() or _mark(first) not in ("A", "0", "1"):
        return None
    is_round, start = first[1] is not None, _mark(first)
    turns = list(LETTERS) if start == "A" else [str(int(start) + n) for n in range(len(LETTERS))]
    found = [first]
    for match in marks:
        if (match[1] is not None) == is_round and turns[len(found) : len(found) + 1] == [_mark(match)]:
            found.append(match)
    ends = [*(match.start() for match in found[1:]), len(line)]
    cells = [line[match.end() : end].strip() for match, end in zip(found, ends, strict=True)]
    if len(cells) < 2 or not all(cells):
        return None
    return OptionCells(cells, tuple(_mark(match) for match in found) if start == "A" else ())


def _mark(match: re.Match[str]) -> str:
    return (match[1] or match[2]).upper()


def listed_in(ask: str) -> tuple[str, list[str]]:
    """Return a question without the options in its last lettered lines, and these options; empty if there are none."""
    lines = ask.split("\n")
    starts = [n for n, line in enumerate(lines) if (match := _LETTERED.fullmatch(line)) and match[1] == "A"]
    for start in reversed(starts):
        options: list[str] = []
        for letter, line in zip(LETTERS, lines[start:], strict=False):
            match = _LETTERED.fullmatch(line)
            if match is None or match[1] != letter:
                break
            options.append(match[2].strip())
        if len(options) >= 2:
            rest = [line for line in lines[start + len(options) :] if line.strip() and not _CLOSING.fullmatch(line)]
            return "\n".join([*lines[:start], *rest]).strip(), options
    return ask, []
