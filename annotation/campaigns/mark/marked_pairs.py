"""Pictures that `mark` shows in pairs, listed in a table or in a value of an earlier step."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.canonical import digest
from benchwright.errors import DataError, StepError
from benchwright.images.identify import path_for
from benchwright.records import ImageRecord
from benchwright.texts.normalization import counted

from ...forms.csv_rows import read_rows, shown

_MAX_PAIRS = 1_000_000
_COLUMNS = ("first", "second")


class NamedPair(NamedTuple):
    """Two pictures as named in a table: by path, file name or image id."""

    first: str
    second: str


PicturePair = tuple[ImageRecord, ImageRecord]
"""Two pictures that are marked together; the value is assigned to the first."""


def pair_id(first: ImageRecord, second: ImageRecord) -> str:
    """Return the id of a pair, which depends on the order because the first picture gets the value."""
    return digest(["marked pair", first.image_id, second.image_id])


def read_pairs(path: Path) -> tuple[NamedPair, ...]:
    """Return the pairs in a table with the columns `first` and `second`.

    Raises:
        DataError: The table lacks these columns, or a row is wrong; the message names up to five such rows.
    """
    pairs: dict[str, NamedPair] = {}
    mistakes: list[str] = []
    for row in read_rows(path, required=_COLUMNS, ignored=()):
        first, second = (row.values[name] for name in _COLUMNS)
        if row.problem or not first or not second:
            mistakes.append(f"line {row.line}: {row.problem or 'a pair names two pictures'}")
        elif first == second:
            mistakes.append(f"line {row.line}: {shown(first)} is paired with itself")
        elif first in pairs:
            mistakes.append(f"line {row.line}: {shown(first)} is already the first of another pair")
        else:
            pairs[first] = NamedPair(first, second)
    if mistakes:
        more = f"; and {len(mistakes) - 5} more" if len(mistakes) > 5 else ""
        raise DataError(f"{path}: {'; '.join(mistakes[:5])}{more}")
    if not 1 <= len(pairs) <= _MAX_PAIRS:
        raise DataError(f"{path} names {len(pairs):,} pairs; give 1 to {_MAX_PAIRS:,}")
    return tuple(pairs.values())


def pairs_of_table(named: Sequence[NamedPair], records: Sequence[ImageRecord], stage: str) -> Iterator[PicturePair]:
    """Yield the pairs whose pictures are both in the run; a name is a path, a file name, or an image id.

    Raises:
        StepError: A name matches several pictures, or two rows name the same pair of pictures.
    """
    by_name: dict[str, list[ImageRecord]] = defaultdict(list)
    for record in records:
        path = None if record.source is None else path_for(record.source.uri)
        for name in {record.image_id, *(() if path is None else (path.as_posix(), path.name))}:
            by_name[name].append(record)
    firsts: set[str] = set()
    for pair in named:
        first, second = (_only(name, by_name, stage) for name in pair)
        if first is None or second is None:
            continue
        if first.image_id in firsts:
            raise StepError(f"step {stage!r}: two rows have {pair.first!r} as their first picture; keep one")
        firsts.add(first.image_id)
        yield first, second


def _only(name: str, by_name: Mapping[str, Sequence[ImageRecord]], stage: str) -> ImageRecord | None:
    found = by_name.get(name, ())
    if len(found) > 1:
        raise StepError(f"step {stage!r}: the name {name!r} matches {counted(len(found), 'picture')}; give the path")
    return found[0] if found else None


def pairs_of_value(partners: Mapping[str, Any], records: Iterable[ImageRecord]) -> Iterator[PicturePair]:
    """Yield each picture with the first of its partners that is in the run, by image id.

    Args:
        partners: Image id of the partner, or a list of ids, by image id.
        records: Pictures of the run.
    """
    by_id = {record.image_id: record for record in records}
    for image_id in sorted(by_id):
        named = partners.get(image_id) or ()
        listed = [named] if isinstance(named, str) else named
        other = next((by_id[name] for name in listed if name in by_id and name != image_id), None)
        if other is not None:
            yield by_id[image_id], other
