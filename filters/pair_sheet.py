"""Pairs that a person should look at, side by side on a contact sheet."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchwright.errors import UnreadableImage
from benchwright.images.decode import decode_rgb
from benchwright.images.identify import path_for

from .contact_sheet import Tile, write_sheets
from .duplicate_groups import DuplicateReport


def write_pairs(out: Path, folder: Path, report: DuplicateReport) -> list[Path]:
    """Write the pairs that are asked about, kept one first, as PNG pages; return the pages' paths.

    Args:
        out: The first page; others are `<name>-2.png` and so on.
        folder: The folder that the report is of.
        report: What was found there.

    Raises:
        BenchwrightError: As `contact_sheet.free_pages`, or a file was changed meanwhile.
    """
    return write_sheets(out, _tiles(folder, report), count=2 * len(report.asked()))


def _tiles(folder: Path, report: DuplicateReport) -> Iterator[Tile]:
    for number, (kept, other, score) in enumerate(report.asked(), start=1):
        for path, what in ((kept, "keep"), (other, f"{score:.2f}")):
            try:
                pixels = decode_rgb(folder / path_for(path))
            except UnreadableImage as error:
                raise UnreadableImage(error.reason, f"{path!r}: {error.detail}") from None
            yield Tile(pixels, (), f"{number} {what}  {path}")
