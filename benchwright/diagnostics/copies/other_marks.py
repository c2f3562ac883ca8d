"""Other marks at one place of two aligned pictures: the pips of a card, the bars of a chart, the name on a form.

What cards of a series share fills most of them, so that no share of blocks tells them apart. But where one shows a
mark the other shows another one, and a copy never does: compression and reduction leave a mark where it was, and a
watermark adds strokes to one picture without taking those of the other away. So small windows in which both pictures
have strong strokes are compared, a few pixels to and fro: of a mark that is still there, however much lies over it, a
part of its own strength stays; of another mark, next to nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .strokes import AlignedStrokes, Strokes

_WINDOW_PX = 21
_STRONG = 10.0
"""Standard deviation of strokes, in grey levels, from which a window holds a mark: paper and noise have less."""
_STAYS = 0.45
"""Least share of a mark's strokes that is in the other picture, where the mark is the same."""
_SHIFTS_PX = range(-3, 4)
_LEAST_PX = 120
"""Middles of windows, in one piece, that must show other marks: a few do so by chance at the rim of a crop."""


def has_other_marks(strokes: AlignedStrokes) -> bool:
    """Return whether, somewhere, each of two aligned pictures has a mark of its own where the other has another."""
    fixed, inside = strokes.fixed, strokes.inside
    if not inside.any():
        return False
    gain = float(np.clip(fixed[inside].std() / max(float(strokes.moving[inside].std()), 0.1), 1 / 3, 3.0))
    moving = np.asarray(strokes.moving * np.float32(gain), np.float32)
    one, another = _Windows.of(fixed), _Windows.of(moving)
    marked = (one.variance > _STRONG**2) & (another.variance > _STRONG**2) & inside
    other = marked & (_staying(one, another) < _STAYS)
    if _largest_piece(other) < _LEAST_PX:
        return False  # as in nearly all copies, which spares them the search
    for down in _SHIFTS_PX:
        for across in _SHIFTS_PX:
            shifted = _Windows.of(np.roll(moving, (down, across), axis=(0, 1)))
            other &= _staying(one, shifted) < _STAYS
            if np.count_nonzero(other) < _LEAST_PX:
                return False  # each shift can only take more away
    return _largest_piece(other) >= _LEAST_PX


class _Windows(NamedTuple):
    """The strokes of a picture, with their mean and variance in the window around each pixel."""

    strokes: Strokes
    mean: Strokes
    variance: Strokes

    @classmethod
    def of(cls, strokes: Strokes) -> _Windows:
        mean = _mean(strokes)
        return cls(strokes, mean, np.asarray(_mean(strokes * strokes) - mean**2, np.float32))


def _mean(values: Strokes) -> Strokes:
    import cv2

    return np.asarray(cv2.blur(values, (_WINDOW_PX, _WINDOW_PX), borderType=cv2.BORDER_REFLECT), np.float32)


def _staying(fixed: _Windows, moving: _Windows) -> Strokes:
    """Return for each window which part of the weaker picture's strokes is in the other one."""
    together = _mean(fixed.strokes * moving.strokes) - fixed.mean * moving.mean
    return np.asarray(together / np.maximum(np.minimum(fixed.variance, moving.variance), 0.1), np.float32)


def _largest_piece(windows: NDArray[np.bool_]) -> int:
    import cv2

    _, _, pieces, _ = cv2.connectedComponentsWithStats(windows.astype(np.uint8), connectivity=8)
    return int(pieces[1:, cv2.CC_STAT_AREA].max(initial=0))
