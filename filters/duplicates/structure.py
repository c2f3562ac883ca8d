"""Comparing two aligned pictures block by block, so that a watermark or other words stay local.

Blocks without details agree wherever two grounds are of one shade, and say nothing: of two posters of one template they
are nine in ten. So the share that both pictures have in substance is measured beside the share that is alike, and the
worst region of details beside their mean: a headline is a region of its own where all around it is plain.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from .registration import Affine

BLOCK_PX = 12
_SOFTENED_PX = 1.2
"""Standard deviation of the blur before comparing: forgives compression and a transform that is a pixel off."""
_FLAT = 7.0
"""Standard deviation of grey levels, 0-127.5, below which a block has nothing to correlate."""
_FLAT_APART = 24.0
"""Grey levels by which the means of two flat blocks may differ, once light and contrast are equalled."""
_ALIKE, _UNLIKE = 0.55, 0.3
"""Correlations from which two blocks show the same, and below which they show something else."""
_FAINT = 1.5
"""Standard deviation of grey levels from which a block has substance: a sky or a wall has, paper and paint have not."""
_LEAST_DETAILED, _LEAST_LOST = 3, 4
"""Blocks with details that a region needs in both pictures, and that it loses in both, before it can be the worst."""
_BAND_ALIKE = 0.85
"""Least share of a band's blocks that are alike, and of its details that are preserved."""

_INSIDE = 252
"""Of 255, what is left of a white picture where it is laid over another, up to one hundredth off its edge."""

_Grey = NDArray[np.float32]
_Pixel = TypeVar("_Pixel", np.float32, np.uint8)


class Structure(NamedTuple):
    """What two aligned pictures have in common; all numbers are shares, 0-1.

    Args:
        overlap_fixed: Of the one picture that the overlap covers.
        overlap_moving: Of the other.
        alike: Of the overlap's blocks that show the same.
        replaced: Of its blocks in which both show something, and not the same.
        preserved: Of the blocks with details in one picture those that show the same, in the picture where this is
            more: what is laid over a picture takes little of its own details away. 0 where nothing has details.
        detailed: Of the blocks that have details in at least one picture.
        common: Of the blocks that both pictures fill with the same substance, however faint.
        worst: Least share of its own details that any region of details keeps, in the picture where it keeps more; 1
            where no region loses any.
        band: Of the rows of blocks, the longest run across the whole overlap that shows the same.
        shade: Mean difference of grey levels, 0-1, light not equalled.
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
    """Compare two grey pictures where they overlap; None where the overlap holds no block.

    Args:
        fixed: Shape (height, width).
        moving: Shape (height, width).
        affine: Takes points of `moving` to `fixed`.
    """
    import cv2

    height, width = fixed.shape
    scale = float(np.sqrt(abs(np.linalg.det(affine[:, :2]))))
    # Where the moving picture is shrunk it would alias, unless it is softened by as much more.
    soft_fixed, soft_moving = (
        _soft(one, _SOFTENED_PX * factor) for one, factor in ((fixed, 1.0), (moving, max(1.0, 1.0 / scale)))
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
    """Give one picture the light and contrast of the other, as measured where they overlap."""
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
        blocks: Shape (rows, columns): which lie in the overlap; at least one.
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
        _worst(rich_fixed, rich_moving, same, blocks & ~detailed & ~same),
        _band(blocks, same, detailed),
    )


def _worst(
    rich_fixed: NDArray[np.bool_], rich_moving: NDArray[np.bool_], same: NDArray[np.bool_], painted: NDArray[np.bool_]
) -> float:
    """Return the least share of details that a region keeps; what only one picture shows there is no loss.

    Args:
        rich_fixed: Blocks with details in the one picture; shape (rows, columns), as all of these.
        rich_moving: In the other.
        same: Blocks that show the same.
        painted: Blocks without details that are of another shade in each: the filled inside of a shape counts with it.
    """
    import cv2

    count, region = cv2.connectedComponents((rich_fixed | rich_moving | painted).astype(np.uint8), connectivity=8)
    rich, lost = (
        np.stack([np.bincount(region[which], minlength=count) for which in pair])
        for pair in ((rich_fixed, rich_moving), (rich_fixed & ~same, rich_moving & ~same))
    )
    inside = np.bincount(region[painted], minlength=count)
    counts = (rich.min(axis=0) >= _LEAST_DETAILED) & (lost.min(axis=0) + inside >= _LEAST_LOST)
    kept = 1 - (lost + inside) / np.maximum(rich + inside, 1)
    return float(kept.max(axis=0)[counts].min(initial=1.0))


def _band(blocks: NDArray[np.bool_], same: NDArray[np.bool_], detailed: NDArray[np.bool_]) -> float:
    """Return the largest share of the overlap's rows, one after the other, that together show the same."""
    rows = np.flatnonzero(blocks.any(axis=1))
    sums = [
        np.concatenate([[0], np.cumsum(which[rows[0] : rows[-1] + 1].sum(axis=1))])
        for which in (blocks, same, detailed, detailed & same)
    ]
    every, alike, rich, preserved = (total[None, :] - total[:, None] for total in sums)
    good = (alike >= _BAND_ALIKE * every) & (preserved >= _BAND_ALIKE * rich)
    length = np.subtract.outer(np.arange(len(good)), np.arange(len(good))).T
    return float(np.where(good, length, 0).max()) / (len(good) - 1)
