"""What finds and reads text: the shape that every backend has.

A backend only looks. Which of its proposals count is decided in `text_regions`, by the same rules for all, so records
of two backends differ by what was seen and by nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
"""(height, width, 3), 8 bits a channel; blue first where it says BGR."""

STRIDE = 32
"""Detectors want sides that are multiples of this."""


class TextProposal(NamedTuple):
    """A place where a detector sees text.

    Args:
        corners: (corners, 2), x and y in pixels of the picture that was looked at.
        confidence: Of the detector, 0 to 1.
    """

    corners: NDArray[np.float32]
    confidence: float


class TextReading(NamedTuple):
    """What a reader makes of a line of text; confidence 0 to 1."""

    text: str
    legibility: float


class TextEngine(Protocol):
    """A detector and a reader; not for several threads at once."""

    @property
    def name(self) -> str:
        """Return what looks, as records name it."""

    def detect(self, shown: Pixels) -> list[TextProposal]:
        """Return what is proposed in a BGR picture whose sides are multiples of `STRIDE`."""

    def read(self, lines: Sequence[Pixels]) -> list[TextReading]:
        """Return one reading for each BGR picture of a line of text, in order."""
