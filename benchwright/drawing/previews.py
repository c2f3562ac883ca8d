"""Previews of pictures and marks for a browser: upright, of limited size, with only the file's pixels.

A browser never gets a user's file. This module decodes pictures, after the checks of `benchwright.images.identify`, and
encodes them again. Neither hostile bytes nor metadata, such as a camera's location and owner, pass through.

Marks are also available alone, as a transparent picture to lay over another, so that a viewer can hide them.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from benchwright.drawing import PromptError, draw_prompts
from benchwright.images.decode import decode_rgb
from benchwright.records import VisualPrompt
from benchwright.workspace.item_cache import ItemCache


def draw_layer(prompts: Sequence[VisualPrompt], *, width: int, height: int) -> NDArray[np.uint8]:
    """Return the marks that `draw` puts on an image of the given size, on a transparent background.

    Laid over the image, they match the result of `draw` to within two levels of 255. Color and opacity follow from a
    drawing on black and one on white, since paint hides the same share of any background.

    Returns:
        (height, width, 4) RGBA, colors not multiplied by the opacity.

    Raises:
        PromptError: A prompt cannot be drawn, as in `draw`.
    """
    black = np.zeros((height, width, 3), np.uint8)
    on_black = draw_prompts(black, prompts)
    on_white = draw_prompts(~black, prompts)
    layer = np.zeros((height, width, 4), np.uint8)
    red, green, blue = np.moveaxis(on_black | ~on_white, 2, 0)  # a reduction over three values a pixel is far slower
    rows, columns = np.nonzero(red | green | blue)
    dark, light = on_black[rows, columns].astype(np.float64), on_white[rows, columns].astype(np.float64)
    opacity = 1 - (light - dark).mean(axis=1, keepdims=True) / 255
    color = np.divide(dark, opacity, out=np.zeros_like(dark), where=opacity > 0)
    layer[rows, columns] = np.rint(np.clip(np.hstack([color, opacity * 255]), 0, 255))
    return layer


_JPEG_QUALITY, _WEBP_QUALITY = 90, 80
_WEBP_METHOD = 2
"""Encoder's effort setting.

Compared with the default of 4, encoding a page's picture takes 3.9 ms instead of 9.0, at the cost of 3.7 % more bytes
and 0.27 dB (60 photographs at 384 pixels).
"""

_PREVIEW_VERSION = 1
"""Version of the previews; it must be raised when the same picture or marks may give other bytes."""


class Preview(NamedTuple):
    """A picture for a browser.

    Attributes:
        data: Bytes of the file.
        media_type: Media type, `image/jpeg`, `image/webp` or `image/png`.
        width: Width of this picture, in pixels.
        height: Height of this picture, in pixels.
        full_wh: Width and height of the upright image, in pixels.
    """

    data: bytes
    media_type: str
    width: int
    height: int
    full_wh: tuple[int, int]


def fitted(width: int, height: int, *, max_side_px: int) -> tuple[int, int]:
    """Return the size, at least 1 x 1, of an image after reduction so that no side is longer than `max_side_px`."""
    factor = min(1.0, max_side_px / max(width, height))
    return max(1, round(width * factor)), max(1, round(height * factor))


def preview(
    data: bytes,
    *,
    max_side_px: int,
    lossless_up_to_px: int = 0,
    prompts: Sequence[VisualPrompt] = (),
    is_small: bool = False,
) -> Preview:
    """Return a preview of an image file, upright and reduced if it is too large, never enlarged.

    Args:
        data: Bytes of the file.
        prompts: Marks to draw into the picture, for viewers that cannot lay them over it.
        max_side_px: Longest side of the preview, in pixels.
        lossless_up_to_px: Largest number of pixels of a preview that is encoded as PNG instead of JPEG, for uses in
            which exact pixels matter more than file size; default 0.
        is_small: Whether small files matter more than the finest detail, as on a page that users share: WebP at quality
            80 instead of JPEG at 90, two fifths of the bytes on 60 photographs.

    Raises:
        UnreadableImage: The file is refused, as by `decode_rgb`.
        PromptError: The marks cannot be drawn.
    """
    pixels = decode_rgb(data)
    if prompts:
        pixels = draw_prompts(pixels, prompts)
    full = pixels.shape[1], pixels.shape[0]
    size = fitted(*full, max_side_px=max_side_px)
    image = Image.fromarray(pixels)
    if size != full:
        image = image.resize(size, Image.Resampling.LANCZOS, reducing_gap=3.0)
    handle = io.BytesIO()
    lossless = image.width * image.height <= lossless_up_to_px
    if lossless:
        image.save(handle, "PNG", compress_level=3)
    elif is_small:
        image.save(handle, "WEBP", quality=_WEBP_QUALITY, method=_WEBP_METHOD)
    else:
        image.save(handle, "JPEG", quality=_JPEG_QUALITY, subsampling=0)
    media_type = "image/png" if lossless else "image/webp" if is_small else "image/jpeg"
    return Preview(handle.getvalue(), media_type, *size, full)


_COARSE_QUALITY = 60


def coarse_preview(shown: Preview, *, max_side_px: int) -> Preview:
    """Return a coarse JPEG of a preview, to show until the preview itself has arrived over a slow connection.

    Args:
        shown: The preview.
        max_side_px: Longest side of the coarse preview, in pixels; never enlarged.
    """
    with Image.open(io.BytesIO(shown.data)) as image:
        coarse = image.convert("RGB")
    size = fitted(*coarse.size, max_side_px=max_side_px)
    handle = io.BytesIO()
    coarse.resize(size, Image.Resampling.LANCZOS, reducing_gap=3.0).save(handle, "JPEG", quality=_COARSE_QUALITY)
    return Preview(handle.getvalue(), "image/jpeg", *size, shown.full_wh)


_DETAIL_QUALITY = 95


def detail(pixels: NDArray[np.uint8], *, column: int, row: int, side_px: int) -> Preview:
    """Return one tile of an upright image at full resolution.

    Args:
        pixels: (height, width, 3) RGB.
        column: Index of the tile from the left.
        row: Index of the tile from the top.
        side_px: Side of a tile, in pixels; tiles at the right and lower edges are smaller.

    Raises:
        IndexError: The tile does not exist.
    """
    tile = pixels[row * side_px : (row + 1) * side_px, column * side_px : (column + 1) * side_px]
    if min(column, row) < 0 or not tile.size:
        raise IndexError(f"no tile in column {column}, row {row}")
    handle = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(tile)).save(handle, "JPEG", quality=_DETAIL_QUALITY, subsampling=0)
    full = pixels.shape[1], pixels.shape[0]
    return Preview(handle.getvalue(), "image/jpeg", tile.shape[1], tile.shape[0], full)


def marks_preview(prompts: Sequence[VisualPrompt], *, full_wh: tuple[int, int], max_side_px: int) -> Preview:
    """Return the marks of an image as a transparent PNG of the size that `preview` gives it.

    The marks are drawn at that size, so that lines and letters are visible. Only if there is no room for a label are
    they drawn at full size and then reduced.

    Raises:
        PromptError: The marks cannot be drawn on the image at any size.
    """
    size = fitted(*full_wh, max_side_px=max_side_px)
    try:
        layer = Image.fromarray(draw_layer(_scaled(prompts, full_wh, size), width=size[0], height=size[1]))
    except PromptError:
        layer = Image.fromarray(draw_layer(prompts, width=full_wh[0], height=full_wh[1]))
        layer = layer.resize(size, Image.Resampling.LANCZOS)
    handle = io.BytesIO()
    layer.save(handle, "PNG", compress_level=6)
    return Preview(handle.getvalue(), "image/png", *size, full_wh)


def kept_preview(cache: ItemCache, image_id: str, read: Callable[[], bytes], *, max_side_px: int) -> Preview:
    """Return the `preview` of an image, from the cache if present.

    Args:
        cache: Cache of previews.
        image_id: SHA-256 of the file.
        read: Function that returns the file's bytes; called only if the cache lacks the preview.
        max_side_px: Longest side of the preview, in pixels.

    Raises:
        UnreadableImage: The file is refused, as by `decode_rgb`.
    """
    return _unpacked(
        cache.get_or_make(
            f"preview {_PREVIEW_VERSION}",
            [image_id, max_side_px],
            lambda: _packed(preview(read(), max_side_px=max_side_px)),
        )
    )


def _packed(made: Preview) -> bytes:
    return json.dumps(made[1:]).encode("ascii") + b"\n" + made.data


def _unpacked(packed: bytes) -> Preview:
    head, _, data = packed.partition(b"\n")
    media_type, width, height, full_wh = json.loads(head)
    return Preview(data, media_type, width, height, (full_wh[0], full_wh[1]))


def _scaled(prompts: Sequence[VisualPrompt], full_wh: tuple[int, int], size: tuple[int, int]) -> list[VisualPrompt]:
    factors = np.array(size) / np.array(full_wh)
    return [
        prompt.model_copy(update={"points": tuple((x * factors[0], y * factors[1]) for x, y in prompt.points)})
        for prompt in prompts
    ]
