"""A second view of a photograph: another viewpoint, by a known homography, and other lighting.

Coordinates are continuous: the picture covers [0, width] x [0, height] and pixel centers lie at +0.5. OpenCV counts
from pixel centers; only `warp` converts between the two.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .scaling import shrink, size_within

Matrix = NDArray[np.float64]
"""A homography, shape (3, 3), with 1 as its last entry; it maps column vectors (x, y, 1)."""
_SIGNIFICANT_DIGITS = 10


class ViewLimits(NamedTuple):
    """Limits on how far a second view differs from the first (see `VisualCorrespondence` for each)."""

    max_rotation_deg: float
    max_perspective: float
    min_zoom: float
    max_zoom: float


class LightLimits(NamedTuple):
    """Limits on the change of lighting (see `VisualCorrespondence` for each)."""

    max_gamma: float
    max_contrast: float
    max_brightness: float
    max_blur_px: float
    max_noise: float


class LightChange(NamedTuple):
    """A change of lighting: gray level g, 0-1, becomes `contrast * (g ** gamma - 0.5) + 0.5 + brightness`.

    Args:
        gamma: Exponent; values above 1 darken.
        contrast: Contrast factor.
        brightness: Added gray levels, as a fraction of the range.
        blur_px: Standard deviation of a Gaussian blur, before noise.
        noise: Standard deviation of Gaussian noise, in gray levels of 0-255.
    """

    gamma: float
    contrast: float
    brightness: float
    blur_px: float
    noise: float


def random_homography(size_wh: tuple[int, int], limits: ViewLimits, rng: np.random.Generator) -> Matrix:
    """Return a homography from a picture to a view of its size that lies within it, so that no part is black.

    A window, smaller than the picture by the zoom, gets jittered corners and a rotation, is reduced further if it does
    not fit, and is moved to a random position. Entries are rounded to ten significant digits, so the recorded
    homography is exactly the one drawn.
    """
    import cv2

    width, height = size_wh
    zoom = float(np.exp(rng.uniform(np.log(limits.min_zoom), np.log(limits.max_zoom))))
    angle = np.deg2rad(rng.uniform(-limits.max_rotation_deg, limits.max_rotation_deg))
    jitter = rng.uniform(-limits.max_perspective, limits.max_perspective, (4, 2))
    place = rng.uniform(0, 1, 2)
    unit = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]) + jitter
    turn = np.array([(np.cos(angle), -np.sin(angle)), (np.sin(angle), np.cos(angle))])
    window = (unit * (width / zoom, height / zoom)) @ turn.T
    extent = np.ptp(window, axis=0)
    shrunk = min(1.0, float((np.array(size_wh) / extent).min()))
    window, extent = window * shrunk, extent * shrunk
    window += -window.min(axis=0) + place * (np.array(size_wh) - extent)
    corners = np.array([(0, 0), (width, 0), (width, height), (0, height)])
    exact = cv2.getPerspectiveTransform(window.astype(np.float32), corners.astype(np.float32))
    rounded = [float(f"{entry:.{_SIGNIFICANT_DIGITS}g}") for entry in (exact / exact[2, 2]).ravel()]
    return np.array(rounded).reshape(3, 3)


def map_points(homography: Matrix, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return points, shape (n, 2), mapped by a homography."""
    mapped = np.column_stack([points, np.ones(len(points))]) @ homography.T
    return np.asarray(mapped[:, :2] / mapped[:, 2:], dtype=np.float64)


def warp(pixels: NDArray[np.uint8], homography: Matrix, size_wh: tuple[int, int]) -> NDArray[np.uint8]:
    """Return pixels, (height, width, 3), transformed by a homography in continuous coordinates."""
    import cv2

    to_centres = np.array([(1, 0, 0.5), (0, 1, 0.5), (0, 0, 1)])
    from_centres = np.array([(1, 0, -0.5), (0, 1, -0.5), (0, 0, 1)])
    counted_from_centres = from_centres @ homography @ to_centres
    view = cv2.warpPerspective(
        pixels, counted_from_centres, size_wh, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(view, dtype=np.uint8)


def drawn_view(
    pixels: NDArray[np.uint8], homography: Matrix, scaled_wh: tuple[int, int], size_wh: tuple[int, int]
) -> NDArray[np.uint8]:
    """Return a view, drawn at the photograph's own resolution as far as the view's zoom requires.

    Args:
        pixels: The whole photograph, (height, width, 3).
        homography: Homography from the photograph, scaled to `scaled_wh`, to the view.
        scaled_wh: Size of the scaled photograph.
        size_wh: Size of the view.
    """
    zoom = max(1.0, float(np.sqrt(abs(np.linalg.det(homography[:2, :2])))))
    working_wh = size_within(pixels.shape[1], pixels.shape[0], max_side_px=max(scaled_wh) * zoom)
    to_scaled = np.diag([scaled_wh[0] / working_wh[0], scaled_wh[1] / working_wh[1], 1.0])
    return warp(shrink(pixels, working_wh), homography @ to_scaled, size_wh)


def second_view(pixels: NDArray[np.uint8], homography: Matrix, size_wh: tuple[int, int]) -> NDArray[np.uint8]:
    """Return view 2 of a photograph whose view 1 is the whole photograph, scaled to the same size `size_wh`."""
    return drawn_view(pixels, homography, size_wh, size_wh)


def shift(corner: tuple[float, float]) -> Matrix:
    """Return the homography from a picture to its part with the upper left corner `corner`."""
    return np.array([(1.0, 0.0, -corner[0]), (0.0, 1.0, -corner[1]), (0.0, 0.0, 1.0)])


def random_light(limits: LightLimits, rng: np.random.Generator) -> LightChange:
    """Return a random change of lighting, with values rounded as they are recorded."""
    factors = [np.log(limit) for limit in (limits.max_gamma, limits.max_contrast)]
    gamma, contrast = (float(np.exp(rng.uniform(-factor, factor))) for factor in factors)
    brightness = float(rng.uniform(-limits.max_brightness, limits.max_brightness))
    blur_px, noise = (float(rng.uniform(0, limit)) for limit in (limits.max_blur_px, limits.max_noise))
    return LightChange(*(round(value, 3) for value in (gamma, contrast, brightness, blur_px, noise)))


def relight(pixels: NDArray[np.uint8], light: LightChange, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Return pixels, (height, width, 3), with changed lighting."""
    import cv2

    grey = np.linspace(0, 1, 256)
    levels = light.contrast * (grey**light.gamma - 0.5) + 0.5 + light.brightness
    view = cv2.LUT(pixels, np.round(np.clip(levels, 0, 1) * 255).astype(np.uint8))
    if light.blur_px > 0.1:
        view = cv2.GaussianBlur(view, (0, 0), light.blur_px)
    if light.noise > 0:
        noise = rng.standard_normal(view.shape, dtype=np.float32) * np.float32(light.noise)
        view = np.clip(np.rint(view + noise), 0, 255)
    return np.asarray(view, dtype=np.uint8)
