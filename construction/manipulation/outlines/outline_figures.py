"""Measurements of an outline before compositing, and the faults that they reveal."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchwright.diagnostics.pictures.outline_tears import edges_followed, outline_tear

from ...item_parts.cutting_out import Hints, Mask, bounds, find_mask
from ...item_parts.marks.boxes import iou

_JITTERED_PX = 320
"""Longer side for the comparison of outlines from jittered hints, in pixels."""
_JITTER, _DRAWS = 0.03, 4
"""Largest displacement of a box's sides and points, as a fraction of the box; number of draws."""
_LEAST_PART = 0.01
"""Smallest fraction of the outlined area from which a separate part is counted."""
_AT_FRAME_PX = 2

LEAST_BOX_SHARE, LEAST_STABLE, LEAST_BOX_IOU = 0.15, 0.8, 0.5
"""Limits for GrabCut's outlines: fraction of the box; overlap of outlines from jittered hints; overlap of the outline's
bounds with the stated box.
"""


class OutlineFigures(NamedTuple):
    """The measurements of an outline.

    Args:
        box_share: Outlined area over the area of the stated box.
        box_iou: Intersection over union of its bounds and the stated box.
        parts: Connected parts of at least 1 % of the area.
        holes: Proportion of the filled area that consists of holes.
        edges: Proportion of the outline that follows an edge in the picture.
        tear: Tear of the outline, 0-1 (`outline_tears`); None if all of it lies on the frame.
        torn_by: What the tear is based on, in words; empty without a `tear`.
        cut_by: Sides of the frame that cut the subject off.
        stable: Smallest overlap with outlines from jittered hints; None if people drew it.
    """

    box_share: float
    box_iou: float
    parts: int
    holes: float
    edges: float
    tear: float | None
    torn_by: str
    cut_by: tuple[str, ...]
    stable: float | None

    @property
    def stands(self) -> bool:
        """Return whether the subject's foot is in the picture, so that it needs ground and a shadow."""
        return "bottom" not in self.cut_by

    def faults(self, *, max_tear: float) -> list[str]:
        """Return descriptions of the faults of GrabCut's outline; none if people drew the outline.

        Args:
            max_tear: Largest tear of the outline, 0-1, as in `masks.max_tear`.
        """
        if self.stable is None:
            return []
        told = (
            (self.box_share < LEAST_BOX_SHARE, f"fills {self.box_share:.0%} of its box"),
            (self.box_iou < LEAST_BOX_IOU, f"its bounds overlap the box by {self.box_iou:.2f}"),
            (self.parts > 1, f"is in {self.parts} parts"),
            (self.tear is not None and self.tear > max_tear, f"looks torn ({self.tear}): {self.torn_by}"),
            (self.stable < LEAST_STABLE, f"changes with its points (overlap {self.stable:.2f})"),
        )
        return [words for is_so, words in told if is_so]


def outline_figures(pixels: NDArray[np.uint8], mask: Mask, hints: Hints, *, seed: int | None) -> OutlineFigures:
    """Return the measurements of an outline.

    Args:
        pixels: (height, width, 3) RGB.
        mask: (height, width), not empty.
        hints: The hints that it was made from; its box is compared.
        seed: Seed of GrabCut's outline; None if people drew it.
    """
    import cv2

    cells = mask.astype(np.uint8)
    _, _, parts, _ = cv2.connectedComponentsWithStats(cells)
    area = int(cells.sum())
    contours, _ = cv2.findContours(cells, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    filled = cv2.drawContours(np.zeros_like(cells), contours, -1, 1, cv2.FILLED)
    x0, y0, x1, y1 = hints.box
    torn = outline_tear(pixels, mask, hints.box)
    return OutlineFigures(
        box_share=round(area / max(1.0, (x1 - x0) * (y1 - y0)), 3),
        box_iou=round(iou(bounds(mask), hints.box), 3),
        parts=int(np.count_nonzero(parts[1:, cv2.CC_STAT_AREA] >= _LEAST_PART * area)),
        holes=round(1 - area / int(filled.sum()), 3),
        edges=round(edges_followed(pixels, mask), 3),
        tear=None if torn is None else round(torn.tear, 3),
        torn_by="" if torn is None else torn.words,
        cut_by=_cut_by(mask),
        stable=None if seed is None else round(_stability(pixels, hints, seed), 3),
    )


def _cut_by(mask: Mask) -> tuple[str, ...]:
    edge = _AT_FRAME_PX
    sides = {"left": mask[:, :edge], "top": mask[:edge], "right": mask[:, -edge:], "bottom": mask[-edge:]}
    return tuple(name for name, cells in sides.items() if cells.any())


def _stability(pixels: NDArray[np.uint8], hints: Hints, seed: int) -> float:
    """Return the smallest overlap of GrabCut's outline with those from slightly jittered hints."""
    import cv2

    scale = min(1.0, _JITTERED_PX / max(pixels.shape[:2]))
    size_wh = round(pixels.shape[1] * scale), round(pixels.shape[0] * scale)
    small = np.asarray(cv2.resize(np.array(pixels), size_wh, interpolation=cv2.INTER_AREA), np.uint8)
    place, rng = hints.scaled(scale)._replace(mask=None), np.random.default_rng(seed)
    first = find_mask(small, place, seed=seed)
    others = (find_mask(small, _jittered(place, size_wh, rng), seed=seed) for _ in range(_DRAWS))
    return min(_overlap(first, other) for other in others)


def _overlap(one: Mask, other: Mask) -> float:
    both, either = int((one & other).sum()), int((one | other).sum())
    return both / either if either else 1.0


def _jittered(hints: Hints, size_wh: tuple[int, int], rng: np.random.Generator) -> Hints:
    """Return hints moved at random; sides of the box on the picture's frame stay there."""
    sides, limits = np.array(hints.box), np.array([*size_wh, *size_wh], float)
    reach = _JITTER * np.array([sides[2] - sides[0], sides[3] - sides[1]] * 2)
    free = (sides > 1) & (sides < limits - 1)
    x0, y0, x1, y1 = np.clip(sides + np.where(free, rng.uniform(-reach, reach), 0), 0, limits).tolist()
    inside, outside = (
        [
            tuple(np.clip(np.add(point, rng.uniform(-reach[:2], reach[:2])), 0, limits[:2] - 1).tolist())
            for point in points
        ]
        for points in (hints.inside, hints.outside)
    )
    return Hints((x0, y0, x1, y1), inside, outside)
