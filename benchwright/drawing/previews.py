"""Pictures and marks made ready for a browser: upright, no larger than wanted, without anything of the file but pixels.

A browser never gets a file of a user: what it gets was decoded here, behind the checks of
`benchwright.images.identify`, and encoded anew, so that neither hostile bytes nor a camera's place and owner travel
along.

Marks also come by themselves, as a transparent picture to lay over one, so that whoever looks can take them away again.
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
    """Return the marks that `draw` puts on an image of a size, on nothing.

    Laid over the image they give what `draw` gives, to within two levels of 255: paint hides a share of what is below
    it wherever it is put, so that drawings on black and on white tell colour and opacity apart.

    Returns:
        (height, width, 4) RGBA, colours not multiplied by the opacity.

    Raises:
        PromptError: As `draw`.
    """
    black = np.zeros((height, width, 3), np.uint8)
    on_black = draw_prompts(black, prompts)
    on_white = draw_prompts(~black, prompts)
    layer = np.zeros((height, width, 4), np.uint8)
    rows, columns = np.nonzero((on_black != 0).any(axis=2) | (on_white != 255).any(axis=2))
    dark, light = on_black[rows, columns].astype(np.float64), on_white[rows, columns].astype(np.float64)
    opacity = 1 - (light - dark).mean(axis=1, keepdims=True) / 255
    color = np.divide(dark, opacity, out=np.zeros_like(dark), where=opacity > 0)
    layer[rows, columns] = np.rint(np.clip(np.hstack([color, opacity * 255]), 0, 255))
    return layer


JPEG_QUALITY = 90

PREVIEW_VERSION = 1
"""Raised when the same picture or marks may give other bytes."""


class Preview(NamedTuple):
    """A picture for a browser.

    Attributes:
        data: The file.
        media_type: `image/jpeg` or `image/png`.
        width: Width of this picture, in pixels.
        height: So too.
        full_wh: Width and height of the upright image that it stands for.
    """

    data: bytes
    media_type: str
    width: int
    height: int
    full_wh: tuple[int, int]


def fitted(width: int, height: int, *, max_side_px: int) -> tuple[int, int]:
    """Return the size, at least 1 x 1, of an image that is reduced until no side is longer than `max_side_px`."""
    factor = min(1.0, max_side_px / max(width, height))
    return max(1, round(width * factor)), max(1, round(height * factor))


def preview(
    data: bytes, *, max_side_px: int, lossless_up_to_px: int = 0, prompts: Sequence[VisualPrompt] = ()
) -> Preview:
    """Return an image of a file, upright and reduced where it is larger than wanted, never enlarged.

    Args:
        data: The file.
        prompts: Marks to draw into the picture, for viewers that cannot lay them over it.
        max_side_px: Longest side.
        lossless_up_to_px: Pictures that come out with so many pixels or fewer become PNG instead of JPEG, where
            every pixel counts and bytes do not.

    Raises:
        UnreadableImage: As `decode_rgb`.
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
    else:
        image.save(handle, "JPEG", quality=JPEG_QUALITY, subsampling=0)
    return Preview(handle.getvalue(), "image/png" if lossless else "image/jpeg", *size, full)


def marks_preview(prompts: Sequence[VisualPrompt], *, full_wh: tuple[int, int], max_side_px: int) -> Preview:
    """Return the marks of an image as a transparent PNG of the size that `preview` gives it.

    They are drawn at that size, with lines and letters that can be seen there. Only where a label finds no room are
    they drawn at full size and reduced.

    Raises:
        PromptError: They cannot be drawn on the image at all.
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
    """Return `preview` of an image, from the cache where it was made before.

    Args:
        cache: Keeps it.
        image_id: SHA-256 of the file.
        read: Returns the file; called only if the preview has to be made.
        max_side_px: Longest side.

    Raises:
        UnreadableImage: As `decode_rgb`.
    """
    return _unpacked(
        cache.get_or_make(
            f"preview {PREVIEW_VERSION}",
            [image_id, max_side_px],
            lambda: _packed(preview(read(), max_side_px=max_side_px)),
        )
    )


def kept_marks_preview(
    cache: ItemCache, prompts: Sequence[VisualPrompt], *, full_wh: tuple[int, int], max_side_px: int
) -> Preview:
    """Return `marks_preview`, from the cache where it was made before.

    Raises:
        PromptError: The marks cannot be drawn.
    """
    marks = [prompt.model_dump(mode="json") for prompt in prompts]
    return _unpacked(
        cache.get_or_make(
            f"marks {PREVIEW_VERSION}",
            [marks, full_wh, max_side_px],
            lambda: _packed(marks_preview(prompts, full_wh=full_wh, max_side_px=max_side_px)),
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
