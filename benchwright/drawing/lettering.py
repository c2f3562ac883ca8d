"""Short texts on pictures, rendered with Pillow's built-in font and positioned to a fraction of a pixel.

The font is Aileron Regular by Sora Sagano, in the public domain (CC0 1.0), with Latin letters, digits and symbols. It
is part of Pillow, so equal installations render equal texts; system fonts have no influence. Pillow's basic layout
places the glyphs, whatever text shaping library is installed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from benchwright.drawing.painting import HALO_OPACITY, Color, Pixels, blend
from benchwright.errors import PrerequisiteError

_SUB = 4
"""Number of samples of a text per pixel along each axis."""
_WEIGHT = 1 / 36
"""Width of the stroke added around glyphs, as a proportion of the size, because the font is thin."""
_TRACKING = 1 / 18
"""Space added between letters, as a proportion of the size, to make room for strokes and halo."""
_KEPT_CHARACTERS, _KEPT_PX = 4, 64.0
"""Longest label and largest size that are cached once rendered, because letters and numbers of options recur."""
_NO_CHARACTER = "\U0010ffff"


class RenderedText(NamedTuple):
    """A rendered text: the ink of each sample (`_SUB` per pixel and axis), 0 to 255, and the size in pixels."""

    ink: Pixels
    halo: Pixels
    width: float
    height: float


@lru_cache(maxsize=64)
def _font(size_px: float) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size_px)
    if not isinstance(font, ImageFont.FreeTypeFont):
        raise PrerequisiteError("labels need Pillow with FreeType support; install Pillow from its wheels")
    return font


@lru_cache(maxsize=1024)
def has_glyph(character: str) -> bool:
    """Return whether the font has a glyph for a character; otherwise it would draw a box."""
    font = _font(32.0)
    missing, drawn = font.getmask(_NO_CHARACTER), font.getmask(character)
    return (missing.size, bytes(missing)) != (drawn.size, bytes(drawn))


def ink_width(label: str, size_px: float) -> float:
    """Return the width of a rendered text, in pixels."""
    left, _, right, _ = _bounds(label, size_px, size_px * _WEIGHT)
    return right - left


def render(label: str, size_px: float, *, halo_px: float) -> RenderedText:
    """Return a rendered text, cropped to its ink and halo."""
    if len(label) <= _KEPT_CHARACTERS and size_px <= _KEPT_PX:
        return _render_short(label, size_px, halo_px)
    return _render(label, size_px, halo_px)


def _render(label: str, size_px: float, halo_px: float) -> RenderedText:
    size, weight = size_px * _SUB, size_px * _SUB * _WEIGHT
    strokes = (weight, weight + halo_px * _SUB)
    left, top, right, bottom = _bounds(label, size, strokes[1])
    shape = (max(1, int(np.ceil(right - left))), max(1, int(np.ceil(bottom - top))))
    masks = []
    for stroke in strokes:
        mask = Image.new("L", shape)
        pen = ImageDraw.Draw(mask)
        for x, character in _spaced(label, size):
            pen.text((x - left, -top), character, fill=255, font=_font(size), stroke_width=stroke)
        masks.append(np.asarray(mask))
    return RenderedText(masks[0], masks[1], shape[0] / _SUB, shape[1] / _SUB)


_render_short = lru_cache(maxsize=128)(_render)


def _spaced(label: str, size_px: float) -> Iterator[tuple[float, str]]:
    """Yield the position and text of each character, with kerning and extra space for the strokes."""
    font = _font(size_px)
    for number, character in enumerate(label):
        before = font.getlength(label[: number + 1]) - font.getlength(character)
        yield round(before + number * _TRACKING * size_px), character


def _bounds(label: str, size_px: float, stroke: float) -> tuple[float, float, float, float]:
    boxes = [
        (x + left, top, x + right, bottom)
        for x, character in _spaced(label, size_px)
        for left, top, right, bottom in [_font(size_px).getbbox(character, stroke_width=stroke)]
    ]
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def snapped(coordinate: float) -> float:
    """Return a coordinate rounded to a whole number of samples, as required for a text's edge."""
    return round(coordinate * _SUB) / _SUB


def stamp(pixels: Pixels, text: RenderedText, *, left: float, top: float, ink: Color, halo: Color) -> None:
    """Draw a rendered text on an image in place, at snapped coordinates, clipped to the image."""
    column, row = round(left * _SUB), round(top * _SUB)
    first_column, first_row = column // _SUB, row // _SUB
    down, across = row - first_row * _SUB, column - first_column * _SUB
    high, wide = text.ink.shape
    rows, columns = (down + high) // _SUB + 1, (across + wide) // _SUB + 1
    y0, x0 = max(0, first_row), max(0, first_column)
    area = pixels[y0 : max(0, first_row + rows), x0 : max(0, first_column + columns)]

    def cover(mask: Pixels, opacity: float) -> NDArray[np.float32]:
        padded = np.zeros((rows * _SUB, columns * _SUB), np.float32)
        padded[down : down + high, across : across + wide] = mask
        shares = padded.reshape(rows, _SUB, columns, _SUB).sum(axis=3).sum(axis=1) * (opacity / (255 * _SUB * _SUB))
        return np.asarray(shares[y0 - first_row :, x0 - first_column :][: area.shape[0], : area.shape[1]])

    blend(area, (cover(text.halo, HALO_OPACITY), halo), (cover(text.ink, 1.0), ink))
