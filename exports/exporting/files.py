"""Files of an export: JSON lines, and picture files that are written only once."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

from benchwright.errors import DataError
from benchwright.release.format import documents
from benchwright.release.format.files import read_inside
from benchwright.release.format.parquet import MAX_PICTURE_BYTES

from .exported import ExportedPicture

PICTURES = "images"
"""Folder of the pictures as models see them, named by their SHA-256."""

_ENCODER = json.JSONEncoder(sort_keys=True, ensure_ascii=False, allow_nan=False)
"""Shared encoder; `json.dumps` would create one for each line."""

_KEPT_PICTURES = 16
"""Number of pictures to keep in memory for the next lines, which often refer to them again."""

_LINE_BREAKS = re.compile("[\u0085\u2028\u2029]")
"""Characters other than the newline at which some programs break lines."""


def json_line(document: Mapping[str, Any]) -> str:
    """Return a document as one line of JSON that ends with a newline and contains no other line-breaking character.

    Raises:
        ValueError: A value is not valid JSON, such as NaN.
    """
    text = _ENCODER.encode(document)
    return _LINE_BREAKS.sub(lambda match: f"\\u{ord(match[0]):04x}", text) + "\n"


class LinesWriter:
    """Writes JSON lines to one file after another; the first line for a file opens the file.

    Args:
        folder: Folder of the files.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open: tuple[str, IO[str]] | None = None

    def write(self, name: str, document: Mapping[str, Any]) -> None:
        """Write a line to a file; a line for another file completes the current one."""
        if self._open is None or self._open[0] != name:
            self.close()
            self._open = (name, (self._folder / name).open("x", encoding="utf-8", newline="\n"))
        self._open[1].write(json_line(document))

    def close(self) -> None:
        """Close the open file, if any."""
        if self._open is not None:
            self._open[1].close()
            self._open = None


def read_lines(path: Path) -> Iterator[Any]:
    """Yield the values in a file of JSON lines.

    Raises:
        DataError: A line is not JSON.
    """
    with path.open(encoding="utf-8", newline="\n") as handle:
        for number, line in enumerate(handle, start=1):
            yield documents.parse(line, title=f"{path.name}, line {number}")


class PictureFolder:
    """A folder that stores each picture once, even if many items show it; uses 32 bytes of memory per picture."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._written: set[bytes] = set()

    def path_of(self, picture: ExportedPicture) -> str:
        """Return a picture's path relative to the export, and write the file if it does not exist."""
        self.write(picture.sha256, picture.file_name, picture.data)
        return f"{PICTURES}/{picture.file_name}"

    def write(self, digest: str, name: str, data: bytes, *, below: str = PICTURES) -> None:
        """Write a file unless it was written before.

        Args:
            digest: SHA-256 of the file, in hexadecimal.
            name: Name of the file.
            data: Bytes of the file.
            below: Folder in the export to hold the file.
        """
        key = bytes.fromhex(digest)
        if key not in self._written:
            folder = self._folder / below
            folder.mkdir(exist_ok=True)
            with (folder / name).open("xb") as handle:
                handle.write(data)
            self._written.add(key)


class PictureReader:
    """Reads pictures by their paths relative to the export, and caches the most recent ones.

    Args:
        folder: Folder of the export.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read = lru_cache(_KEPT_PICTURES)(self._file)

    def read(self, path: str) -> bytes:
        """Return the bytes of a picture file.

        Raises:
            DataError: The file is missing, is not a regular file, or is larger than a release allows.
        """
        if not isinstance(path, str):
            raise DataError(f"a picture's path is {type(path).__name__}, not a text")
        return self._read(path)

    def _file(self, path: str) -> bytes:
        return read_inside(self._folder, path, max_bytes=MAX_PICTURE_BYTES)
