"""ImageHash's pHash and dHash of a gray picture, as unsigned 64-bit integers whose highest bit is ImageHash's first.

`int(str(imagehash.phash(image)), 16)` equals `phash(image)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from PIL import Image, ImageOps

if TYPE_CHECKING:
    import imagehash

HASHED_AT_LEAST_PX = 128
"""Smallest side, in pixels, of the decoded gray picture (`ImageReader.luma`).

Both hashes shrink the picture to 32 px or less. If they are computed from four times that size, 0.3 of 64 bits differ
on average from those of the full-size picture.
"""

_PHASH_SIZE = (32, 32)
"""Size, in pixels, to which ImageHash shrinks a picture for its pHash, using Pillow's Lanczos filter."""


class Hashes(NamedTuple):
    """The hashes of one picture, each 0 to 2**64 - 1; `mirrored` is the pHash of the horizontally mirrored picture."""

    phash: int
    dhash: int
    mirrored: int


def hashes(grey: Image.Image) -> Hashes:
    """Return the hashes of a picture of mode `L` and any size."""
    # ImageHash leaves a picture of this size unchanged, and shrinking keeps symmetry: one miniature serves both
    # pHashes.
    small = grey.resize(_PHASH_SIZE, Image.Resampling.LANCZOS)
    return Hashes(phash(small), dhash(grey), phash(ImageOps.mirror(small)))


def phash(grey: Image.Image) -> int:
    """Return `imagehash.phash` of a picture of mode `L`, as an integer."""
    import imagehash

    return _number(imagehash.phash(grey))


def dhash(grey: Image.Image) -> int:
    """Return `imagehash.dhash` of a picture of mode `L`, as an integer."""
    import imagehash

    return _number(imagehash.dhash(grey))


def _number(code: imagehash.ImageHash) -> int:
    return int.from_bytes(np.packbits(code.hash).tobytes(), "big")
