"""Comparison of two aligned pictures by blocks, so that a watermark or different words affect only their own blocks.

Blocks without details agree wherever two backgrounds have the same shade, and prove nothing: in two posters of one
template they are nine in ten. Two more values are therefore measured. In addition to the share that is alike, it
measures the share that both pictures fill with the same substance; in addition to the mean, it measures the worst
region of details, because a headline on a plain background is a separate region.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from .registration import Affine

BLOCK_PX = 12
_SOFTENED_PX = 1.2
"""Standard deviation of the blur before the comparison, which then tolerates compression and an error of one pixel."""
_FLAT = 7.0
"""Standard deviation of gray levels, 0-127.5, below which a block has no content to correlate."""
_FLAT_APART = 24.0
"""Gray levels by which the means of two flat blocks may differ, once light and contrast are equal."""
_ALIKE, _UNLIKE = 0.55, 0.3
"""Correlations above which two blocks show the same, and below which they show different content."""
_FAINT = 1.5
"""Standard deviation of gray levels above which a block has substance: a sky or a wall has it, paper and paint do
not."""
_LEAST_DETAILED, _LEAST_LOST = 3, 4
"""Number of blocks with details that a region must have in both pictures, and lose in both, to count as the worst."""
_BAND_ALIKE = 0.85
"""Smallest share of a band's blocks that are alike, and of its details that are preserved."""

_INSIDE = 252
"""Smallest value, of 255, of a warped white picture for a pixel to be inside it."""

_Grey = NDArray[np.float32]
_Pixel = TypeVar("_Pixel", np.float32, np.uint8)


class Structure(NamedTuple):
    """Similarity of two aligned pictures; all numbers are proportions, 0-1.

    Args:
        overlap_fixed: Share of the fixed picture that the overlap covers.
        overlap_moving: Share of the moving picture that the overlap covers.
        alike: Share of the overlap's blocks that show the same.
        replaced: Share of its blocks in which the two pictures show different content.
        preserved: Share of the blocks with details in one picture that show the same in the other, for the picture with
            the larger share: an overlay hides little of a picture's own details. 0 if no block has details.
        detailed: Share of the blocks that have details in at least one picture.
        common: Share of the blocks that both pictures fill with the same substance, however faint.
        worst: Smallest share of its details that any region keeps, for the picture that keeps more; 1 if no region
            loses any.
        band: Share of the rows of blocks in the longest run of rows that show the same across the whole overlap.
        shade: Mean difference of gray levels, 0-1, measured before the lighting is equalized.
    """

    overlap_fixed: float
    overlap_moving: float
    alike: float
    replaced: float
    preserved: float
    detailed: float
    common: float
    worst: float
    band: float
    shade: float


def compare(fixed: NDArray[np.uint8], moving: NDArray[np.uint8], affine: Affine) -> Structure | None:
    """Compare two gray pictures where they overlap; return None if the overlap contains no block.

    Args:
        fixed: Shape (height, width).
        moving: Shape (height, width).
        affine: Maps points of `moving` to `fixed`.
    """
    import cv2

    height, width = fixed.shape
    scale = float(np.sqrt(abs(np.linalg.det(affine[:, :2]))))
    # Shrinking a moving picture would alias without more blur by the same factor.
    soft_fixed, soft_moving = (
        _soft(grey, _SOFTENED_PX * factor) for grey, factor in ((fixed, 1.0), (moving, max(1.0, 1.0 / scale)))
    )
    laid = np.asarray(cv2.warpAffine(soft_moving, affine, (width, height), flags=cv2.INTER_LINEAR), np.float32)
    every = np.full(moving.shape, 255, np.uint8)
    inside = (cv2.warpAffine(every, affine, (width, height), flags=cv2.INTER_LINEAR) > _INSIDE).astype(np.uint8)
    shared = float(cv2.countNonZero(inside))
    blocks = _cut(inside).min(axis=2, initial=1) > 0
    if not blocks.any():
        return None
    shade = float(cv2.norm(laid, soft_fixed, cv2.NORM_L1, inside)) / shared / 255
    scores = _scores(_cut(soft_fixed), _cut(_relit(laid, soft_fixed, inside)), blocks)
    return Structure(shared / fixed.size, min(1.0, shared / (moving.size * scale * scale)), *scores, shade)


def _soft(grey: NDArray[np.uint8], width_px: float) -> _Grey:
    import cv2

    return np.asarray(cv2.GaussianBlur(np.asarray(grey, np.float32), (0, 0), width_px), np.float32)


def _relit(moving: _Grey, fixed: _Grey, inside: NDArray[np.uint8]) -> _Grey:
    """Give one picture the mean and contrast of the other, measured where they overlap."""
    import cv2

    (mean, spread), (wanted_mean, wanted_spread) = (
        (float(value[0, 0]) for value in cv2.meanStdDev(grey, mask=inside)) for grey in (moving, fixed)
    )
    gain = min(max(wanted_spread / spread, 1 / 3), 3.0) if spread > 1 else 1.0
    return np.asarray(moving * np.float32(gain) + np.float32(wanted_mean - gain * mean), np.float32)


def _cut(grey: NDArray[_Pixel]) -> NDArray[_Pixel]:
    """Return a picture's blocks, shape (rows, columns, pixels of a block)."""
    rows, columns = grey.shape[0] // BLOCK_PX, grey.shape[1] // BLOCK_PX
    whole = grey[: rows * BLOCK_PX, : columns * BLOCK_PX].reshape(rows, BLOCK_PX, columns, BLOCK_PX)
    return whole.swapaxes(1, 2).reshape(rows, columns, BLOCK_PX * BLOCK_PX)


def _scores(
    fixed: _Grey, moving: _Grey, blocks: NDArray[np.bool_]
) -> tuple[float, float, float, float, float, float, float]:
    """Return `alike`, `replaced`, `preserved`, `detailed`, `common`, `worst` and `band`.

    Args:
        fixed: Shape (rows, columns, pixels of a block).
        moving: Shape (rows, columns, pixels of a block).
        blocks: Shape (rows, columns), whether a block lies in the overlap; true for at least one.
    """
    mean_fixed, mean_moving = fixed.mean(axis=2), moving.mean(axis=2)
    spread_fixed, spread_moving = fixed.std(axis=2), moving.std(axis=2)
    product = ((fixed - mean_fixed[..., None]) * (moving - mean_moving[..., None])).mean(axis=2)
    correlation = product / np.maximum(spread_fixed * spread_moving, 1e-3)
    rich_fixed, rich_moving = (spread_fixed >= _FLAT) & blocks, (spread_moving >= _FLAT) & blocks
    detailed = rich_fixed | rich_moving
    same = np.where(detailed, correlation >= _ALIKE, np.abs(mean_fixed - mean_moving) < _FLAT_APART) & blocks
    solid = (np.minimum(spread_fixed, spread_moving) >= _FAINT) & (correlation >= _ALIKE) & blocks
    kept = [float(same[rich].mean()) for rich in (rich_fixed, rich_moving) if rich.any()]
    count = float(blocks.sum())
    return (
        float(same.sum()) / count,
        float((rich_fixed & rich_moving & (correlation < _UNLIKE)).sum()) / count,
        max(kept, default=0.0),
        float(detailed.sum()) / count,
        float(solid.sum()) / count,
        _worst_region(rich_fixed, rich_moving, same, blocks & ~detailed & ~same),
        _longest_band(blocks, same, detailed),
    )


def _worst_region(
    rich_fixed: NDArray[np.bool_], rich_moving: NDArray[np.bool_], same: NDArray[np.bool_], painted: NDArray[np.bool_]
) -> float:
    """Return the smallest share of details that a region keeps; details in only one picture do not count as a loss.

    Args:
        rich_fixed: Blocks with details in the fixed picture; shape (rows, columns), like all other arguments.
        rich_moving: Blocks with details in the moving picture.
        same: Blocks that show the same.
        painted: Blocks without details whose shade differs: the filled interior of a shape is treated as part of it.
    """
    import cv2

    count, region = cv2.connectedComponents((rich_fixed | rich_moving | painted).astype(np.uint8), connectivity=8)
    rich, lost = (
        np.stack([np.bincount(region[mask], minlength=count) for mask in pair])
        for pair in ((rich_fixed, rich_moving), (rich_fixed & ~same, rich_moving & ~same))
    )
    inside = np.bincount(region[painted], minlength=count)
    counts = (rich.min(axis=0) >= _LEAST_DETAILED) & (lost.min(axis=0) + inside >= _LEAST_LOST)
    kept = 1 - (lost + inside) / np.maximum(rich + inside, 1)
    return float(kept.max(axis=0)[counts].min(initial=1.0))


def _longest_band(blocks: NDArray[np.bool_], same: NDArray[np.bool_], detailed: NDArray[np.bool_]) -> float:
    """Return the largest proportion of the overlap's rows that form one run and together show the same content."""
    rows = np.flatnonzero(blocks.any(axis=1))
    sums = [
        np.concatenate([[0], np.cumsum(mask[rows[0] : rows[-1] + 1].sum(axis=1))])
        for mask in (blocks, same, detailed, detailed & same)
    ]
    every, alike, rich, preserved = (total[None, :] - total[:, None] for total in sums)
    good = (alike >= _BAND_ALIKE * every) & (preserved >= _BAND_ALIKE * rich)
    length = np.subtract.outer(np.arange(len(good)), np.arange(len(good))).T
    return float(np.where(good, length, 0).max()) / (len(good) - 1)
