"""Refinement, at full size, of the border of a cut that was made on a reduced picture.

GrabCut's running time grows faster than the size of a picture, and on large pictures it keeps more patches of
background. A reduced picture is therefore cut, and its color models then classify the pixels near the border at full
size, in tiles along it (lazy snapping and later editors refine borders in such a band: Li et al. 2004,
doi:10.1145/1015706.1015719). All other pixels follow the reduced picture.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]
REDUCED_SIDE_PX = 400
"""Longer side, in pixels, of the picture whose border is refined."""
_BAND_CELLS = 2
"""Distance from the border, in pixels of the reduced picture, up to which pixels are decided at full size."""
_TILE_PX, _OVERLAP_PX = 128, 16
_THREADS = 2


def with_refined_border(
    pixels: NDArray[np.uint8],
    mask: Mask,
    certain: NDArray[np.uint8],
    background: NDArray[np.float64],
    foreground: NDArray[np.float64],
) -> Mask:
    """Return a reduced picture's mask at full size, with the pixels near its border decided there.

    Args:
        pixels: (height, width, 3) RGB at full size.
        mask: Mask of the reduced picture.
        certain: (height, width): GrabCut's classes at full size; only those of certain pixels are used.
        background: GrabCut's model of the background's colors; all 0 if it learned none.
        foreground: GrabCut's model of the subject's colors.
    """
    import cv2

    height, width = pixels.shape[:2]
    band = _band(mask)
    if not background.any() or not band.any():
        return resized_mask(mask, (width, height))
    full = np.where(resized_mask(mask, (width, height)), np.uint8(cv2.GC_FGD), np.uint8(cv2.GC_BGD))
    near = resized_mask(band, (width, height)) & ~np.isin(certain, (cv2.GC_FGD, cv2.GC_BGD))
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
    return np.asarray((decided == cv2.GC_FGD) | (decided == cv2.GC_PR_FGD), np.bool_)


def reduced_picture(pixels: NDArray[np.uint8], side_px: int) -> NDArray[np.uint8]:
    """Return a picture whose longer side is at most `side_px`."""
    import cv2

    scale = min(1.0, side_px / max(pixels.shape[:2]))
    size_wh = max(1, round(pixels.shape[1] * scale)), max(1, round(pixels.shape[0] * scale))
    return np.asarray(cv2.resize(pixels, size_wh, interpolation=cv2.INTER_AREA), np.uint8)


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
    """Yield the tiles that contain pixels to classify: rows and columns with the overlap, and without it."""
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


def resized_mask(mask: Mask, size_wh: Sequence[int]) -> Mask:
    """Return a mask at another size, with its jagged outline smoothed."""
    import cv2

    if mask.shape == (size_wh[1], size_wh[0]):
        return mask
    # Columns are contiguous, as run lengths count them: that saves a copy of each large mask.
    turned = np.ascontiguousarray(mask.T).astype(np.uint8) * 255
    grown = cv2.resize(turned, (size_wh[1], size_wh[0]), interpolation=cv2.INTER_LINEAR)
    return np.asarray(grown > 127, np.bool_).T
