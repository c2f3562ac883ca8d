"""Light: how dark the lightest parts of a picture are, how light the darkest, and how much has lost its detail."""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

_LIGHTEST, _DARKEST = 0.99, 0.01
"""Quantiles that stand for the lightest and darkest parts: a few pixels of a lamp do not light a picture, and the
strokes of a drawing on white, of which there are few, do darken it."""
_BLACK, _WHITE = 2, 253


class Light(NamedTuple):
    """Grey levels of a picture, 0 black to 1 white.

    Args:
        darkest: What 1 % of the pixels stay below.
        lightest: What 1 % of the pixels exceed.
        clipped: Share of pixels that are black or white, 0 to 1.
    """

    darkest: float
    lightest: float
    clipped: float


def light(grey: NDArray[np.uint8]) -> Light:
    """Return the light of a picture, (height, width) grey."""
    counts = cv2.calcHist([grey], [0], None, [256], [0, 256]).ravel().astype(np.int64)
    below = np.cumsum(counts) / grey.size
    darkest, lightest = (int(np.searchsorted(below, share)) for share in (_DARKEST, _LIGHTEST))
    clipped = (counts[: _BLACK + 1].sum() + counts[_WHITE:].sum()) / grey.size
    return Light(darkest / 255, lightest / 255, float(clipped))
