"""Another color for a part, such as a garment or a car, in which its light, its shade and its texture stay.

The part's own hue is turned in Oklab (Ottosson 2020, bottosson.github.io/posts/oklab), where light and dark pixels of
one hue look like one color. Every pixel within the outline turns, shadows and highlights by as much as they have of the
hue; only regions of a clearly different hue, such as a hand in front of a coat, keep theirs. Along the rim, only the
part's share of each pixel changes: its share of the chroma if both sides differ in it, else its opacity (`matting`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchwright.diagnostics.pictures.part_colors import FROM_CONES, FROM_LAB, LEAST_CHROMA, in_any_light, means, oklab
from benchwright.facts import Color

from ...item_parts.cutting_out import Mask
from ...item_parts.matting import LEAST_BAND, matted
from ..masks.base import Pixels
from .two_sides import sides
from .windows import Alpha

SAME_COLOR, NO_COLOR = "same_color", "no_color"


class _Tone(NamedTuple):
    """A color in Oklab: lightness 0-1, chroma 0-0.4, and hue in degrees."""

    lightness: float
    chroma: float
    hue: float


_TONES: Mapping[Color, _Tone] = {
    "red": _Tone(0.55, 0.19, 27),
    "orange": _Tone(0.7, 0.16, 55),
    "yellow": _Tone(0.84, 0.16, 96),
    "green": _Tone(0.54, 0.13, 146),
    "blue": _Tone(0.5, 0.15, 258),
    "purple": _Tone(0.5, 0.16, 304),
    "pink": _Tone(0.73, 0.14, 358),
}
_LEAST_SHARE = 0.4
"""Share of a part that must have its hue; below it the part has no single color."""
_SAME_HUE = 28.0
"""Distance in hue, in degrees, up to which a pixel votes for the part's hue."""
_FOREIGN, _OPPOSITE, _DOUBTFUL = (60.0, 0.04), (100.0, 0.015), (35.0, 0.015)
"""Distances in hue, in degrees, and chromas from which a pixel certainly is no part's (two rules), and from which it is
none where it touches such a pixel; folds and shades stray in hue but touch none.
"""
_LEAST_TURN = 35.0
"""Smallest difference between the old hue and the new one, in degrees, that people call by two names."""
_LIGHTER, _RICHER = (0.7, 1.3), (0.5, 1.1)
"""Bounds of the factors on lightness and chroma."""
_PALER, _TINY = 8, 2e-3
_REACH = 3.0
"""Widths of the rim by which an outline follows the part's color outward."""
_ALIKE, _AS_LIGHT = 0.35, 0.15
"""Distances from the color beside it, as a share of its chroma and in lightness, up to which a pixel continues it."""
_BLEEDING_PX, _NEAR = 2.0, 4.0
"""Pixels beyond the rim into which stored chroma runs; widths of the rim over which colors of both sides are averaged.
"""
_APART, _ASTRAY = 0.05, 0.3
"""Distance in chroma from which both sides can be told apart; distance of a mix from the line between them, as a share
of that line, from which it is none.
"""
_NEARER, _MATCH = 0.4, 0.02
"""A pixel is a neighbor's if it is nearer to a color outside than to any inside by this factor, and at most this far
from it.
"""
_LEAST, _MOST = 0.1, 0.9
"""Shares of a mix below and beyond which a pixel belongs to one side."""


def recolored(picture: Pixels, mask: Mask, color: Color, *, band: float) -> tuple[Pixels, Alpha] | str:
    """Return a picture with a part in another color and the opacity of the change, or why the part cannot have it.

    Args:
        picture: (height, width, 3) RGB.
        mask: The part, not empty.
        color: Its new color.
        band: Half-width of its soft rim, in pixels.

    Returns:
        Pixels and opacity, or `no_color` if no hue covers the part, `same_color` if it has the new color already.
    """
    lab = oklab(picture)
    hue, chroma, lightness = _own_tone(lab[mask])
    if hue is None:
        return NO_COLOR
    tone = _TONES[color]
    turn = (tone.hue - hue + 180) % 360 - 180
    if abs(turn) < _LEAST_TURN:
        return SAME_COLOR
    theirs = _neighbors(lab, mask, band)
    whole = _following(lab, mask, round(_REACH * band)) & (mask | (theirs < _LEAST))
    matte = matted(picture, whole, band=band)
    colors = _Tone(lightness, chroma, hue), tone, float(np.deg2rad(turn))
    share = matte.alpha * (1 - _foreign(lab, hue, max(1.0, band / 2)))
    own = oklab(matte.pixels)
    bled = _bled(lab, share, band)
    share = np.where(bled.known, bled.share, share) * (1 - theirs)
    own[..., 1:] = np.where(bled.known[..., None], bled.own, own[..., 1:])
    new = lab + share[..., None] * (_turned(own, *colors) - own)
    after = np.clip(np.rint(picture + _rgb(new) - _rgb(lab)), 0, 255).astype(np.uint8)
    after[share <= 0] = picture[share <= 0]
    visible = np.asarray((after != picture).any(axis=2), np.bool_)
    return after, np.asarray(np.where(visible, np.maximum(share, 1e-3), 0), np.float32)


def neighbors_inside(picture: Pixels, mask: Mask, *, band: float) -> float:
    """Return the share of a part's outline, 0-1, that holds a neighbor's color, such as a strip of skin along its rim.

    Args:
        picture: (height, width, 3) RGB.
        mask: The part, not empty.
        band: Half-width of its soft rim, in pixels.
    """
    import cv2

    if band < LEAST_BAND:
        return 0.0
    lab = oklab(picture)
    inward, outward = (cv2.distanceTransform(side.astype(np.uint8), cv2.DIST_L2, 5) for side in (mask, ~mask))
    own, known = means(lab, mask, round(2 * _NEAR * band))
    alike = known & in_any_light(lab, own)
    reach = 2 * _REACH * band
    judged = mask & ~alike & (inward > _BLEEDING_PX) & (inward <= reach)
    found = sides(lab, judged, mask & alike, ~mask & ~alike & (outward > _BLEEDING_PX), band=2 * band)
    theirs = judged & (found.to_outside < _NEARER * found.to_inside) & (found.to_outside < _MATCH)
    whole = cv2.morphologyEx(theirs.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    return float(np.count_nonzero(whole) / np.count_nonzero(mask))


def _own_tone(lab: NDArray[np.float32]) -> tuple[float | None, float, float]:
    """Return the hue in degrees that most of a part has, and the mean chroma and lightness of that hue.

    Args:
        lab: (n, 3): the part's pixels.
    """
    chroma = np.hypot(lab[:, 1], lab[:, 2])
    hues = np.rad2deg(np.arctan2(lab[:, 2], lab[:, 1])) % 360
    votes = np.bincount(
        (hues // 5).astype(np.int64) % 72, weights=np.where(chroma > LEAST_CHROMA, chroma, 0), minlength=72
    )
    smooth = sum(np.roll(votes, step) for step in range(-3, 4))
    middle = float(np.argmax(smooth)) * 5 + 2.5
    near = (np.abs((hues - middle + 180) % 360 - 180) < _SAME_HUE) & (chroma > LEAST_CHROMA)
    if near.mean() < _LEAST_SHARE:
        return None, 0.0, 0.0
    along = lab[near, 1:].sum(axis=0)
    hue = float(np.rad2deg(np.arctan2(along[1], along[0])) % 360)
    return hue, float(chroma[near].mean()), float(lab[near, 0].mean())


def _foreign(lab: NDArray[np.float32], hue: float, soft_px: float) -> NDArray[np.float32]:
    """Return how much each pixel belongs to a region of another hue than a part's, 0-1."""
    import cv2

    calm = cv2.GaussianBlur(lab[..., 1:], (0, 0), soft_px)
    chroma = np.hypot(calm[..., 0], calm[..., 1])
    away = np.abs((np.rad2deg(np.arctan2(calm[..., 1], calm[..., 0])) - hue + 180) % 360 - 180)
    other, opposite, doubtful = (
        (away > degrees) & (chroma > least) for degrees, least in (_FOREIGN, _OPPOSITE, _DOUBTFUL)
    )
    certain = other | opposite
    count, regions = cv2.connectedComponents(doubtful.astype(np.uint8), connectivity=4)
    holds = np.zeros(count, np.float32)
    holds[np.unique(regions[certain])] = 1
    return np.asarray(cv2.GaussianBlur(holds[regions], (0, 0), 0.7), np.float32)


def _neighbors(lab: NDArray[np.float32], mask: Mask, band: float) -> NDArray[np.float32]:
    """Return how much each pixel outside a mask has the color of a neighbor, 0-1; 0 where both sides look alike."""
    import cv2

    if band < LEAST_BAND:
        return np.zeros(mask.shape, np.float32)
    inward, outward = (cv2.distanceTransform(side.astype(np.uint8), cv2.DIST_L2, 5) for side in (mask, ~mask))
    rim = ~mask & (outward <= (_REACH + 2) * band + _BLEEDING_PX)
    own, known = means(lab, mask, round(_NEAR * band))
    same = known & in_any_light(lab, own)
    beside = ~mask & (outward > _BLEEDING_PX + band / 2) & ~same
    found = sides(lab, rim, mask & (inward > _BLEEDING_PX), beside, band=band)
    theirs = rim & (found.to_outside < _NEARER * found.to_inside) & (found.to_outside < _MATCH)
    return np.asarray(cv2.GaussianBlur(theirs.astype(np.float32), (0, 0), 0.7) * ~mask, np.float32)


def _following(lab: NDArray[np.float32], mask: Mask, reach: int) -> Mask:
    """Return a mask grown to pixels that continue the color beside them, such as those that a tight outline cuts."""
    import cv2

    if reach < 1:
        return mask
    own, known = means(lab, mask, reach)
    apart = np.hypot(*np.moveaxis(lab[..., 1:] - own[..., 1:], 2, 0))
    colored = np.hypot(own[..., 1], own[..., 2])
    alike = (
        known & (apart < _ALIKE * colored) & (np.abs(lab[..., 0] - own[..., 0]) < _AS_LIGHT) & (colored > LEAST_CHROMA)
    )
    grown = mask
    for _ in range(reach):
        near = cv2.dilate(grown.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
        grown = grown | (near & alike)
    return np.asarray(grown, np.bool_)


class _Mix(NamedTuple):
    """A part's share of each pixel along its rim, 0-1, by chroma; the part's chroma there; and where both are known.

    Stored pictures hold chroma at half their size or less, so that a part's color runs beyond its outline.
    """

    share: NDArray[np.float32]
    own: NDArray[np.float32]
    known: Mask


def _bled(lab: NDArray[np.float32], share: NDArray[np.float32], band: float) -> _Mix:
    """Return a part's share of the chroma along its rim, given its share of each pixel."""
    import cv2

    width = 2 * band + _BLEEDING_PX
    inner, outer = share > _MOST, share < _LEAST
    inside, outside = (cv2.distanceTransform(side.astype(np.uint8), cv2.DIST_L2, 5) for side in (inner, outer))
    radius = round(_NEAR * band + _BLEEDING_PX)
    own, ours = means(lab, inner & (inside > _BLEEDING_PX), radius)
    other, theirs = means(lab, outer & (outside > width / 2), radius)
    line = own[..., 1:] - other[..., 1:]
    length = np.hypot(line[..., 0], line[..., 1])
    beyond = lab[..., 1:] - other[..., 1:]
    part = (beyond * line).sum(axis=2) / np.maximum(length, _APART) ** 2
    astray = np.hypot(*np.moveaxis(beyond - part[..., None] * line, 2, 0))
    rim = (inside <= width / 2) & (outside <= width)
    known = rim & ours & theirs & (length > _APART) & (astray < _ASTRAY * length)
    mixed = np.clip((part - _LEAST) / (_MOST - _LEAST), 0, 1)
    return _Mix(np.asarray(mixed, np.float32), own[..., 1:], np.asarray(known, np.bool_))


def _turned(lab: NDArray[np.float32], own: _Tone, tone: _Tone, turn: float) -> NDArray[np.float32]:
    """Return pixels with the hue turned by an angle, in radians, and lightness and chroma moved toward a color's.

    Lightness follows a power, so that black stays black and highlights do not clip.
    """
    richer = float(np.clip(tone.chroma / own.chroma, *_RICHER))
    usual = float(np.clip(own.lightness, 0.1, 0.95))
    wanted = min(usual * float(np.clip(tone.lightness / usual, *_LIGHTER)), 0.95)
    rows = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]], np.float32) * richer
    colored = np.clip(np.hypot(lab[..., 1], lab[..., 2]) / own.chroma, 0, 1)
    before = np.clip(lab[..., 0], 0, 1)
    lightness = before + (before ** (np.log(wanted) / np.log(usual)) - before) * colored
    return np.dstack([np.clip(lightness, 0, 1), lab[..., 1:] @ rows.T]).astype(np.float32)


def _rgb(lab: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return Oklab as RGB, 0-255; colors that a screen cannot show lose chroma, not hue."""
    shown = np.array(lab)
    for _ in range(_PALER):
        linear = _linear(shown)
        beyond = (linear < -_TINY).any(axis=2) | (linear > 1 + _TINY).any(axis=2)
        if not beyond.any():
            break
        shown[beyond, 1:] *= 0.9
    linear = np.clip(_linear(shown), 0, 1)
    share = np.where(linear > 0.0031308, 1.055 * linear ** (1 / 2.4) - 0.055, 12.92 * linear)
    return np.asarray(255 * share, np.float32)


def _linear(lab: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray((lab @ FROM_LAB.T) ** 3 @ FROM_CONES.T, np.float32)
