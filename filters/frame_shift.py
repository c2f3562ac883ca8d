"""By how much one picture's frame lies elsewhere than another's: what instruction editors do to a picture unasked.

What was kept of the first picture is looked for in the second by normalised correlation under a mask (OpenCV's
TM_CCOEFF_NORMED), so that what was changed on purpose has no say, nor has other light. The whole and each quarter look
for themselves: where a frame was turned or enlarged, the quarters move apart.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

SIDE_PX = 512
"""Longer side at which frames are compared."""
_REACH = 0.05
"""Largest shift looked for, as a fraction of the longer side."""
_LEAST_PIXELS = 400
_LEAST_SPREAD = 4.0
"""Standard deviation of grey levels from which a window has something to be found by."""
_EQUAL = 0.99995
_FOUND = 0.5
"""Correlation below which a window was not found again; then it has moved as far as was looked."""

Window = tuple[slice, slice]


class _Frame(NamedTuple):
    """Two pictures at one size, and where the first was kept, 0 or 1."""

    before: NDArray[np.float32]
    after: NDArray[np.float32]
    kept: NDArray[np.float32]


def frame_shift(before: NDArray[np.uint8], after: NDArray[np.uint8], kept: NDArray[np.bool_] | None) -> float | None:
    """Return by how many pixels of the pictures the frame has moved; None where nothing can be found by.

    Where it is known what was kept, the window that moved furthest speaks; where not, the middle one of the windows,
    since one of them may hold what was changed on purpose.

    Args:
        before: (height, width), grey.
        after: The same size.
        kept: True where nothing was to change; None where that is not known.
    """
    height, width = before.shape
    scale = min(1.0, SIDE_PX / max(height, width))
    size = max(1, round(width * scale)), max(1, round(height * scale))
    first, second, mask = (
        cv2.resize(one, size, interpolation=cv2.INTER_AREA) for one in (before, after, _grey(kept, before.shape))
    )
    frame = _Frame(*(np.asarray(one, np.float32) for one in (first, second, mask >= 250)))
    shifts = [shift for window in _windows(*first.shape[:2]) if (shift := _shift(frame, window)) is not None]
    if not shifts:
        return None
    furthest, middle = max(shifts), float(np.median(shifts))
    return float((middle if kept is None else furthest) / scale)


def _grey(kept: NDArray[np.bool_] | None, shape: tuple[int, ...]) -> NDArray[np.uint8]:
    return np.full(shape, 255, np.uint8) if kept is None else kept.astype(np.uint8) * 255


def _windows(height: int, width: int) -> list[Window]:
    """Return the whole and the four quarters."""
    halves = (slice(0, height // 2), slice(height // 2, height)), (slice(0, width // 2), slice(width // 2, width))
    return [(slice(0, height), slice(0, width)), *product(*halves)]


def _shift(frame: _Frame, window: Window) -> float | None:
    """Return how far a window has moved, in pixels of the frame; None where it shows too little."""
    reach = max(2, round(_REACH * max(frame.before.shape)))
    inner = tuple(slice(max(side.start, reach), min(side.stop, length - reach))
                  for side, length in zip(window, frame.before.shape, strict=True))  # fmt: skip
    if any(side.stop - side.start < 4 for side in inner):
        return None
    pattern, mask = frame.before[inner], frame.kept[inner]
    if mask.sum() < _LEAST_PIXELS or pattern[mask > 0].std() < _LEAST_SPREAD:
        return None
    around = tuple(slice(side.start - reach, side.stop + reach) for side in inner)
    matches = cv2.matchTemplate(frame.after[around], pattern, cv2.TM_CCOEFF_NORMED, mask=np.ascontiguousarray(mask))
    found = np.where(np.isfinite(matches) & (np.abs(matches) <= 1.001), matches, -1.0)
    if found[reach, reach] >= _EQUAL:
        return 0.0
    row, column = divmod(int(found.argmax()), found.shape[1])
    if found[row, column] < _FOUND:
        return float(reach)
    return float(np.hypot(row + _peak(found[:, column], row) - reach, column + _peak(found[row], column) - reach))


def _peak(values: NDArray[np.float64], at: int) -> float:
    """Return where between -0.5 and 0.5 the parabola through a peak and its neighbours has its top."""
    if not 0 < at < len(values) - 1:
        return 0.0
    left, top, right = values[at - 1 : at + 2]
    bend = left - 2 * top + right
    return float(0.5 * (left - right) / bend) if bend < 0 else 0.0
