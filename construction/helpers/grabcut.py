"""GrabCut for people who draw: a quick answer on a reduced picture, then its border at full size.

The reduced picture is cut as `cutting_out.find_mask` does it. Its models of colours then decide over the pixels near
the border at full size, in tiles along it (lazy snapping and later editors refine borders in such a band: Li et al.
2004, doi:10.1145/1015706.1015719). All else keeps what the reduced picture says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchwright.regions import HelperPicture, HelperSettings, Proposed, RegionHints
from benchwright.regions.helper import HelperInput
from benchwright.regions.outlines import TOLERANCE_PX
from benchwright.regions.region import RegionShape

from ..item_parts.cutting_out import Hints, Mask, hint_classes, largest_part
from .proposing import ProposedBy, region_of_mask

SEED = 1
_QUICK_SIDE_PX, _QUICK_ITERATIONS = 320, 3
"""Longer side of the picture that the quick answer is computed on, and GrabCut's iterations there."""
_REDUCED_SIDE_PX, _EXACT_ITERATIONS = 400, 5
"""Longer side of the picture whose border is refined, and the iterations there."""
_BAND_CELLS = 2
"""Distance from the border, in pixels of the reduced picture, up to which pixels are decided at full size."""
_TILE_PX, _OVERLAP_PX = 128, 16
_STROKE_SHARE = 0.012
"""Width of strokes, as a fraction of the picture's shorter side, where nothing else is said."""
_THREADS = 2
VERSION = "1"


class GrabCutSettings(HelperSettings):
    """Settings of GrabCut: none."""

    title: ClassVar[str] = "Cut out by color"
    takes: ClassVar[tuple[HelperInput, ...]] = ("box", "strokes")
    gives: ClassVar[tuple[RegionShape, ...]] = ("mask", "polygon", "box")
    refines: ClassVar[bool] = True

    def missing(self) -> str | None:
        """Return None: OpenCV comes with Benchwright."""
        return None

    def open(self) -> GrabCutHelper:
        """Return the helper."""
        return GrabCutHelper()


class _ReducedCut(NamedTuple):
    """A reduced picture that was cut."""

    mask: Mask
    background: NDArray[np.float64]
    foreground: NDArray[np.float64]


class GrabCutHelper:
    """GrabCut from a box, strokes inside and outside, or both. Equal pixels and hints give equal masks."""

    def __init__(self) -> None:
        self._reduced: dict[int, tuple[str, NDArray[np.uint8]]] = {}

    @property
    def made_with(self) -> Mapping[str, Any]:
        """Return what decides the proposals."""
        return {"by": "grabcut", "version": VERSION, "iterations": _EXACT_ITERATIONS, "side_px": _REDUCED_SIDE_PX}

    def propose(self, picture: HelperPicture, hints: RegionHints) -> Proposed:
        """Return the subject, quickly, or with its border at full size where `refine` is set."""
        is_exact = hints.refine or max(picture.size_wh) <= _QUICK_SIDE_PX
        side_px, iterations = (_REDUCED_SIDE_PX, _EXACT_ITERATIONS) if is_exact else (_QUICK_SIDE_PX, _QUICK_ITERATIONS)
        reduced = self.reduce(picture, side_px)
        cut = _grab(reduced, hints, reduced.shape[1] / picture.size_wh[0], iterations)
        if is_exact and max(picture.size_wh) > side_px:
            mask = refined(picture.pixels, cut.mask, hints, cut.background, cut.foreground)
        else:
            mask = _resized(cut.mask, picture.size_wh)
        tolerance_px = TOLERANCE_PX if is_exact else max(TOLERANCE_PX, max(picture.size_wh) / side_px / 2)
        regions = region_of_mask(mask, hints, ProposedBy("grabcut", VERSION), tolerance_px=tolerance_px)
        return Proposed(regions, is_exact)

    def reduce(self, picture: HelperPicture, side_px: int = _QUICK_SIDE_PX) -> NDArray[np.uint8]:
        """Return the reduced picture; the last one of each size stays in memory."""
        import cv2

        if side_px not in self._reduced or self._reduced[side_px][0] != picture.image_id:
            scale = min(1.0, side_px / max(picture.size_wh))
            size_wh = tuple(max(1, round(side * scale)) for side in picture.size_wh)
            small = cv2.resize(picture.pixels, size_wh, interpolation=cv2.INTER_AREA)
            self._reduced[side_px] = picture.image_id, np.asarray(small, np.uint8)
        return self._reduced[side_px][1]


def classes_of(hints: RegionHints, scale: float, shape_hw: tuple[int, int]) -> NDArray[np.uint8]:
    """Return GrabCut's four classes of a picture from hints in pixels of another that is larger by `1 / scale`.

    Without a box, all that no stroke touches is probably background.
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
    """Return the parts that strokes touch, else the largest part; its holes are filled where no stroke lies outside."""
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
    """Return a reduced picture's mask at full size, with the pixels near its border decided there.

    Args:
        pixels: (height, width, 3) RGB at full size.
        mask: Mask of the reduced picture.
        hints: In pixels at full size.
        background: GrabCut's model of the background's colours.
        foreground: That of the subject's.
    """
    import cv2

    height, width = pixels.shape[:2]
    band = _band(mask)
    if not background.any() or not band.any():
        return _resized(mask, (width, height))
    certain = classes_of(hints, 1.0, (height, width))
    full = np.where(_resized(mask, (width, height)), np.uint8(cv2.GC_FGD), np.uint8(cv2.GC_BGD))
    near = _resized(band, (width, height)) & ~np.isin(certain, (cv2.GC_FGD,))
    if hints.box is not None or hints.outside:
        near &= certain != cv2.GC_BGD
    full[certain == cv2.GC_FGD] = cv2.GC_FGD
    full[near & (full == cv2.GC_FGD)] = cv2.GC_PR_FGD
    full[near & (full == cv2.GC_BGD)] = cv2.GC_PR_BGD
    tiles = list(_tiles(near))
    decided = full.copy()

    def decide(tile: tuple[slice, slice, slice, slice]) -> None:
        outer, inner = tile[:2], tile[2:]
        classes = full[outer].copy()
        bgr = np.ascontiguousarray(pixels[outer][..., ::-1])
        models = background.copy(), foreground.copy()
        cv2.grabCut(bgr, classes, (0, 0, 1, 1), *models, 1, cv2.GC_EVAL_FREEZE_MODEL)
        rows, columns = inner[0].start - outer[0].start, inner[1].start - outer[1].start
        height_px, width_px = inner[0].stop - inner[0].start, inner[1].stop - inner[1].start
        decided[inner] = classes[rows : rows + height_px, columns : columns + width_px]

    with ThreadPoolExecutor(_THREADS) as pool:
        list(pool.map(decide, tiles))
    grabbed = (decided == cv2.GC_FGD) | (decided == cv2.GC_PR_FGD)
    return _wanted_parts(grabbed, certain, hints)


def _band(mask: Mask) -> Mask:
    """Return the pixels of a reduced picture near the border of its mask."""
    import cv2

    side = 2 * _BAND_CELLS + 1
    kernel = np.ones((side, side), np.uint8)
    cells = mask.astype(np.uint8)
    grown = cv2.dilate(cells, kernel, borderType=cv2.BORDER_REPLICATE)
    shrunk = cv2.erode(cells, kernel, borderType=cv2.BORDER_REPLICATE)
    return np.asarray(grown != shrunk, np.bool_)


def _tiles(near: Mask) -> Iterator[tuple[slice, slice, slice, slice]]:
    """Yield the tiles that hold pixels to decide: rows and columns with the overlap, and without it."""
    height, width = near.shape
    for top in range(0, height, _TILE_PX):
        for left in range(0, width, _TILE_PX):
            bottom, right = min(height, top + _TILE_PX), min(width, left + _TILE_PX)
            wanted = near[top:bottom, left:right]
            rows, columns = np.flatnonzero(wanted.any(axis=1)), np.flatnonzero(wanted.any(axis=0))
            if not len(rows):
                continue
            inner = (
                slice(top + int(rows[0]), top + int(rows[-1]) + 1),
                slice(left + int(columns[0]), left + int(columns[-1]) + 1),
            )
            yield (
                slice(max(0, inner[0].start - _OVERLAP_PX), min(height, inner[0].stop + _OVERLAP_PX)),
                slice(max(0, inner[1].start - _OVERLAP_PX), min(width, inner[1].stop + _OVERLAP_PX)),
                *inner,
            )


def _resized(mask: Mask, size_wh: Sequence[int]) -> Mask:
    """Return a mask at another size, with its staircase smoothed."""
    import cv2

    if mask.shape == (size_wh[1], size_wh[0]):
        return mask
    # Columns lie one after the other, as run lengths count them: that saves a copy of each large mask.
    turned = np.ascontiguousarray(mask.T).astype(np.uint8) * 255
    grown = cv2.resize(turned, (size_wh[1], size_wh[0]), interpolation=cv2.INTER_LINEAR)
    return np.asarray(grown > 127, np.bool_).T
