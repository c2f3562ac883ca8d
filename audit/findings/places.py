"""Locations, as a file and its lines, of the source rows that findings are about."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchwright.errors import DataError
from benchwright.regions.formats.streamed_json import JsonLists

from ..source.audited_items import AuditedItems

_LINES = re.compile(r"lines? (\d+)(?:-(\d+))?\b")
_MOST_BYTES = 256 << 20
"""Size of the largest JSON file, in bytes, in which rows are located; findings in larger files name only the file."""
_CHUNK = 1 << 20


class SourcePlace(NamedTuple):
    """A file and the lines in it that contain a row.

    Args:
        file: File on this machine; for a row in an archive member, the archive.
        first: First line, from 1; None if the file has no lines, such as Parquet, or they are unknown.
        last: Last line; None with `first`.
    """

    file: Path
    first: int | None = None
    last: int | None = None


class SourcePlaces:
    """The locations of everything in a source to which findings refer.

    Args:
        audited: The source.
    """

    def __init__(self, audited: AuditedItems) -> None:
        self._audited = audited
        source = audited.source
        self._root = source if source.is_dir() else source.parent
        self._files = sorted(audited.files, key=len, reverse=True)
        self._lines: dict[Path, dict[str, int]] = {}

    @property
    def whole(self) -> SourcePlace:
        """Return the location for findings about the whole set, which is the first file of questions."""
        if not self._audited.files:
            manifest = self._audited.source / "manifest.json"
            return SourcePlace(manifest if manifest.is_file() else self._audited.source)
        return self._in_file(self._audited.files[0], "")

    def of(self, item_id: str) -> SourcePlace:
        """Return the location of an item, or of a row that is not an item; the whole source if it is unknown."""
        where = self._audited.where_of.get(item_id, "")
        for file in self._files:
            if where == file or where.startswith(f"{file}, "):
                return self._in_file(file, where[len(file) + 2 :])
        return self.whole

    def _in_file(self, file: str, entry: str) -> SourcePlace:
        path = self._root / file
        if not path.is_file():  # a member of an archive
            return SourcePlace(self._audited.source)
        if (lines := _LINES.match(entry)) is not None:
            return SourcePlace(path, int(lines[1]), int(lines[2] or lines[1]))
        if not entry or path.suffix.lower() != ".json":
            return SourcePlace(path)
        if path not in self._lines:
            self._lines[path] = dict(_lines_of_entries(path))
        known = self._lines[path]
        found = next((known[name] for name in _outer(entry) if name in known), None)
        return SourcePlace(path, found, found)


def _outer(entry: str) -> Iterator[str]:
    """Yield the name of an entry and of the entry that contains it, such as `entry 3, question 2` and `entry 3`."""
    parts = entry.split(", ")
    for number in range(len(parts), 0, -1):
        yield ", ".join(parts[:number])


def _lines_of_entries(path: Path) -> Iterator[tuple[str, int]]:
    """Yield the entries of a JSON document, named as question readers name them, with the first line of each."""
    if path.stat().st_size > _MOST_BYTES:
        return
    breaks = _line_breaks(path)
    numbers: dict[str, int] = {}
    try:
        for key, offset in JsonLists(path).starts():
            numbers[key] = numbers.get(key, 0) + 1
            line = bisect_left(breaks, offset) + 1
            if not key:
                yield f"entry {numbers[key]}", line
                continue
            if numbers[key] == 1:
                yield f"entry {key}", line
            yield f"{key} {numbers[key]}", line
    except DataError:
        return  # neither a JSON list nor an object: only the file is named


def _line_breaks(path: Path) -> list[int]:
    """Return the byte offsets of all line breaks in a file."""
    breaks: list[int] = []
    start = 0
    with path.open("rb") as handle:
        while data := handle.read(_CHUNK):
            breaks += [start + match.start() for match in re.finditer(b"\n", data)]
            start += len(data)
    return breaks
