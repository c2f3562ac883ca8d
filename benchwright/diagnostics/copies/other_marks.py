"""Marks that only one of two aligned drawings shows at a location: a hand, a column, a dot, a name.

Members of a series (clocks, charts, boards, forms drawn from one template) share most of their content, so the share of
equal blocks cannot separate them. A copy that was rescaled, compressed, recolored or blurred differs by the noise of
that change along all edges alike. Another member differs by far more in a few coherent places. Everything that the
changes of a copy explain is therefore subtracted first: light and contrast, an alignment error, the sharpness of each
picture, and a shift by one pixel. The remainder is compared with the remainder along the edges, which most members of a
series also share:

| scale | detects |
|---|---|
| as drawn | strokes: a digit, a thin hand, a line |
| smoothed | faint areas; the noise of compression and of edges, with either sign, cancels out |

A place that stands out makes two drawings different, except for an evident overlay on one of them: it appears in only
one of the two, hides little that the other shows there, and is a line of letters, is translucent, or lies along a side.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .registration import Affine, refine
from .strokes import SHIFTED_PX, AlignedStrokes, aligned_strokes

_Grey = NDArray[np.float32]
_Mask = NDArray[np.bool_]

_SOFTENED_PX = 0.8
_SHARPNESS_PX = 0.7, 1.0, 1.5, 2.0, 3.0
"""Standard deviations of the blurs that may be required to make the sharper of two pictures as soft as the other."""
_OUTLIER_LEVELS = 24.0
"""Gray levels above which a difference is content and is ignored when an alignment or a blur is judged."""
_SHIFTED_PX = 1
_FLAT_PX, _FLAT_LEVELS, _FLAT = 5, 6.0, 0.5
"""Width of a window, the gray levels within which it is flat, and the share of windows, flat in both pictures, from
which the pictures are graphics rather than photographs."""
_LEAST_RANGE = 30.0
_EDGE = 0.15
"""Proportion of a picture's range of gray levels by which neighbors differ at an edge."""
_NOISE_PERCENTILE, _NOISE_TIMES = 75, 4.0
"""Percentile of the remainder along edges, and the multiple of it that a mark must exceed."""
_SMOOTHED_PX = 3.0
_STROKES, _STROKES_PX = 0.25, 25
"""Share of the gray-level range by which a mark stands out as drawn, and its smallest area, in pictures that are 448 px
long."""
_AREAS, _AREAS_PX = 0.12, 100
"""As `_STROKES` and `_STROKES_PX`, for the smoothed remainder."""
_NEAR_PX = 13
"""Distance within which differences belong together, such as those of the letters in a line."""
_REST = 0.08
"""Proportion of the range above which pixels near a place that stands out belong to it."""
_HIDDEN = 0.3
"""Largest share of the other picture's content at that location, and of an overlay's own content, that the overlay
hides."""
_SHOWN, _STAYS = 0.2, 0.2
"""Share of the range by which ink differs from its background, and share of that difference that shows through an
overlay."""
_GROUND_PX = 8.0
"""Standard deviation of the blur that estimates the background of a mark."""
_LETTERS, _LETTER_PX, _LONG = 5, 5, 2.5
"""Smallest number of letters, their smallest area, and the length-to-height ratio of a line of them."""
_LINE_HIGH = 0.15
"""Largest height of such a line, as a share of the picture's longer side."""
_LETTERS_VARY = 0.15
"""Smallest standard deviation of the areas of letters, as a share of their mean: counters and pips are all alike."""
_THROUGH = 0.8
"""Smallest correlation between the content that shows through and the content shown."""
_BORDER = 0.12
"""Two aligned pictures with equal light and sharpness, in shares of their range of gray levels, and the overlap."""


class _Aligned(NamedTuple):
    """Two aligned pictures of equal light and sharpness, in shares of their range of gray levels, and their overlap."""

    fixed: _Grey
    moving: _Grey
    inside: _Mask


def has_other_marks(fixed: NDArray[np.uint8], moving: NDArray[np.uint8], affine: Affine) -> bool:
    """Return whether two drawings differ anywhere by more than a copy does.

    Args:
        fixed: Gray levels, shape (height, width).
        moving: Gray levels, shape (height, width).
        affine: Maps points of `moving` to `fixed`.
    """
    pair = _equalled(fixed, moving, affine)
    if pair is None:
        return False
    left = _unexplained(pair)
    places = _places(pair, left)
    if not places.any():
        return False  # as in most copies
    sides = set()
    for place in _things(places, np.abs(left) > _REST):
        side = _laid_over(place, pair)
        if side is None:
            return True
        sides.add(side)
    return len(sides) > 1


def are_graphics(strokes: AlignedStrokes) -> bool:
    """Return whether the flat ground of two aligned pictures marks them as graphics: cards, charts, comics, maps."""
    if not strokes.inside.any():
        return False
    flat = _is_flat(strokes.fixed_grey) & _is_flat(strokes.moving_grey)
    return float(flat[strokes.inside].mean()) >= _FLAT


def _is_flat(grey: NDArray[np.uint8]) -> _Mask:
    return np.asarray(_contrast(_softened(grey, _SOFTENED_PX), _FLAT_PX) <= _FLAT_LEVELS, np.bool_)


def _contrast(grey: _Grey, side_px: int) -> _Grey:
    import cv2

    near = np.ones((side_px, side_px), np.uint8)
    return np.asarray(cv2.dilate(grey, near) - cv2.erode(grey, near), np.float32)


def _softened(grey: NDArray[np.uint8] | _Grey, width_px: float) -> _Grey:
    import cv2

    return np.asarray(cv2.GaussianBlur(np.asarray(grey, np.float32), (0, 0), width_px), np.float32)


def _equalled(fixed: NDArray[np.uint8], moving: NDArray[np.uint8], affine: Affine) -> _Aligned | None:
    """Return two pictures with the differences that copying causes removed; None if they do not overlap."""
    refined = refine(fixed, moving, affine)
    laid = []
    for transform in (affine, refined):
        strokes = None if transform is None else aligned_strokes(fixed, moving, transform)
        if strokes is not None and _without_rim(strokes.inside).any():
            ours = _softened(strokes.fixed_grey, _SOFTENED_PX)
            theirs = _relit(_softened(strokes.moving_grey, _SOFTENED_PX), ours, strokes.inside)
            laid.append(_Aligned(ours, theirs, _without_rim(strokes.inside)))
    if not laid:
        return None
    best = min(laid, key=_apart)
    softer = [best._replace(fixed=_softened(best.fixed, px)) for px in _SHARPNESS_PX]
    softer += [best._replace(moving=_softened(best.moving, px)) for px in _SHARPNESS_PX]
    best = min((best, *softer), key=_apart)
    darkest, lightest = np.percentile(best.fixed[best.inside], (1, 99))
    span = np.float32(max(float(lightest - darkest), _LEAST_RANGE))
    return _Aligned(best.fixed / span, best.moving / span, best.inside)


def _without_rim(inside: _Mask) -> _Mask:
    """Exclude the rim of the fixed picture, where the frame of a slightly misaligned moving picture shows."""
    rimless = np.zeros_like(inside)
    rimless[SHIFTED_PX:-SHIFTED_PX, SHIFTED_PX:-SHIFTED_PX] = inside[SHIFTED_PX:-SHIFTED_PX, SHIFTED_PX:-SHIFTED_PX]
    return rimless


def _apart(pair: _Aligned) -> float:
    return float(np.minimum(np.abs(pair.fixed - pair.moving), _OUTLIER_LEVELS)[pair.inside].mean())


def _relit(moving: _Grey, fixed: _Grey, inside: _Mask) -> _Grey:
    """Give one picture the light and contrast of the other, fitted where both agree."""
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


def _unexplained(pair: _Aligned) -> _Grey:
    """Return how far each pixel lies beyond all nearby pixels of the other picture; negative where the first is darker.

    Each pixel has the larger of the two differences: that of the first picture from the second, and the reverse.
    """
    import cv2

    near = np.ones((2 * _SHIFTED_PX + 1, 2 * _SHIFTED_PX + 1), np.uint8)
    beyond = [
        np.maximum(grey - cv2.dilate(other, near), cv2.erode(other, near) - grey)
        for grey, other in ((pair.fixed, pair.moving), (pair.moving, pair.fixed))
    ]
    size = np.where(pair.inside, np.maximum(np.maximum(*beyond), 0), 0)
    return np.asarray(np.where(pair.fixed < pair.moving, -size, size), np.float32)


def _places(pair: _Aligned, left: _Grey) -> _Mask:
    """Return where two pictures differ coherently, by more than along the edges that they share."""
    edges = (_contrast(pair.fixed, 3) > _EDGE) & pair.inside
    places = np.zeros(left.shape, np.bool_)
    for levels, least, area_px in ((left, _STROKES, _STROKES_PX), (_softened(left, _SMOOTHED_PX), _AREAS, _AREAS_PX)):
        size = np.abs(levels)
        noise = float(np.percentile(size[edges], _NOISE_PERCENTILE)) if edges.any() else 0.0
        labels, areas = _pieces((size > max(least, _NOISE_TIMES * noise)) & pair.inside)
        places |= (areas >= area_px)[labels]
    return places


def _pieces(mask: _Mask) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the index of each pixel's connected piece, 0 outside, and the areas of the pieces, the outside first."""
    import cv2

    _, labels, pieces, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)
    pieces[0, cv2.CC_STAT_AREA] = 0
    return np.asarray(labels, np.int32), np.asarray(pieces[:, cv2.CC_STAT_AREA], np.int32)


def _things(places: _Mask, rest: _Mask) -> Iterator[_Mask]:
    """Yield the marks that stand out, each with the differences near it."""
    import cv2

    differs = places | rest
    joined = cv2.dilate(differs.astype(np.uint8), np.ones((_NEAR_PX, _NEAR_PX), np.uint8))
    labels, _ = _pieces(np.asarray(joined > 0, np.bool_))
    for number in np.unique(labels[places]):
        yield (labels == number) & differs


def _laid_over(thing: _Mask, pair: _Aligned) -> bool | None:
    """Return which picture has an overlay where both differ: True for fixed, False for moving, None for neither.

    Args:
        thing: Where the two differ.
        pair: The two pictures.
    """
    inks = [grey - _ground(grey, thing) for grey in (pair.fixed, pair.moving)]
    shown = [thing & (np.abs(ink) > _SHOWN) for ink in inks]
    hidden_of_fixed, hidden_of_moving = (
        int((here & (other * np.sign(ink) < _STAYS * np.abs(ink))).sum())
        for here, ink, other in zip(shown, inks, inks[::-1], strict=True)
    )
    less, more = sorted((hidden_of_fixed, hidden_of_moving))
    of_less = int(shown[0 if hidden_of_fixed < hidden_of_moving else 1].sum())
    if less > _HIDDEN * more or less > max(_STROKES_PX / 2, _HIDDEN * of_less):  # long words hide most of short ones
        return None
    is_over = _is_line_of_letters(thing, pair) or _shows_through(thing, pair) or _at_border(thing)
    return hidden_of_fixed > hidden_of_moving if is_over else None


def _ground(grey: _Grey, thing: _Mask) -> _Grey:
    """Return the gray levels around a mark, interpolated over it."""
    import cv2

    around = np.asarray(cv2.erode((~thing).astype(np.float32), np.ones((3, 3), np.uint8)), np.float32)
    level = float(np.median(grey))
    near = _softened(around, _GROUND_PX) + np.float32(1e-4)
    return np.asarray(level + _softened(np.asarray((grey - level) * around, np.float32), _GROUND_PX) / near, np.float32)


def _is_line_of_letters(thing: _Mask, pair: _Aligned) -> bool:
    import cv2

    size = np.where(thing, np.abs(pair.fixed - pair.moving), 0)
    _, every = _pieces(size > max(_REST, float(np.percentile(size[thing], 95)) / 2))  # shadows join letters
    areas = every[every >= _LETTER_PX]
    if len(areas) < _LETTERS or np.std(areas) < _LETTERS_VARY * np.mean(areas):
        return False
    _, sides, _ = cv2.minAreaRect(np.argwhere(thing)[:, ::-1].astype(np.float32))
    return max(sides) >= _LONG * min(sides) and min(sides) <= _LINE_HIGH * max(thing.shape)


def _shows_through(thing: _Mask, pair: _Aligned) -> bool:
    """Return whether each picture shows the other's content at the mark, but more faintly."""
    ours, theirs = ((grey - _softened(grey, _SMOOTHED_PX))[thing] for grey in (pair.fixed, pair.moving))
    least = min(float(ours.std()), float(theirs.std()))
    return least > _REST / 2 and float(np.corrcoef(ours, theirs)[0, 1]) >= _THROUGH


def _at_border(thing: _Mask) -> bool:
    """Return whether the entire difference is along one side of the picture."""
    for across, size in ((thing.any(axis=1), thing.shape[0]), (thing.any(axis=0), thing.shape[1])):
        filled = np.flatnonzero(across)
        if min(filled[-1], size - 1 - filled[0]) <= _BORDER * size:
            return True
    return False
