"""Masks that need no model: the box itself, and GrabCut from box and points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...cutting_out import ITERATIONS, Mask, find_mask
from .asking import Asked, Pixels, rectangle


class Rectangle:
    """The box itself, as MVP-Bench blanks an object (section 2.1)."""

    made_with: Mapping[str, Any] = {"by": "rectangle"}

    def masks(self, pixels: Pixels, asked: Sequence[Asked]) -> list[Mask]:
        """Return all pixels that each box touches."""
        return [rectangle(one.hints.box, pixels.shape) for one in asked]


class GrabCut:
    """GrabCut; far better with a few points than from the box alone."""

    made_with: Mapping[str, Any] = {"by": "grabcut", "iterations": ITERATIONS}

    def masks(self, pixels: Pixels, asked: Sequence[Asked]) -> list[Mask]:
        """Return the largest part that the colours of each box's inside make up."""
        return [find_mask(pixels, one.hints, seed=one.seed % 2**31) for one in asked]
