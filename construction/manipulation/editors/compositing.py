"""Compositing: replacement of a part or background by pixels of another photograph, without a diffusion model."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...item_parts.cutting_out import Mask, bounds, composite, cover, enlargement, opacity, rectangle
from ..masks.base import Pixels
from .windows import Alpha, mixed, scaled

NO_DONOR, _DONOR_SMALL = "no_donor", "donor_small"
_FILL_RADIUS_PX = 5
_JITTER = 0.15
_HALF = 0.5
_LARGEST_HIDING, _LEFT_SHOWING = 1.7, 0.01


class Fitting(NamedTuple):
    """Fitting of a donor into the place of a part.

    Args:
        scale: Factor of the size at which it just fits, or at which it just hides the part if it can.
        mirrored: Whether left and right are exchanged.
    """

    scale: float = 1.0
    mirrored: bool = False

    @classmethod
    def drawn(cls, candidate: int, rng: np.random.Generator) -> Fitting:
        """Return the plain fitting for the first candidate, a random one for every other."""
        if candidate == 0:
            return cls()
        return cls(round(float(rng.uniform(1 - _JITTER, 1 + _JITTER)), 3), bool(rng.integers(2)))


class Pasted(NamedTuple):
    """A picture with a part replaced.

    Args:
        pixels: (height, width, 3).
        alpha: Opacity; the picture may differ from the source where it is above 0.
        shows: Where the donor hides what is behind it.
        filled: Where the filling shows.
        facts: Record of how the donor was fitted, as JSON values.
    """

    pixels: Pixels
    alpha: Alpha
    shows: Mask
    filled: Mask
    facts: dict[str, Any]


def part_replaced(
    picture: Pixels,
    mask: Mask,
    alpha: Alpha,
    donor: Pixels,
    donor_mask: Mask,
    *,
    fitting: Fitting,
    feather_px: float,
    max_enlargement: float,
) -> Pasted | str:
    """Return a picture in which a donor's subject replaces the part under a mask.

    A donor that can hide the part, centred on it and at most 1.7 times as large as it fits, does so. Else it stands
    where the part stood, and the area that it does not cover is filled from its surroundings (Telea's method, good for
    small areas only).

    Args:
        picture: Picture to be changed.
        mask: The part to be replaced.
        alpha: The same, grown and softened: how much of the filling shows.
        donor: The other photograph.
        donor_mask: Mask of the donor's subject.
        fitting: Size and side.
        feather_px: Softness of the donor's rim.
        max_enlargement: Factor by which a donor may grow; else `donor_small`.
    """
    x0, y0, x1, y1 = bounds(donor_mask)
    part_wh = (x1 - x0, y1 - y0)
    place = bounds(mask)
    cut = (slice(int(y0), int(y1)), slice(int(x0), int(x1)))
    fits = min((place[2] - place[0]) / part_wh[0], (place[3] - place[1]) / part_wh[1])
    hiding = _hiding_scale(donor_mask[cut], fits, np.asarray(alpha >= _HALF, np.bool_), place)
    factor = fits * (hiding or 1.0) * (max(1.0, fitting.scale) if hiding else fitting.scale)
    if factor > max_enlargement:
        return _DONOR_SMALL
    size_wh = max(2, round(part_wh[0] * factor)), max(2, round(part_wh[1] * factor))
    part, shape = scaled(donor[cut], size_wh), scaled(donor_mask[cut].astype(np.uint8) * 255, size_wh) > 127
    if fitting.mirrored:
        part, shape = part[:, ::-1], shape[:, ::-1]
    filled = mixed(picture, _filled(picture, alpha), alpha)
    corner = _centred(place, size_wh) if hiding else _corner(place, size_wh)
    layer, shows = _laid(picture.shape, part, shape, corner, feather_px)
    pasted = composite(layer, shows, filled)
    pasted[shows == 0] = filled[shows == 0]
    facts = {
        "donor_xyxy": [int(x0), int(y0), int(x1), int(y1)],
        "pasted_at": list(corner),
        "pasted_wh": list(size_wh),
        "mirrored": fitting.mirrored,
    }
    hides = np.asarray(shows >= _HALF, np.bool_)
    filled_in = np.asarray((alpha >= _HALF) & ~hides, np.bool_)
    return Pasted(pasted, np.asarray(np.maximum(alpha, shows), np.float32), hides, filled_in, facts)


def _filled(picture: Pixels, alpha: Alpha) -> Pixels:
    import cv2

    return np.asarray(
        cv2.inpaint(np.array(picture), (alpha > 0).astype(np.uint8) * 255, _FILL_RADIUS_PX, cv2.INPAINT_TELEA), np.uint8
    )


def _hiding_scale(
    shape: NDArray[np.bool_], fits: float, part: NDArray[np.bool_], place: tuple[float, float, float, float]
) -> float | None:
    """Return the smallest factor beyond which a centred donor hides nearly all of a part; None where none does."""
    for scale in np.arange(1.0, _LARGEST_HIDING + 1e-6, 0.05).tolist():
        size_wh = max(2, round(shape.shape[1] * fits * scale)), max(2, round(shape.shape[0] * fits * scale))
        laid = scaled(shape.astype(np.uint8) * 255, size_wh) > 127
        _, shows = _laid((*part.shape, 3), np.zeros((*laid.shape, 3), np.uint8), laid, _centred(place, size_wh), 0.0)
        if np.count_nonzero(part & (shows < _HALF)) <= _LEFT_SHOWING * np.count_nonzero(part):
            return float(scale)
    return None


def _centred(place: tuple[float, float, float, float], size_wh: tuple[int, int]) -> tuple[int, int]:
    """Return where a donor's box begins if it is centred on the part."""
    return round((place[0] + place[2] - size_wh[0]) / 2), round((place[1] + place[3] - size_wh[1]) / 2)


def _corner(place: tuple[float, float, float, float], size_wh: tuple[int, int]) -> tuple[int, int]:
    """Return where a donor's box begins: centred across, standing where the part stood."""
    return round((place[0] + place[2] - size_wh[0]) / 2), round(place[3] - size_wh[1])


def _laid(
    shape: tuple[int, ...], part: Pixels, mask: NDArray[np.bool_], corner: tuple[int, int], feather_px: float
) -> tuple[Pixels, Alpha]:
    """Return a donor's part at its place on an empty picture, and how much of it shows at each pixel."""
    margin = int(np.ceil(4 * feather_px)) + 2
    wide = np.pad(mask, margin)
    shows = opacity(wide, feather_px=feather_px)
    colours = np.pad(part, ((margin, margin), (margin, margin), (0, 0)), mode="edge")
    layer, alpha = np.zeros(shape, np.uint8), np.zeros(shape[:2], np.float32)
    left, top = corner[0] - margin, corner[1] - margin
    rows, columns = _common(top, wide.shape[0], shape[0]), _common(left, wide.shape[1], shape[1])
    layer[rows[0], columns[0]] = colours[rows[1], columns[1]]
    alpha[rows[0], columns[0]] = shows[rows[1], columns[1]]
    return layer, alpha


def _common(start: int, side: int, length: int) -> tuple[slice, slice]:
    """Return the common part of a side that starts somewhere and of a length, as slices of both."""
    low, high = max(0, start), max(0, min(length, start + side))
    return slice(low, max(low, high)), slice(low - start, max(low, high) - start)


def background_from(donor: Pixels, size_wh: tuple[int, int], *, max_enlargement: float) -> Pixels | str:
    """Return a photograph that covers a size, or `donor_small`."""
    if enlargement((donor.shape[1], donor.shape[0]), size_wh) > max_enlargement:
        return _DONOR_SMALL
    return cover(donor, size_wh)


def box_visible(donor: Pixels, box: tuple[float, float, float, float] | None, alpha: Alpha) -> float:
    """Return which share of a donor's box is seen where the donor is the background; 1 without a box.

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
