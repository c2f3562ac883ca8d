"""Comparison of a release's drawn pictures with what their files and marks give."""

from __future__ import annotations

import numpy as np

from benchwright.drawing import PromptError
from benchwright.drawing.model_pictures import drawn_pixels, is_seen_as_stored
from benchwright.errors import UnreadableImage
from benchwright.images.decode import decode_rgb
from benchwright.images.made_pictures import encode_jpeg, is_jpeg
from benchwright.release.format.rows import ReleasedItem

_TOLERANCE = 8
"""Levels by which pixels of two JPEG encoders may differ, 0-255; a mark differs from the picture below by far more."""


class UndrawableMarks(Exception):
    """An item's picture cannot be decoded, or its marks cannot be drawn, so no model can see it as it is meant."""


def drawing_problem(released: ReleasedItem) -> str | None:
    """Return how an item's pictures differ from what its files and marks give, pixel by pixel; None if they do not.

    Encoders differ from machine to machine, so bytes are not compared, and pixels of a JPEG may differ by a few levels
    from those of the JPEG that is made here.

    Raises:
        UndrawableMarks: A picture is not drawn in the release, and cannot be.
    """
    undrawable = None
    for number, (image, drawn) in enumerate(zip(released.item.images, released.drawn, strict=True), start=1):
        place = f"item {released.item.item_id}: image {number}"
        data = released.images.get(image.image_id)
        if data is None:  # stated by its address, and drawn by whoever fetched it
            continue
        if is_seen_as_stored(data, image.prompts):
            if drawn is not None:
                return f"{place} is drawn, and has neither marks nor anything that decoders differ about"
            continue
        try:
            expected = drawn_pixels(data, image.prompts)
        except (PromptError, UnreadableImage) as error:
            undrawable = f"{place}: {error}"
            if drawn is not None:
                return f"{place} is drawn, and its marks cannot be: {error}"
            continue
        if drawn is None:
            return f"{place} is not drawn as models see it"
        try:
            pixels = decode_rgb(drawn)
        except UnreadableImage as error:
            return f"{place} cannot be decoded as drawn: {error}"
        if is_jpeg(drawn) and expected.shape == pixels.shape:
            expected = decode_rgb(encode_jpeg(expected))
            tolerance = _TOLERANCE
        else:
            tolerance = 0
        if pixels.shape != expected.shape or (np.abs(pixels.astype(np.int16) - expected) > tolerance).any():
            return f"{place} does not show what its file and its marks give"
    if undrawable is not None:
        raise UndrawableMarks(undrawable)
    return None
