"""Parts of the demo's photographs, as a collection of many small real pictures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from PIL import Image

from benchwright.cli import prepare_photographs

PHOTOGRAPHS = ("china.jpg", "flower.jpg", "coffee.png", "ihc.png", "motorcycle_left.png", "astronaut.png", "coins.png")
"""Photographs whose nine parts the duplicate filters all distinguish."""
PARTS_EACH = 9


def photograph_parts(folder: Path, names: tuple[str, ...] = PHOTOGRAPHS) -> Iterator[Image.Image]:
    """Yield nine non-overlapping parts of each photograph, at 180 by 160 pixels.

    Args:
        folder: Folder for copies of the photographs.
        names: Photographs to take, in this order.
    """
    prepare_photographs(folder)
    for name in names:
        with Image.open(folder / name) as photograph:
            picture = photograph.convert("RGB")
        width, height = picture.width // 3, picture.height // 3
        for place in range(PARTS_EACH):
            left, top = place % 3 * width, place // 3 * height
            yield picture.crop((left, top, left + width, top + height)).resize((180, 160))
