"""Alignment of pictures redrawn by a model with the pictures that it was given.

A model behind an endpoint redraws the whole picture regardless of its mask: shifted or scaled by a few pixels, in
slightly different tones. The area outside the mask reveals by how much. The enhanced correlation coefficient
(Evangelidis and Psarakis 2008) aligns the two in that area, tones are fitted per channel, and the remaining difference
shows whether the model kept the scene at all.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...item_parts.cutting_out import Mask
from ..masks.base import Pixels
from .windows import scaled

_SIDE_PX = 384
"""Longer side of the pictures for the alignment, in pixels."""
_STEPS, _PRECISION = 60, 1e-5
_MARGIN = 0.02
"""Growth of the mask before the comparison, as a fraction of the longer side, because its edge may change."""
_LEAST_OUTSIDE = 0.03
"""Smallest proportion of the picture outside the mask that permits an alignment."""
_GAIN = 1.35
"""Largest factor by which fitting may change tones, up or down."""


class Aligned(NamedTuple):
    """A picture aligned with the one that the model was given.

    Args:
        pixels: Its pixels, at the size of the other.
        moved: Largest distance that a corner moved back, as a fraction of the longer side.
        changed: Mean remaining difference of the two outside the mask, 0-1 of full scale; None if too little lies
            outside.
    """

    pixels: Pixels
    moved: float
    changed: float | None

    def facts(self) -> dict[str, Any]:
        """Return both figures as JSON values."""
        return {"moved": round(self.moved, 4), "changed_outside": self.changed and round(self.changed, 4)}


def aligned(before: Pixels, after: Pixels, mask: Mask) -> Aligned:
    """Return a model's drawing, aligned with its input picture and converted to the picture's tones.

    Args:
        before: The input picture, (height, width, 3).
        after: The model's drawing, of the same size.
        mask: Region that the model was asked to change.
    """
    import cv2

    height, width = mask.shape
    scale = min(1.0, _SIDE_PX / max(height, width))
    small_wh = max(8, round(width * scale)), max(8, round(height * scale))
    outside = _outside(mask, small_wh)
    if outside.mean() < _LEAST_OUTSIDE:
        return Aligned(after, 0.0, None)
    first, second = scaled(before, small_wh), scaled(after, small_wh)
    warp = _warp(first, second, outside)
    full = warp.copy()
    full[:, 2] /= small_wh[0] / width, small_wh[1] / height
    flags = cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
    back = cv2.warpAffine(np.array(after), full, (width, height), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    small = cv2.warpAffine(np.array(second), warp, small_wh, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    gain, offset = _tones(first[outside], small[outside])
    toned = np.clip(back * gain + offset, 0, 255).round().astype(np.uint8)
    left = np.abs(_soft(first) - np.clip(_soft(small) * gain + offset, 0, 255))[outside]
    return Aligned(toned, _moved(full, width, height), float(left.mean() / 255))


def _outside(mask: Mask, size_wh: tuple[int, int]) -> Mask:
    """Return the area well outside the mask, at a reduced size."""
    import cv2

    small = cv2.resize(mask.astype(np.float32), size_wh, interpolation=cv2.INTER_AREA) > 0
    by_px = max(1, round(_MARGIN * max(size_wh)))
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * by_px + 1, 2 * by_px + 1))
    return np.asarray(cv2.dilate(small.astype(np.uint8), disc) == 0, np.bool_)


def _warp(first: Pixels, second: Pixels, outside: Mask) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Return the affine map from positions in the first picture to those in the second, or the identity if
    none fits.
    """
    import cv2

    grey = [cv2.cvtColor(np.array(picture), cv2.COLOR_RGB2GRAY) for picture in (first, second)]
    identity = np.eye(2, 3, dtype=np.float32)
    until = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, _STEPS, _PRECISION)
    try:
        _, warp = cv2.findTransformECC(
            grey[0], grey[1], identity.copy(), cv2.MOTION_AFFINE, until, outside.astype(np.uint8), 5
        )
    except cv2.error:  # no convergence: the two share too little
        return identity
    return np.asarray(warp, np.float32)


def _tones(before: Any, after: Any) -> tuple[Any, Any]:
    """Return gain and offset per channel that map the tones of `after`, (pixels, 3), to those of `before`."""
    one, other = before.astype(np.float64), after.astype(np.float64)
    spread = np.maximum(other.std(axis=0), 1.0)
    gain = np.clip(one.std(axis=0) / spread, 1 / _GAIN, _GAIN)
    return gain, one.mean(axis=0) - gain * other.mean(axis=0)


def _soft(pixels: Any) -> Any:
    """Return a picture, (height, width, 3), without its grain, which a model never redraws."""
    import cv2

    return cv2.GaussianBlur(np.asarray(pixels, np.float32), (0, 0), 2.0)


def _moved(warp: Any, width: int, height: int) -> float:
    corners = np.array([[0, 0, 1], [width, 0, 1], [0, height, 1], [width, height, 1]], np.float64)
    moved = corners @ np.asarray(warp, np.float64).T - corners[:, :2]
    return float(np.hypot(moved[:, 0], moved[:, 1]).max() / max(width, height))
