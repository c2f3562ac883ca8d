"""Companion files of every export: sources of pictures, and pictures without their marks."""

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
"""File with one line for each picture of the release: its sources with license, author and place."""

MARKS = "marks.jsonl"
"""File with one line for each marked picture of an item: its marks as vectors, and the file without them."""

UNMARKED = "unmarked"
"""Folder of the pictures without their marks, byte for byte as in the release, named by their SHA-256."""


class BesideWriter:
    """Writer of sources for all pictures, and of clean pictures and vectors if marks are drawn.

    Args:
        folder: Folder of the export.
        header: Facts about the release that the export states.
        marks: Whether marks are drawn, so that vectors and clean pictures are written too.
    """

    def __init__(self, folder: Path, header: ExportHeader, *, marks: bool) -> None:
        self._header, self._writes_marks = header, marks
        self._lines = LinesWriter(folder)
        self._marks = LinesWriter(folder)
        self._clean = PictureFolder(folder)
        self._credited: set[bytes] = set()
        self.licences: Counter[str] = Counter()
        """Number of pictures by license of their sources; "not stated" if a source states none."""

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
    """Reader of the clean pictures and vectors that compares them with the items in order."""

    def __init__(self, folder: Path) -> None:
        self._clean = PictureReader(folder)
        path = folder / MARKS
        self._lines: Iterator[Any] = read_lines(path) if path.exists() else iter(())
        self.compared = 0
        """Number of marked pictures compared."""

    def compare(self, expected: ExpectedItem) -> None:
        """Compare the vectors and clean pictures of an item with the written ones.

        Raises:
            DataError: They differ.
        """
        for number, image_id, marks in expected.marked:
            line = next(self._lines, None)
            if line is None or (line["item_id"], line["picture"], line["marks"]) != (expected.item_id, number, marks):
                raise DataError(f"{MARKS}: the marks of item {expected.item_id}, picture {number} differ")
            if bytes_digest(self._clean.read(line["unmarked"])) != image_id:
                raise DataError(f"{line['unmarked']} is not the release's picture")
            self.compared += 1

    def end(self) -> None:
        """Check that no line is left.

        Raises:
            DataError: The file has more lines than marked pictures.
        """
        if next(self._lines, None) is not None:
            raise DataError(f"{MARKS} has more lines than the release has marked pictures")
