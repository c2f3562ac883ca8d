"""Effects on a whole picture with OpenCV alone, without weights: equal input gives equal pixels, and nothing moves."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from ..masks.base import Pixels

Effect = Callable[[Pixels], Pixels]
_REFERENCE_PX = 512
"""Shorter side, in pixels, that the sizes below refer to; they scale with the picture."""
_SEPIA = np.array([[0.393, 0.769, 0.189], [0.349, 0.686, 0.168], [0.272, 0.534, 0.131]])
_PAINT_LEVELS = 16
_SHADED_BELOW, _DARKEST = 110, 0.35
"""Gray level below which a pencil shades an area, and the share of its lightness that black keeps."""


def cartoon(pixels: Pixels) -> Pixels:
    """Return the picture in flat colors within dark outlines."""
    import cv2

    flat = np.array(pixels)
    for _ in range(3):
        flat = np.asarray(cv2.bilateralFilter(flat, 9, 40, 7), np.uint8)
    grey = cv2.medianBlur(cv2.cvtColor(flat, cv2.COLOR_RGB2GRAY), 5)
    edges = cv2.adaptiveThreshold(grey, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY, _odd(9 * _size(pixels)), 4)
    return np.asarray(np.where(edges[..., None] > 0, _steps(flat, 8), 25), np.uint8)


def pencil_sketch(pixels: Pixels) -> Pixels:
    """Return a gray drawing: the picture over its own blurred negative, with dark areas shaded."""
    import cv2

    size = _size(pixels)
    grey = cv2.bilateralFilter(cv2.cvtColor(np.array(pixels), cv2.COLOR_RGB2GRAY), 5, 25, 3)
    blurred = cv2.GaussianBlur(255 - grey, (0, 0), 6 * size)
    drawn = np.asarray(cv2.divide(grey, 255 - blurred, scale=250), np.float32)
    tone = np.asarray(cv2.GaussianBlur(grey, (0, 0), 1.5 * size), np.float32)
    shaded = drawn * (_DARKEST + (1 - _DARKEST) * np.clip(tone / _SHADED_BELOW, 0, 1))
    return np.repeat(_rounded(shaded)[..., None], 3, axis=2)


def sepia(pixels: Pixels) -> Pixels:
    """Return the picture in the browns of an old photograph, darker toward the corners."""
    brown = np.clip(pixels @ _SEPIA.T, 0, 255)
    return _rounded(brown * _vignette(pixels.shape, 0.45))


def night(pixels: Pixels) -> Pixels:
    """Return a dark, blue picture, as in films that shoot night scenes by day."""
    share = (pixels / 255.0) ** 1.4
    grey = share.mean(axis=2, keepdims=True)
    faded = grey + 0.45 * (share - grey)
    return _rounded(255 * faded * np.array([0.45, 0.55, 0.85]) * _vignette(pixels.shape, 0.35))


def oil_painting(pixels: Pixels) -> Pixels:
    """Return the picture in brush strokes: each pixel takes the mean color of the most frequent gray level
    around it.
    """
    import cv2

    side = _odd(9 * _size(pixels))
    grey = cv2.cvtColor(np.array(pixels), cv2.COLOR_RGB2GRAY)
    level_of = grey // (256 // _PAINT_LEVELS)
    most = np.zeros(grey.shape, np.float32)
    painted = np.zeros(pixels.shape, np.float32)
    for level in range(_PAINT_LEVELS):
        at_level = (level_of == level).astype(np.float32)
        count = cv2.boxFilter(at_level, cv2.CV_32F, (side, side), normalize=False)
        wins = count > most
        if wins.any():
            total = cv2.boxFilter(
                at_level[..., None] * pixels.astype(np.float32), cv2.CV_32F, (side, side), normalize=False
            )
            painted[wins] = total[wins] / count[wins, None]
            most[wins] = count[wins]
    return _rounded(painted)


def poster(pixels: Pixels) -> Pixels:
    """Return the picture as a print in a few strong colors."""
    import cv2

    smooth = cv2.bilateralFilter(np.array(pixels), 9, 60, 9)
    hue = cv2.cvtColor(smooth, cv2.COLOR_RGB2HSV).astype(np.int32)
    hue[..., 1] = np.clip(hue[..., 1] * 1.7 + 20, 0, 255)
    return _steps(np.asarray(cv2.cvtColor(hue.astype(np.uint8), cv2.COLOR_HSV2RGB), np.uint8), 4)


EFFECTS: Mapping[str, Effect] = {
    effect.__name__: effect for effect in (cartoon, pencil_sketch, sepia, night, oil_painting, poster)
}
"""Effects by the names that ideas use."""


def _steps(pixels: Pixels, count: int) -> Pixels:
    """Return a picture reduced to `count` levels per channel."""
    width = 256 / count
    return _rounded((np.floor(pixels / width) + 0.5) * width)


def _rounded(values: NDArray[np.floating]) -> Pixels:
    return np.asarray(np.clip(np.rint(values), 0, 255), np.uint8)


def _size(pixels: Pixels) -> float:
    return float(max(1.0, min(pixels.shape[:2]) / _REFERENCE_PX))


def _odd(length: float) -> int:
    return max(3, int(length) | 1)


def _vignette(shape: tuple[int, ...], strength: float) -> NDArray[np.float64]:
    """Return (height, width, 1): 1 in the middle, lower by up to `strength` in the corners."""
    rows, columns = (np.linspace(-1, 1, length) for length in shape[:2])
    away = (rows[:, None] ** 2 + columns[None, :] ** 2) / 2
    return np.asarray(1 - strength * away, np.float64)[..., None]
