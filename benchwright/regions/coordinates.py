"""Boxes as models write them: conversion to pixels of the upright picture, and back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

Box = tuple[float, float, float, float]
"""x0, y0, x1, y1 in pixels of the upright picture."""
BoxUnit = Literal["unit", "thousand", "pixels"]
"""Unit of coordinates: fractions of 0-1, thousandths of 0-1000, or pixels of the picture as sent."""

_SLACK = 0.02
"""Proportion of a side by which a box may extend beyond its picture; a box farther out is an error."""
_LEAST_PX = 2.0

_WORDS: dict[BoxUnit, str] = {
    "unit": "fractions of the picture's width and height, from 0 to 1",
    "thousand": "thousandths of the picture's width and height, from 0 to 1000",
    "pixels": "pixels of the picture, which is {width} wide and {height} high",
}


class MisplacedBox(ValueError):
    """Numbers that do not describe a box in the picture.

    Attributes:
        reason: `box_malformed`, `box_outside` or `box_empty`.
    """

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


class BoxConvention(NamedTuple):
    """A model's notation for boxes.

    Args:
        unit: `BoxUnit` of the numbers.
        order: `xyxy`, or `yxyx`, which some models learn in training.
        sent_wh: Size of the picture as sent to the model.
    """

    unit: BoxUnit
    order: Literal["xyxy", "yxyx"]
    sent_wh: tuple[int, int]

    def in_words(self) -> str:
        """Return a description of the convention, for a prompt."""
        names = "[x0, y0, x1, y1]" if self.order == "xyxy" else "[y0, x0, y1, x1]"
        unit = _WORDS[self.unit].format(width=self.sent_wh[0], height=self.sent_wh[1])
        return f"A box is {names}, from its top left to its bottom right corner, in {unit}."

    @property
    def scale(self) -> tuple[float, float]:
        """Return the picture's width and height in the unit that the model uses."""
        if self.unit == "pixels":
            return float(self.sent_wh[0]), float(self.sent_wh[1])
        return (1.0, 1.0) if self.unit == "unit" else (1000.0, 1000.0)

    def to_pixels(self, numbers: Sequence[float], size_wh: tuple[int, int]) -> Box:
        """Return a box in pixels of the upright picture, clipped to it.

        Raises:
            MisplacedBox: The numbers are malformed, out of range or reversed, or describe an empty box.
        """
        if len(numbers) != 4 or not all(math.isfinite(number) for number in numbers):
            raise MisplacedBox("box_malformed", f"{list(numbers)} is not four numbers")
        first, second, third, fourth = numbers
        x0, y0, x1, y1 = (first, second, third, fourth) if self.order == "xyxy" else (second, first, fourth, third)
        across, down = self.scale
        u0, v0, u1, v1 = x0 / across, y0 / down, x1 / across, y1 / down
        if min(u0, v0) < -_SLACK or max(u1, v1) > 1 + _SLACK:
            raise MisplacedBox("box_outside", f"{list(numbers)} lies outside the picture")
        width, height = size_wh
        left, right = (min(max(u, 0.0), 1.0) * width for u in (u0, u1))
        top, bottom = (min(max(v, 0.0), 1.0) * height for v in (v0, v1))
        if right - left < _LEAST_PX or bottom - top < _LEAST_PX:
            raise MisplacedBox("box_empty", f"{list(numbers)} encloses nothing")
        return round(left, 2), round(top, 2), round(right, 2), round(bottom, 2)

    def of_pixels(self, box: Box, size_wh: tuple[int, int]) -> list[float]:
        """Return a box of the upright picture in the model's notation."""
        across, down = self.scale
        digits = 3 if self.unit == "unit" else 0
        x0, x1 = (round(x / size_wh[0] * across, digits) for x in (box[0], box[2]))
        y0, y1 = (round(y / size_wh[1] * down, digits) for y in (box[1], box[3]))
        return [x0, y0, x1, y1] if self.order == "xyxy" else [y0, x0, y1, x1]
