"""Measures of one picture: frame, color, content, light, sharpness.

A frame is one color along the edges: bars above and below a film, a margin around a scan. Color is measured as
colorfulness, content as the share of the picture that is not plain, light as the gray levels of the lightest and the
darkest parts and the share of pixels without detail. Blur is measured independently of contrast, and a picture with an
unfocused background counts as sharp.

A blurred picture changes little when it is blurred again (F. Crete, T. Dolmiere, P. Ladret, M. Nicolas, "The blur
effect: perception and estimation with a new no-reference perceptual blur metric", SPIE 6492, 2007). The commonly used
variance of the Laplacian grows with contrast and shrinks with size; this measure does neither. It is taken in tiles,
and the sharpest tiles give the result: a flower before a soft background is sharp.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

SIDE_PX = 1024
"""Longer side, in pixels, to which larger pictures are shrunk before measuring."""

_TILE_PX = 64
_WIDTH = 9
"""Width of the second blur in pixels, as in the paper."""
_LEAST_CHANGE = 1.0
"""Mean change between neighboring pixels, in gray levels, above which a tile has content that could be sharp."""
_SHARPEST = 0.1
"""Proportion of the tiles, counted from the sharpest, that determine the result."""


def blur(gray: NDArray[np.uint8]) -> float | None:
    """Return the blur of a picture: 0 sharp, 1 blurred beyond recognition; None if no tile has content.

    Args:
        gray: Shape (height, width), at most `SIDE_PX` on the longer side.
    """
    levels = gray.astype(np.float32)
    tiles: list[NDArray[np.float32]] = []
    for axis in (0, 1):
        if gray.shape[axis] < 2:
            continue
        kernel = (1, _WIDTH) if axis == 0 else (_WIDTH, 1)
        again = cv2.blur(levels, kernel, borderType=cv2.BORDER_REPLICATE)
        change, left = (_steps(picture, axis) for picture in (levels, again))
        _, lost = cv2.threshold(cv2.subtract(change, left), 0, 0, cv2.THRESH_TOZERO)
        tiles.append(_tiles(change, lost))
    blurs = np.concatenate([*tiles, np.zeros(0, np.float32)])
    if not len(blurs):
        return None
    sharpest = np.sort(blurs)[: max(1, round(len(blurs) * _SHARPEST))]
    return float(np.median(sharpest))


def _steps(levels: Any, axis: int) -> Any:
    """Return the differences between neighbors along an axis."""
    return cv2.absdiff(levels[1:], levels[:-1]) if axis == 0 else cv2.absdiff(levels[:, 1:], levels[:, :-1])


def _tiles(change: Any, lost: Any) -> NDArray[np.float32]:
    """Return, for each tile with content, the proportion of its differences that remains after a second blur."""
    size = max(1, round(change.shape[1] / _TILE_PX)), max(1, round(change.shape[0] / _TILE_PX))
    means, losses = (
        cv2.resize(differences, size, interpolation=cv2.INTER_AREA).ravel() for differences in (change, lost)
    )
    shows = means >= _LEAST_CHANGE
    return np.asarray(1 - losses[shows] / means[shows], np.float32)


_LIGHTEST, _DARKEST = 0.99, 0.01
"""Quantiles of the lightest and darkest parts: the few pixels of a lamp do not make a picture light, but the few
strokes of a drawing on white do make it dark."""
_BLACK, _WHITE = 2, 253


class GreyLevels(NamedTuple):
    """Gray levels of a picture, 0 black to 1 white.

    Args:
        darkest: Level below which 1 % of the pixels stay.
        lightest: Level that 1 % of the pixels exceed.
        clipped: Proportion of pixels that are black or white, 0 to 1.
    """

    darkest: float
    lightest: float
    clipped: float


def grey_levels(gray: NDArray[np.uint8]) -> GreyLevels:
    """Return the gray levels of a gray picture of shape (height, width)."""
    counts = cv2.calcHist([gray], [0], None, [256], [0, 256]).ravel().astype(np.int64)
    below = np.cumsum(counts) / gray.size
    darkest, lightest = (int(np.searchsorted(below, share)) for share in (_DARKEST, _LIGHTEST))
    clipped = (counts[: _BLACK + 1].sum() + counts[_WHITE:].sum()) / gray.size
    return GreyLevels(darkest / 255, lightest / 255, float(clipped))


_CELL_PX = 16
_LEAST_RANGE = 12
"""Range of levels within a cell, in any channel, above which the cell has content; the noise of JPEG and of scanners
stays below."""


def filled(pixels: NDArray[np.uint8]) -> float:
    """Return the proportion of a picture's cells of 16 x 16 pixels that are not of a single color, 0 to 1.

    Args:
        pixels: (height, width, 3).
    """
    height, width = (max(1, side // _CELL_PX) for side in pixels.shape[:2])
    rows, columns = (
        np.linspace(0, side, count, endpoint=False).astype(int)
        for side, count in zip(pixels.shape[:2], (height, width), strict=True)
    )
    # Rows are reduced first, strip by strip: `reduceat` along them would take ten times as long.
    strips = np.split(pixels, rows[1:])
    darkest, lightest = (
        reduce.reduceat(np.stack([reduce.reduce(strip, axis=0) for strip in strips]), columns, axis=1)
        for reduce in (np.minimum, np.maximum)
    )
    ranges = (lightest.astype(np.int16) - darkest).max(axis=2)
    return float((ranges >= _LEAST_RANGE).mean())


_GREY_PX, _MOST_CHROMA = 256, 20
"""Longer side, in pixels, at which a picture is checked for color, and largest difference between the channels of a
gray picture."""


def colorfulness(pixels: NDArray[np.uint8]) -> float:
    """Return Hasler and Süsstrunk's M: 0 for gray, 15 slightly, 33 moderately, 59 quite, 109 extremely colorful.

    With rg = R - G and yb = (R + G) / 2 - B it is sqrt(var(rg) + var(yb)) + 0.3 sqrt(mean(rg)^2 + mean(yb)^2). (D.
    Hasler, S. Süsstrunk, "Measuring colorfulness in natural images", SPIE 5007, 2003.)

    Args:
        pixels: (height, width, 3) RGB.
    """
    red, green, blue = cv2.split(pixels)
    red_green = cv2.subtract(red, green, dtype=cv2.CV_32F)
    yellow_blue = cv2.subtract(cv2.addWeighted(red, 0.5, green, 0.5, 0, dtype=cv2.CV_32F), blue, dtype=cv2.CV_32F)
    measured = [cv2.meanStdDev(channel) for channel in (red_green, yellow_blue)]
    means, deviations = (np.ravel(values) for values in zip(*measured, strict=True))
    return float(np.hypot(*deviations) + 0.3 * np.hypot(*means))


_SPREAD = 8
"""Largest difference from the frame's color, in levels, that a pixel of a frame may have in any channel, for all but
`_EXCEPTIONS` of a line's pixels."""
_EXCEPTIONS = 0.01
_LINES = 32
"""Number of lines compared together after the first one; most pictures have no frame and need only the first line."""


def frame(pixels: NDArray[np.uint8]) -> float:
    """Return the proportion of a picture that belongs to a frame of one color along its edges, 0 to 1.

    Counted from each side, lines belong to the frame as long as all their pixels have the color of that side's
    outermost line. A picture of a single color consists entirely of frame.

    Args:
        pixels: (height, width, 3).
    """
    top, bottom = _bars(pixels)
    if top + bottom >= pixels.shape[0]:
        return 1.0
    inner = pixels[top : pixels.shape[0] - bottom]
    left, right = _bars(inner.transpose(1, 0, 2))
    if left + right >= pixels.shape[1]:
        return 1.0
    shown = inner.shape[0] * (pixels.shape[1] - left - right)
    return 1 - float(shown / (pixels.shape[0] * pixels.shape[1]))


def _bars(pixels: NDArray[np.uint8]) -> tuple[int, int]:
    """Return how many lines at the start and how many at the end belong to a frame."""
    return _bar(pixels), _bar(pixels[::-1])


def _bar(pixels: NDArray[np.uint8]) -> int:
    color = np.round(np.median(pixels[0], axis=0)).astype(np.int16)
    start, lines = 0, 1
    while start < len(pixels):
        away = np.abs(pixels[start : start + lines] - color).max(axis=2) > _SPREAD
        is_other = away.mean(axis=1) > _EXCEPTIONS
        if is_other.any():
            return start + int(np.argmax(is_other))
        start, lines = start + lines, _LINES
    return len(pixels)


def is_grey(pixels: NDArray[np.uint8]) -> bool:
    """Return whether a picture has no color, not even in a mark, apart from compression noise.

    Args:
        pixels: (height, width, 3) RGB.
    """
    height, width = pixels.shape[:2]
    scale = min(1.0, _GREY_PX / max(width, height))
    size = max(1, round(width * scale)), max(1, round(height * scale))
    red, green, blue = cv2.split(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA))
    chroma = cv2.subtract(cv2.max(cv2.max(red, green), blue), cv2.min(cv2.min(red, green), blue))
    return int(cv2.minMaxLoc(chroma)[1]) <= _MOST_CHROMA
