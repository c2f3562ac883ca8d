"""The interface of OCR engines: a detector that finds text and a reader that reads it.

An engine only proposes text. The module `regions` decides which proposals count, by the same rules for all engines, so
the records of two engines differ only in the text that they detect and read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
"""Shape (height, width, 3), 8 bits per channel; blue first where BGR is stated."""

STRIDE = 32
"""Number of pixels of which the sides of a detector's pictures must be multiples."""


class TextProposal(NamedTuple):
    """A place where a detector finds text.

    Args:
        corners: Shape (corners, 2), x and y in pixels of the detector's picture.
        confidence: Confidence of the detector, 0-1.
    """

    corners: NDArray[np.float32]
    confidence: float


class TextReading(NamedTuple):
    """The reading of a line of text, and the reader's confidence, 0-1."""

    text: str
    legibility: float


class TextEngine(Protocol):
    """A detector and a reader; an instance must not be shared between threads."""

    @property
    def name(self) -> str:
        """Return the engine's name, as given in records."""

    def detect(self, shown: Pixels) -> list[TextProposal]:
        """Return the proposals for a BGR picture whose sides are multiples of `STRIDE`."""

    def read(self, lines: Sequence[Pixels]) -> list[TextReading]:
        """Return one reading for each BGR picture of a line of text, in order."""


CONFIDENCE = 0.3
"""Smallest confidence of the detector, 0-1, at which a box is considered."""


class RegionRules(NamedTuple):
    """The rules that decide which proposals are accepted.

    Args:
        sure: Confidence, 0-1, below which a box is read, and counts only if it is legible.
        giant_box: Proportion of the picture, 0-1, above which a box is also read.
        legible: Smallest confidence of the reader, 0-1, for a reading to count.
        side_px: Longer side, in pixels, to which pictures are reduced for the detector.
    """

    sure: float = 0.6
    giant_box: float = 0.05
    legible: float = 0.7
    side_px: int = 736
