"""Short texts on pictures: rendered with Pillow's font, stamped to a fraction of a pixel, placed beside marks.

The font comes with Pillow, so equal installations letter alike; nothing is looked up on the machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from benchwright.errors import StepError

Pixels = NDArray[np.uint8]
Color = tuple[int, int, int]
SUB = 4
"""Samples a pixel and axis."""
HALO_OPACITY = 0.85
_WEIGHT = 1 / 28
"""Stroke added all around, as a share of the size: the font is a light one."""


class Rect(NamedTuple):
    """A rectangle in image coordinates, pixels."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Rect) -> bool:
        """Return whether two rectangles share more than an edge."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom

    def grown(self, by: float) -> Rect:
        """Return the rectangle with every side moved outwards."""
        return Rect(self.left - by, self.top - by, self.right + by, self.bottom + by)

    def inside(self, width: int, height: int) -> bool:
        """Return whether an image of that size holds the whole rectangle."""
        return self.left >= 0 and self.top >= 0 and self.right <= width and self.bottom <= height


class Text(NamedTuple):
    """A rendered text: how much of each sample (`SUB` a pixel) is inked, 0 to 255, and its size in pixels."""

    ink: Pixels
    halo: Pixels
    width: float
    height: float


@lru_cache(maxsize=64)
def _font(size_px: float) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size_px)
    if not isinstance(font, ImageFont.FreeTypeFont):
        raise StepError("labels need a Pillow with FreeType; install Pillow from its wheels")
    return font


def ink_width(label: str, size_px: float) -> float:
    """Return how wide a text gets, in pixels."""
    left, _, right, _ = _font(size_px).getbbox(label, stroke_width=size_px * _WEIGHT)
    return right - left


def render(label: str, size_px: float, *, halo_px: float) -> Text:
    """Render a text, cropped to its ink and halo."""
    font, weight = _font(size_px * SUB), size_px * SUB * _WEIGHT
    strokes = (weight, weight + halo_px * SUB)
    left, top, right, bottom = font.getbbox(label, stroke_width=strokes[1])
    size = (max(1, int(np.ceil(right - left))), max(1, int(np.ceil(bottom - top))))
    masks = []
    for stroke in strokes:
        mask = Image.new("L", size)
        ImageDraw.Draw(mask).text((-left, -top), label, fill=255, font=font, stroke_width=stroke)
        masks.append(np.asarray(mask))
    return Text(masks[0], masks[1], size[0] / SUB, size[1] / SUB)


def blend(area: Pixels, cover: NDArray[np.float64], color: Color) -> None:
    """Lay a colour over an area in place, by the share (0 to 1) of each pixel that it covers."""
    share = cover[..., None]
    area[...] = np.rint(area * (1 - share) + np.array(color) * share).astype(np.uint8)


def stamp(pixels: Pixels, text: Text, *, left: float, top: float, ink: Color, halo: Color) -> None:
    """Lay a rendered text over an image in place, to a quarter of a pixel; what sticks out is left off."""
    column, row = round(left * SUB), round(top * SUB)
    first_column, first_row = column // SUB, row // SUB
    before = (row - first_row * SUB, column - first_column * SUB)
    for mask, color, opacity in ((text.halo, halo, HALO_OPACITY), (text.ink, ink, 1.0)):
        after = [-(start + side) % SUB for start, side in zip(before, mask.shape, strict=True)]
        padded = np.pad(mask, list(zip(before, after, strict=True)))
        rows, columns = padded.shape[0] // SUB, padded.shape[1] // SUB
        cover = padded.reshape(rows, SUB, columns, SUB).mean(axis=(1, 3)) * (opacity / 255)
        y0, x0 = max(0, first_row), max(0, first_column)
        area = pixels[y0 : max(0, first_row + rows), x0 : max(0, first_column + columns)]
        cover = cover[y0 - first_row :, x0 - first_column :][: area.shape[0], : area.shape[1]]
        blend(area, cover, color)


def place_beside(
    mark: Rect, text: Text, *, gap: float, inset: float, image_wh: tuple[int, int], avoid: Sequence[Sequence[Rect]]
) -> Rect | None:
    """Return the first place beside a mark that lies inside the image and touches nothing it should avoid.

    Args:
        mark: What the text belongs to.
        text: What is to be placed.
        gap: Least distance to the mark, pixels.
        inset: How thick the mark's outline is, pixels; inside of it the text may stand where there is no room
            outside.
        image_wh: Width and height of the image.
        avoid: Lists of rectangles, strictest first; a later list counts where no place satisfies the earlier ones.

    Returns:
        The place, or None where there is none.
    """
    places = [place for place in _places(mark, text, gap=gap, inset=inset) if place.inside(*image_wh)]
    for rectangles in avoid:
        for place in places:
            if not any(place.meets(rectangle) for rectangle in rectangles):
                return place
    return None


def _places(mark: Rect, text: Text, *, gap: float, inset: float) -> Iterator[Rect]:
    """Yield right, left, above, below and the four corners of a mark; all again farther away; corners inside."""
    width, height = text.width, text.height
    level, centre = (mark.top + mark.bottom - height) / 2, (mark.left + mark.right - width) / 2
    for distance in (gap, gap + height / 2, gap + height):
        right, left = mark.right + distance, mark.left - distance - width
        above, below = mark.top - distance - height, mark.bottom + distance
        for x, y in (
            (right, level), (left, level), (centre, above), (centre, below),
            (right, above), (right, below), (left, above), (left, below),
        ):  # fmt: skip
            yield Rect(x, y, x + width, y + height)
    inner = mark.grown(-inset - gap)
    for x in (inner.left, inner.right - width):
        for y in (inner.top, inner.bottom - height):
            yield Rect(x, y, x + width, y + height)
