"""A table of sources in a folder of images: author, license and origin of each image.

    file,author,licence,url
    cups/blue.jpg,Jane Doe,CC BY 4.0,https://example.org/cups/blue
    street/*,Street team,CC0-1.0,

A row describes a file, or all files that a pattern matches (`*` any characters, including `/`, `?` one, `[ab]` one of
these). Cell by cell, rows of files take precedence over patterns, and later patterns over earlier ones. An empty cell
states nothing.
"""  # phrase: allowed

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import translate
from pathlib import Path

from benchwright.errors import DataError
from benchwright.files.table_text import TableLine
from benchwright.files.tables import Table, by_column, header_names
from benchwright.images.identify import uri_for
from benchwright.texts.normalization import counted

from .licences import normalized_licence

NAMES = ("sources.csv", "sources.tsv")
FILE = "file"
COLUMNS = ("author", "licence", "url", "dataset", "date", "attribution")
_MOST_BYTES = 256 * 2**20
_MOST_CHARACTERS = 10_000
_SHOWN = 20
_PATTERN = re.compile(r"[*?\[]")
_URL = re.compile(r"https?://[^\s<>\"]+")


@dataclass(frozen=True)
class SourceTable:
    """A table of sources, checked against the files of its folder.

    Args:
        name: Name of the table's file.
        files: Cells by URI of a file.
        patterns: Patterns with their cells, in the order of the table.
    """

    name: str
    files: Mapping[str, Mapping[str, str]]
    patterns: Sequence[tuple[re.Pattern[str], Mapping[str, str]]]

    def of(self, uri: str) -> dict[str, str]:
        """Return the table's statements about a file, by column; empty if there are none."""
        stated: dict[str, str] = {}
        for pattern, cells in self.patterns:
            if pattern.match(uri):
                stated |= cells
        stated |= self.files.get(uri, {})
        return stated


def read_source_table(root: Path, uris: Sequence[str]) -> SourceTable | None:
    """Return the table of sources in a folder of images; None if there is none.

    Args:
        root: Folder of images; the table is directly in it.
        uris: URIs of all ingested files of the folder, including the table.

    Raises:
        DataError: The folder has two tables, or the table is unreadable, has other columns, or has invalid rows; the
            message names all of them.
    """
    names = [name for name in NAMES if name in uris]
    if len(names) > 1:
        raise DataError(f"{root} has both {' and '.join(names)}; keep one of the two")
    if not names:
        return None
    name = names[0]
    others = [uri for uri in uris if uri != name]
    return _TableReading(root / name, others).table()


class _TableReading:
    """One reading of a table, with the problems of its rows."""

    def __init__(self, path: Path, uris: Sequence[str]) -> None:
        self._path = path
        self._uris = uris
        self._known = frozenset(uris)
        self._problems: list[str] = []

    def table(self) -> SourceTable:
        files: dict[str, dict[str, str]] = {}
        patterns: list[tuple[re.Pattern[str], dict[str, str]]] = []
        lines: dict[str, int] = {}
        for line, row in self._rows():
            place = (row.get(FILE) or "").removeprefix("./")
            cells = self._cells(line, row)
            uri = uri_for(os.fsencode(place)) if place else ""
            if not place:
                self._problems.append(f"line {line} names no file")
            elif uri in lines:
                self._problems.append(f"line {line} repeats {place!r} from line {lines[uri]}")
            elif uri in self._known:
                files[uri] = cells
            elif not _PATTERN.search(place):
                self._problems.append(f"line {line}: no file {place!r}")
            else:
                pattern = re.compile(translate(uri))
                if not any(map(pattern.match, self._uris)):
                    self._problems.append(f"line {line}: no file matches {place!r}")
                patterns.append((pattern, cells))
            lines.setdefault(uri, line)
        if self._problems:
            more = len(self._problems) - _SHOWN
            listed = "\n  ".join(self._problems[:_SHOWN] + ([f"and {more} more"] if more > 0 else []))
            raise DataError(
                f"{self._path} has {counted(len(self._problems), 'wrong cell')} or rows; correct them and run again:\n "
                f" {listed}"
            )
        return SourceTable(self._path.name, files, patterns)

    def _rows(self) -> list[tuple[int, dict[str, str]]]:
        """Return the rows with their line numbers, after checking the columns."""
        columns: list[str] | None = None
        rows = []
        for line in self._lines():
            if columns is None:
                columns = [name.lower() for name in header_names(line.cells)]
                self._check(columns)
            elif isinstance(cells := by_column(columns, line.cells), str):
                self._problems.append(f"line {line.number} has {cells}")
            else:
                rows.append((line.number, {name: cell.strip() for name, cell in cells.items()}))
        if columns is None:
            self._check([])
        return rows

    def _check(self, columns: Sequence[str]) -> None:
        wrong = [name for name in columns if name not in {FILE, *COLUMNS}]
        twice = sorted({name for name in columns if columns.count(name) > 1})
        if wrong or twice or FILE not in columns:
            said = [f"unknown columns: {', '.join(map(repr, wrong))}"] if wrong else []
            said += [f"repeated columns: {', '.join(map(repr, twice))}"] if twice else []
            said += [] if FILE in columns else [f"no column {FILE!r}"]
            raise DataError(f"{self._path}: {'; '.join(said)}; the columns are {', '.join((FILE, *COLUMNS))}")

    def _lines(self) -> Iterator[TableLine]:
        try:
            if self._path.is_symlink() or not self._path.is_file() or self._path.stat().st_size > _MOST_BYTES:
                raise DataError(f"{self._path} must be a regular file of at most {_MOST_BYTES:,} bytes")
            for line in (table := Table.at(self._path)).lines(max_bytes=_MOST_BYTES):
                if line.problem:
                    raise table.unreadable(line)
                yield line
        except OSError as error:
            raise DataError(f"{self._path} cannot be read: {error.strerror or error}") from error

    def _cells(self, line: int, row: Mapping[str, str]) -> dict[str, str]:
        cells = {name: row[name] for name in COLUMNS if row.get(name)}
        for name, cell in cells.items():
            if len(cell) > _MOST_CHARACTERS or not cell.isprintable():
                self._problems.append(f"line {line}: {name} is not one line of at most {_MOST_CHARACTERS:,} characters")
        if "url" in cells and not _URL.fullmatch(cells["url"]):
            self._problems.append(f"line {line}: url {cells['url'][:80]!r} is not an http or https address")
        if "licence" in cells:
            cells["licence"] = normalized_licence(cells["licence"])
        return cells
