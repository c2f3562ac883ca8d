"""Items of visual correspondence with known true homography, made from scikit-image's photographs."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from skimage import data


def sample_photographs() -> list[np.ndarray]:
    """Return five photographs that come with scikit-image."""
    sources = (data.astronaut(), data.chelsea(), data.coffee(), data.rocket(), data.stereo_motorcycle()[0])
    return [np.ascontiguousarray(pixels) for pixels in sources]


def crop(pixels: np.ndarray, rng: np.random.Generator, *, least: int, most: int) -> np.ndarray:
    height, width = (int(rng.integers(least, min(most, side) + 1)) for side in pixels.shape[:2])
    top, left = (
        int(rng.integers(0, side - size + 1)) for side, size in zip(pixels.shape, (height, width), strict=False)
    )
    return pixels[top : top + height, left : left + width]


def second_view(pixels: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return another view in another light and size, and the homography of pixel centers that leads to it."""
    height, width = pixels.shape[:2]
    size_wh = (width - 31, height - 17)
    angle, zoom = np.deg2rad(rng.uniform(-30, 30)), rng.uniform(0.8, 1.7)
    turn = zoom * np.array([(np.cos(angle), -np.sin(angle)), (np.sin(angle), np.cos(angle))])
    shift = np.array(size_wh) / 2 - turn @ (width / 2, height / 2)
    homography = np.vstack([np.column_stack([turn, shift]), [0, 0, 1]])
    homography[2, :2] = rng.uniform(-0.1, 0.1, 2) / (width, height)
    view = cv2.warpPerspective(pixels, homography, size_wh).astype(np.float64)
    view = 255 * (view / 255) ** rng.uniform(0.7, 1.4) * rng.uniform(0.8, 1.1) + rng.normal(0, 3, view.shape)
    return np.clip(view, 0, 255).astype(np.uint8), homography


def marked_views(
    pixels: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, list[Any], list[Any]] | None:
    """Return two views, four points of the first that lie well inside both, and their places in the second."""
    view, homography = second_view(pixels, rng)
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
    found = cv2.goodFeaturesToTrack(grey, maxCorners=60, qualityLevel=0.05, minDistance=30, blockSize=7)
    corners = np.asarray(found, dtype=np.float64).reshape(-1, 2)
    mapped = cv2.perspectiveTransform(corners[None], homography)[0]
    margin = 24
    for_both = [(corners, pixels.shape), (mapped, view.shape)]
    inside = np.all(
        [((at > margin) & (at < np.array(shape[1::-1]) - margin)).all(axis=1) for at, shape in for_both], axis=0
    )
    numbers = rng.permutation(np.flatnonzero(inside))[:4]
    if len(numbers) < 4:
        return None
    return pixels, view, [tuple(corners[n] + 0.5) for n in numbers], [tuple(mapped[n] + 0.5) for n in numbers]


def add_correspondence(bench: Any, photographs: list[np.ndarray], rng: np.random.Generator, count: int) -> None:
    """Add items with a reference and four options in a second view, one of which is the same point."""
    made = 0
    while made < count:
        views = marked_views(crop(photographs[made % len(photographs)], rng, least=240, most=320), rng)
        if views is None:
            continue
        first, second, points, mapped = views
        order = rng.permutation(4)
        keys = "ABCD"
        bench.add(
            f"point {made}",
            task="visual_correspondence",
            pictures=[first, second],
            options=tuple(keys),
            answer=keys[int(np.flatnonzero(order == 0)[0])],
            marks={0: [("REF", points[0])], 1: [(keys[k], mapped[n]) for k, n in enumerate(order)]},
        )
        made += 1
