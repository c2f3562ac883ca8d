"""The pictures that a task made for the items of one record, with their pixels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from benchwright.records import ImageRecord
from benchwright.steps import Context


class MadePictures(dict[str, ImageRecord]):
    """Made pictures, by id. Keeps the pixels of pictures from `stored`, since a run's files cannot be read back before
    they are registered.
    """

    def __init__(self) -> None:
        super().__init__()
        self._pixels: dict[str, NDArray[np.uint8]] = {}

    def stored(self, ctx: Context, pixels: NDArray[np.uint8], parents: Sequence[ImageRecord]) -> ImageRecord:
        """Store a picture, (height, width, 3) RGB, and return its record."""
        picture = ctx.store_image(pixels, parents=parents)
        self[picture.image_id] = picture
        self._pixels[picture.image_id] = pixels
        return picture

    @property
    def kept(self) -> Iterable[NDArray[np.uint8]]:
        """Return the pixels of the pictures that `stored` made."""
        return self._pixels.values()

    def pixels_of(self, ctx: Context, image_id: str) -> NDArray[np.uint8]:
        """Return the pixels of a made picture, or of a run's picture shown unchanged."""
        kept = self._pixels.get(image_id)
        return ctx.images.rgb(ctx.image(image_id)) if kept is None else kept
