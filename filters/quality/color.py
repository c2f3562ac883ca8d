"""How colorful a picture is."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray


def colorfulness(pixels: NDArray[np.uint8]) -> float:
    """Return Hasler and Süsstrunk's M: 0 for grey, 15 slightly, 33 moderately, 59 quite, 109 extremely colorful.

    With rg = R - G and yb = (R + G) / 2 - B it is sqrt(var(rg) + var(yb)) + 0.3 sqrt(mean(rg)^2 + mean(yb)^2). (D.
    Hasler, S. Süsstrunk, "Measuring colorfulness in natural images", SPIE 5007, 2003.)

    Args:
        pixels: (height, width, 3) RGB.
    """
    red, green, blue = cv2.split(pixels)
    red_green = cv2.subtract(red, green, dtype=cv2.CV_32F)
    yellow_blue = cv2.subtract(cv2.addWeighted(red, 0.5, green, 0.5, 0, dtype=cv2.CV_32F), blue, dtype=cv2.CV_32F)
    measured = [cv2.meanStdDev(one) for one in (red_green, yellow_blue)]
    means, deviations = (np.ravel(found) for found in zip(*measured, strict=True))
    return float(np.hypot(*deviations) + 0.3 * np.hypot(*means))
