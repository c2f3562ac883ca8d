"""Perceptual hashes of a grey picture, equal to ImageHash's bit for bit, at a fraction of its cost.

pHash (8 x 8 lowest frequencies of a 32 x 32 miniature, above or below their median) and dHash (a 9 x 8 miniature,
brighter than the left neighbour or not), as unsigned 64-bit numbers with ImageHash's first bit highest, so that
`int(str(imagehash.phash(image)), 16)` is the same number.

Only the 64 frequencies that the hash uses are computed, by two small matrix products. Their sums are added in another
order than in SciPy's transform, so values differ in the last digits; where the two values around the median are too
close for that to be harmless (a blank page, a drawing with an axis of symmetry), ImageHash itself decides.

Miniatures equal those of Pillow's Lanczos filter pixel by pixel (`miniatures`) and are computed by matrix products.
Pillow shrinks in whole numbers: weights are rounded to 2**-22, a row is summed, rounded and clipped to 8 bits, and then
the columns are; in a tall picture the columns come first. Weights and pixels are whole numbers below 2**31, so their
sums are exact in 64-bit floats in any order, and BLAS can compute them, some four times as fast as a loop. Several
miniatures of one picture share a single pass over it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

_LOBES = 3
_ONE = 1 << 22
_COLUMNS_PER_PRODUCT = 8
"""Columns of a miniature that share one matrix product, over all samples of the row that any of them needs."""
_PIXELS_PER_BLOCK = 1 << 15
"""Pixels converted to floats at a time: 256 kB, which fit into a processor's cache."""
_SHORT = 512
"""Length in pixels up to which the weights of many lengths are cached; those of longer lines take 80 kB and more."""

_Grey = NDArray[np.uint8]
_Values = NDArray[np.float64]


class _Taps(NamedTuple):
    """Weights that turn samples `first:last` of a line into samples `start:stop` of its miniature."""

    first: int
    last: int
    start: int
    stop: int
    weights: _Values


def miniatures(grey: _Grey, sizes: Sequence[tuple[int, int]]) -> list[_Grey]:
    """Return a picture in several sizes, each as `Image.fromarray(grey).resize(size, LANCZOS)` gives it.

    Args:
        grey: Shape (height, width), neither 0.
        sizes: (width, height) of each miniature.
    """
    made: dict[tuple[int, int], _Grey] = {}
    if along := [size for size in sizes if not _columns_first(grey, size)]:
        made |= zip(along, _shrunk_rows_first(grey, along), strict=True)
    if down := [size for size in sizes if _columns_first(grey, size)]:
        lying = _shrunk_rows_first(grey.T, [(rows, columns) for columns, rows in down])
        made |= zip(down, (small.T for small in lying), strict=True)
    return [made[size] for size in sizes]


def _columns_first(grey: _Grey, size: tuple[int, int]) -> bool:
    """Return whether Pillow 13 shrinks the columns of this picture before its rows, as it does for tall pictures."""
    height, width = grey.shape
    return bool(height - size[1] > max(0, 2 * (width - size[0])))


def _shrunk_rows_first(grey: _Grey, sizes: Sequence[tuple[int, int]]) -> list[_Grey]:
    """Return miniatures whose rows are shrunk first."""
    height, width = grey.shape
    taps = [_taps(width, columns) for columns, _ in sizes]
    narrow = [np.empty((height, columns)) for columns, _ in sizes]
    rows = max(1, _PIXELS_PER_BLOCK // width)
    for top in range(0, height, rows):
        block = grey[top : top + rows].astype(np.float64)
        for made, ranges in zip(narrow, taps, strict=True):
            for tap in ranges:
                np.matmul(block[:, tap.first : tap.last], tap.weights, out=made[top : top + rows, tap.start : tap.stop])
    return [_shrunk_columns(_rounded(made), rows) for made, (_, rows) in zip(narrow, sizes, strict=True)]


def _shrunk_columns(narrow: _Values, rows: int) -> _Grey:
    made = np.empty((rows, narrow.shape[1]))
    for taps in _taps(len(narrow), rows):
        np.matmul(taps.weights.T, narrow[taps.first : taps.last], out=made[taps.start : taps.stop])
    return _rounded(made).astype(np.uint8)


def _rounded(sums: _Values) -> _Values:
    """Return sums of weighted pixels as whole grey values, halves rounded up; changes its argument."""
    sums += _ONE // 2
    sums *= 1 / _ONE
    np.floor(sums, out=sums)
    return np.clip(sums, 0, 255, out=sums)


def _taps(length: int, wanted: int) -> tuple[_Taps, ...]:
    """Return the weights that turn a line of `length` samples into `wanted` samples."""
    return _taps_of_short_lines(length, wanted) if length <= _SHORT else _taps_of_long_lines(length, wanted)


def _computed_taps(length: int, wanted: int) -> tuple[_Taps, ...]:
    scale = length / wanted
    spread = max(scale, 1.0)
    centers = (np.arange(wanted) + 0.5) * scale
    first = np.maximum((centers - _LOBES * spread + 0.5).astype(np.int64), 0)
    last = np.minimum((centers + _LOBES * spread + 0.5).astype(np.int64), length)
    samples = first[:, None] + np.arange(int((last - first).max()))
    weights = _lanczos((samples - centers[:, None] + 0.5) / spread)
    weights[samples >= last[:, None]] = 0
    weights *= _ONE / weights.sum(axis=1, keepdims=True)
    whole = np.trunc(weights + np.copysign(0.5, weights))
    taps = []
    for part in np.array_split(np.arange(wanted), max(1, wanted // _COLUMNS_PER_PRODUCT)):
        low, start, stop = int(first[part[0]]), int(part[0]), int(part[-1]) + 1
        dense = np.zeros((int(samples[part].max()) + 1 - low, len(part)))
        dense[samples[part] - low, part[:, None] - start] = whole[part]
        high = int(last[part[-1]])
        taps.append(_Taps(low, high, start, stop, dense[: high - low]))
    return tuple(taps)


def _lanczos(distance: _Values) -> _Values:
    """Return sinc(x) * sinc(x / 3) for |x| < 3, else 0, from a single sine; changes its argument."""
    distance[distance == 0] = 1e-9
    third = np.sin(distance * (np.pi / _LOBES))
    # sin(3a) = 3 sin(a) - 4 sin(a)**3
    values: _Values = third * third * (3 - 4 * third * third) * _LOBES / (np.pi * distance) ** 2
    values[(distance < -_LOBES) | (distance >= _LOBES)] = 0
    return values


_taps_of_short_lines = lru_cache(maxsize=512)(_computed_taps)
_taps_of_long_lines = lru_cache(maxsize=8)(_computed_taps)


HASHED_AT_LEAST_PX = 128
"""Least sides, in pixels, of the grey picture to decode (`ImageReader.luma`).

Both hashes shrink to 32 px or less. At four times that, 0.3 of 64 bits differ on average from those of the full size.
"""

_SIDE = 32
_KEPT = 8
_PHASH_SIZE = (_SIDE, _SIDE)
_DHASH_SIZE = (_KEPT + 1, _KEPT)
_FREQUENCIES = 2 * np.cos(
    np.pi * np.arange(_KEPT)[:, None] * (2 * np.arange(_SIDE)[None, :] + 1) / (2 * _SIDE), dtype=np.float64
)
"""Rows 0 to 7 of the DCT-II of 32 samples, scaled as SciPy's: (8, 32)."""

_TOO_CLOSE = 1e-6
"""Values reach a million (64 * 64 * 255), and rounding some 1e-9."""


class Hashes(NamedTuple):
    """The hashes of one picture, each 0 to 2**64 - 1; `mirrored` is the pHash of the picture mirrored left to right."""

    phash: int
    dhash: int
    mirrored: int


def hashes(grey: Image.Image) -> Hashes:
    """Return the hashes of a picture of mode `L`, any size."""
    small, smaller = miniatures(np.asarray(grey), [_PHASH_SIZE, _DHASH_SIZE])
    return Hashes(_phash(small), _dhash(smaller), _phash(small[:, ::-1]))


def phash(grey: Image.Image) -> int:
    """Return `imagehash.phash` of a picture of mode `L`, as a number."""
    return _phash(*miniatures(np.asarray(grey), [_PHASH_SIZE]))


def dhash(grey: Image.Image) -> int:
    """Return `imagehash.dhash` of a picture of mode `L`, as a number."""
    return _dhash(*miniatures(np.asarray(grey), [_DHASH_SIZE]))


def _phash(small: NDArray[np.uint8]) -> int:
    values = _FREQUENCIES @ small @ _FREQUENCIES.T
    below, above = np.partition(values, (31, 32), axis=None)[31:33].tolist()
    return _number(values >= above) if above - below > _TOO_CLOSE else _as_imagehash_decides(small)


def _dhash(small: NDArray[np.uint8]) -> int:
    return _number(small[:, 1:] > small[:, :-1])


def _as_imagehash_decides(small: NDArray[np.uint8]) -> int:
    """Return the pHash of a 32 x 32 miniature, computed by ImageHash; the miniature is not shrunk again."""
    import imagehash

    return _number(imagehash.phash(Image.fromarray(small)).hash)


def _number(bits: NDArray[np.bool_]) -> int:
    return int.from_bytes(np.packbits(bits).tobytes(), "big")
