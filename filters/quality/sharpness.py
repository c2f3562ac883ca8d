"""How blurred a picture is, whatever its contrast and however much of it is out of focus on purpose.

A picture that is blurred already changes little when it is blurred once more (F. Crete, T. Dolmiere, P. Ladret, M.
Nicolas, "The blur effect: perception and estimation with a new no-reference perceptual blur metric", SPIE 6492, 2007).
The variance of the Laplacian, which is often taken, grows with contrast and shrinks with size; this does neither. It
is looked at in tiles, and the sharpest ones speak for the picture: a flower before a soft ground is sharp.
"""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

SIDE_PX = 1024
"""Longer side at which pictures are looked at; larger ones are shrunk first, as whoever looks at them does."""

_TILE_PX = 64
_WIDTH = 9
"""Of the second blur, as in the paper."""
_LEAST_CHANGE = 1.0
"""Mean change between neighbouring pixels, in grey levels, from which a tile shows something that could be sharp."""
_SHARPEST = 0.1
"""Share of the tiles that speak for the picture."""


def blur(grey: NDArray[np.uint8]) -> float | None:
    """Return how blurred a picture is: 0 sharp, 1 blurred beyond recognition; None where nothing stands out in it.

    Args:
        grey: (height, width), at most `SIDE_PX` on the longer side.
    """
    levels = grey.astype(np.float32)
    found: list[NDArray[np.float32]] = []
    for axis in (0, 1):
        if grey.shape[axis] < 2:
            continue
        kernel = (1, _WIDTH) if axis == 0 else (_WIDTH, 1)
        again = cv2.blur(levels, kernel, borderType=cv2.BORDER_REPLICATE)
        change, left = (_steps(one, axis) for one in (levels, again))
        _, lost = cv2.threshold(cv2.subtract(change, left), 0, 0, cv2.THRESH_TOZERO)
        found.append(_tiles(change, lost))
    blurs = np.concatenate([*found, np.zeros(0, np.float32)])
    if not len(blurs):
        return None
    sharpest = np.sort(blurs)[: max(1, round(len(blurs) * _SHARPEST))]
    return float(np.median(sharpest))


def _steps(levels: Any, axis: int) -> Any:
    """Return by how much neighbours along an axis differ."""
    return cv2.absdiff(levels[1:], levels[:-1]) if axis == 0 else cv2.absdiff(levels[:, 1:], levels[:, :-1])


def _tiles(change: Any, lost: Any) -> NDArray[np.float32]:
    """Return of each tile that shows something the share of its change that a second blur leaves."""
    size = max(1, round(change.shape[1] / _TILE_PX)), max(1, round(change.shape[0] / _TILE_PX))
    means, losses = (cv2.resize(one, size, interpolation=cv2.INTER_AREA).ravel() for one in (change, lost))
    shows = means >= _LEAST_CHANGE
    return np.asarray(1 - losses[shows] / means[shows], np.float32)
