"""Mark colors that contrast with everything under the marks.

A red ring on a red flower is invisible. All marks of an item take one color of a fixed list: the color whose distance
to the nearest ground color is greatest. If an item needs several colors, they also differ clearly from each other. The
choice considers the pixels under all marks together, so that the color of a mark gives no mark away.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchwright.drawing.marks import mark_of
from benchwright.drawing.masks import PlacedMask
from benchwright.drawing.painting import Pixels
from benchwright.records import PromptStyle, VisualPrompt

Lab = NDArray[np.float32]


class MarkColor(NamedTuple):
    """A mark color with its name in questions."""

    name: str
    code: str


MARK_COLORS = (
    MarkColor("red", "#ff0000"),
    MarkColor("blue", "#0060ff"),
    MarkColor("green", "#00c000"),
    MarkColor("yellow", "#ffe000"),
    MarkColor("magenta", "#ff00ff"),
    MarkColor("cyan", "#00e0ff"),
)
"""Colors to choose from; among equally distant ones, the first is chosen."""
FILL_COLORS = (
    MarkColor("black", "#000000"),
    MarkColor("gray", "#808080"),
    MarkColor("magenta", "#ff00ff"),
    MarkColor("green", "#00c000"),
    MarkColor("white", "#ffffff"),
)
"""Colors that fill the space of a missing part, starting with the default; white may be the page's color."""
_CLEAR_FILL = 35.0
"""Smallest distance in CIE L*a*b* at which a color is clearly distinct from its surroundings."""
_NEXT_HUES = ({"red", "magenta"}, {"blue", "cyan"}, {"green", "cyan"}, {"green", "yellow"})
"""Pairs of colors that viewers may call by the same name, which are never chosen together."""
_NEAREST_SHARE = 0.1
"""Proportion of the pixels under a mark that may be closer to its color and are ignored: a few pixels hide nothing."""
_AROUND_PX = 2.0
_SMALL_PX, _LARGE_PX = 512.0, 1024.0
"""Range of picture heights in which marks have BLINK's size; outside it, marks scale with the picture."""

Grounds = Sequence[tuple[Pixels, Sequence[VisualPrompt]]]
"""Pictures of an item, (height, width, 3) RGB, each with its marks."""


def mark_style(height: int, color: str = MARK_COLORS[0].code) -> PromptStyle:
    """Return the style of marks on a picture of a given height; sizes scale with the height as in BLINK."""
    return PromptStyle(color=color, reference_height_px=min(_LARGE_PX, max(_SMALL_PX, height)))


def clear_colors(grounds: Grounds, count: int = 1) -> tuple[MarkColor, ...]:
    """Return the colors, in the order of `MARK_COLORS`, that are most distant from the pixels under the marks.

    Distances are Euclidean in CIE L*a*b* (1976), in which a just noticeable difference is about 2.3.

    Args:
        grounds: Pictures and their marks; the marks' colors and labels have no influence.
        count: Number of colors, 1 to 3; several also differ clearly from each other and have distinct names.
    """
    under = [ground for pixels, prompts in grounds for ground in _grounds(pixels, prompts)]
    colors = _lab(np.array([[_rgb(color.code) for color in MARK_COLORS]], np.uint8))[0]
    away = [min((_nearest(ground, color) for ground in under), default=np.inf) for color in colors]

    def least(numbers: tuple[int, ...]) -> float:
        apart = [float(np.linalg.norm(colors[one] - colors[other])) for one, other in combinations(numbers, 2)]
        return min(away[number] for number in numbers) if not apart else min(*(away[n] for n in numbers), *apart)

    sets = [
        numbers
        for numbers in combinations(range(len(MARK_COLORS)), count)
        if not any(pair <= {MARK_COLORS[number].name for number in numbers} for pair in _NEXT_HUES)
    ]
    best = max(sets, key=least)
    return tuple(MARK_COLORS[number] for number in best)


def clear_fill(around: Sequence[NDArray[np.uint8]]) -> MarkColor:
    """Return the color that fills the space of a missing part.

    It is the first of `FILL_COLORS` that differs clearly from all surroundings, or else the color whose distance to the
    nearest surrounding color is greatest.

    Args:
        around: Pixels adjacent to the space, by side, each (n, 3) RGB.
    """
    grounds = [_lab(pixels[None])[0] for pixels in around]

    def away(color: MarkColor) -> float:
        lab = _lab(np.array([[_rgb(color.code)]], np.uint8))[0, 0]
        return min(_nearest(ground, lab) for ground in grounds)

    return next((color for color in FILL_COLORS if away(color) >= _CLEAR_FILL), None) or max(FILL_COLORS, key=away)


def in_color(prompts: Sequence[VisualPrompt], color: str) -> tuple[VisualPrompt, ...]:
    """Return marks with their color replaced."""
    return tuple(
        prompt.model_copy(update={"style": prompt.style.model_copy(update={"color": color})}) for prompt in prompts
    )


def _grounds(pixels: Pixels, prompts: Sequence[VisualPrompt]) -> list[Lab]:
    """Return the colors of the pixels under and near each mark, each of shape (n, 3)."""
    height, width = pixels.shape[:2]
    found = []
    for prompt in prompts:
        mark = mark_of(prompt, width=width, height=height)
        reach = mark.sizes.halo + _AROUND_PX
        bounds = mark.bounds.grown(_AROUND_PX)
        rows = slice(max(0, int(bounds.top)), min(height, int(bounds.bottom) + 1))
        columns = slice(max(0, int(bounds.left)), min(width, int(bounds.right) + 1))
        if isinstance(mark.shape, PlacedMask):
            under = pixels[rows, columns].reshape(1, -1, 3)
        else:
            near = mark.shape.pixels_within(reach, rows, columns)
            under = pixels[near.y, near.x][None]
        if under.size:
            found.append(_lab(under)[0])
    return found


def _nearest(ground: Lab, color: Lab) -> float:
    return float(np.quantile(np.linalg.norm(ground - color, axis=1), _NEAREST_SHARE))


def _lab(pixels: Pixels) -> Lab:
    import cv2

    return np.asarray(cv2.cvtColor(pixels.astype(np.float32) / 255, cv2.COLOR_RGB2LAB), np.float32)


def _rgb(code: str) -> tuple[int, ...]:
    return tuple(bytes.fromhex(code[1:]))
