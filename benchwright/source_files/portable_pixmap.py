"""Conversion of portable pixmaps (PPM, PGM), used by HPatches and not shown by browsers, to PNG with equal pixels."""

from __future__ import annotations

import io

import numpy as np

from benchwright.errors import UnreadableImage
from benchwright.images.decode import encode_png
from benchwright.images.formats.walking import Limits

SUFFIXES = (".ppm", ".pgm", ".pnm")
PICTURE_SUFFIXES = (
    ".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff", ".gif", ".avif", ".heic", ".heif", ".jp2", ".j2k",
    ".jfif", ".jpe", *SUFFIXES
)  # fmt: skip
"""Suffixes of files that may be pictures."""


def size_of_pixmap(data: bytes) -> tuple[int, int]:
    """Return a portable pixmap's width and height in pixels, from its header, without decoding.

    Raises:
        UnreadableImage: The data are not a portable pixmap.
    """
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data), formats=("PPM",)) as image:
            return image.size
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise UnreadableImage("not_an_image", f"not a portable pixmap, despite its name: {error}") from None


def png_of_pixmap(data: bytes, *, limits: Limits) -> bytes:
    """Return a PNG file with the pixels of a portable pixmap of 8 bits per channel.

    Raises:
        UnreadableImage: The data are not a portable pixmap, are truncated, or have too many pixels.
    """
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(data), formats=("PPM",)) as image:
            if image.width * image.height > limits.max_pixels:
                raise UnreadableImage("too_many_pixels", f"{image.width} x {image.height}, limit {limits.max_pixels:,}")
            if image.mode not in ("RGB", "L", "1"):
                raise UnreadableImage("unsupported_mode", f"a portable pixmap of mode {image.mode}")
            image.load()
            return encode_png(np.asarray(image.convert("RGB")))
    except UnidentifiedImageError:
        raise UnreadableImage("not_an_image", "not a portable pixmap, despite its name") from None
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise UnreadableImage("truncated", f"a portable pixmap that cannot be read: {error}") from None
