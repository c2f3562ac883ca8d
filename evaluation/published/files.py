"""Readers for files of published benchmarks, plain or gzipped; every error names the file and line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from benchwright.errors import DataError
from benchwright.files.bounded_json import bounded_json
from benchwright.files.bounds import DOCUMENT_BYTES, DOCUMENT_VALUES, ROW_BYTES
from benchwright.files.packed import unpacked

_MAX_LINE_BYTES = 4 * 1024 * 1024


class SourceRow(NamedTuple):
    """A JSON object in a file, and its location, with which error messages begin."""

    where: str
    values: Mapping[str, Any]

    def text(self, name: str) -> str:
        """Return a field whose value must be a string."""
        value = self.values.get(name)
        if not isinstance(value, str):
            raise DataError(f"{self.where}: {name} is {self._shown(name)}, not a text")
        return value

    def said(self, name: str) -> str:
        """Return a model's reply as a string; an empty string for null."""
        return "" if self.values.get(name, 0) is None else self.text(name)

    def whole(self, name: str) -> int:
        """Return a field whose value must be an integer."""
        value = self.values.get(name)
        if not isinstance(value, int) or isinstance(value, bool):
            raise DataError(f"{self.where}: {name} is {self._shown(name)}, not a whole number")
        return value

    def one_of(self, name: str, allowed: tuple[str, ...]) -> str:
        """Return a string field whose value must be one of a few allowed values."""
        value = self.text(name)
        if value not in allowed:
            raise DataError(f"{self.where}: {name} is {self._shown(name)}, not one of {', '.join(allowed)}")
        return value

    def _shown(self, name: str) -> str:
        return ascii(self.values[name])[:80] if name in self.values else "missing"


def plain_or_gzipped(folder: Path, name: str) -> Path | None:
    """Return the file with this name in a folder, with or without `.gz`; the plain file if both exist."""
    return next((path for path in (folder / name, folder / f"{name}.gz") if path.is_file()), None)


def needed(folder: Path, name: str) -> Path:
    """Return the file with this name, which must exist.

    Raises:
        DataError: The folder contains the file neither plain nor gzipped.
    """
    path = plain_or_gzipped(folder, name)
    if path is None:
        raise DataError(
            f"{folder} contains neither {name} nor {name}.gz; name a folder of the official layout with --data"
        )
    return path


def names_in(folder: Path, suffix: str) -> tuple[str, ...]:
    """Return the sorted names, without suffixes, of a folder's files with this suffix, optionally followed by `.gz`."""
    if not folder.is_dir():
        return ()
    names = {path.name.removesuffix(".gz") for path in folder.iterdir() if path.is_file()}
    return tuple(sorted(name.removesuffix(suffix) for name in names if name.endswith(suffix)))


def json_lines(path: Path) -> Iterator[SourceRow]:
    """Yield the objects in a JSON Lines file; blank lines are skipped.

    Raises:
        DataError: The file is damaged, or a line is not a JSON object.
    """
    most = ROW_BYTES.most(_MAX_LINE_BYTES)
    with _opened(path) as handle:
        for number, raw in enumerate(iter(lambda: handle.readline(most + 1), b""), start=1):
            where = f"{path}: line {number}"
            if len(raw) > most:
                raise DataError(
                    f"{where}: longer than {most:,} bytes; is this JSON Lines? Split it, "
                    f"{ROW_BYTES.or_raise(_MAX_LINE_BYTES)}"
                )
            if raw.strip():
                yield as_row(_parsed(raw.rstrip(b"\r\n"), path, first_line=number), where)


def json_document(path: Path) -> Any:
    """Return the content of a JSON file.

    Raises:
        DataError: The file is damaged, too large or not JSON.
    """
    with _opened(path) as handle:
        raw = handle.read((most := DOCUMENT_BYTES.most()) + 1)
    if len(raw) > most:
        raise DataError(f"{path}: larger than {most:,} bytes; split it, {DOCUMENT_BYTES.or_raise()}")
    return _parsed(raw, path, first_line=1)


def as_row(value: Any, where: str) -> SourceRow:
    """Return a value as a row, which must be a JSON object.

    Raises:
        DataError: The value is not a JSON object.
    """
    if not isinstance(value, dict):
        raise DataError(f"{where}: {ascii(value)[:80]} is not a JSON object")
    return SourceRow(where, value)


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    try:
        with path.open("rb") as handle:
            if path.suffix != ".gz":
                yield handle
                return
            with unpacked(handle, str(path)) as content:
                yield content
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error}); fetch it again") from error


def _parsed(raw: bytes, path: Path, *, first_line: int) -> Any:
    try:
        return bounded_json(raw.decode("utf-8-sig"), bound=DOCUMENT_VALUES)
    except json.JSONDecodeError as error:
        line = first_line + error.lineno - 1
        raise DataError(f"{path}: line {line}: not JSON ({error.msg}, column {error.colno})") from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}: line {first_line}: not JSON in UTF-8 ({error})") from error
