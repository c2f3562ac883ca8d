"""Compositing: replacement of a part or background with pixels of another photograph, without a diffusion model."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchwright.images.covering import cover, enlargement

from ...item_parts.cutting_out import Mask, bounds, composite, opacity, rectangle
from ...item_parts.matting import LEAST_BAND, band_of, matted
from ..masks.base import Pixels
from .blending import Blending
from .harmony import contact_shadow, in_the_light_of, shaded
from .surfaces import DONOR_SMALL
from .windows import Alpha, mixed, scaled

NO_DONOR = "no_donor"
_FILL_RADIUS_PX = 5
_JITTER = 0.15
_HALF = 0.5
_AT_FRAME_PX = 2
_LARGEST_HIDING, _LEFT_SHOWING = 1.7, 0.01


class Fitting(NamedTuple):
    """How a donor is fitted to the position of a part.

    Args:
        scale: Factor applied to the size at which the donor just fits or, if possible, just hides the part.
        mirrored: Whether left and right are exchanged.
    """

    scale: float = 1.0
    mirrored: bool = False

    @classmethod
    def drawn(cls, candidate: int, rng: np.random.Generator) -> Fitting:
        """Return the default fitting for the first candidate and a random one for all others."""
        if candidate == 0:
            return cls()
        return cls(round(float(rng.uniform(1 - _JITTER, 1 + _JITTER)), 3), bool(rng.integers(2)))


class Pasted(NamedTuple):
    """A picture with a part replaced.

    Args:
        pixels: (height, width, 3).
        alpha: Opacity; the picture may differ from the source where it is above 0.
        shows: Region where the donor hides the background.
        filled: Region where the filling shows.
        facts: Record of the donor's fitting, as JSON values.
    """

    pixels: Pixels
    alpha: Alpha
    shows: Mask
    filled: Mask
    facts: dict[str, Any]


class Lent(NamedTuple):
    """The pixels that a donor lends.

    Args:
        pixels: The donor's picture, in the light of its new surroundings.
        mask: Its subject.
        alpha: Proportion of each pixel that belongs to the subject.
        is_matted: Whether `alpha` is soft along the rim.
    """

    pixels: Pixels
    mask: Mask
    alpha: Alpha
    is_matted: bool


def lent(donor: Pixels, donor_mask: Mask, picture: Pixels, part: Mask, blend: Blending) -> Lent:
    """Return a donor's subject with a soft rim, in the light of the target picture.

    Args:
        donor: The other photograph.
        donor_mask: Its subject, not empty.
        picture: Picture to change.
        part: Region that the subject will replace; the rest determines the light.
        blend: Width of the rim, and the fraction of the light to take over.
    """
    band = band_of(donor_mask.shape, blend.matte_px)
    matte = matted(donor, donor_mask, band=band)
    lit = in_the_light_of(matte.pixels, donor[~donor_mask], picture[~part], share=blend.light)
    return Lent(lit, donor_mask, matte.alpha, band >= LEAST_BAND)


def _scaled_alpha(alpha: Alpha, size_wh: tuple[int, int]) -> Alpha:
    return np.asarray(scaled(np.rint(alpha * 255).astype(np.uint8), size_wh).astype(np.float32) / 255, np.float32)


def part_replaced(
    picture: Pixels,
    mask: Mask,
    alpha: Alpha,
    donor: Lent,
    *,
    fitting: Fitting,
    feather_px: float,
    max_enlargement: float,
    shadow: float = 0.0,
) -> Pasted | str:
    """Return a picture in which a donor's subject replaces the part under a mask.

    A donor hides the part if it can do so centered on it and at most 1.7 times the size at which it fits. Otherwise it
    stands on the same ground as the part, and the uncovered area is filled from its surroundings (Telea's method, good
    for small areas only).

    Args:
        picture: Picture to change.
        mask: The part to replace.
        alpha: The same, grown and softened: opacity of the filling.
        donor: The subject of the other photograph.
        fitting: Size and mirroring.
        feather_px: Softness of the rim of a donor without a matte.
        max_enlargement: Largest enlargement of a donor; beyond it the result is `donor_small`.
        shadow: Fraction, 0-1, of the light that a shadow removes under a donor on the ground of the part.
    """
    x0, y0, x1, y1 = bounds(donor.alpha > 0)
    part_wh = (x1 - x0, y1 - y0)
    place = bounds(mask)
    cut = (slice(int(y0), int(y1)), slice(int(x0), int(x1)))
    fits = min((place[2] - place[0]) / part_wh[0], (place[3] - place[1]) / part_wh[1])
    hiding = _hiding_scale(donor.alpha[cut] >= _HALF, fits, np.asarray(alpha >= _HALF, np.bool_), place)
    factor = fits * (hiding or 1.0) * (max(1.0, fitting.scale) if hiding else fitting.scale)
    if factor > max_enlargement:
        return DONOR_SMALL
    size_wh = max(2, round(part_wh[0] * factor)), max(2, round(part_wh[1] * factor))
    part, soft = scaled(donor.pixels[cut], size_wh), _scaled_alpha(donor.alpha[cut], size_wh)
    if fitting.mirrored:
        part, soft = part[:, ::-1], soft[:, ::-1]
    filled = mixed(picture, _filled(picture, alpha), alpha)
    corner = _centred(place, size_wh) if hiding else _corner(place, size_wh)
    layer, shows = _laid(picture.shape, part, soft, corner, 0.0 if donor.is_matted else feather_px)
    shade = None if hiding else contact_shadow(shows, darkness=shadow)
    below = shaded(filled, shade)
    pasted = composite(layer, shows, below)
    pasted[shows == 0] = below[shows == 0]
    facts = {
        "donor_xyxy": [int(x0), int(y0), int(x1), int(y1)],
        "pasted_at": list(corner),
        "pasted_wh": list(size_wh),
        "mirrored": fitting.mirrored,
    }
    hides = np.asarray(shows >= _HALF, np.bool_)
    filled_in = np.asarray((alpha >= _HALF) & ~hides, np.bool_)
    changed = np.maximum(alpha, shows)
    if shade is not None:
        changed = np.where(shade > 0, np.maximum(changed, shade), changed)
    return Pasted(pasted, np.asarray(changed, np.float32), hides, filled_in, facts)


def _filled(picture: Pixels, alpha: Alpha) -> Pixels:
    import cv2

    return np.asarray(
        cv2.inpaint(np.array(picture), (alpha > 0).astype(np.uint8) * 255, _FILL_RADIUS_PX, cv2.INPAINT_TELEA), np.uint8
    )


def _hiding_scale(
    shape: NDArray[np.bool_], fits: float, part: NDArray[np.bool_], place: tuple[float, float, float, float]
) -> float | None:
    """Return the smallest factor at which a centered donor hides nearly all of a part, or None if there is none."""
    for scale in np.arange(1.0, _LARGEST_HIDING + 1e-6, 0.05).tolist():
        size_wh = max(2, round(shape.shape[1] * fits * scale)), max(2, round(shape.shape[0] * fits * scale))
        laid = scaled(shape.astype(np.uint8) * 255, size_wh) > 127
        nothing = np.zeros((*laid.shape, 3), np.uint8)
        _, shows = _laid((*part.shape, 3), nothing, laid.astype(np.float32), _centred(place, size_wh), 0.0)
        if np.count_nonzero(part & (shows < _HALF)) <= _LEFT_SHOWING * np.count_nonzero(part):
            return float(scale)
    return None


def _centred(place: tuple[float, float, float, float], size_wh: tuple[int, int]) -> tuple[int, int]:
    """Return the corner of a donor's box centered on the part."""
    return round((place[0] + place[2] - size_wh[0]) / 2), round((place[1] + place[3] - size_wh[1]) / 2)


def _corner(place: tuple[float, float, float, float], size_wh: tuple[int, int]) -> tuple[int, int]:
    """Return the corner of a donor's box: centered across, on the same ground as the part."""
    return round((place[0] + place[2] - size_wh[0]) / 2), round(place[3] - size_wh[1])


def _laid(
    shape: tuple[int, ...], part: Pixels, soft: Alpha, corner: tuple[int, int], feather_px: float
) -> tuple[Pixels, Alpha]:
    """Return a donor's subject at its position on an empty picture, and its opacity at each pixel."""
    margin = int(np.ceil(4 * feather_px)) + 2
    wide = np.pad(soft, margin)
    shows = opacity(wide >= _HALF, feather_px=feather_px) if feather_px > 0 else wide
    colours = np.pad(part, ((margin, margin), (margin, margin), (0, 0)), mode="edge")
    layer, alpha = np.zeros(shape, np.uint8), np.zeros(shape[:2], np.float32)
    left, top = corner[0] - margin, corner[1] - margin
    rows, columns = _common(top, wide.shape[0], shape[0]), _common(left, wide.shape[1], shape[1])
    layer[rows[0], columns[0]] = colours[rows[1], columns[1]]
    alpha[rows[0], columns[0]] = shows[rows[1], columns[1]]
    return layer, alpha


def _common(start: int, side: int, length: int) -> tuple[slice, slice]:
    """Return the overlap between a side, given by its start, and a length, as slices of both."""
    low, high = max(0, start), max(0, min(length, start + side))
    return slice(low, max(low, high)), slice(low - start, max(low, high) - start)


def background_from(donor: Pixels, size_wh: tuple[int, int], *, max_enlargement: float) -> Pixels | str:
    """Return a photograph scaled to cover a size, or `donor_small`."""
    if enlargement((donor.shape[1], donor.shape[0]), size_wh) > max_enlargement:
        return DONOR_SMALL
    return cover(donor, size_wh)


def has_ground(donor: Pixels, row: float, subject: Alpha) -> bool:
    """Return whether a subject has ground under it in front of a background, or is cut off below by the frame.

    Args:
        donor: The other photograph, which covers the picture as its background.
        row: Row of the photograph below which it shows ground, as a fraction of its height.
        subject: Opacity of the subject in the picture, not empty.
    """
    foot, (height, width) = bounds(subject >= _HALF)[3], subject.shape
    if row <= 0 or foot >= height - _AT_FRAME_PX:
        return True
    high = donor.shape[0] * enlargement((donor.shape[1], donor.shape[0]), (width, height))
    return bool(foot > row * high - (high - height) / 2)


def box_visible(donor: Pixels, box: tuple[float, float, float, float] | None, alpha: Alpha) -> float:
    """Return the visible proportion of a donor's box if the donor is the background; 1 without a box.

    Args:
        donor: The other photograph, which covers the picture as its background.
        box: Box in its pixels.
        alpha: Opacity of the background in the picture.
    """
    if box is None:
        return 1.0
    marked = np.repeat(rectangle(box, donor.shape).astype(np.uint8)[..., None] * 255, 3, axis=2)
    size_wh = (alpha.shape[1], alpha.shape[0])
    seen = (cover(marked, size_wh)[..., 0] > 127) & (alpha >= _HALF)
    whole = rectangle(box, donor.shape).sum() * enlargement((donor.shape[1], donor.shape[0]), size_wh) ** 2
    return float(min(1.0, np.count_nonzero(seen) / max(1.0, whole)))
