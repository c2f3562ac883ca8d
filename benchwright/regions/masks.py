"""Measures of masks as run lengths, without expanding them: memory and time follow the number of runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from benchwright.records import MaskRuns
from benchwright.rle import encode_runs


def grid_of(mask: MaskRuns) -> NDArray[np.bool_]:
    """Return a mask as a grid, (rows, columns), True where a cell is set; the inverse of `benchwright.drawing.mask_of`.

    Example:
        >>> grid_of(MaskRuns(size=(2, 2), counts="021O")).tolist()
        [[True, False], [True, True]]
    """
    runs = np.array(mask.runs, np.int64)
    cells = np.repeat(np.arange(len(runs)) % 2 == 1, runs)
    return cells.reshape(mask.size, order="F")


def mask_area(mask: MaskRuns) -> int:
    """Return the number of set cells."""
    return int(sum(mask.runs[1::2]))


def mask_bounds(mask: MaskRuns) -> tuple[float, float, float, float]:
    """Return x0, y0, x1, y1 of the smallest box around all set cells."""
    height = mask.size[0]
    starts, stops = _spans(mask)
    columns = int(starts[0] // height), int((stops[-1] - 1) // height)
    if bool((starts // height != (stops - 1) // height).any()):  # a span that goes on in the next column
        return float(columns[0]), 0.0, float(columns[1] + 1), float(height)
    top, bottom = int((starts % height).min()), int(((stops - 1) % height).max())
    return float(columns[0]), float(top), float(columns[1] + 1), float(bottom + 1)


def mask_iou(mask: MaskRuns, other_mask: MaskRuns) -> float:
    """Return the intersection over union of two masks of one size, 0 to 1.

    Raises:
        ValueError: Their sizes differ.
    """
    _, stops, counts = _coverage([mask, other_mask])
    lengths = np.diff(stops, prepend=0)
    union = int(lengths[counts >= 1].sum())
    return float(lengths[counts == 2].sum() / union)


def covered_by_at_least(masks: Sequence[MaskRuns], need: int) -> MaskRuns | None:
    """Return the cells that at least `need` of several masks of one size set; None if there are none.

    Raises:
        ValueError: The masks' sizes differ, or there are none.
    """
    _, stops, counts = _coverage(masks)
    is_set = counts >= need
    if not is_set.any():
        return None
    # Neighbouring stretches that are alike are one run; the first run counts cells that are not set.
    changes = np.flatnonzero(np.diff(is_set)) if len(is_set) > 1 else np.array([], np.int64)
    edges = np.concatenate([[0], stops[changes], stops[-1:]])
    runs = np.diff(edges).tolist()
    return MaskRuns(size=masks[0].size, counts=encode_runs([0, *runs] if is_set[0] else runs))


def _spans(mask: MaskRuns) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where each run of set cells starts and stops, counted column by column; empty runs are left out."""
    ends = np.cumsum(np.array(mask.runs, np.int64))
    starts, stops = ends[0::2][: len(ends[1::2])], ends[1::2]
    return starts[stops > starts], stops[stops > starts]


def _coverage(masks: Sequence[MaskRuns]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return stretches of cells, in order, and by how many masks each is set: starts, stops, counts."""
    if not masks or any(mask.size != masks[0].size for mask in masks):
        raise ValueError(f"masks must be of one size, not of {sorted({mask.size for mask in masks})}")
    cells = masks[0].size[0] * masks[0].size[1]
    spans = [_spans(mask) for mask in masks]
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
