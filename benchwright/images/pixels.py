"""Conversion of decoded images to upright RGB with 8 bits, band by band, to avoid a second full copy.

- palette, gray, bilevel, CMYK and YCbCr images become RGB; color profiles are ignored;
- transparency is composited over white;
- 16-bit samples keep their high byte, as in Pillow's RGB; for 32-bit and floating-point samples, see `_grey_scale`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from benchwright.errors import UnreadableImage
from benchwright.images.formats import Container

_BAND_PIXELS = 1 << 20
Pixels = NDArray[np.uint8]

_AS_STORED: dict[int, Callable[[Pixels], Pixels]] = {
    1: lambda upright: upright,
    2: lambda upright: upright[:, ::-1],
    3: lambda upright: upright[::-1, ::-1],
    4: lambda upright: upright[::-1],
    5: lambda upright: upright.transpose(1, 0, 2),
    6: lambda upright: np.rot90(upright, 1),
    7: lambda upright: upright[::-1, ::-1].transpose(1, 0, 2),
    8: lambda upright: np.rot90(upright, -1),
}
"""For each EXIF orientation (tag 274), the view of upright pixels in the order in which the file stores them."""


def upright_rgb(image: Image.Image, container: Container, *, orientation: int) -> Pixels:
    """Return a loaded image as upright RGB, (height, width, 3), contiguous.

    Args:
        image: Image as the decoder returned it.
        container: Facts of the file, with its samples' type.
        orientation: EXIF code of the rotation that remains to be applied.

    Raises:
        UnreadableImage: `unsupported_mode` if the pixels cannot be converted.
    """
    width, height = image.size
    upright = np.empty((width, height, 3) if orientation >= 5 else (height, width, 3), np.uint8)
    stored = _AS_STORED[orientation](upright)
    to_rgb = _converter(image, container)
    for top, band in _bands(image):
        stored[top : top + band.height] = to_rgb(band)
    return upright


def _bands(image: Image.Image) -> Iterator[tuple[int, Image.Image]]:
    """Yield (first row, rows starting there), about a million pixels at a time."""
    width, height = image.size
    rows = max(1, _BAND_PIXELS // width)
    if rows >= height:
        yield 0, image
        return
    for top in range(0, height, rows):
        yield top, image.crop((0, top, width, min(top + rows, height)))


def _converter(image: Image.Image, container: Container) -> Callable[[Image.Image], Pixels]:
    """Return the function that converts a band of this image to RGB, (rows, columns, 3)."""
    mode = image.mode
    if mode.startswith("I;16"):
        return _sixteen_bit(container, clear=image.info.get("transparency"))
    if mode in {"I", "F"}:
        return _deep(image, container)
    if mode in {"LA", "La", "PA", "RGBA", "RGBa"} or "transparency" in image.info:
        if container.format == "BMP" and image.getextrema()[-1] == (0, 0):
            # All fourth bytes 0 in a BMP mean opaque pixels.
            return lambda band: np.asarray(band)[..., :3]
        return _over_white
    if mode == "RGB":
        return np.asarray
    if mode in {"1", "L", "P", "CMYK", "YCbCr"}:
        return lambda band: np.asarray(band.convert("RGB"))
    raise UnreadableImage("unsupported_mode", f"pixels of Pillow's mode {mode}")


def _over_white(band: Image.Image) -> Pixels:
    rgba = np.asarray((band.convert("LA") if band.mode == "La" else band).convert("RGBA"))
    alpha = rgba[..., 3:].astype(np.uint16)
    mixed: NDArray[np.uint16] = rgba[..., :3] * alpha + 255 * (255 - alpha)
    return ((mixed + 127) // 255).astype(np.uint8)


def _sixteen_bit(container: Container, *, clear: int | None) -> Callable[[Image.Image], Pixels]:
    def to_rgb(band: Image.Image) -> Pixels:
        values = np.asarray(band)
        grey = (values >> (container.bits - 8)).astype(np.uint8)
        if container.white_is_zero:
            grey = 255 - grey
        if clear is not None:
            grey[values == clear] = 255
        return _three(grey)

    return to_rgb


def _deep(image: Image.Image, container: Container) -> Callable[[Image.Image], Pixels]:
    def values_of(band: Image.Image) -> NDArray[np.float64]:
        values = np.asarray(band)
        # Pillow has no unsigned 32-bit mode and keeps such samples as signed.
        unsigned = image.mode == "I" and container.bits == 32 and not container.signed
        return (values.view(np.uint32) if unsigned else values).astype(np.float64)

    black, levels = _grey_scale(map(values_of, (band for _, band in _bands(image))), floats=image.mode == "F")

    def to_rgb(band: Image.Image) -> Pixels:
        grey = np.clip((values_of(band) - black) * levels + 0.5, 0, 255).astype(np.uint8)
        return _three(255 - grey if container.white_is_zero else grey)

    return to_rgb


def _grey_scale(bands: Iterator[NDArray[np.float64]], *, floats: bool) -> tuple[float, float]:
    """Return the value that becomes black and the number of levels per unit for 32-bit gray, signed gray and floats.

    Such files do not state which value is white. Floats in 0 to 1 and integers in 0 to 255 or 0 to 65,535 keep that
    range; all others stretch from their smallest to their largest value.

    Raises:
        UnreadableImage: `unsupported_mode` if a value is not finite.
    """
    least, greatest = np.inf, -np.inf
    for values in bands:
        if not np.isfinite(values).all():
            raise UnreadableImage("unsupported_mode", "gray values that are not finite (NaN or infinite)")
        least, greatest = min(least, float(values.min())), max(greatest, float(values.max()))
    for white in (1.0,) if floats else (255.0, 65_535.0):
        if least >= 0 and greatest <= white:
            return 0.0, 255.0 / white
    return least, 255.0 / (greatest - least) if greatest > least else 0.0


def _three(grey: Pixels) -> Pixels:
    return np.repeat(grey[..., None], 3, axis=2)
