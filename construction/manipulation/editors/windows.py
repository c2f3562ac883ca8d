"""Editing at native resolution: the window of a picture that a model gets, and the insertion of its result.

A model paints at its own size. The region to change is therefore cut out with some context and scaled to that size; the
model's result is scaled back and put into the picture through a grown, softened mask. Nothing outside that mask
changes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...item_parts.cutting_out import Mask, bounds
from ..masks.base import Pixels

Alpha = NDArray[np.float32]
"""(height, width), 0-1: opacity of the painted pixels."""
_TAIL = 3
"""Growth of a mask beyond `grow_px`, in standard deviations of the softening, so that its inside stays fully opaque."""


class EditWindow(NamedTuple):
    """A rectangle of whole pixels."""

    x0: int
    y0: int
    x1: int
    y1: int

    @property
    def cut(self) -> tuple[slice, slice]:
        """Return the slices of the window in an array (height, width, ...)."""
        return slice(self.y0, self.y1), slice(self.x0, self.x1)

    @property
    def size_wh(self) -> tuple[int, int]:
        """Return width and height."""
        return self.x1 - self.x0, self.y1 - self.y0


def window_around(mask: Mask, *, context: float, least_px: int) -> EditWindow:
    """Return the window around a mask with context; it is square if the picture has enough space.

    Args:
        mask: Mask, not empty.
        context: Context on each side, as a fraction of the longer side of the mask's bounds.
        least_px: Smallest side of a window, in pixels; from a smaller one, a model would get an enlarged picture.
    """
    height, width = mask.shape
    x0, y0, x1, y1 = bounds(mask)
    side = round(max((1 + 2 * context) * max(x1 - x0, y1 - y0), least_px))
    (left, right), (top, bottom) = (
        _span((low + high) / 2, side, length) for low, high, length in ((x0, x1, width), (y0, y1, height))
    )
    return EditWindow(left, top, right, bottom)


def _span(middle: float, side: int, length: int) -> tuple[int, int]:
    """Return start and end of a side within a length, centered on the middle as far as possible."""
    side = min(side, length)
    start = min(max(0, round(middle - side / 2)), length - side)
    return start, start + side


def model_size(size_wh: tuple[int, int], *, side_px: int, multiple: int) -> tuple[int, int]:
    """Return the size at which a model gets a window: longer side `side_px`, both sides multiples of `multiple`.

    Both sides are rounded, so the aspect ratio changes slightly; fewer distinct sizes make fuller batches.
    """
    scale = side_px / max(size_wh)
    width, height = (max(multiple, round(side * scale / multiple) * multiple) for side in size_wh)
    return width, height


def scaled(pixels: NDArray[np.uint8], size_wh: tuple[int, int]) -> NDArray[np.uint8]:
    """Return a picture at another size; the same array if it already has that size."""
    import cv2

    if pixels.shape[1::-1] == size_wh:
        return pixels
    shrinks = size_wh[0] * size_wh[1] < pixels.shape[0] * pixels.shape[1]
    resized = cv2.resize(np.array(pixels), size_wh, interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_CUBIC)
    return np.asarray(resized, np.uint8)


def scaled_mask(mask: Mask, size_wh: tuple[int, int]) -> Mask:
    """Return a mask at another size; a cell is set if any part of the area that it covers was set."""
    import cv2

    resized = cv2.resize(mask.astype(np.float32), size_wh, interpolation=cv2.INTER_AREA)
    return np.asarray(resized > 0, np.bool_)


def _grown(mask: Mask, by_px: int) -> Mask:
    """Return a mask grown by some pixels on all sides."""
    import cv2

    if by_px <= 0:
        return mask
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * by_px + 1, 2 * by_px + 1))
    return np.asarray(cv2.dilate(mask.astype(np.uint8), disc), np.bool_)


def softened(mask: Mask, *, grow_px: int, feather_px: float) -> Alpha:
    """Return the opacity of the painted pixels: 1 on the grown mask, exactly 0 well outside.

    Args:
        mask: Mask of the region to replace.
        grow_px: Growth of the mask before the softening, in pixels.
        feather_px: Standard deviation of the softening; beyond `grow_px` plus seven of them, the opacity is 0.
    """
    import cv2

    core = _grown(mask, grow_px)
    if feather_px <= 0:
        return core.astype(np.float32)
    wide = _grown(core, int(np.ceil(_TAIL * feather_px))).astype(np.float32)
    soft = cv2.GaussianBlur(wide, (0, 0), feather_px, borderType=cv2.BORDER_REPLICATE)
    return np.asarray(np.where(core, 1.0, soft), np.float32)


def put_back(picture: Pixels, window: EditWindow, painted: Pixels) -> Pixels:
    """Return a picture with the painted pixels, scaled to the window, in its window."""
    whole = np.array(picture)
    whole[window.cut] = scaled(painted, window.size_wh)
    return whole


def mixed(picture: Pixels, painted: Pixels, alpha: Alpha) -> Pixels:
    """Return a picture mixed with the painted pixels; identical to the picture wherever `alpha` is 0."""
    share = alpha[..., None]
    over = np.clip(np.rint(share * painted + (1 - share) * picture), 0, 255).astype(np.uint8)
    return np.asarray(np.where(share > 0, over, picture), np.uint8)


def described(window: EditWindow, size_wh: tuple[int, int]) -> dict[str, Any]:
    """Return a window and its painted size, as JSON values."""
    return {"window_xyxy": list(window), "painted_wh": list(size_wh)}
