"""Luminance: finds the marked surface that looks darker in the picture, regardless of illumination.

The simplest answer to questions about reflectance: the constant-shading baseline from the paper that first measured
people's comparisons (S. Bell, K. Bala, N. Snavely, "Intrinsic images in the wild", SIGGRAPH 2014). It is wrong where a
shadow falls, and replaces Ordinal Shading, whose weights no library used here can load.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from benchwright.errors import DataError
from benchwright.images.decode import decode_rgb

from ...prompting.question import Question
from .base import ClassicalSpecialist, Fits, Point
from .question_forms import labelled_points

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_RADIUS = 0.006
"""Radius of the disk averaged around a point, as a fraction of the picture's height; at least two pixels."""
_EQUAL_RATIO = 1.10
"""Largest luminance ratio of the lighter to the darker surface at which both are considered equal: that of WHDR (Bell
et al., section 6)."""
_WEIGHTS = (0.2126, 0.7152, 0.0722)
"""Weights of linear red, green and blue in the luminance of sRGB (IEC 61966-2-1)."""


class Luminance(ClassicalSpecialist):
    """Picks the point of lower luminance as the darker surface; points of almost equal luminance are equal."""

    name: ClassVar[str] = "luminance"
    tasks: ClassVar[frozenset[str]] = frozenset({"relative_reflectance"})
    version: ClassVar[int] = 1
    stands_for: ClassVar[str] = "Ordinal Shading"

    def fits_of(self, question: Question) -> Fits:
        """Return, for each option, the log ratio by which its point is darker than the darkest other point.

        An option that names no point fits as well as a ratio of `_EQUAL_RATIO`.
        """
        from math import log

        shown = labelled_points(question)
        pixels = decode_rgb(shown.picture.data)
        level = {label: log(luminance_at(pixels, point)) for label, point in shown.points.items()}
        fits = {}
        for key, label in shown.labels.items():
            if label is None:
                fits[key] = log(_EQUAL_RATIO)
            else:
                fits[key] = min(other for name, other in level.items() if name != label) - level[label]
        return fits


def luminance_at(pixels: NDArray[np.uint8], point: Point) -> float:
    """Return the mean luminance around a point, in linear light: above 0 (black is a thousandth) and at most 1.001.

    Args:
        pixels: Picture, (height, width, 3) RGB.
        point: Point in the picture.

    Raises:
        DataError: The point lies outside the picture.
    """
    import numpy as np

    height, width = pixels.shape[:2]
    x, y = point
    if not (0 <= x <= width and 0 <= y <= height):
        raise DataError(f"a point at ({x:g}, {y:g}) lies outside a picture of {width} x {height} pixels")
    radius = max(2.0, _RADIUS * height)
    left, top = max(0, int(x - radius)), max(0, int(y - radius))
    around = pixels[top : int(y + radius) + 1, left : int(x + radius) + 1]
    ys, xs = np.mgrid[top : top + around.shape[0], left : left + around.shape[1]]
    inside = (xs + 0.5 - x) ** 2 + (ys + 0.5 - y) ** 2 <= radius**2
    encoded = around[inside] / 255
    linear = np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)
    return float((linear @ np.array(_WEIGHTS)).mean()) + 1e-3
