"""Flat surfaces, such as screens, sheets and signs, that show another picture in their own perspective."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchwright.images.covering import cover, enlargement

from ...item_parts.cutting_out import Mask, bounds, opacity
from ..masks.base import Pixels
from .blending import Blending
from .harmony import in_the_light_of
from .windows import Alpha, mixed

DONOR_SMALL = "donor_small"
_LEAST_IOU = 0.93
"""Intersection over union of a surface's convex hull and the quadrilateral around it from which it counts as flat."""
_LEAST_SIDE = 0.05
"""Shortest side of a surface, as a fraction of its longest; with a shorter one it is a triangle."""
_RIM_PX = 0.7
"""Standard deviation of the softening of a surface's rim, as a lens softens a straight edge."""
_FINE, _STEPS = 4, 2
"""Factor at which edges are drawn; half the width, in pixels, of steps along a drawn edge, which hide nothing."""
_SHADE_SPREAD, _SHADE = 0.12, (0.6, 1.5)
"""Softness of the light and shade that a surface keeps, as a fraction of its longer side; bounds of its factor."""
_DARK = 40
"""Mean gray level below which a surface, such as a screen that is off, tells nothing about the light on it."""


class FilledSurface(NamedTuple):
    """A picture in which a surface shows another picture.

    Args:
        pixels: (height, width, 3).
        alpha: (height, width), 0-1: opacity of the other picture.
        facts: Record of its fitting, as JSON values.
    """

    pixels: Pixels
    alpha: Alpha
    facts: dict[str, Any]


def corners_of(mask: Mask) -> NDArray[np.float32] | None:
    """Return the corners of a flat rectangular surface seen in perspective, or None if the mask has no such shape.

    Things in front of the surface, such as fingers, may hide parts of it, and its corners may be rounded.

    Args:
        mask: (height, width), not empty.

    Returns:
        (4, 2): x, y in pixels, clockwise on the screen from the corner nearest to the picture's top left.
    """
    import cv2

    contours, _ = cv2.findContours(mask.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    hull = cv2.convexHull(np.concatenate(contours))
    if len(hull) < 4:
        return None
    corners = np.asarray(cv2.approxPolyN(hull, 4, ensure_convex=True), np.float32).reshape(-1, 2)
    sides, area = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1), cv2.contourArea(corners)
    if len(corners) != 4 or sides.min() < _LEAST_SIDE * sides.max() or cv2.contourArea(hull) / area < _LEAST_IOU:
        return None
    middle = corners.mean(axis=0)
    around = np.argsort(np.arctan2(*(corners - middle).T[::-1]))
    clockwise = corners[around]
    return np.asarray(np.roll(clockwise, -int(clockwise.sum(axis=1).argmin()), axis=0), np.float32)


def surface_filled(
    picture: Pixels, mask: Mask, shown: Pixels, blend: Blending, *, max_enlargement: float
) -> FilledSurface | str:
    """Return a picture in which a surface shows another picture, in its perspective and under its light and shade.

    A mask that is no rectangle in perspective is a window: the other picture covers its box.

    Args:
        picture: Picture to change.
        mask: The surface, not empty.
        shown: The other photograph, whose middle covers the surface.
        blend: Fraction of the light to take over.
        max_enlargement: Largest enlargement of the other photograph; beyond it the result is `donor_small`.
    """
    import cv2

    x0, y0, x1, y1 = (int(side) for side in bounds(mask))
    corners = corners_of(mask)
    size_wh = (x1 - x0, y1 - y0) if corners is None else _size_of(corners)
    if (factor := enlargement((shown.shape[1], shown.shape[0]), size_wh)) > max_enlargement:
        return DONOR_SMALL
    part = cover(shown, size_wh)
    part = in_the_light_of(part, part.reshape(-1, 3), picture[mask], share=blend.light)
    laid = np.array(picture)
    if corners is None:
        laid[y0:y1, x0:x1] = part
    else:
        wide, high = size_wh
        own = np.array([[0, 0], [wide, 0], [wide, high], [0, high]], np.float32) - 0.5
        projection = cv2.getPerspectiveTransform(own, corners)
        whole_wh = (picture.shape[1], picture.shape[0])
        laid = np.asarray(
            cv2.warpPerspective(part, projection, whole_wh, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE),
            np.uint8,
        )
    gain = 1 + blend.light * (_shade_on(picture, mask, max(size_wh)) - 1)
    laid = np.asarray(np.clip(np.rint(laid * np.clip(gain, *_SHADE)[..., None]), 0, 255), np.uint8)
    alpha = _opacity_of(mask, corners)
    left, top = (
        (round(side * factor) - want) / 2 / factor for side, want in zip(shown.shape[1::-1], size_wh, strict=True)
    )
    facts = {
        "donor_xyxy": [round(left), round(top), round(left + size_wh[0] / factor), round(top + size_wh[1] / factor)],
        "pasted_at": [x0, y0],
        "pasted_wh": [x1 - x0, y1 - y0],
        "mirrored": False,
        "fills": True,
    }
    if corners is not None:
        facts["corners"] = [[round(float(value), 1) for value in corner] for corner in corners]
    return FilledSurface(mixed(picture, laid, alpha), alpha, facts)


def _size_of(corners: NDArray[np.float32]) -> tuple[int, int]:
    """Return the mean width and height of a quadrilateral, in pixels."""
    sides = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
    return max(2, round(float(sides[0] + sides[2]) / 2)), max(2, round(float(sides[1] + sides[3]) / 2))


def _opacity_of(mask: Mask, corners: NDArray[np.float32] | None) -> Alpha:
    """Return a surface's opacity: straight edges between its corners, and none behind what is in front of it."""
    import cv2

    square = np.ones((3, 3), np.uint8)
    if corners is None:
        grown = cv2.dilate(mask.astype(np.uint8), square, borderType=cv2.BORDER_REPLICATE) > 0
        return opacity(np.asarray(grown, np.bool_), feather_px=_RIM_PX)
    height, width = mask.shape
    fine = np.zeros((height * _FINE, width * _FINE), np.uint8)
    cv2.fillConvexPoly(fine, np.rint((corners + 0.5) * _FINE - 0.5).astype(np.int32), 255)
    covered = cv2.resize(fine, (width, height), interpolation=cv2.INTER_AREA).astype(np.float32) / 255
    hidden = (covered > 0) & ~mask
    deep = cv2.erode(hidden.astype(np.uint8), square, iterations=_STEPS)
    front = hidden & (cv2.dilate(deep, square, iterations=_STEPS + 1) > 0)
    shows = np.where(front, np.float32(0), covered)
    return np.asarray(cv2.GaussianBlur(shows, (0, 0), _RIM_PX, borderType=cv2.BORDER_REPLICATE), np.float32)


def _shade_on(picture: Pixels, mask: Mask, side_px: float) -> NDArray[np.float32]:
    """Return the light on each pixel of a surface, relative to its mean: its blurred gray levels."""
    import cv2

    grey = np.asarray(cv2.cvtColor(np.array(picture), cv2.COLOR_RGB2GRAY), np.float32)
    if (mean := float(grey[mask].mean())) < _DARK:
        return np.ones(mask.shape, np.float32)
    weights, spread = mask.astype(np.float32), max(1.0, _SHADE_SPREAD * side_px)
    total, share = (cv2.GaussianBlur(values, (0, 0), spread) for values in (grey * weights, weights))
    return np.asarray(total / np.maximum(share, 1e-3) / mean, np.float32)
