"""Companion files of every export: the sources of pictures, and the pictures without marks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchwright.canonical import bytes_digest
from benchwright.errors import DataError

from .expected import ExpectedItem
from .exported import ExportedItem, ExportHeader
from .files import LinesWriter, PictureFolder, PictureReader, read_lines

SOURCES = "sources.jsonl"
"""File with one line for each picture of the release, which lists its sources with license, author and address."""

MARKS = "marks.jsonl"
"""File with one line per marked picture of an item: its marks as vectors, and the name of the unmarked file."""

UNMARKED = "unmarked"
"""Folder of the unmarked pictures, identical byte for byte to the release's files and named by their SHA-256."""


class BesideWriter:
    """Writer of the sources of all pictures and, if marks are drawn, of unmarked pictures and vectors.

    Args:
        folder: Folder of the export.
        header: Facts about the release that the export states.
        marks: Whether marks are drawn, in which case vectors and unmarked pictures are also written.
    """

    def __init__(self, folder: Path, header: ExportHeader, *, marks: bool) -> None:
        self._header, self._writes_marks = header, marks
        self._lines = LinesWriter(folder)
        self._marks = LinesWriter(folder)
        self._clean = PictureFolder(folder)
        self._credited: set[bytes] = set()
        self.licences: Counter[str] = Counter()
        """Number of pictures by license of their sources; "not stated" if a source states no license."""

    def add(self, exported: ExportedItem) -> None:
        """Write the companion files of one item."""
        for picture in exported.pictures:
            image = picture.image
            if (key := bytes.fromhex(image.image_id)) not in self._credited:
                self._credited.add(key)
                credits = [credit.document() for credit in picture.credits]
                self.licences.update({credit.licence or "not stated" for credit in picture.credits})
                line = {"canary": self._header.canary, "image_id": image.image_id, "sources": credits}
                self._lines.write(SOURCES, line)
            if image.prompts and self._writes_marks:
                stored = exported.released.images[image.image_id]
                self._clean.write(image.image_id, picture.unmarked_name, stored, below=UNMARKED)
                self._marks.write(
                    MARKS,
                    {
                        "canary": self._header.canary,
                        "item_id": exported.item_id,
                        "split": exported.split,
                        "picture": picture.number,
                        "drawn": picture.file_name,
                        "unmarked": f"{UNMARKED}/{picture.unmarked_name}",
                        "marks": [prompt.model_dump(mode="json") for prompt in image.prompts],
                    },
                )

    def finish(self) -> None:
        """Close the files."""
        self._lines.close()
        self._marks.close()


class BesideReader:
    """Reader that compares unmarked pictures and vectors with the items in order."""

    def __init__(self, folder: Path) -> None:
        self._clean = PictureReader(folder)
        path = folder / MARKS
        self._lines: Iterator[Any] = read_lines(path) if path.exists() else iter(())
        self.compared = 0
        """Number of marked pictures compared."""

    def compare(self, expected: ExpectedItem) -> None:
        """Compare the written vectors and unmarked pictures with those of an item.

        Raises:
            DataError: They differ.
        """
        for number, image_id, marks in expected.marked:
            line = next(self._lines, None)
            if line is None or (line["item_id"], line["picture"], line["marks"]) != (expected.item_id, number, marks):
                raise DataError(f"{MARKS}: the marks of item {expected.item_id}, picture {number} differ")
            if bytes_digest(self._clean.read(line["unmarked"])) != image_id:
                raise DataError(f"{line['unmarked']} differs from the release's picture")
            self.compared += 1

    def end(self) -> None:
        """Check that no lines are left over.

        Raises:
            DataError: The file has more lines than there are marked pictures.
        """
        if next(self._lines, None) is not None:
            raise DataError(f"{MARKS} has more lines than the release has marked pictures")
