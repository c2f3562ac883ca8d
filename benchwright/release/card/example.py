"""The item of a release that its card shows: the pictures that models see, with drawn marks, the question and the
options.

The example is the first item by id among those with marks, or among all if none has marks. The card hides its answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from benchwright.errors import UnreadableImage
from benchwright.images.decode import decode_rgb, encode_png
from benchwright.images.pixels import Pixels

EXAMPLE = "example.png"
_HIGH_PX, _WIDE_PX, _GAP_PX = 320, 1280, 8
MOST_PICTURES = 6
"""Largest number of pictures of an example."""

CANDIDATES = 4
"""Number of candidate items kept with their pictures, in case earlier ones are damaged."""

_ALIKE = 1.0
"""Largest mean pixel difference, 0-255, that different versions of a library cause when they reduce a picture."""


@dataclass(frozen=True)
class ExampleItem:
    """The item that a card shows.

    Attributes:
        item_id: Id of the item.
        task: Task of the item.
        question: Text of the question.
        options: Text of each option or number of its picture, in order, with the keys.
        pixels: Its pictures side by side, (height, width, 3) RGB.
    """

    item_id: str
    task: str
    question: str
    options: tuple[tuple[str, str], ...]
    pixels: Pixels = field(repr=False, compare=False)

    def file(self) -> bytes:
        """Return the pictures as the bytes of a PNG file."""
        return encode_png(self.pixels)

    def is_shown_by(self, data: bytes) -> bool:
        """Return whether a file shows this item's pictures."""
        try:
            pixels = decode_rgb(data)
        except UnreadableImage:
            return False
        if pixels.shape != self.pixels.shape:
            return False
        return float(np.abs(pixels.astype(np.int16) - self.pixels).mean()) <= _ALIKE


class _PossibleExample(NamedTuple):
    """A candidate for the example: its row, its pictures and their ids."""

    key: tuple[bool, str]
    row: Mapping[str, Any]
    pictures: Sequence[bytes]
    image_ids: Sequence[str]

    def item(self) -> ExampleItem | None:
        """Return the item, or None if a picture cannot be decoded."""
        try:
            pixels = _beside_each_other([decode_rgb(data) for data in self.pictures])
        except UnreadableImage:
            return None
        numbers = {image_id: number for number, image_id in enumerate(self.image_ids, start=1)}
        options = tuple(
            (choice["key"], f"picture {numbers[choice['image_id']]}" if choice["text"] is None else choice["text"])
            for choice in self.row["choices"]
        )
        return ExampleItem(self.key[1], str(self.row["task"]), str(self.row["question"]), options, pixels)


class ExampleChoice:
    """The choice of the example item from all items of a release, which may arrive in any order.

    Pictures are decoded after the last item. If the first candidate has a damaged picture, the card shows the next; if
    all of the few candidates kept are damaged, it shows none.
    """

    def __init__(self) -> None:
        self._first: list[_PossibleExample] = []

    def wants(self, item_id: str, *, is_marked: bool) -> bool:
        """Return whether an item would rank among the best candidates seen so far."""
        return len(self._first) < CANDIDATES or (not is_marked, item_id) < self._first[-1].key

    def take(
        self, row: Mapping[str, Any], *, is_marked: bool, pictures: Sequence[bytes | None], image_ids: Sequence[str]
    ) -> None:
        """Consider an item.

        Args:
            row: `item_id`, `task`, `question` and `choices` of the item.
            is_marked: Whether it has marks.
            pictures: Its pictures as models see them, in order; None for a picture that the release cannot show.
            image_ids: Ids of these pictures.
        """
        key = not is_marked, str(row["item_id"])
        there = [data for data in pictures if data is not None]
        if len(there) < len(pictures) or not 0 < len(pictures) <= MOST_PICTURES:
            return
        if self.wants(key[1], is_marked=is_marked):
            self._first.append(_PossibleExample(key, row, there, image_ids))
            self._first = sorted(self._first, key=lambda candidate: candidate.key)[:CANDIDATES]

    @cached_property
    def item(self) -> ExampleItem | None:
        """The chosen item, available after the last call of `take`; None if no item can be shown."""
        return next(filter(None, (candidate.item() for candidate in self._first)), None)


def _beside_each_other(pictures: Sequence[Pixels]) -> Pixels:
    """Return pictures side by side on a white background, each scaled down to fit."""
    from PIL import Image

    wide = (_WIDE_PX - _GAP_PX * (len(pictures) - 1)) // len(pictures)
    reduced = []
    for pixels in pictures:
        height, width = pixels.shape[:2]
        scale = min(1.0, _HIGH_PX / height, wide / width)
        size = max(1, round(width * scale)), max(1, round(height * scale))
        picture = Image.fromarray(pixels)
        reduced.append(np.asarray(picture if scale == 1.0 else picture.resize(size, Image.Resampling.LANCZOS)))
    canvas = np.full(
        (max(len(part) for part in reduced), sum(part.shape[1] for part in reduced) + _GAP_PX * (len(reduced) - 1), 3),
        255,
        np.uint8,
    )
    left = 0
    for part in reduced:
        canvas[: part.shape[0], left : left + part.shape[1]] = part
        left += part.shape[1] + _GAP_PX
    return canvas
