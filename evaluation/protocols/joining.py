"""Several pictures as one, for models that take one: side by side, as BLINK's evaluation joins them (section 4.1).

Pictures keep their size. They stand from left to right with a black margin between them, centred on black where
heights differ, marks drawn before. Margin and black are those of its repository's `eval/test_benchmark.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from benchwright.canonical import bytes_digest

from ..questions import Picture

MARGIN_PX = 10


class Joined(NamedTuple):
    """A picture made of several, and where each lies in it."""

    picture: Picture
    note: Mapping[str, Any]


@lru_cache(maxsize=4)
def join(pictures: tuple[Picture, ...]) -> Joined:
    """Return one picture that shows several side by side, as PNG.

    `note` holds the size and, for each picture, its id and its box (left, top, right, bottom) in pixels.

    Raises:
        DataError: A picture cannot be decoded.
    """
    import numpy as np

    from benchwright.drawing import draw_prompts
    from benchwright.images import decode_rgb, encode_png

    shown = [_drawn(one, decode_rgb, draw_prompts) for one in pictures]
    height = max(pixels.shape[0] for pixels in shown)
    width = sum(pixels.shape[1] for pixels in shown) + MARGIN_PX * (len(shown) - 1)
    canvas = np.zeros((height, width, 3), dtype=np.uint8)
    parts, left = [], 0
    for picture, pixels in zip(pictures, shown, strict=True):
        tall, wide = pixels.shape[:2]
        top = (height - tall) // 2
        canvas[top : top + tall, left : left + wide] = pixels
        parts.append({"image_id": picture.image_id, "box": [left, top, left + wide, top + tall]})
        left += wide + MARGIN_PX
    data = encode_png(canvas)
    return Joined(Picture(bytes_digest(data), (), data), {"joined": parts, "size": [width, height]})


def _drawn(picture: Picture, decode: Any, draw: Any) -> Any:
    pixels = decode(picture.data)
    return draw(pixels, picture.prompts) if picture.prompts else pixels
