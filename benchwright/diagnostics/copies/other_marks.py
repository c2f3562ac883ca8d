"""Other marks on two aligned pictures: the pips of a domino, a land of a map that is filled, a chess piece, a name.

What cards of a series share fills most of them, so that no share of blocks tells them apart. What tells them apart is
how they differ. A copy differs on one side: a watermark adds marks to it, compression or a blur takes from it, and what
is covered still shows through. Two cards of a series differ as follows:

| rule | example |
|---|---|
| each has marks where the other has bare ground | a moved piece, another land filled, a switch on instead of off |
| one has a mark more, and the other has the same mark elsewhere | one more pip; nobody stamps that on a copy |
| one place has a mark in both, and nothing of the one is in the other | another number, name or sentence |

All is measured after light and contrast are equalled, and beyond what a shift of a few pixels explains.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .strokes import RULE_PX, AlignedStrokes

_Grey = NDArray[np.float32]
_Mask = NDArray[np.bool_]

_SHIFTED_PX = 3
"""Distance by which a copy's marks may lie off, in pictures that are 448 px long."""
_SOFTENED_PX = 0.8
_STRONG, _STRONG_LEVELS = 0.2, 12.0
"""Grey levels from which a difference counts: as a share of the picture's range, and at least."""
_AROUND_PX = 4, 7
"""Inner and outer distance from a mark of the ground that it is compared with."""
_FLAT_PX, _FLAT_LEVELS, _FLAT = 5, 6.0, 0.5
"""Width of a window, the grey levels within which it is flat, and the share of flat ones, in both of two pictures, from
which they are graphics rather than photographs."""

_FAINT = 0.5
"""Share of the levels from which a difference counts that the rest of a mark needs, whose core reaches them."""
_BARE = 0.3
"""Largest contrast of a place with its ground, as a share of the mark's in the other picture, where a mark is missing:
of a blurred or covered one more stays."""
_LEAST_OWN_PX, _LEAST_PIECE_PX = 30, 10
"""Least area of the marks that each picture has for itself, and of each of them."""
_EVEN = 0.1
"""Least area of one picture's own marks as a share of the other's: a watermark hides far less than it adds."""
_AWAY, _AWAY_THICK = 0.02, 0.2
"""Largest share of what is around a thin and a thick mark that is no ground, for the mark to be a whole one: a pip or a
stone on a grid, not a bit of a line that a watermark hides, which is found elsewhere on every grid."""
_LEAST_REPEATED_PX, _MOST_REPEATED = 60, 0.25
"""Least area of a mark that is looked for elsewhere, and its largest width and height as shares of the picture's."""
_SAME, _SAME_SPREAD = 0.98, 0.5
"""Least correlation with a mark elsewhere for the two to be the same, and least spread of that one's levels as a share
of the mark's: where most is ground, light and contrast cannot be equalled to the level."""

_LINE_GAPS_PX = 15, 3
"""Width and height of gaps that do not part what belongs to one line of words."""
_LEAST_REPLACED_PX, _LEAST_SIDE_PX, _LEAST_FILLED, _MOST_REPLACED = 40, 4, 0.4, 60
"""Least area and height of a place that may show another mark, the share of its box that it fills, which a watermark
across the picture does not, and how many places, the largest ones, are compared."""
_THICK_PX = 5
"""Width from which a mark, or a long straight difference, is no line of a grid that is hidden or lies a little off."""
_STAYS = 0.74
"""Least part of a mark that is in the other picture, where the mark is the same: .9 and more, and .3 to .7 else."""
_AS_STRONG = 0.25
"""Least variance of one mark as a share of the other's: a watermark over faint words is far stronger than they are."""


class _AlignedPair(NamedTuple):
    """Two aligned pictures of equal light and contrast, and the grey levels from which a difference counts."""

    fixed: _Grey
    moving: _Grey
    inside: _Mask
    least: float


class _Piece(NamedTuple):
    """A connected piece of a mask: its box and area in pixels, and its number in the mask's labels."""

    left: int
    top: int
    width: int
    height: int
    area: int
    number: int

    def window(self, margin: int) -> tuple[slice, slice]:
        """Return the rows and columns of the box with a margin around it."""
        return (
            slice(max(0, self.top - margin), self.top + self.height + margin),
            slice(max(0, self.left - margin), self.left + self.width + margin),
        )


class _OwnMark(NamedTuple):
    """A mark where the other picture has bare ground.

    Args:
        piece: Its place.
        is_fixed: Whether the fixed picture shows it.
        is_whole: Whether there is bare ground around it, so that it is no bit of a line or of a shape.
    """

    piece: _Piece
    is_fixed: bool
    is_whole: bool


def has_other_marks(strokes: AlignedStrokes) -> bool:
    """Return whether two aligned pictures differ as cards of a series do, by one of this module's rules."""
    if not strokes.inside.any():
        return False
    fixed = _softened(strokes.fixed_grey)
    moving = _relit(_softened(strokes.moving_grey), fixed, strokes.inside)
    darkest, lightest = np.percentile(fixed[strokes.inside], (1, 99))
    least = max(_STRONG_LEVELS, _STRONG * float(lightest - darkest))
    pair = _AlignedPair(fixed, moving, strokes.inside, least)
    if not ((np.abs(fixed - moving) > pair.least) & pair.inside).any():
        return False  # as in most copies
    own = list(_own_marks(pair))
    return _exchange(own) or any(_is_repeated(mark, pair) for mark in own) or _replace(pair)


def are_graphics(strokes: AlignedStrokes) -> bool:
    """Return whether two aligned pictures are graphics by their flat ground: cards, charts, comics, maps."""
    if not strokes.inside.any():
        return False
    flat = _is_flat(strokes.fixed_grey) & _is_flat(strokes.moving_grey)
    return float(flat[strokes.inside].mean()) >= _FLAT


def _is_flat(grey: NDArray[np.uint8]) -> _Mask:
    import cv2

    soft, near = _softened(grey), np.ones((_FLAT_PX, _FLAT_PX), np.uint8)
    return np.asarray(cv2.dilate(soft, near) - cv2.erode(soft, near) <= _FLAT_LEVELS, np.bool_)


def _softened(grey: NDArray[np.uint8]) -> _Grey:
    import cv2

    return np.asarray(cv2.GaussianBlur(np.asarray(grey, np.float32), (0, 0), _SOFTENED_PX), np.float32)


def _relit(moving: _Grey, fixed: _Grey, inside: _Mask) -> _Grey:
    """Give one picture the light and contrast of the other, as fitted where the two agree."""
    ours, wanted = moving[inside], fixed[inside]
    gain = float(np.clip(wanted.std() / max(float(ours.std()), 1.0), 1 / 3, 3.0))
    offset = float(wanted.mean() - gain * ours.mean())
    for _ in range(3):
        apart = np.abs(gain * ours + offset - wanted)
        agree = apart <= max(3 * float(np.median(apart)), 6.0)
        some, target = ours[agree], wanted[agree]
        if some.size < 100 or some.std() < 2:
            break
        slope = float(np.mean((some - some.mean()) * (target - target.mean())) / some.var())
        if not 1 / 3 <= slope <= 3:
            break
        gain, offset = slope, float(target.mean() - slope * some.mean())
    return np.asarray(moving * np.float32(gain) + np.float32(offset), np.float32)


def _pieces(mask: _Mask, gaps_px: tuple[int, int]) -> tuple[list[_Piece], NDArray[np.int32]]:
    """Return the connected pieces of a mask whose small gaps are closed, and for each pixel the number of its piece."""
    import cv2

    joined = cv2.morphologyEx(
        mask.astype(np.uint8), cv2.MORPH_CLOSE, cv2.getStructuringElement(cv2.MORPH_RECT, gaps_px)
    )
    _, labels, pieces, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    boxes = [
        _Piece(left, top, width, height, area, number)
        for number, (left, top, width, height, area) in enumerate(pieces.tolist())
    ]
    return boxes[1:], np.asarray(labels, np.int32)  # the first is what the mask leaves out


def _unexplained(grey: _Grey, other: _Grey) -> _Grey:
    """Return the grey levels by which each pixel lies beyond all near ones of the other picture."""
    import cv2

    near = np.ones((2 * _SHIFTED_PX + 1, 2 * _SHIFTED_PX + 1), np.uint8)
    beyond = np.maximum(grey - cv2.dilate(other, near), cv2.erode(other, near) - grey)
    return np.asarray(np.maximum(beyond, 0), np.float32)


def _own_marks(pair: _AlignedPair) -> Iterator[_OwnMark]:
    """Yield the marks that one picture shows where the other has bare ground.

    What is darker in one picture and what is darker in the other are looked at apart: the hands of two clocks meet at
    the pivot, and as one piece would have bare ground in neither.
    """
    import cv2

    beyond = np.maximum(_unexplained(pair.fixed, pair.moving), _unexplained(pair.moving, pair.fixed))
    inner, outer = (np.ones((2 * px + 1, 2 * px + 1), np.uint8) for px in _AROUND_PX)
    for darker in (pair.fixed < pair.moving, pair.fixed > pair.moving):
        signed = np.where(pair.inside & darker, beyond, 0)
        pieces, labels = _pieces(signed > _FAINT * pair.least, (5, 5))
        strong = np.unique(labels[signed > pair.least])
        for piece in pieces:
            if piece.area < _LEAST_PIECE_PX or piece.number not in strong:
                continue
            window = piece.window(_AROUND_PX[1] + 1)
            mark = (labels[window] == piece.number).astype(np.uint8)
            ground = (cv2.dilate(mark, outer) > cv2.dilate(mark, inner)) & pair.inside[window]
            if not ground.any():
                continue
            levels = [(grey[window][mark > 0], grey[window][ground]) for grey in (pair.fixed, pair.moving)]
            in_fixed, in_moving = (
                float(np.sqrt(np.mean((shown - np.median(around)) ** 2))) for shown, around in levels
            )
            if min(in_fixed, in_moving) > _BARE * max(in_fixed, in_moving):
                continue
            around = levels[0 if in_fixed > in_moving else 1][1]
            away = float((np.abs(around - np.median(around)) > pair.least).mean())
            is_thick = cv2.erode(mark, np.ones((_THICK_PX, _THICK_PX), np.uint8), borderValue=0).any()
            yield _OwnMark(piece, in_fixed > in_moving, away <= (_AWAY_THICK if is_thick else _AWAY))


def _exchange(own: Sequence[_OwnMark]) -> bool:
    """Return whether each picture has marks of its own."""
    less, more = sorted(sum(mark.piece.area for mark in own if mark.is_fixed is side) for side in (True, False))
    return less >= max(_LEAST_OWN_PX, _EVEN * more)


def _is_repeated(mark: _OwnMark, pair: _AlignedPair) -> bool:
    """Return whether the picture that lacks a mark shows the same one at another place."""
    import cv2

    piece, (height, width) = mark.piece, pair.fixed.shape
    if (
        not mark.is_whole
        or piece.area < _LEAST_REPEATED_PX
        or max(piece.width / width, piece.height / height) > _MOST_REPEATED
    ):
        return False
    own, other = (pair.fixed, pair.moving) if mark.is_fixed else (pair.moving, pair.fixed)
    shown = own[piece.window(_AROUND_PX[0])]
    likeness = cv2.matchTemplate(other, shown, cv2.TM_CCOEFF_NORMED)
    _, most, _, (left, top) = cv2.minMaxLoc(np.nan_to_num(likeness, posinf=0.0, neginf=0.0))
    elsewhere = other[top : top + shown.shape[0], left : left + shown.shape[1]]
    return bool(most >= _SAME and elsewhere.std() >= _SAME_SPREAD * shown.std())


def _replace(pair: _AlignedPair) -> bool:
    """Return whether at one place both pictures show a mark, and nothing of the one is in the other."""
    apart = (np.abs(pair.fixed - pair.moving) > pair.least) & pair.inside
    pieces, _ = _pieces(apart & ~_thin_rules(apart), _LINE_GAPS_PX)
    places = [
        piece
        for piece in pieces
        if piece.area >= max(_LEAST_REPLACED_PX, _LEAST_FILLED * piece.width * piece.height)
        and min(piece.width, piece.height) >= _LEAST_SIDE_PX
    ]
    return any(_is_replaced(piece, pair) for piece in sorted(places, key=lambda p: -p.area)[:_MOST_REPLACED])


def _thin_rules(apart: _Mask) -> _Mask:
    """Return the long thin lines of a mask: of a grid or a frame that lies a little off, and would join all marks."""
    import cv2

    mask = apart.astype(np.uint8)
    thick = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((_THICK_PX, _THICK_PX), np.uint8))
    long = np.zeros_like(mask)
    for line in (np.ones((1, RULE_PX), np.uint8), np.ones((RULE_PX, 1), np.uint8)):
        long |= np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, line), np.uint8)
    return np.asarray((long > 0) & (thick == 0), np.bool_)


def _is_replaced(piece: _Piece, pair: _AlignedPair) -> bool:
    import cv2

    window = piece.window(2)
    fixed, moving = pair.fixed[window], pair.moving[window]
    weaker, stronger = sorted((float(fixed.var()), float(moving.var())))
    if weaker < max((pair.least / 2) ** 2, _AS_STRONG * stronger):
        return False
    nearby = pair.moving[piece.window(2 + _SHIFTED_PX)]
    together = float(cv2.matchTemplate(nearby, fixed - fixed.mean(), cv2.TM_CCORR).max()) / fixed.size
    return together < _STAYS * weaker
