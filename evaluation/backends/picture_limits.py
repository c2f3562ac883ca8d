"""Limits on the pictures sent to a model: larger pictures are shrunk, because endpoints reject them."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.errors import DataError
from benchwright.images.decode import decode_rgb, encode_png
from benchwright.images.made_pictures import encode_jpeg, is_lossless_webp

if TYPE_CHECKING:
    from benchwright.drawing.painting import Pixels

    from .options import ModelOptions

VERSION = 2
"""Version to raise when the same picture and limits give different bytes."""
_LEAST_SIDE_PX = 16
_MOST_TRIES = 24


class PictureLimits(NamedTuple):
    """Limits on a picture to send; None for no limit.

    Args:
        max_side_px: Longest side, in pixels.
        max_bytes: Size of the file, in bytes.
    """

    max_side_px: int | None = None
    max_bytes: int | None = None

    @classmethod
    def of(cls, options: ModelOptions) -> PictureLimits:
        """Return the limits set in a model's options."""
        return cls(options.max_picture_side, options.max_picture_bytes)

    def within(self, others: PictureLimits) -> PictureLimits:
        """Return the stricter limit of the two in each respect."""
        return PictureLimits(
            *(min((one for one in pair if one is not None), default=None) for pair in zip(self, others, strict=True))
        )

    def settings(self) -> dict[str, Any]:
        """Return the limits that are set, under the names of the options; limits affect the input of a model."""
        stated = {"max_picture_side": self.max_side_px, "max_picture_bytes": self.max_bytes}
        return {name: value for name, value in stated.items() if value is not None}

    def exceeded_by(self, width: int, height: int, size_bytes: int) -> bool:
        """Return whether a picture exceeds a limit."""
        too_long = self.max_side_px is not None and max(width, height) > self.max_side_px
        return too_long or (self.max_bytes is not None and size_bytes > self.max_bytes)


class ShrunkPicture(NamedTuple):
    """A shrunk picture: its file, media type and size in pixels."""

    data: bytes
    media_type: str
    width: int
    height: int


def shrunk(data: bytes, media_type: str, limits: PictureLimits) -> ShrunkPicture:
    """Return a picture shrunk to the limits by averaging pixels; a lossless picture becomes lossy only if bytes are
    limited.

    Equal pictures and limits give identical bytes with the same build of Pillow.

    Args:
        data: File of the picture, upright and with its marks drawn.
        media_type: `image/png`, `image/jpeg` or `image/webp`.
        limits: Limits, at least one of which the picture exceeds.

    Raises:
        DataError: The picture cannot be made small enough.
    """
    pixels = decode_rgb(data)
    height, width = pixels.shape[:2]
    is_lossless = media_type == "image/png" or is_lossless_webp(data)
    factor = 1.0 if limits.max_side_px is None else min(1.0, limits.max_side_px / max(width, height))
    for _ in range(_MOST_TRIES):
        small = _resized(pixels, factor)
        if is_lossless and limits.max_bytes is None:
            return _shrunk(encode_png(small), "image/png", small)
        picture = _shrunk(encode_jpeg(small), "image/jpeg", small)
        if limits.max_bytes is None or len(picture.data) <= limits.max_bytes:
            return picture
        if max(small.shape[:2]) <= _LEAST_SIDE_PX:
            break
        factor *= min(0.9, sqrt(limits.max_bytes / len(picture.data)))
    raise DataError(
        f"a picture of {width} x {height} pixels does not fit into {limits.max_bytes:,} bytes; raise "
        "--max-picture-bytes"
    )


def _shrunk(data: bytes, media_type: str, pixels: Pixels) -> ShrunkPicture:
    return ShrunkPicture(data, media_type, pixels.shape[1], pixels.shape[0])


def _resized(pixels: Pixels, factor: float) -> Pixels:
    import numpy as np
    from PIL import Image

    height, width = pixels.shape[:2]
    size = (max(1, round(width * factor)), max(1, round(height * factor)))
    if size == (width, height):
        return pixels
    return np.asarray(Image.fromarray(pixels).resize(size, Image.Resampling.BOX))
