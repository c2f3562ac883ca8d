"""Rows that are lists: the positions of question, picture and key, inferred from all sampled rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from benchwright.records import LETTERS
from benchwright.source_files.picture_names import is_picture_name
from benchwright.source_files.portable_pixmap import PICTURE_SUFFIXES
from benchwright.source_files.refusals import BAD_ROW, RefusedRow
from benchwright.source_files.rows import Reshaped, Row

from ..mapping.columns import is_known_column

_BY_PLACE = "the places of the row's list"
_MOST = 0.9
"""Smallest proportion of rows in which a position must have its assumed content."""
_SHARED = 0.5
"""Smallest proportion of words that two captions must share."""
_KIND = re.compile(r"[a-z]+(?:[ _-][a-z]+)*", re.I)


def is_positional(entry: Any) -> bool:
    """Return whether an entry is a list of two or more cells, one of which is a text."""
    is_list = isinstance(entry, list) and len(entry) >= 2
    return is_list and any(isinstance(cell, str) for cell in entry) and not any(isinstance(c, dict) for c in entry)


def is_pictured(entry: Any) -> bool:
    """Return whether an entry is a pair of a picture's name and an object: `["1.jpg", {"POS": [...]}]`."""
    is_pair = isinstance(entry, list) and len(entry) == 2 and isinstance(entry[1], Mapping)
    return is_pair and isinstance(entry[0], str) and is_picture_name(entry[0])


def pictured_rows(rows: Iterator[Row]) -> Iterator[Row]:
    """Yield pairs of a picture and an object as columns with values; yield other entries unchanged."""
    for row in rows:
        if is_pictured(row.document):
            beside = row.document[1]
            step = Reshaped(_BY_PLACE, frozenset(), beside)
            yield Row(row.entry, {"image": row.document[0], **beside}, made=(step,))
        else:
            yield Row(row.entry, row.document)


def _are_captions(rows: Sequence[Any]) -> bool:
    """Return whether each row is a picture's number and two captions that share most of their words."""
    return all(
        isinstance(row, list)
        and len(row) == 3
        and isinstance(row[0], int)
        and not isinstance(row[0], bool)
        and all(isinstance(words, str) and words.strip() and not words.strip().endswith("?") for words in row[1:])
        and row[1] != row[2]
        and _shared(*(set(words.casefold().split()) for words in row[1:])) >= _SHARED
        for row in rows
    )


def _shared(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other)


def positional_rows(path: str, head: Sequence[Row], rest: Iterator[Row]) -> Iterator[Row | RefusedRow]:
    """Yield rows that are lists as mappings from column to value.

    Args:
        path: Path of the file.
        head: Rows from which to infer the names of the columns; the first may state them.
        rest: Rows after the head.
    """
    if _are_captions([row.document for row in head]):
        for row in (*head, *rest):
            yield _captions_row(path, row)
        return
    first = head[0].document
    is_header = all(isinstance(cell, str) for cell in first) and sum(map(is_known_column, first)) >= 2
    names = list(first) if is_header else _place_names([row.document for row in head if is_positional(row.document)])
    for row in (*head[1:],) if is_header else head:
        yield _named_row(path, row, names)
    for row in rest:
        yield _named_row(path, row, names)


def _captions_row(path: str, row: Row) -> Row | RefusedRow:
    if not isinstance(row.document, list) or len(row.document) != 3:
        return RefusedRow(
            path, row.entry, BAD_ROW, "not a list of a picture's number and two captions, unlike the others"
        )
    document = {"image": row.document[0], "caption_options": row.document[1:]}
    return Row(row.entry, document, made=(_by_place(row.document),))


def _named_row(path: str, row: Row, names: Sequence[str]) -> Row | RefusedRow:
    if not isinstance(row.document, list) or len(row.document) != len(names):
        detail = f"{len(row.document)} values" if isinstance(row.document, list) else "not a list"
        return RefusedRow(path, row.entry, BAD_ROW, f"{detail}; the other rows are lists of {len(names)}")
    return Row(row.entry, dict(zip(names, row.document, strict=True)), made=(_by_place(row.document),))


def _by_place(cells: Sequence[Any]) -> Reshaped:
    """Return the function that converts a list row to columns, by the position of each cell."""
    before = {f"value {place}": cell for place, cell in enumerate(cells, start=1)}
    return Reshaped(_BY_PLACE, frozenset(before), before)


def _place_names(rows: Sequence[Sequence[Any]]) -> list[str]:
    """Return a name for each position in rows: its content in nearly all of them, or else `value 3`."""
    width = Counter(map(len, rows)).most_common(1)[0][0]
    columns = [[row[place] for row in rows if len(row) == width] for place in range(width)]
    names: dict[int, str] = {}
    for name, holds in (("image", _is_picture), ("options", _is_options), ("answer", _is_key)):
        place = next((p for p, cells in enumerate(columns) if p not in names and _mostly(cells, holds)), None)
        if place is not None:
            names[place] = name
    texts = [p for p, cells in enumerate(columns) if p not in names and _mostly(cells, _is_words)]
    if texts:
        longest = max(texts, key=lambda p: sum(len(str(cell)) for cell in columns[p]))
        names[longest] = "question"
    if "answer" not in names.values() and (left := [p for p in texts if p not in names]):
        names[left[-1]] = "answer"
    for place, cells in enumerate(columns):
        if place not in names and _mostly(cells, _is_kind) and "question_type" not in names.values():
            names[place] = "question_type"
    return [names.get(place, f"value {place + 1}") for place in range(width)]


def _mostly(cells: Sequence[Any], holds: Callable[[Any], bool]) -> bool:
    return bool(cells) and sum(map(holds, cells)) >= _MOST * len(cells)


def _is_picture(cell: Any) -> bool:
    paths = cell if isinstance(cell, list) else [cell]
    return bool(paths) and all(
        isinstance(path, str) and path.lower().endswith(tuple(PICTURE_SUFFIXES)) for path in paths
    )


def _is_options(cell: Any) -> bool:
    return isinstance(cell, list) and len(cell) >= 2


def _is_key(cell: Any) -> bool:
    return isinstance(cell, str) and (cell.strip().rstrip(".").lower() in ("yes", "no") or cell.strip() in (*LETTERS,))


def _is_words(cell: Any) -> bool:
    return isinstance(cell, str) and bool(cell.strip())


def _is_kind(cell: Any) -> bool:
    return isinstance(cell, str) and len(cell) <= 40 and _KIND.fullmatch(cell) is not None
