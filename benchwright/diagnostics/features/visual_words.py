"""Visual words: local features of a picture as a small set of numbers, some of which copies and crops share.

Cropping a picture changes a hash of the whole frame, but not the corners. Each corner gives a word, consisting of some
bits of its descriptor, its position, rotation and scale. `word_matching` compares pictures by their words.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from benchwright.records import ImageRecord
from benchwright.steps import Context, MapStep, OpenContext, Outcome, Stream

from .local_features import Features, describe, detector, shrunk

if TYPE_CHECKING:
    from PIL import Image


SIDE_PX = 320
_DECODED_AT_LEAST_PX = 192
WORD_CANDIDATES, CORNERS = 500, 128
_KEPT_BITS = (
    94, 214, 236, 169, 81, 69, 141, 108, 115, 10, 204, 151, 200, 135, 216, 51, 172, 137, 112, 100, 203, 188, 104, 149,
    96, 202, 131, 99, 27, 180, 50, 148, 118, 73, 18, 198, 3, 53, 106, 35, 217, 228, 174, 138, 14, 134, 175, 41, 125,
    177, 117, 240, 186, 15, 162, 9, 87, 45, 84,
)  # fmt: skip
"""Bits of the descriptor that compression, resizing, cropping and changed light flip least and that correlate little,
most stable first; chosen on 50 pictures of II-Bench."""
WORD_BITS = len(_KEPT_BITS)
TURNS = 32
"""Number of steps into which a full turn is divided."""

CELL_PX = 8
"""Pixels of the picture, shrunk to `SIDE_PX`, per pixel of its miniature."""
_DTYPE = np.dtype([("bits", "<u8"), ("x", "u1"), ("y", "u1"), ("turn", "u1"), ("octave", "u1")])

Words = NDArray[np.void]
"""Shape (corners,): `bits` of the descriptor, most significant first; position in 256ths of `SIDE_PX`; `turn`;
`octave`."""


Miniature = NDArray[np.uint8]
"""Shape (rows, columns), gray: each pixel stands for `CELL_PX` pixels; at most 40 long."""


def words_of(features: Features) -> Words:
    """Return bits of the descriptor, position, rotation and scale of each corner, in the order of the corners."""
    bits = np.zeros((len(features), 64), np.uint8)
    bits[:, :WORD_BITS] = np.unpackbits(features.descriptors, axis=1)[:, _KEPT_BITS]
    words = np.zeros(len(features), _DTYPE)
    words["bits"] = np.packbits(bits, axis=1).view(">u8").ravel()
    words["x"], words["y"] = (features.points * (256 / SIDE_PX)).astype(np.uint8).T
    words["turn"] = (features.angles_deg / (360 / TURNS)).astype(np.uint8) % TURNS
    words["octave"] = features.octaves
    return words


def encode_words(words: Words) -> str:
    """Return words as text for a table."""
    return base64.b64encode(words.tobytes()).decode("ascii")


def decode_words(text: str) -> Words:
    """Return the words that `encode_words` encoded."""
    return np.frombuffer(base64.b64decode(text), _DTYPE)


def miniature(luma: Image.Image) -> Miniature:
    """Return the miniature of an upright gray picture."""
    import cv2

    grey = shrunk(luma, side_px=SIDE_PX)
    size = (max(1, round(grey.shape[1] / CELL_PX)), max(1, round(grey.shape[0] / CELL_PX)))
    return np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_AREA), np.uint8)


def encode_miniature(grey: Miniature) -> str:
    """Return a miniature as text for a table: the number of columns, then the pixels."""
    return base64.b64encode(bytes([grey.shape[1]]) + grey.tobytes()).decode("ascii")


def decode_miniature(text: str) -> Miniature:
    """Return the miniature that `encode_miniature` encoded."""
    data = np.frombuffer(base64.b64decode(text), np.uint8)
    return data[1:].reshape(-1, int(data[0]))


class FeatureWords(MapStep):
    """Describe every picture by words of its local features, and keep a miniature to check alignments of words."""

    name: ClassVar[str] = "features"
    consumes: ClassVar[Stream] = "images"
    version: ClassVar[int] = 2
    values: ClassVar[Mapping[str, str]] = {"words": "string", "miniature": "string"}

    def open(self, ctx: OpenContext) -> object:
        """Create the detector."""
        del ctx
        return detector(WORD_CANDIDATES)

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Describe one picture. A picture without corners has neither words nor a miniature."""
        luma = ctx.images.luma(record, at_least_px=_DECODED_AT_LEAST_PX)
        words = encoded_words_of(luma, ctx.opened)
        return Outcome(values={"words": words, "miniature": encode_miniature(miniature(luma)) if words else None})


def encoded_words_of(luma: Image.Image, orb: Any) -> str:
    """Return the words of an upright gray picture, encoded as text."""
    return encode_words(words_of(describe(shrunk(luma, side_px=SIDE_PX), orb, most=CORNERS)))
