"""How much fine detail a part of a picture shows, such as lettering, so that labels leave it free."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchwright.drawing.areas import Rect
from benchwright.drawing.painting import Pixels

DetailOf = Callable[[Rect], int]
"""Function that returns how much detail a rectangle shows, from 0 for none."""
_EDGE_LEVELS = 48
"""Difference of neighboring pixels in any channel from which on there is an edge."""
_STEPS = 12
"""Steps of the share of edges: lettering has 2 to 6 of them, grass and cloth 0 or 1, a sky 0."""


def detail_in(pixels: Pixels) -> DetailOf:
    """Return a function that says how much detail a rectangle of a picture shows: its share of edges, in twelfths.

    Args:
        pixels: The picture, (height, width, 3).
    """

    def detail_of(rect: Rect) -> int:
        top, left = max(0, int(rect.top)), max(0, int(rect.left))
        part = pixels[top : int(np.ceil(rect.bottom)), left : int(np.ceil(rect.right))].astype(np.int16)
        if min(part.shape[:2]) < 2:
            return 0
        across = np.abs(np.diff(part, axis=1))[:-1].max(axis=2)
        down = np.abs(np.diff(part, axis=0))[:, :-1].max(axis=2)
        is_edge = np.maximum(across, down) >= _EDGE_LEVELS
        return int(_STEPS * is_edge.sum() // is_edge.size)

    return detail_of
