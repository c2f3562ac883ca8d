"""The step `drawings`, which distinguishes comics, logos, drawings and pages of text from photographs by three
measures.

Drawings have areas of exactly one color, separated by few, sharp edges; a camera leaves noise, shading and soft edges
everywhere. Athitsos, Swain and Frankel (1997, Distinguishing photographs and graphics on the World Wide Web) use
similar measures. No model is needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from benchwright.records import ImageRecord
from benchwright.steps import Context, Filter, OpenContext, Outcome, Stream

_SIDE_PX = 512
"""Longer side, in pixels, at which pictures are measured; smaller ones are left unchanged."""
_FLAT_LEVELS = 1
_HARD_LEVELS, _SOFT_LEVELS = 64, 6
_STEEPEST = 0.05
_DECIMALS = 4
_REASONS = {"flat": "flat_color", "sparse": "sparse_steps", "hard": "hard_edges"}
"""Reason of each measured value, in the order of examination."""


class Drawings(Filter):
    """Drop comics, logos, drawings and pages of text, so that photographs remain.

    Measures pictures with the longer side at 512 pixels. Of the 132 II-Bench drawings that were not used to choose the
    bounds, it drops 93 (all logos, nine in ten comics, four in ten illustrations); of the demo's 13 photographs, it
    drops none. It mistakes shaded drawings for photographs, and photographs of text or of a cutout for drawings, so
    check what it drops. After a bound is changed, no picture is decoded again.

    Args:
        max_flat: Largest proportion, 0-1, of the picture in areas of one color; null for any.
        max_sparse: Largest proportion, 0-1, that the steepest twentieth of the steps between neighboring pixels may
            contribute to the sum of all steps; null for any.
        max_hard: Largest ratio of pixels at hard edges to those at soft ones; null for any.
        ask: Whether to ask annotators instead of dropping the picture.

    Reasons:
        flat_color (drop or ask): Proportion of the picture in areas of its commonest color (`flat`) above `max_flat`.
        sparse_steps (drop or ask): Proportion contributed by the steepest steps (`sparse`) above `max_sparse`.
        hard_edges (drop or ask): Ratio of hard to soft edges (`hard`) above `max_hard`.
    """

    name: ClassVar[str] = "drawings"
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {"flat": "float64", "sparse": "float64", "hard": "float64"}
    thresholds: ClassVar[frozenset[str]] = frozenset({"max_flat", "max_sparse", "max_hard", "ask"})

    max_flat: float | None = Field(0.2, ge=0, le=1)
    max_sparse: float | None = Field(0.6, ge=0, le=1)
    max_hard: float | None = Field(0.9, ge=0)
    ask: bool = False

    def open(self, ctx: OpenContext) -> None:
        """Limit OpenCV to one thread, as in a worker."""
        del ctx
        cv2.setNumThreads(1)

    def measure(self, record: ImageRecord, ctx: Context) -> dict[str, float]:
        """Measure one picture."""
        return measures(ctx.images.rgb(record))

    def judge(self, measured: Mapping[str, Any]) -> Outcome:
        """Compare the values with the bounds; the reason is the first bound exceeded, and the evidence contains all
        values.
        """
        bounds = {"flat": self.max_flat, "sparse": self.max_sparse, "hard": self.max_hard}
        passed = {
            _REASONS[name]: {"value": measured[name], "bound": bound}
            for name, bound in bounds.items()
            if bound is not None and measured[name] > bound
        }
        if not passed:
            return Outcome()
        return Outcome("ask" if self.ask else "drop", next(iter(passed)), evidence={"passed": passed})


def measures(pixels: NDArray[np.uint8]) -> dict[str, float]:
    """Return the measures that distinguish drawings from photographs, rounded.

    `flat` is the proportion of all pixels, 0-1, that have the commonest color, at 16 levels per channel, and differ by
    no more than one level from their eight neighbors. `sparse` is the proportion that the steepest twentieth of the
    gray steps between neighbors contributes to the sum of all steps, averaged over both directions; 0 if there is no
    step. `hard` is the number of pixels whose neighborhood spans more than 64 levels in some channel, divided by the
    number of those with 7 to 64.

    Args:
        pixels: Shape (height, width, 3), RGB.
    """
    small = _shrunk(pixels)
    around = np.ones((3, 3), np.uint8)
    span = (cv2.dilate(small, around) - cv2.erode(small, around)).max(axis=2)
    levels = (small >> 4).astype(np.int32)
    color = (levels[..., 0] << 8) | (levels[..., 1] << 4) | levels[..., 2]
    flat = np.bincount(color[span <= _FLAT_LEVELS], minlength=1).max() / color.size
    grey = cv2.cvtColor(small, cv2.COLOR_RGB2GRAY).astype(np.int32)
    sparse = sum(_share_of_steepest(np.abs(np.diff(grey, axis=axis))) for axis in (0, 1)) / 2
    hard = np.count_nonzero(span > _HARD_LEVELS)
    soft = max(np.count_nonzero((span > _SOFT_LEVELS) & (span <= _HARD_LEVELS)), span.size / 1000)
    return {name: round(float(value), _DECIMALS) for name, value in
            (("flat", flat), ("sparse", sparse), ("hard", hard / soft))}  # fmt: skip


def _share_of_steepest(steps: NDArray[np.int32]) -> float:
    ordered = np.sort(steps, axis=None)
    total = int(ordered.sum())
    first = int(len(ordered) * (1 - _STEEPEST))
    return int(ordered[first:].sum()) / total if total else 0.0


def _shrunk(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    height, width = pixels.shape[:2]
    scale = _SIDE_PX / max(width, height)
    if scale >= 1:
        return np.ascontiguousarray(pixels)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    return np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)
