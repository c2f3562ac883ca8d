"""Perceptual hashes of a grey picture: ImageHash's very bits, for a fraction of its cost.

pHash (8 x 8 lowest frequencies of a 32 x 32 miniature, above or below their median) and dHash (a 9 x 8 miniature,
brighter than the left neighbour or not), as unsigned 64-bit numbers with ImageHash's first bit highest, so that
`int(str(imagehash.phash(image)), 16)` is the same number.

Miniatures are Pillow's own (`miniatures`). Only the 64 frequencies that are looked at are computed, by two small
matrix products. Sums come out in another order than in SciPy's transform, so values differ in the last digits; where
the two values around the median are too close for that to be harmless (a blank page, a drawing with an axis of
symmetry), ImageHash itself decides.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from .miniatures import miniatures

HASHED_AT_LEAST_PX = 128
"""Sides of the grey picture worth decoding (`ImageReader.luma`).

Both hashes shrink to 32 px or less; four times that leaves the bits as they are: 0.3 of 64 differ on average.
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
    """Return the pHash of a 32 x 32 miniature by ImageHash; it is not shrunk again."""
    import imagehash

    return _number(imagehash.phash(Image.fromarray(small)).hash)


def _number(bits: NDArray[np.bool_]) -> int:
    return int.from_bytes(np.packbits(bits).tobytes(), "big")
