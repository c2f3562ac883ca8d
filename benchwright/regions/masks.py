"""Measures of masks as run lengths, without expanding them: memory and time grow with the number of runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchwright.records import MaskRuns
from benchwright.regions.rle import encode_runs

if TYPE_CHECKING:
    pass


def grid_of(mask: MaskRuns) -> NDArray[np.bool_]:
    """Return a mask as a grid, (rows, columns) with True for a set cell; the inverse of `benchwright.drawing.mask_of`.

    Example:
        >>> grid_of(MaskRuns(size=(2, 2), counts="021O")).tolist()
        [[True, False], [True, True]]
    """
    runs = np.array(mask.runs, np.int64)
    cells = np.repeat(np.arange(len(runs)) % 2 == 1, runs)
    return cells.reshape(mask.size, order="F")


def mask_area(mask: MaskRuns) -> int:
    """Return the number of set cells in a mask."""
    starts, stops = mask.spans
    return int((stops - starts).sum())


def mask_bounds(mask: MaskRuns) -> tuple[float, float, float, float]:
    """Return x0, y0, x1, y1 of the smallest box around all set cells."""
    height = mask.size[0]
    starts, stops = mask.spans
    columns = int(starts[0] // height), int((stops[-1] - 1) // height)
    if bool((starts // height != (stops - 1) // height).any()):  # a span that continues in the next column
        return float(columns[0]), 0.0, float(columns[1] + 1), float(height)
    top, bottom = int((starts % height).min()), int(((stops - 1) % height).max())
    return float(columns[0]), float(top), float(columns[1] + 1), float(bottom + 1)


def mask_iou(mask: MaskRuns, other_mask: MaskRuns) -> float:
    """Return the intersection over union of two masks of the same size, 0 to 1.

    Raises:
        ValueError: Their sizes differ.
    """
    shared = intersection_area(mask, other_mask)
    return shared / (mask_area(mask) + mask_area(other_mask) - shared)


def intersection_area(mask: MaskRuns, other_mask: MaskRuns) -> int:
    """Return the number of cells that are set in both of two masks of the same size.

    Raises:
        ValueError: Their sizes differ.
    """
    if mask.size != other_mask.size:
        raise ValueError(f"masks must all have the same size, not {sorted({mask.size, other_mask.size})}")
    # The number of set cells before a cell grows along runs of set cells and is constant between them. Numbers stay
    # below 2^53, so floats hold them exactly.
    edges = np.stack(mask.spans, axis=1)
    before = np.zeros_like(edges, np.float64)
    before[:, 1] = np.cumsum(edges[:, 1] - edges[:, 0])
    before[1:, 0] = before[:-1, 1]
    starts, stops = other_mask.spans
    at_stops, at_starts = (np.interp(cells, edges.ravel(), before.ravel()) for cells in (stops, starts))
    return int((at_stops - at_starts).sum())


def mask_of_outline(points: Sequence[tuple[float, float]], size_wh: tuple[int, int]) -> MaskRuns | None:
    """Return the pixels of a picture whose centers are inside an outline (even-odd rule); None if there are none.

    A center on the outline's left or upper edge is inside, and a center on its right or lower edge is outside, so that
    outlines with a common edge share no pixel. COCO's tool also draws a polygon's edge, which adds up to one pixel
    there.

    Args:
        points: Corners in order, in pixels.
        size_wh: Width and height of the picture in pixels.
    """
    width, height = size_wh
    corners = np.array(points, np.float64)
    (x0, y0), (x1, y1) = corners.T, np.roll(corners, -1, axis=0).T
    is_right = x0 <= x1
    left, right = np.where(is_right, x0, x1), np.where(is_right, x1, x0)
    at_left, at_right = np.where(is_right, y0, y1), np.where(is_right, y1, y0)
    # An edge crosses the centers of the columns from `first` to before `stop`.
    first = np.clip(np.ceil(left - 0.5), 0, width).astype(np.int64)
    stop = np.clip(np.ceil(right - 0.5), 0, width).astype(np.int64)
    many = stop - first
    edge = np.repeat(np.arange(len(many)), many)
    column = np.arange(len(edge)) - np.repeat(np.cumsum(many) - many, many) + first[edge]
    slope = (column + 0.5 - left[edge]) / (right - left)[edge]
    crossing = at_left[edge] + slope * (at_right - at_left)[edge]
    row = np.clip(np.ceil(crossing - 0.5), 0, height).astype(np.int64)
    order = np.lexsort((crossing, column))
    cells = (column * height + row)[order]
    return _from_edges(cells, size=(height, width))


def covered_by_at_least(masks: Sequence[MaskRuns], need: int) -> MaskRuns | None:
    """Return the cells that are set in at least `need` of several masks of the same size; None if there are none.

    Raises:
        ValueError: The masks' sizes differ, or there are no masks.
    """
    starts, stops, counts = _coverage(masks)
    is_set = counts >= need
    if not is_set.any():
        return None
    return _from_edges(np.stack([starts, stops], axis=1)[is_set].ravel(), size=masks[0].size)


def _from_edges(edges: NDArray[np.int64], *, size: tuple[int, int]) -> MaskRuns | None:
    """Return the mask of sorted cells at which stretches of set cells alternately start and stop; None if empty."""
    # A stop and a start at one cell cancel out: the stretches before and after it are one run.
    cells, times = np.unique(edges, return_counts=True)
    cells = cells[times % 2 == 1]
    if not len(cells):
        return None
    runs = np.diff(np.concatenate([[0], cells, [size[0] * size[1]]])).tolist()
    return MaskRuns(size=size, counts=encode_runs(runs if runs[-1] else runs[:-1]))


def _coverage(masks: Sequence[MaskRuns]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return runs of cells in order, with the number of masks in which each is set: starts, stops, counts."""
    if not masks or any(mask.size != masks[0].size for mask in masks):
        raise ValueError(f"masks must all have the same size, not {sorted({mask.size for mask in masks})}")
    cells = masks[0].size[0] * masks[0].size[1]
    spans = [mask.spans for mask in masks]
    places = np.concatenate([*(starts for starts, _ in spans), *(stops for _, stops in spans)])
    steps = np.concatenate([np.ones(len(starts), np.int64) for starts, _ in spans] * 2)
    steps[len(steps) // 2 :] = -1
    edges, which = np.unique(places, return_inverse=True)
    counts = np.cumsum(np.bincount(which, weights=steps, minlength=len(edges)).astype(np.int64))
    starts = np.concatenate([[0], edges])
    stops = np.concatenate([edges, [cells]])
    counts = np.concatenate([[0], counts])
    some = stops > starts
    return starts[some], stops[some], counts[some]
