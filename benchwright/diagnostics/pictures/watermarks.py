"""Watermarks that repeat over a whole picture, such as agencies place on the photographs they sell.

Copies of one pattern have the same lag everywhere in the picture, over sky, faces and grass alike. Repeated objects in
a photograph (windows, tiles, waves) fill only part of it. The lags at which fine detail repeats are therefore read from
the autocorrelation of a whitened spectrum, and each lag is then checked separately in every part of the picture. Lines,
such as stripes, shelves or the grid of a page, also repeat at neighboring lags, but letters do not: the largest value
at a neighboring lag is subtracted. A single logo or line of text does not repeat and is not found.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float32]

MOST_WATERMARK = 0.022
"""Largest value at which a picture is considered free of repeated watermarks."""
_SIDE_PX = 512
"""Longer side to which pictures are first scaled; the distances below are in pixels of the scaled picture."""
_FINE, _COARSE, _EVEN_PX = 0.7, 2.0, 25
"""Blurs that bound the detail, and the side of the window within which its strength is equalized."""
_STRONGEST = 2.0
_SMOOTH, _PEAK = 9, 30.0
"""Side of the window that smooths a spectrum, and the largest factor by which a frequency may exceed the smooth
curve."""
_NEAREST, _FARTHEST = 0.06, 0.45
"""Smallest lag, as a share of the longer side, and largest lag, as a share of each side."""
_LAGS, _APART_PX = 6, 7
_BESIDE = tuple((down, across) for down in (-3, 0, 3) for across in (-3, 0, 3) if down or across)
"""Neighboring lags, in pixels, at which copies of letters no longer cover each other."""
_PARTS, _SHARE = 5, 0.4
"""Number of parts along each side, and the quantile of their correlations that is used."""


def watermark(pixels: NDArray[np.uint8]) -> float | None:
    """Return how much better fine detail repeats at one lag than at its neighbors in most parts of a picture, 0-1.

    The value is about 0 without repetition, and None if the picture is too narrow to measure.

    Args:
        pixels: (height, width, 3) RGB.
    """
    import cv2

    detail = _detail(pixels)
    if min(detail.shape) < 4 * _PARTS:
        return None
    strength, left = _repeats(detail)
    least, found = float(strength.min()), 0.0
    for _ in range(_LAGS):
        down, across = divmod(int(strength.argmax()), strength.shape[1])
        lag = down, across - left
        beside = max(_agreement(detail, max(0, lag[0] + rows), lag[1] + columns) for rows, columns in _BESIDE)
        found = max(found, _agreement(detail, *lag) - max(0.0, beside))
        cv2.circle(strength, (across, down), _APART_PX, least, cv2.FILLED)
    return found


def _detail(pixels: NDArray[np.uint8]) -> Values:
    """Return fine detail, with its strength equalized over the picture."""
    import cv2

    scale = _SIDE_PX / max(pixels.shape[:2])
    size_wh = max(8, round(pixels.shape[1] * scale)), max(8, round(pixels.shape[0] * scale))
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    gray = cv2.cvtColor(cv2.resize(np.array(pixels), size_wh, interpolation=how), cv2.COLOR_RGB2GRAY)
    gray = np.asarray(gray, np.float32)
    detail = cv2.GaussianBlur(gray, (0, 0), _FINE) - cv2.GaussianBlur(gray, (0, 0), _COARSE)
    power = np.maximum(cv2.blur(detail * detail, (_EVEN_PX, _EVEN_PX)), 0)
    even = np.clip(detail / (np.sqrt(power) + 1.0), -_STRONGEST, _STRONGEST)
    return np.asarray(even - even.mean(), np.float32)


def _repeats(detail: Values) -> tuple[Values, int]:
    """Return how strongly detail repeats at each lag, rows down and columns across, and the column of lag 0."""
    import cv2

    height, width = detail.shape
    power = np.abs(np.fft.rfft2(detail, (2 * height, 2 * width))) ** 2
    course = cv2.blur(power, (_SMOOTH, _SMOOTH)) + 1e-6
    lags = np.fft.fftshift(np.fft.irfft2(np.minimum(power / course, _PEAK)))
    down, left = int(_FARTHEST * height), int(_FARTHEST * width)
    strength = np.asarray(lags[height : height + down, width - left : width + left], np.float32)
    rows, columns = np.mgrid[:down, -left:left]
    strength = strength / np.sqrt((height - rows) * (width - np.abs(columns)))
    same = (np.hypot(rows, columns) < _NEAREST * _SIDE_PX) | ((rows == 0) & (columns < 0))
    strength[same] = strength.min()
    return np.ascontiguousarray(strength, np.float32), left


def _agreement(detail: Values, down: int, across: int) -> float:
    """Return a low quantile, over the parts of a picture, of the correlation of detail with itself at a lag."""
    height, width = detail.shape
    first, second = detail[: height - down], detail[down:]
    if across >= 0:
        first, second = first[:, : width - across], second[:, across:]
    else:
        first, second = first[:, -across:], second[:, : width + across]
    both, one, other = (_by_part(values) for values in (first * second, first * first, second * second))
    return float(np.quantile(both / np.sqrt(one * other + 1e-6), _SHARE))


def _by_part(values: Values) -> Values:
    rows, columns = (side // _PARTS for side in values.shape)
    parts = values[: rows * _PARTS, : columns * _PARTS].reshape(_PARTS, rows, _PARTS, columns)
    return np.asarray(parts.sum(axis=(1, 3)), np.float32)
