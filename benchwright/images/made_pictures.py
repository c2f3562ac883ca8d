"""The format of pictures that Benchwright makes, defined once for the whole project, by content.

| picture | format, where it is made and in releases |
|---|---|
| of a step whose `picture_fidelity` is `visual` | JPEG, quality 95, chroma in full |
| of any other step (`exact`) | WebP without loss |
| of any step in a workspace whose recipe freezes `lossless` or sealed | WebP without loss |

Each made picture is thus encoded once, where it is made, and later steps see the released pixels. The exception is
pictures whose pixels other steps compare with those of a source (`Step.pixels_compared`): the workspace stores them
losslessly, and a release contains them as JPEG. Workspaces begun before this rule hold all made pictures as PNG and
continue to do so.

All pictures of one step get one format and the same number of encodings, whatever their size or content, so that no
picture of an item differs by its file.

A user's JPEG file that is only turned upright is encoded once more, with quantization no finer than that of the file
(`JpegCoding`), so that it does not grow. Rotation without decoding, as in jpegtran, is exact only if both sides are
whole numbers of blocks; those of 4000x3000 with halved chroma, the most common size from phones, are not. No library on
PyPI does this for files that may be hostile: jpeglib reads only from paths and ends the process on some damaged files,
and PyTurboJPEG needs a system library.
"""

from __future__ import annotations

import io
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from benchwright.images.pixels import Pixels

PictureRule = Literal["lossless", "by_content"]
"""How a release stores made pictures: all losslessly, or as JPEG if only their visible content matters."""

MadeRule = PictureRule | Literal["png"]
"""How a workspace stores made pictures: as they will be released, or all as PNG, as in older workspaces."""

MadeForm = Literal["jpeg", "webp", "png"]
"""Format of a made picture; WebP is lossless."""

MEDIA_TYPES: dict[MadeForm, str] = {"jpeg": "image/jpeg", "webp": "image/webp", "png": "image/png"}

JPEG_QUALITY = 95
"""JPEG quality; for the 108 made pictures of the demo, the median PSNR is 42.5 dB and the lowest is 38.1 dB."""


def is_jpeg(data: bytes) -> bool:
    """Return whether a file begins with the signature of a JPEG."""
    return data.startswith(b"\xff\xd8\xff")


def is_lossless_webp(data: bytes) -> bool:
    """Return whether a file begins like a lossless WebP file of one picture, as written by `encode_lossless`."""
    return data[:4] == b"RIFF" and data[8:16] == b"WEBPVP8L"


def made_form(rule: MadeRule, *, is_visual: bool) -> MadeForm:
    """Return the format in which a workspace stores the pictures that a step makes.

    Args:
        rule: Rule of the workspace.
        is_visual: Whether only the visible content of the pictures matters, for items and for all later steps.
    """
    if rule == "png":
        return "png"
    return "jpeg" if rule == "by_content" and is_visual else "webp"


class JpegCoding(NamedTuple):
    """The coding of a JPEG file, as far as it affects the file's size.

    Attributes:
        tables: Quantization tables, each of 64 divisors (1-255), row by row.
        subsampling: Chroma in full (0), halved across (1) or halved both ways (2), as Pillow counts.
        is_grey: Whether the picture has no chroma.
    """

    tables: tuple[tuple[int, ...], ...]
    subsampling: int
    is_grey: bool

    def turned(self) -> JpegCoding:
        """Return the coding of the picture rotated by 90 degrees; horizontally halved chroma becomes full chroma."""
        order = [row * 8 + column for column in range(8) for row in range(8)]
        across = tuple(tuple(table[at] for at in order) for table in self.tables)
        return JpegCoding(across, 0 if self.subsampling == 1 else self.subsampling, self.is_grey)

    def no_finer(self) -> JpegCoding:
        """Return the coding with divisors raised to at least those of quality 95, which preserves visible content."""
        ours = _tables_of_quality()
        return self._replace(
            tables=tuple(
                tuple(map(max, table, ours[min(number, len(ours) - 1)])) for number, table in enumerate(self.tables)
            )
        )


def encode_jpeg(pixels: Pixels, coding: JpegCoding | None = None) -> bytes:
    """Return (height, width, 3) RGB pixels as a JPEG without metadata.

    Equal pixels give equal bytes under one build of Pillow and libjpeg-turbo.

    Args:
        pixels: The pixels.
        coding: Coding of the source file; quality 95 with chroma in full if None.
    """
    from PIL import Image

    handle = io.BytesIO()
    image = Image.fromarray(pixels)
    if coding is None:
        image.save(handle, "JPEG", quality=JPEG_QUALITY, subsampling=0, optimize=True)
    else:
        image = image.convert("L") if coding.is_grey else image
        tables = [list(table) for table in coding.tables]
        image.save(handle, "JPEG", qtables=tables, subsampling=coding.subsampling, optimize=True)
    return handle.getvalue()


@cache
def _tables_of_quality() -> tuple[tuple[int, ...], ...]:
    """Return the quantization tables of `JPEG_QUALITY` in Pillow's encoder."""
    from PIL import Image

    handle = io.BytesIO()
    Image.new("RGB", (8, 8)).save(handle, "JPEG", quality=JPEG_QUALITY)
    with Image.open(handle) as image:
        return tuple(tuple(table) for table in image.quantization.values())  # type: ignore[attr-defined]
