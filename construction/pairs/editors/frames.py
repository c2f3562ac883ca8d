"""The frame that an instruction editor shifts unasked: by how much, and put back in place."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..masks.asking import Pixels

_SURE = 0.15
"""Share of the phases that must agree for a shift to be believed."""


class Shift(NamedTuple):
    """By how many pixels a picture lies right of and below another.

    Args:
        across: To the right.
        along: Down.
        sure: Share of the phases that agree, 0-1.
    """

    across: float
    along: float
    sure: float

    @property
    def length(self) -> float:
        """Return the shift's length in pixels."""
        return float(np.hypot(self.across, self.along))


def shift_of(before: Pixels, after: Pixels) -> Shift:
    """Return the shift between two pictures of one size by phase correlation (Kuglin and Hines 1975)."""
    import cv2

    first, second = (
        np.asarray(cv2.cvtColor(np.array(one), cv2.COLOR_RGB2GRAY), np.float32) for one in (before, after)
    )  # fmt: skip
    window = cv2.createHanningWindow((first.shape[1], first.shape[0]), cv2.CV_32F)
    (across, along), sure = cv2.phaseCorrelate(first, second, window)
    return Shift(round(across, 2), round(along, 2), round(max(0.0, sure), 3))


def registered(after: Pixels, shift: Shift, *, max_px: float) -> tuple[Pixels, bool]:
    """Return a picture shifted back by whole pixels, its edge repeated where nothing was; and whether it was shifted.

    One that is unsure, below half a pixel or beyond `max_px` stays as it is: a gate then judges it.
    """
    across, along = round(shift.across), round(shift.along)
    if shift.sure < _SURE or shift.length > max_px or (across, along) == (0, 0):
        return after, False
    height, width = after.shape[:2]
    rows = np.clip(np.arange(height) + along, 0, height - 1)
    columns = np.clip(np.arange(width) + across, 0, width - 1)
    return np.ascontiguousarray(after[rows[:, None], columns[None, :]]), True
