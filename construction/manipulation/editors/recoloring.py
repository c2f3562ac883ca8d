"""Another color for a part, such as a garment or a car, in which its light, its shade and its texture stay.

The part's own hue is turned in Oklab (Ottosson 2020, bottosson.github.io/posts/oklab), where light and dark pixels of
one hue look like one color. Gray pixels, highlights and pixels of another hue stay as they are: what has another color
than the part, such as a hand in front of a coat, keeps it even within the outline. Along the rim only the part's share
of each pixel changes (`matting`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchwright.facts import Color

from ...item_parts.cutting_out import Mask
from ...item_parts.matting import matted
from ..masks.base import Pixels
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
_GRAY = 0.025
"""Chroma below which a pixel has no hue."""
_LEAST_SHARE = 0.4
"""Share of a part that must have its hue; below it the part has no single color."""
_SAME_HUE, _OTHER_HUE = 28.0, 48.0
"""Distances in hue, in degrees, up to which a pixel is the part's and from which it is not."""
_LEAST_TURN = 35.0
"""Smallest difference between the old hue and the new one, in degrees, that people call by two names."""
_LIGHTER, _RICHER = (0.7, 1.3), (0.5, 1.1)
"""Bounds of the factors on lightness and chroma."""
_TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    np.float32,
)
_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ],
    np.float32,
)
_FROM_CONES, _FROM_LAB = (np.linalg.inv(rows).astype(np.float32) for rows in (_TO_CONES, _TO_LAB))
_PALER, _TINY = 8, 2e-3
_REACH = 3.0
"""Widths of the rim by which an outline follows the part's hue outward."""


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
    lab = _lab(picture)
    hue, chroma, lightness = _own_tone(lab[mask])
    if hue is None:
        return NO_COLOR
    tone = _TONES[color]
    turn = (tone.hue - hue + 180) % 360 - 180
    if abs(turn) < _LEAST_TURN:
        return SAME_COLOR
    whole = _following(lab, mask, hue, chroma, round(_REACH * band))
    matte = matted(picture, whole, band=band)
    own = _lab(matte.pixels)
    share = _membership(own, hue, chroma) * matte.alpha
    new = _turned(own, np.deg2rad(turn), _Tone(lightness, chroma, hue), tone)
    change = _rgb(new) - _rgb(own)
    after = np.clip(np.rint(picture + share[..., None] * change), 0, 255).astype(np.uint8)
    visible = np.asarray((after != picture).any(axis=2), np.bool_)
    return after, np.asarray(np.where(visible, np.maximum(share, 1e-3), 0), np.float32)


def _own_tone(lab: NDArray[np.float32]) -> tuple[float | None, float, float]:
    """Return the hue in degrees that most of a part has, and the mean chroma and lightness of that hue.

    Args:
        lab: (n, 3): the part's pixels.
    """
    chroma = np.hypot(lab[:, 1], lab[:, 2])
    hues = np.rad2deg(np.arctan2(lab[:, 2], lab[:, 1])) % 360
    votes = np.bincount((hues // 5).astype(np.int64) % 72, weights=np.where(chroma > _GRAY, chroma, 0), minlength=72)
    smooth = sum(np.roll(votes, step) for step in range(-3, 4))
    middle = float(np.argmax(smooth)) * 5 + 2.5
    near = (np.abs((hues - middle + 180) % 360 - 180) < _SAME_HUE) & (chroma > _GRAY)
    if near.mean() < _LEAST_SHARE:
        return None, 0.0, 0.0
    along = lab[near, 1:].sum(axis=0)
    hue = float(np.rad2deg(np.arctan2(along[1], along[0])) % 360)
    return hue, float(chroma[near].mean()), float(lab[near, 0].mean())


def _membership(lab: NDArray[np.float32], hue: float, chroma: float) -> NDArray[np.float32]:
    """Return how much each pixel's color is a part's, 0-1; grays count, for a turned gray stays what it is."""
    own = np.hypot(lab[..., 1], lab[..., 2])
    away = np.abs((np.rad2deg(np.arctan2(lab[..., 2], lab[..., 1])) - hue + 180) % 360 - 180)
    like = np.clip((_OTHER_HUE - away) / (_OTHER_HUE - _SAME_HUE), 0, 1)
    pale = np.clip(1 - own / min(_GRAY, chroma / 2), 0, 1)
    return np.asarray(np.maximum(like, pale), np.float32)


def _following(lab: NDArray[np.float32], mask: Mask, hue: float, chroma: float, reach: int) -> Mask:
    """Return a mask grown to pixels of the part's hue beside it, such as those that an outline drawn too tight cuts."""
    import cv2

    if reach < 1:
        return mask
    own = np.hypot(lab[..., 1], lab[..., 2]) > chroma / 2
    alike = own & (_membership(lab, hue, chroma) > 0.5)
    grown = mask
    for _ in range(reach):
        near = cv2.dilate(grown.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
        grown = grown | (near & alike)
    return np.asarray(grown, np.bool_)


def _turned(lab: NDArray[np.float32], turn: float, own: _Tone, tone: _Tone) -> NDArray[np.float32]:
    """Return pixels with the hue turned by an angle, and lightness and chroma moved toward those of the new color."""
    richer = float(np.clip(tone.chroma / own.chroma, *_RICHER))
    lighter = float(np.clip(tone.lightness / max(own.lightness, 0.05), *_LIGHTER))
    rows = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]], np.float32) * richer
    colored = np.clip(np.hypot(lab[..., 1], lab[..., 2]) / own.chroma, 0, 1)
    lightness = lab[..., 0] * (1 + (lighter - 1) * colored)
    return np.dstack([np.clip(lightness, 0, 1), lab[..., 1:] @ rows.T]).astype(np.float32)


def _lab(pixels: Pixels) -> NDArray[np.float32]:
    """Return 8-bit RGB as Oklab."""
    share = pixels.astype(np.float32) / 255
    linear = np.where(share > 0.04045, ((share + 0.055) / 1.055) ** 2.4, share / 12.92)
    return np.asarray(np.cbrt(linear @ _TO_CONES.T) @ _TO_LAB.T, np.float32)


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
    return np.asarray((lab @ _FROM_LAB.T) ** 3 @ _FROM_CONES.T, np.float32)
