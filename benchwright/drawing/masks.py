"""Masks: grids of cells over a rectangle of the image, drawn with a tint and an outline.

Lookups use the run lengths without expanding them, so a mask takes only the memory of its runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from benchwright.drawing.areas import Rect
from benchwright.drawing.painting import HALO_OPACITY, Color, Pixels, blend
from benchwright.drawing.shapes import shares_at
from benchwright.records import MaskRuns
from benchwright.regions.rle import encode_runs

_TINT = 0.35
"""Opacity of the mark's color inside a mask, 0 to 1."""
_BAND_ROWS = 256
_TOUCH_PX = 1e-6


def mask_of(grid: NDArray[np.bool_]) -> MaskRuns:
    """Return a grid, (rows, columns) with True for a set cell, as run lengths for `VisualPrompt.mask`.

    Example:
        >>> mask_of(np.array([[True, False], [True, True]])).counts
        '021O'
    """
    cells = np.concatenate([[False], grid.astype(bool).ravel(order="F")])
    changes = np.flatnonzero(cells[1:] != cells[:-1])
    runs = np.diff(np.concatenate([[0], changes, [grid.size]])).tolist()
    return MaskRuns(size=(grid.shape[0], grid.shape[1]), counts=encode_runs(runs))


@dataclass(frozen=True)
class PlacedMask:
    """A mask whose grid fills a rectangle of the image; labels keep a margin from its cells."""

    grid: MaskRuns
    place: Rect
    margin: float

    @cached_property
    def _ends(self) -> NDArray[np.int64]:
        """Return the end of each run, counted in cells column by column."""
        return np.cumsum(np.array(self.grid.runs, np.int64))

    def _column(self, x: NDArray[np.float64]) -> NDArray[np.int64]:
        return np.floor((x - self.place.left) / (self.place.right - self.place.left) * self.grid.size[1]).astype(int)

    def _row(self, y: NDArray[np.float64]) -> NDArray[np.int64]:
        return np.floor((y - self.place.top) / (self.place.bottom - self.place.top) * self.grid.size[0]).astype(int)

    def at(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return a mask, (m, n), of the points of the grid with ascending coordinates x (n) and y (m) on set cells."""
        height, width = self.grid.size
        columns, rows = self._column(x), self._row(y)
        below, above = np.searchsorted(rows, [0, height])
        left, right = np.searchsorted(columns, [0, width])
        known = columns[left:right] * height
        first = np.searchsorted(self._ends, known, side="right")
        counts = np.searchsorted(self._ends, known + height) - first
        place = np.repeat(np.arange(right - left), counts)
        run = np.arange(len(place)) - np.repeat(np.cumsum(counts) - counts - first, counts)
        change = np.searchsorted(rows[below:above], self._ends[run] - known[place])
        # Each column holds 1 at each change; two changes between the same rows cancel out.
        covered = np.zeros((len(rows), len(columns)), np.uint8)
        changes = np.zeros((above - below + 1, right - left), np.uint8)
        changes[0] = first % 2
        np.bitwise_xor.at(changes, (change, place), 1)
        np.bitwise_xor.accumulate(changes[:-1], axis=0, out=covered[below:above, left:right])
        return covered.view(bool)

    @cached_property
    def bounds(self) -> Rect:
        """Return the rectangle around all set cells."""
        height, width = self.grid.size
        starts, stops = self._ends[0::2], self._ends[1::2]
        starts, last = starts[: len(stops)], stops - 1
        some = last >= starts
        starts, last = starts[some], last[some]
        wraps = bool((starts // height != last // height).any())
        top, bottom = (0, height) if wraps else (int((starts % height).min()), int((last % height).max()) + 1)
        across = (self.place.right - self.place.left) / width
        along = (self.place.bottom - self.place.top) / height
        return Rect(
            self.place.left + int(starts[0] // height) * across,
            self.place.top + top * along,
            self.place.left + (int(last[-1] // height) + 1) * across,
            self.place.top + bottom * along,
        )

    def meets(self, other: Rect, /) -> bool:
        """Return whether a rectangle covers any set cell or the margin around it."""
        rect, (height, width) = other.grown(self.margin), self.grid.size
        if not rect.grown(_TOUCH_PX).meets(self.bounds):
            return False
        first, last = self._column(np.array([rect.left, rect.right])).clip(-1, width)
        top, bottom = self._row(np.array([rect.top, rect.bottom])).clip(-1, height)
        columns = np.arange(max(0, first), min(width, last + 1))
        if top >= height or bottom < 0 or not len(columns):
            return False
        from_cell = columns * height + max(0, top)
        to_cell = columns * height + min(height, bottom + 1)
        return bool((self._set_before(to_cell) > self._set_before(from_cell)).any())

    def _set_before(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return, for each cell, the number of set cells before it."""
        runs = np.array([*self.grid.runs, 0], np.int64)
        is_set = np.arange(len(runs)) % 2 == 1
        starts = np.concatenate([[0], self._ends])
        before = np.concatenate([[0], np.cumsum(np.where(is_set, runs, 0))[:-1]])
        run = np.searchsorted(self._ends, cells, side="right")
        return before[run] + np.where(is_set[run], cells - starts[run], 0)


def paint_mask(pixels: Pixels, mask: PlacedMask, *, line: float, halo: float, color: Color, contrast: Color) -> None:
    """Tint a mask's cells and draw a line along their edge, in place.

    Anti-aliasing of the line uses the distance of pixel centers from the cells' edge, which is exact for edges along
    rows and columns, and accurate to within 2 % for others.
    """
    import cv2

    height, width = pixels.shape[:2]
    reach = line / 2 + halo + 0.5
    tinted = np.repeat(np.arange(256, dtype=np.uint8)[None, :, None], 3, axis=2)
    blend(tinted, (np.full((1, 256), _TINT, np.float32), color))
    bounds, margin = mask.bounds.grown(reach), int(reach) + 2
    left, right = max(0, int(bounds.left)), min(width, int(bounds.right) + 1)
    x = np.arange(left - margin, right + margin) + 0.5
    stop = min(height, int(bounds.bottom) + 1)
    for top in range(max(0, int(bounds.top)), stop, _BAND_ROWS):
        bottom = min(top + _BAND_ROWS, stop)
        is_set = mask.at(x, np.arange(top - margin, bottom + margin) + 0.5).view(np.uint8)
        # One of the two is 0: the distance of a set pixel from set ones, or of another from others.
        to_set, to_unset = (cv2.distanceTransform(side, cv2.DIST_L2, cv2.DIST_MASK_5) for side in (1 - is_set, is_set))
        within = (slice(margin, -margin), slice(margin, -margin))
        distance = cv2.max(to_set, to_unset)[within] - 0.5
        area = pixels[top:bottom, left:right]
        cv2.copyTo(cv2.LUT(area, tinted), is_set[within], area)
        near = np.divmod(np.flatnonzero(distance < reach), right - left)
        edge, beside = area[near], distance[near] - line / 2
        blend(edge, (HALO_OPACITY * shares_at(beside - halo), contrast), (shares_at(beside), color))
        area[near] = edge
