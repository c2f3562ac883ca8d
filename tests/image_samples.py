"""Pictures and small helpers shared by the tests of decoding."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tifffile
from hostile import encoded, png_chunk, png_header
from numpy.typing import NDArray
from PIL import Image

from benchwright.errors import UnreadableImage
from benchwright.images import decode_rgb

RNG = np.random.default_rng(11)
RGB = RNG.integers(0, 256, (23, 37, 3), dtype=np.uint8)
ALPHA = RNG.integers(0, 256, (23, 37), dtype=np.uint8)
GREY = RNG.integers(0, 256, (23, 37), dtype=np.uint8)
DEEP = RNG.integers(0, 65536, (23, 37), dtype=np.uint16)
SMOOTH = Image.fromarray(RGB).resize((61, 47), Image.Resampling.BICUBIC)


def grey_rgb(grey: NDArray[Any]) -> NDArray[np.uint8]:
    return np.stack([grey] * 3, axis=-1).astype(np.uint8)


def over_white(rgb: NDArray[Any], alpha: NDArray[Any]) -> NDArray[np.uint8]:
    share = alpha[..., None].astype(float) / 255
    return np.floor(rgb * share + 255 * (1 - share) + 0.5).astype(np.uint8)


def tiff(array: NDArray[Any], **settings: Any) -> bytes:
    handle = io.BytesIO()
    tifffile.imwrite(handle, array, metadata=None, software=False, **settings)
    return handle.getvalue()


def refusal(data: bytes | Path, **settings: Any) -> UnreadableImage:
    with pytest.raises(UnreadableImage) as caught:
        decode_rgb(data, **settings)
    return caught.value


def pixels_or_refusal(data: bytes, **settings: Any) -> NDArray[np.uint8] | UnreadableImage:
    try:
        return decode_rgb(data, **settings)
    except UnreadableImage as error:
        return error


def raw_png(bits: int, colour: int, rows: list[bytes], *, width: int, extra: bytes = b"") -> bytes:
    """Return a PNG made by hand, for depths and chunks that Pillow does not write."""
    header = struct.pack(">IIBBBBB", width, len(rows), bits, colour, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row for row in rows))
    body = png_chunk(b"IHDR", header) + extra + png_chunk(b"IDAT", data) + png_chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


STORED_AS: dict[int, Callable[[NDArray[np.uint8]], NDArray[np.uint8]]] = {
    1: lambda upright: upright,
    2: np.fliplr,
    3: lambda upright: np.rot90(upright, 2),
    4: np.flipud,
    5: lambda upright: upright.swapaxes(0, 1),
    6: lambda upright: np.rot90(upright, 1),
    7: lambda upright: np.rot90(upright, 2).swapaxes(0, 1),
    8: lambda upright: np.rot90(upright, 3),
}
"""How a camera stores an upright picture under each orientation (CIPA DC-008, tag 274)."""


def turned(upright: Image.Image, orientation: int, form: str, **settings: Any) -> bytes:
    exif = Image.Exif()
    exif[274] = orientation
    stored = Image.fromarray(np.ascontiguousarray(STORED_AS[orientation](np.asarray(upright))))
    return encoded(stored, form, exif=exif, **settings)


def png_with_short_data(*, closed: bool) -> bytes:
    """Return a PNG whose chunks are all sound but hold one row of three."""
    data = zlib.compress(b"\0" + bytes(range(1, 16)))
    stream = png_chunk(b"IDAT", data if closed else data[:-6])
    return png_header(5, 3) + stream + png_chunk(b"IEND", b"")


WHOLE = {
    "jpeg": encoded(SMOOTH, "JPEG", exif=b"Exif\0\0II*\0\x08\0\0\0\0\0\0\0\0\0"),
    "progressive": encoded(SMOOTH, "JPEG", progressive=True, comment=b"\xff\xd9" * 9),
    "restarts": encoded(SMOOTH, "JPEG", restart_marker_blocks=1),
    "multi-picture": encoded(SMOOTH, "MPO", save_all=True, append_images=[SMOOTH.rotate(180)]),
    "png": encoded(SMOOTH, "PNG"),
    "apng": encoded(SMOOTH, "PNG", save_all=True, append_images=[SMOOTH.rotate(180)]),
    "webp": encoded(SMOOTH, "WEBP"),
    "webp-lossless": encoded(SMOOTH, "WEBP", lossless=True),
    "webp-animated": encoded(SMOOTH, "WEBP", save_all=True, append_images=[SMOOTH.rotate(180)]),
    "gif": encoded(SMOOTH, "GIF"),
    "gif-animated": encoded(SMOOTH, "GIF", save_all=True, append_images=[SMOOTH.rotate(180)]),
    "bmp": encoded(SMOOTH, "BMP"),
    "bmp-palette": encoded(SMOOTH.quantize(16), "BMP"),
    "tiff": encoded(SMOOTH, "TIFF"),
    "tiff-directory-first": tiff(np.asarray(SMOOTH), photometric="rgb", compression="zlib", rowsperstrip=9),
    "tiff-lzw": encoded(SMOOTH, "TIFF", compression="tiff_lzw"),
    "tiff-jpeg": encoded(SMOOTH, "TIFF", compression="jpeg"),
    "tiff-pages": encoded(SMOOTH, "TIFF", save_all=True, append_images=[SMOOTH.rotate(180)]),
    "avif": encoded(SMOOTH, "AVIF"),
}
PIXELS = {name: decode_rgb(data) for name, data in WHOLE.items()}
