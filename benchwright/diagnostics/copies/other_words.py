"""Different words on the same template: lines of text in only one of two aligned pictures, found without reading.

Members of a series share background, frame and footer, and their words make up a small share of the blocks. Lines of
words are therefore judged separately: each is compared with its position in the other picture, and a few pixels around
it. In a true copy, whether reduced, compressed, cropped, recolored or blurred, the correlation of a line is .9 or more;
that of another sentence is .2 to .7. A watermark, a caption or a stamp adds lines to one picture only, and hides few of
the other's.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .strokes import INK, SHIFTED_PX, AlignedStrokes, Strokes

_GAP_PX = (15, 3)
"""Width and height of the largest gaps inside one line."""
_LEAST_WIDE_PX, _LEAST_HIGH_PX, _LEAST_PX = 20, 4, 60
_MOST_HIGH = 0.25
"""Largest height of a line, as a share of the picture's: anything higher is a frame, a drawing or a photograph."""
_THERE = 0.7
"""Smallest correlation of a line with its position in the other picture at which the two are the same."""
_OTHER = 0.3
"""Smallest proportion of the area of lines, in each of the two pictures, that the other must lack."""
_LITTLE = 0.15
"""Largest share of a picture that strokes other than words fill if the picture shows little but words."""


class Words(NamedTuple):
    """The lines of words in a picture.

    Args:
        boxes: Left, top, right and bottom of each line, in pixels.
        drawn: Proportion of the picture, 0-1, that other strokes fill: large for a photograph or a drawing, small for a
            frame or the grain of paper.
    """

    boxes: tuple[tuple[int, int, int, int], ...]
    drawn: float


class OtherWords(NamedTuple):
    """The differences between the words of two aligned pictures.

    Args:
        differ: Whether each picture has lines that the other one lacks.
        are_all: Whether the pictures show little but words.
    """

    differ: bool
    are_all: bool


def other_words(strokes: AlignedStrokes) -> OtherWords:
    """Return whether each of two aligned pictures has lines of text that the other one lacks."""
    pair = strokes.fixed, strokes.moving
    words = [_words(of_picture, strokes.inside) for of_picture in pair]
    lacking = [_lacking(own.boxes, *sides) for own, sides in zip(words, (pair, pair[::-1]), strict=True)]
    return OtherWords(min(lacking) >= _OTHER, max(own.drawn for own in words) <= _LITTLE)


def _lacking(boxes: tuple[tuple[int, int, int, int], ...], strokes: Strokes, other: Strokes) -> float:
    """Return the proportion, 0-1, of the area of one picture's lines that the other lacks; 0 if it has no lines."""
    import cv2

    lines, lacking = 0, 0
    for left, top, right, bottom in boxes:
        line = strokes[top:bottom, left:right]
        around = other[max(0, top - SHIFTED_PX) : bottom + SHIFTED_PX, max(0, left - SHIFTED_PX) : right + SHIFTED_PX]
        likeness = float(cv2.matchTemplate(around, line, cv2.TM_CCOEFF_NORMED).max()) if around.std() > 1 else 0.0
        lines += line.size
        lacking += line.size if likeness < _THERE else 0
    return lacking / lines if lines else 0.0


def _words(strokes: Strokes, inside: NDArray[np.bool_]) -> Words:
    import cv2

    ink = np.asarray((np.abs(strokes) > INK) & inside, np.uint8)
    joined = cv2.morphologyEx(ink, cv2.MORPH_CLOSE, cv2.getStructuringElement(cv2.MORPH_RECT, _GAP_PX))
    _, _, parts, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    boxes, drawn = [], 0
    for left, top, width, height, area in parts[1:].tolist():
        is_line = width >= _LEAST_WIDE_PX and _LEAST_HIGH_PX <= height <= _MOST_HIGH * len(strokes)
        if is_line and area >= _LEAST_PX:
            boxes.append((left, top, left + width, top + height))
        else:
            drawn += area
    return Words(tuple(boxes), drawn / strokes.size)
