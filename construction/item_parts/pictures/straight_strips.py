"""Straight strips of one color in a picture, along its rows and columns: gutters of comics and montages, ruled lines.

A strip that crosses a cut continues in the right piece, whatever its content. Large areas of one color are not strips.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_CELL_SHARE, _LEAST_CELL_PX = 1 / 36, 4
"""Length of the cells in which lines are examined, as a fraction of the line, and smallest length in pixels."""
_UNIFORM_LEVELS = 20
"""Range of gray levels within which a cell counts as one color, and cells of a line as equal."""
_EDGE_PX, _LEAST_CONTRAST, _LEAST_SHARE = 2, 20.0, 0.4
"""Width of a strip's edge, the smallest difference in gray levels from the area beyond it, and the proportion of the
cells along it that must show this difference; a gutter may lead into an area of its color.
"""
_LEAST_PX = 2
"""Smallest number of lines in a strip; a single one may be an edge between two areas."""


@dataclass(frozen=True)
class _Lines:
    """The lines of a picture in one direction, by cells, (cells, lines): whether each is uniform, and its mean gray."""

    uniform: NDArray[np.bool_]
    level: NDArray[np.float32]
    cell_px: int

    @classmethod
    def of(cls, grey: NDArray[np.uint8]) -> _Lines:
        """Return the rows of a gray picture in cells."""
        import cv2

        cell_px = max(_LEAST_CELL_PX, int(grey.shape[1] * _CELL_SHARE))
        count = grey.shape[1] // cell_px
        if not count:
            return cls(np.zeros((0, len(grey)), np.bool_), np.zeros((0, len(grey)), np.float32), cell_px)
        cells = np.ascontiguousarray(grey[:, : count * cell_px])
        of_cell, middle = np.ones((1, cell_px), np.uint8), slice(cell_px // 2, None, cell_px)
        high, low = cv2.dilate(cells, of_cell)[:, middle], cv2.erode(cells, of_cell)[:, middle]
        level = cv2.resize(cells, (count, len(grey)), interpolation=cv2.INTER_AREA).astype(np.float32)
        # With the lines last, NumPy compares many lines at once.
        uniform = high - low <= _UNIFORM_LEVELS
        return cls(np.ascontiguousarray(uniform.T), np.ascontiguousarray(level.T), cell_px)

    def has_strip(self, between: tuple[float, float], along: tuple[float, float], most_px: float) -> bool:
        """Return whether `_LEAST_PX` to `most_px` consecutive lines are of one color along a stretch.

        Args:
            between: First and last line to examine.
            along: Ends of the stretch.
            most_px: Largest number of lines in a strip.
        """
        count = self.uniform.shape[1]
        first, last = max(0, int(between[0])), min(count, int(np.ceil(between[1])))
        start, end = max(0, round(along[0] / self.cell_px)), round(along[1] / self.cell_px)
        # Lines far enough beyond that an area which extends further is longer than a strip.
        reach = int(most_px) + 1 + _EDGE_PX
        before = max(0, first - reach)
        lines = slice(before, max(before, last + reach))
        uniform, level = self.uniform[start:end, lines], self.level[start:end, lines]
        if not len(uniform):
            return False
        is_strip = uniform.all(axis=0)
        if np.count_nonzero(is_strip) < _LEAST_PX:
            return False
        is_strip &= level.max(axis=0) - level.min(axis=0) <= _UNIFORM_LEVELS
        steps = np.diff(np.concatenate([[False], is_strip, [False]]).astype(np.int8))
        starts, ends = before + np.flatnonzero(steps == 1), before + np.flatnonzero(steps == -1)
        lengths = ends - starts
        is_seen = (starts < last) & (ends > first)
        # An area of one color that reaches the picture's end is its ground.
        is_inside = (starts >= _EDGE_PX) & (ends + _EDGE_PX <= count)
        fits = is_seen & is_inside & (lengths >= _LEAST_PX) & (lengths <= most_px)
        return any(_stands_out(self.level[start:end], *ends) for ends in zip(starts[fits], ends[fits], strict=True))


def _stands_out(level: NDArray[np.float32], start: int, end: int) -> bool:
    """Return whether the lines from `start` up to, but not including, `end` contrast sharply with those beside them."""
    within = level[:, start:end].mean(axis=1, keepdims=True)
    beyond = level[:, [start - _EDGE_PX, end + _EDGE_PX - 1]]
    return bool((np.abs(beyond - within) >= _LEAST_CONTRAST).mean(axis=0).min() >= _LEAST_SHARE)


class StraightStrips:
    """The rows and columns of a picture, for questions about strips.

    Args:
        pixels: Picture, (height, width, 3).
    """

    def __init__(self, pixels: NDArray[np.uint8]) -> None:
        import cv2

        grey = np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), np.uint8)
        self._rows = _Lines.of(grey)
        self._columns = _Lines.of(np.ascontiguousarray(grey.T))

    def across_rows(self, between: tuple[float, float], along: tuple[float, float], most_px: float) -> bool:
        """Return whether a horizontal strip of 2 to `most_px` rows, one of them within `between`, runs along the
        columns `along`.
        """
        return self._rows.has_strip(between, along, most_px)

    def across_columns(self, between: tuple[float, float], along: tuple[float, float], most_px: float) -> bool:
        """Return whether a vertical strip of 2 to `most_px` columns, one of them within `between`, runs along the rows
        `along`.
        """
        return self._columns.has_strip(between, along, most_px)
