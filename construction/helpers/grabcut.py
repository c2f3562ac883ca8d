"""GrabCut for annotators who draw: a quick result on a reduced picture, the border of which is then refined at full
size.

`cutting_out.find_mask` cuts the reduced picture in the same way, and `border_refining` refines the border.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchwright.regions import HelperPicture, HelperSettings, Proposed, RegionHints
from benchwright.regions.helper import HelperInput
from benchwright.regions.outlines import TOLERANCE_PX
from benchwright.regions.region import RegionShape

from ..item_parts.border_refining import REDUCED_SIDE_PX, reduced_picture, resized_mask, with_refined_border
from ..item_parts.cutting_out import Hints, Mask, hint_classes, largest_part
from .proposing import ProposedBy, region_of_mask

SEED = 1
_QUICK_SIDE_PX, _QUICK_ITERATIONS = 320, 3
"""Longer side, in pixels, of the reduced picture for the quick result, and number of GrabCut iterations on it."""
_EXACT_ITERATIONS = 5
"""Number of iterations during the refinement of the border."""
_STROKE_SHARE = 0.012
"""Default width of strokes, as a fraction of the picture's shorter side."""
VERSION = "1"


class GrabCutSettings(HelperSettings):
    """Settings of GrabCut, of which there are none."""

    title: ClassVar[str] = "Cut out by color"
    takes: ClassVar[tuple[HelperInput, ...]] = ("box", "strokes")
    gives: ClassVar[tuple[RegionShape, ...]] = ("mask", "polygon", "box")
    refines: ClassVar[bool] = True

    def missing(self) -> str | None:
        """Return None, because OpenCV is always installed with Benchwright."""
        return None

    def open(self) -> GrabCutHelper:
        """Return the helper."""
        return GrabCutHelper()


class _ReducedCut(NamedTuple):
    """GrabCut's result on a reduced picture."""

    mask: Mask
    background: NDArray[np.float64]
    foreground: NDArray[np.float64]


class GrabCutHelper:
    """GrabCut from a box, from strokes inside and outside the subject, or from both. Identical pixels and hints yield
    identical masks.
    """

    def __init__(self) -> None:
        self._reduced: dict[int, tuple[str, NDArray[np.uint8]]] = {}

    @property
    def made_with(self) -> Mapping[str, Any]:
        """Return the settings and versions that determine the proposals."""
        return {"by": "grabcut", "version": VERSION, "iterations": _EXACT_ITERATIONS, "side_px": REDUCED_SIDE_PX}

    def propose(self, picture: HelperPicture, hints: RegionHints) -> Proposed:
        """Return the subject's region: a quick one or, if `refine` is set, one with its border refined at full size."""
        is_exact = hints.refine or max(picture.size_wh) <= _QUICK_SIDE_PX
        side_px, iterations = (REDUCED_SIDE_PX, _EXACT_ITERATIONS) if is_exact else (_QUICK_SIDE_PX, _QUICK_ITERATIONS)
        reduced = self.reduce(picture, side_px)
        cut = _grab(reduced, hints, reduced.shape[1] / picture.size_wh[0], iterations)
        if is_exact and max(picture.size_wh) > side_px:
            mask = refined(picture.pixels, cut.mask, hints, cut.background, cut.foreground)
        else:
            mask = resized_mask(cut.mask, picture.size_wh)
        tolerance_px = TOLERANCE_PX if is_exact else max(TOLERANCE_PX, max(picture.size_wh) / side_px / 2)
        regions = region_of_mask(mask, hints, ProposedBy("grabcut", VERSION), tolerance_px=tolerance_px)
        return Proposed(regions, is_exact)

    def reduce(self, picture: HelperPicture, side_px: int = _QUICK_SIDE_PX) -> NDArray[np.uint8]:
        """Return the reduced picture; the most recent picture of each size is kept in memory."""
        if side_px not in self._reduced or self._reduced[side_px][0] != picture.image_id:
            self._reduced[side_px] = picture.image_id, reduced_picture(picture.pixels, side_px)
        return self._reduced[side_px][1]


def classes_of(hints: RegionHints, scale: float, shape_hw: tuple[int, int]) -> NDArray[np.uint8]:
    """Return GrabCut's four classes for a picture, from hints in pixels of the full-size picture, which is `1 / scale`
    times larger.

    Without a box, everything that no stroke touches is probable background.
    """
    import cv2

    if hints.box is not None:
        x0, y0, x1, y1 = (side * scale for side in hints.box)
        classes = hint_classes(shape_hw, Hints((x0, y0, x1, y1)))
    else:
        classes = np.full(shape_hw, cv2.GC_PR_BGD, np.uint8)
    width_px = (hints.stroke_px * scale) if hints.stroke_px else _STROKE_SHARE * min(shape_hw)
    thickness = max(1, round(width_px))
    for strokes, value in ((hints.inside, cv2.GC_FGD), (hints.outside, cv2.GC_BGD)):
        for stroke in strokes:
            places = np.floor(np.array(stroke, np.float64) * scale).astype(np.int32).reshape(-1, 1, 2)
            cv2.polylines(classes, [places], isClosed=False, color=int(value), thickness=thickness)
            if len(stroke) == 1:
                x, y = places[0, 0].tolist()
                cv2.circle(classes, (x, y), max(1, thickness // 2), int(value), -1)
    return classes


def _grab(reduced: NDArray[np.uint8], hints: RegionHints, scale: float, iterations: int) -> _ReducedCut:
    import cv2

    classes = classes_of(hints, scale, (reduced.shape[0], reduced.shape[1]))
    background, foreground = np.zeros((1, 65)), np.zeros((1, 65))
    is_subject = np.isin(classes, (cv2.GC_FGD, cv2.GC_PR_FGD))
    if is_subject.all() or not is_subject.any():
        return _ReducedCut(is_subject, background, foreground)
    cv2.setRNGSeed(SEED)
    bgr = np.ascontiguousarray(reduced[..., ::-1])
    cv2.grabCut(bgr, classes, (0, 0, 1, 1), background, foreground, iterations, cv2.GC_INIT_WITH_MASK)
    grabbed = np.isin(classes, (cv2.GC_FGD, cv2.GC_PR_FGD))
    return _ReducedCut(_wanted_parts(grabbed, classes, hints), background, foreground)


def _wanted_parts(grabbed: Mask, classes: NDArray[np.uint8], hints: RegionHints) -> Mask:
    """Return the parts that strokes touch, or else the largest part. Holes are filled unless an outside stroke touches
    them.
    """
    import cv2

    if not hints.inside:
        return largest_part(grabbed.astype(np.uint8), filled=not hints.outside)
    _, labels = cv2.connectedComponents(grabbed.astype(np.uint8))
    touched = np.unique(labels[classes == cv2.GC_FGD])
    return np.asarray(np.isin(labels, touched[touched > 0]), np.bool_)


def refined(
    pixels: NDArray[np.uint8],
    mask: Mask,
    hints: RegionHints,
    background: NDArray[np.float64],
    foreground: NDArray[np.float64],
) -> Mask:
    """Return a reduced picture's mask at full size; pixels near its border are decided at full size.

    Args:
        pixels: (height, width, 3) RGB at full size.
        mask: Mask of the reduced picture.
        hints: Hints, in pixels at full size.
        background: GrabCut's model of the background's colors.
        foreground: GrabCut's model of the subject's colors.
    """
    certain = classes_of(hints, 1.0, (pixels.shape[0], pixels.shape[1]))
    return _wanted_parts(with_refined_border(pixels, mask, certain, background, foreground), certain, hints)
