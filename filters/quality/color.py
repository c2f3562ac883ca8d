"""How colorful a picture is."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

_OPPONENTS = np.array([[1.0, -1.0, 0.0], [0.5, 0.5, -1.0]], np.float32)


def colorfulness(pixels: NDArray[np.uint8]) -> float:
    """Return Hasler and Süsstrunk's M: 0 for grey, 15 slightly, 33 moderately, 59 quite, 109 extremely colorful.

    With rg = R - G and yb = (R + G) / 2 - B it is sqrt(var(rg) + var(yb)) + 0.3 sqrt(mean(rg)^2 + mean(yb)^2). (D.
    Hasler, S. Süsstrunk, "Measuring colorfulness in natural images", SPIE 5007, 2003.)

    Args:
        pixels: (height, width, 3) RGB.
    """
    opponents = cv2.transform(pixels.astype(np.float32), _OPPONENTS)
    means, deviations = (found.ravel() for found in cv2.meanStdDev(opponents))
    return float(np.hypot(*deviations) + 0.3 * np.hypot(*means))
