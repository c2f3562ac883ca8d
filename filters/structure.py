"""Comparing two aligned pictures block by block, so that a watermark or other words stay local."""

from __future__ import annotations

from typing import NamedTuple

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

_Grey = NDArray[np.float32]


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
        shade: Mean difference of grey levels, 0-1, light not equalled.
    """

    overlap_fixed: float
    overlap_moving: float
    alike: float
    replaced: float
    preserved: float
    detailed: float
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
    inside = cv2.warpAffine(np.ones(moving.shape, np.float32), affine, (width, height), flags=cv2.INTER_LINEAR) > 0.99
    shared = float(np.count_nonzero(inside))
    blocks = _cut(inside.astype(np.float32)).min(axis=2, initial=1.0) > 0
    if not blocks.any():
        return None
    shade = float(np.abs(laid[inside] - soft_fixed[inside]).mean()) / 255
    scores = _scores(_cut(soft_fixed)[blocks], _cut(_relit(laid, soft_fixed, inside))[blocks])
    return Structure(shared / fixed.size, min(1.0, shared / (moving.size * scale * scale)), *scores, shade)


def _soft(grey: NDArray[np.uint8], width_px: float) -> _Grey:
    import cv2

    return np.asarray(cv2.GaussianBlur(np.asarray(grey, np.float32), (0, 0), width_px), np.float32)


def _relit(moving: _Grey, fixed: _Grey, inside: NDArray[np.bool_]) -> _Grey:
    """Give one picture the light and contrast of the other, as measured where they overlap."""
    here, there = moving[inside], fixed[inside]
    spread = float(here.std())
    gain = np.clip(float(there.std()) / spread, 1 / 3, 3) if spread > 1 else 1.0
    relit: _Grey = ((moving - here.mean()) * gain + there.mean()).astype(np.float32)
    return relit


def _cut(grey: _Grey) -> _Grey:
    """Return a picture's blocks, shape (rows, columns, pixels of a block)."""
    rows, columns = grey.shape[0] // BLOCK_PX, grey.shape[1] // BLOCK_PX
    whole = grey[: rows * BLOCK_PX, : columns * BLOCK_PX].reshape(rows, BLOCK_PX, columns, BLOCK_PX)
    return whole.swapaxes(1, 2).reshape(rows, columns, BLOCK_PX * BLOCK_PX)


def _scores(fixed: _Grey, moving: _Grey) -> tuple[float, float, float, float]:
    """Return `alike`, `replaced`, `preserved` and `detailed` of blocks, shape (blocks, pixels) each."""
    mean_fixed, mean_moving = fixed.mean(axis=1), moving.mean(axis=1)
    spread_fixed, spread_moving = fixed.std(axis=1), moving.std(axis=1)
    product = ((fixed - mean_fixed[:, None]) * (moving - mean_moving[:, None])).mean(axis=1)
    correlation = product / np.maximum(spread_fixed * spread_moving, 1e-3)
    rich_fixed, rich_moving = spread_fixed >= _FLAT, spread_moving >= _FLAT
    detailed = rich_fixed | rich_moving
    same = np.where(detailed, correlation >= _ALIKE, np.abs(mean_fixed - mean_moving) < _FLAT_APART)
    kept = [float(same[rich].mean()) for rich in (rich_fixed, rich_moving) if rich.any()]
    return (
        float(same.mean()),
        float((rich_fixed & rich_moving & (correlation < _UNLIKE)).mean()),
        max(kept, default=0.0),
        float(detailed.mean()),
    )
