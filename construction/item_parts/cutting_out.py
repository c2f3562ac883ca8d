"""Functions that cut a subject out of a photograph with GrabCut and composite it onto another photograph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchwright.drawing.masks import mask_of
from benchwright.records import MaskRuns
from benchwright.regions import grid_of

from .border_refining import REDUCED_SIDE_PX, reduced_picture, with_refined_border
from .marks.boxes import Box, iou

Mask = NDArray[np.bool_]
"""(height, width), true where the subject is."""
ITERATIONS = 6
_WHOLLY = 0.999
"""Opacity from which nothing behind is visible: it contributes at most 1/255 of a level."""
_POINT_RADIUS = 0.008
"""Radius of the disc that a stated point describes, as a fraction of the picture's shorter side."""


class Hints(NamedTuple):
    """A person's statements about where a subject is, in pixels of the picture.

    Args:
        box: Box around the whole subject.
        inside: Points of the subject.
        outside: Points that do not belong to the subject.
        mask: The subject's stated outline, with a cell for each pixel of the source; None if not stated.
    """

    box: Box
    inside: Sequence[tuple[float, float]] = ()
    outside: Sequence[tuple[float, float]] = ()
    mask: MaskRuns | None = None

    def scaled(self, scale: float) -> Hints:
        """Return the hints scaled for a picture that is larger by this factor."""
        x0, y0, x1, y1 = self.box
        inside, outside = ([(x * scale, y * scale) for x, y in side] for side in (self.inside, self.outside))
        return Hints((x0 * scale, y0 * scale, x1 * scale, y1 * scale), inside, outside, self.mask)


def stated_mask(hints: Hints, shape: tuple[int, ...]) -> Mask | None:
    """Return the stated mask at the size of the picture; None if no mask is stated.

    A pixel of a smaller picture belongs to the subject if at least half of it does. Everything outside the box is
    background, as in `find_mask`; holes and separate parts stay as drawn.

    Args:
        hints: Box and mask.
        shape: Rows and columns of the picture, then any further dimensions.
    """
    import cv2

    if hints.mask is None:
        return None
    mask, (height, width) = grid_of(hints.mask), shape[:2]
    if mask.shape != (height, width):
        shares = cv2.resize(mask.astype(np.float32), (width, height), interpolation=cv2.INTER_AREA)
        mask = np.asarray(shares >= 0.5, dtype=np.bool_)
    return mask & rectangle(hints.box, shape)


def rectangle(box: Sequence[float], shape: tuple[int, ...]) -> Mask:
    """Return the mask of all pixels that a box touches."""
    x0, y0, x1, y1 = box
    mask = np.zeros(shape[:2], np.bool_)
    mask[int(y0) : int(np.ceil(y1)), int(x0) : int(np.ceil(x1))] = True
    return mask


def find_mask(pixels: NDArray[np.uint8], hints: Hints, *, seed: int) -> Mask:
    """Return the mask of a subject by GrabCut (Rother et al. 2004, doi:10.1145/1015706.1015720): its largest part, with
    all holes filled except those that contain a stated outside point, such as the gap between an arm and the body.

    A large picture is reduced for the cut, and its border refined at full size (`border_refining`). Equal pixels, hints
    and seed give equal masks. The mask is empty if nothing inside the box can be the subject, all true if nothing can
    be its background.

    Args:
        pixels: (height, width, 3) RGB.
        hints: Everything outside the box is background.
        seed: Seed of the color clusters.
    """
    import cv2

    small = reduced_picture(pixels, REDUCED_SIDE_PX)
    scale = small.shape[1] / pixels.shape[1]
    certain = hint_classes((pixels.shape[0], pixels.shape[1]), hints)
    hinted = certain if scale == 1 else hint_classes((small.shape[0], small.shape[1]), hints.scaled(scale))
    if not np.isin(hinted, (cv2.GC_FGD, cv2.GC_PR_FGD)).any():
        return np.zeros(certain.shape, dtype=np.bool_)
    if not np.isin(hinted, (cv2.GC_BGD, cv2.GC_PR_BGD)).any():
        return np.ones(certain.shape, dtype=np.bool_)
    cv2.setRNGSeed(seed)
    models = np.zeros((1, 65)), np.zeros((1, 65))
    classes, bgr = hinted.copy(), np.ascontiguousarray(small[..., ::-1])
    whole = (0, 0, 1, 1)  # ignored by OpenCV: the hints are in the mask
    cv2.grabCut(bgr, classes, whole, *models, ITERATIONS, cv2.GC_INIT_WITH_MASK)
    found = np.isin(classes, (cv2.GC_FGD, cv2.GC_PR_FGD))
    if scale < 1:
        found = with_refined_border(pixels, found, certain, *models)
    grabbed = found.astype(np.uint8)
    return _opened(largest_part(grabbed), grabbed, hints.outside)


def _opened(whole: Mask, grabbed: NDArray[np.uint8], outside: Sequence[tuple[float, float]]) -> Mask:
    """Return a mask with its holes filled, except those that contain a stated outside point."""
    import cv2

    holes = (whole & (grabbed == 0)).astype(np.uint8)
    inner = [(int(x), int(y)) for x, y in outside if holes[int(y), int(x)]]
    if not inner:
        return whole
    labels = cv2.connectedComponents(holes, connectivity=4)[1]
    return whole & ~np.isin(labels, list({int(labels[y, x]) for x, y in inner}))


def hint_classes(shape_hw: tuple[int, int], hints: Hints) -> NDArray[np.uint8]:
    """Return GrabCut's four classes: probable subject in the box, background elsewhere, and certain classes at the
    points.
    """
    import cv2

    height, width = shape_hw
    x0, y0, x1, y1 = hints.box
    hinted = np.full((height, width), cv2.GC_BGD, np.uint8)
    hinted[int(y0) : int(np.ceil(y1)), int(x0) : int(np.ceil(x1))] = cv2.GC_PR_FGD
    radius = max(2, round(_POINT_RADIUS * min(height, width)))
    for points, label in ((hints.inside, cv2.GC_FGD), (hints.outside, cv2.GC_BGD)):
        for x, y in points:
            cv2.circle(hinted, (int(x), int(y)), radius, int(label), -1)
    return hinted


def largest_part(grabbed: NDArray[np.uint8], *, filled: bool = True) -> Mask:
    """Return the largest connected part of a mask of 0 and 1; all false if the mask is empty.

    Args:
        grabbed: The mask.
        filled: Whether to fill holes.
    """
    import cv2

    count, labels, figures, _ = cv2.connectedComponentsWithStats(grabbed)
    if count <= 1:
        return np.zeros(grabbed.shape, dtype=np.bool_)
    part = (labels == 1 + int(figures[1:, cv2.CC_STAT_AREA].argmax())).astype(np.uint8)
    if filled:
        outlines, _ = cv2.findContours(part, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        cv2.drawContours(part, outlines, -1, 1, cv2.FILLED)
    return np.asarray(part, dtype=np.bool_)


def bounds(mask: Mask) -> Box:
    """Return the box around a mask that is not empty."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    return float(columns[0]), float(rows[0]), float(columns[-1] + 1), float(rows[-1] + 1)


def outlines(mask: Mask) -> list[list[list[int]]]:
    """Return a mask's outline as polygons of pixel centers, within one pixel of it."""
    import cv2

    contours, _ = cv2.findContours(mask.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    return [
        [[int(x), int(y)] for x, y in cv2.approxPolyDP(contour, 1.0, True).reshape(-1, 2).tolist()]
        for contour in contours
    ]


def fault(mask: Mask, box: Box, *, min_area: float, max_area: float, min_box_iou: float) -> str | None:
    """Return why a mask is unusable: `mask_empty`, `mask_everything`, `mask_off_box`; None if it is usable.

    Args:
        mask: Mask that `find_mask` returned.
        box: Stated box.
        min_area: Smallest area, as a fraction of the picture; a smaller mask counts as empty.
        max_area: Largest area, as a fraction of the picture; a larger mask counts as everything.
        min_box_iou: Smallest intersection over union of the mask's bounds and the box.
    """
    share = float(mask.mean())
    if share < min_area or not mask.any():
        return "mask_empty"
    if share > max_area:
        return "mask_everything"
    return "mask_off_box" if iou(bounds(mask), box) < min_box_iou else None


def opacity(mask: Mask, *, feather_px: float) -> NDArray[np.float32]:
    """Return the opacity of the subject at each pixel, 0-1: the mask with one pixel removed from its rim, then blurred.

    The rim mixes subject and old background, and would be visible on a new one. Where the subject leaves the picture,
    its edge stays sharp. The opacity is exactly 0 beyond four times `feather_px` (plus a pixel) from the mask.
    """
    import cv2

    if feather_px <= 0:
        return mask.astype(np.float32)
    inner = cv2.erode(mask.astype(np.uint8), np.ones((3, 3), np.uint8), borderType=cv2.BORDER_REPLICATE)
    blurred = cv2.GaussianBlur(inner.astype(np.float32), (0, 0), feather_px, borderType=cv2.BORDER_REPLICATE)
    return np.asarray(blurred, dtype=np.float32)


def editable(shows: NDArray[np.float32]) -> dict[str, Any]:
    """Return, as a COCO mask, the region in which a composite may differ from the subject's own picture.

    Args:
        shows: Opacity, from `opacity`; the new background is visible where it is below 1, apart from rounding.
    """
    return mask_of(shows < _WHOLLY).model_dump(mode="json")


def composite(
    subject: NDArray[np.uint8], shows: NDArray[np.float32], background: NDArray[np.uint8]
) -> NDArray[np.uint8]:
    """Return the subject in front of a background of the same size, both (height, width, 3)."""
    alpha = shows[..., None]
    mixed = alpha * subject + (1 - alpha) * background
    return np.asarray(np.clip(np.rint(mixed), 0, 255), dtype=np.uint8)
