"""Marks drawn into a picture: areas that stand out from their surroundings, by size, color and position.

A mark of a few pixels differs from the median around it, but so does a scene at every edge. Edges of a scene change all
colors alike. A change of one color alone is therefore measured separately, and differences are weighted by how much the
neighborhood differs anyway. Faint lines show in sums along rows and columns, where a scene averages out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Pixels = NDArray[np.uint8]
Signed = NDArray[np.int16]

RELIEF_CELLS, STROKE_CELLS = 48, 12
"""Cells along each side of the map of means, and of the maps of strokes."""
LEVELS = 2
"""Scales: the picture with its longer side reduced to at most 384 pixels, and half of that."""
HUES = ("red", "green", "blue", "yellow", "cyan", "magenta", "white", "black")
PATCHES, PATCH_PX = LEVELS * len(HUES), 11
"""Number of patches per picture, one per scale and color, and their side in pixels of their scale."""
_BASE_PX, _MEDIAN, _AROUND = 384, 5, 31
_QUIET, _QUIET_RELIEF = 4, 8
"""Gray levels added to the variation around a pixel, so that flat areas do not dominate."""
_ISOLATED = 16
"""Scale of isolated responses, which are whole numbers."""
_SPECK_PX, _SPECK_SIGMA = (7, 7), 1.5
"""Window for weighting responses around a pixel, so that the center of a mark responds most."""
_INSIDE_PX, _FLAT_NOISE = (3, 7), 6.0
"""Sides of the areas tested for having a single color, and the spread that rounding alone leaves."""
_LINE_CLIP = 24


class Relief(NamedTuple):
    """The areas of a picture that stand out.

    Args:
        peaks: Strongest responses by color, scale and form, with their positions as fractions of the sides, by name.
        relief: A small map minus its own surroundings, -128 to 127; shape (`RELIEF_CELLS`, `RELIEF_CELLS`, 3).
        strokes: How far something stands out in each cell, in each color and at each scale; shape (`LEVELS`, colors,
            `STROKE_CELLS`, `STROKE_CELLS`).
        patches: The patch that stands out most in each color, by scale and color; shape (`PATCHES`, `PATCH_PX`,
            `PATCH_PX`, 3).
        spots: Position of each patch as fractions of the sides, and its strength, 0 if no area stands out; shape
            (`PATCHES`, 3).
    """

    peaks: dict[str, float]
    relief: NDArray[np.int8]
    strokes: Pixels
    patches: Pixels
    spots: Floats


def relief_of(pixels: Pixels) -> Relief:
    """Return the areas of a picture that stand out.

    Args:
        pixels: Upright pixels of the picture, shape (height, width, 3), RGB.
    """
    peaks: dict[str, float] = {}
    strokes = np.zeros((LEVELS, len(HUES), STROKE_CELLS, STROKE_CELLS), np.uint8)
    patches = np.zeros((PATCHES, PATCH_PX, PATCH_PX, 3), np.uint8)
    spots = np.zeros((PATCHES, 3), np.float32)
    for number, level in enumerate(_levels(pixels)):
        rest = np.asarray(cv2.subtract(level, cv2.medianBlur(level, _MEDIAN), dtype=cv2.CV_16S), np.int16)
        half = PATCH_PX // 2
        padded = cv2.copyMakeBorder(level, half, half, half, half, cv2.BORDER_REPLICATE)
        for color, (hue, answer) in enumerate(zip(HUES, _answers(rest), strict=True)):
            isolated = _isolated(answer)
            _, most, _, (x, y) = cv2.minMaxLoc(isolated)
            place = number * len(HUES) + color
            spots[place] = (x + 0.5) / answer.shape[1], (y + 0.5) / answer.shape[0], most
            patches[place] = padded[y : y + PATCH_PX, x : x + PATCH_PX]
            strokes[number, color] = _extremes(isolated)
            near = cv2.countNonZero(np.asarray(isolated > max(1.0, most / 2), np.uint8))
            title = f"{hue} at scale {number + 1}"
            peaks |= {
                f"strength of {title}": cv2.minMaxLoc(answer)[1], f"isolated strength of {title}": most,
                f"extent of {title}": float(np.log1p(near)),
            }  # fmt: skip
        if not number:
            peaks |= _lines(level) | _flat_specks(level)
    return Relief(peaks, _cells(pixels), strokes, patches, spots)


def _levels(pixels: Pixels) -> Iterator[Pixels]:
    height, width = pixels.shape[:2]
    scale = min(1.0, _BASE_PX / max(height, width))
    for number in range(LEVELS):
        wide, high = (max(8, round(side * scale / 2**number)) for side in (width, height))
        is_whole = (wide, high) == (width, height)
        level = pixels if is_whole else cv2.resize(pixels, (wide, high), interpolation=cv2.INTER_AREA)
        yield np.ascontiguousarray(level, np.uint8)


def _answers(rest: Signed) -> list[Signed]:
    """Return how far each pixel differs in only one of the colors of `HUES`; at least 0."""
    red, green, blue = cv2.split(rest)
    low, high, less = cv2.min, cv2.max, cv2.subtract
    yellow, cyan, magenta = low(red, green), low(green, blue), low(red, blue)
    answers = [
        less(red, high(green, blue)), less(green, high(red, blue)), less(blue, high(red, green)),
        less(yellow, blue), less(cyan, red), less(magenta, green), low(yellow, blue),
        np.negative(high(high(red, green), blue)),
    ]  # fmt: skip
    return [np.asarray(np.maximum(answer, 0), np.int16) for answer in answers]


def _isolated(answer: Signed) -> Signed:
    """Return how far each pixel and its neighbors differ from, and relative to, their surroundings; at least 0."""
    around = np.asarray(cv2.blur(answer, (_AROUND, _AROUND)) + np.int16(_QUIET), np.int16)
    return np.asarray(cv2.divide(cv2.GaussianBlur(answer, _SPECK_PX, _SPECK_SIGMA), around, scale=_ISOLATED), np.int16)


def _lines(level: Pixels) -> dict[str, float]:
    """Return the strongest row and column by the mean difference from their neighbors, in light and in color."""
    red, green, blue = cv2.split(level.astype(np.int16))
    planes = {
        "light": np.asarray(cv2.cvtColor(level, cv2.COLOR_RGB2GRAY), np.int16),
        "red less green": cv2.subtract(red, green),
        "blue less green": cv2.subtract(blue, green),
    }
    measures: dict[str, float] = {}
    for name, plane in planes.items():
        for kind, lines in (("row", plane), ("column", np.ascontiguousarray(plane.T))):
            if len(lines) < 8:
                continue
            step = 2 * lines[3:-3] - lines[:-6] - lines[6:]
            means = np.clip(step, -_LINE_CLIP, _LINE_CLIP).mean(axis=1, dtype=np.float32)
            # Less the value of the lines around, so that a scene's own rows and columns do not count.
            means = means - np.median(means)
            at = int(np.abs(means).argmax())
            measures |= {
                f"strongest {kind} of {name}": float(means[at]),
                f"size of strongest {kind} of {name}": float(abs(means[at])),
                f"place of strongest {kind} of {name}": (at + 3.5) / len(lines),
            }  # fmt: skip
    return measures


def _cells(pixels: Pixels) -> NDArray[np.int8]:
    """Return a small map minus the median around each cell, weighted by variation."""
    small = cv2.resize(pixels, (RELIEF_CELLS, RELIEF_CELLS), interpolation=cv2.INTER_AREA)
    rest = np.asarray(cv2.subtract(small, cv2.medianBlur(small, _MEDIAN), dtype=cv2.CV_16S), np.float32)
    unrest = cv2.blur(np.abs(rest), (9, 9))
    return np.asarray(np.clip(rest * (24.0 / (_QUIET_RELIEF + unrest)), -127, 127), np.int8)


def _extremes(isolated: Signed) -> Pixels:
    """Return the largest value in each cell, at most 255."""
    height, width = isolated.shape
    size = STROKE_CELLS
    if height < size or width < size:
        larger = max(width, size), max(height, size)
        isolated = np.asarray(cv2.resize(isolated, larger, interpolation=cv2.INTER_NEAREST))
        height, width = isolated.shape
    top, left = (np.linspace(0, side, size + 1).astype(int)[:-1] for side in (height, width))
    return np.asarray(
        np.minimum(np.maximum.reduceat(np.maximum.reduceat(isolated, top, axis=0), left, axis=1), 255), np.uint8
    )


def _flat_specks(level: Pixels) -> dict[str, float]:
    """Return the strength, position and color of the small area that most clearly has a color unlike its surroundings.

    A shape drawn by a program is flat inside, unlike most content of photographs.
    """
    measures: dict[str, float] = {}
    for inside in _INSIDE_PX:
        area, wider = (inside, inside), (4 * inside + 1, 4 * inside + 1)
        mean = cv2.boxFilter(level, cv2.CV_32F, area)
        square = cv2.sqrBoxFilter(level, cv2.CV_32F, area)
        spread = cv2.transform(cv2.subtract(square, cv2.multiply(mean, mean)), np.ones((1, 3), np.float32))
        first, second, third = cv2.split(cv2.absdiff(mean, cv2.boxFilter(level, cv2.CV_32F, wider)))
        score = cv2.max(cv2.max(first, second), third) / (_FLAT_NOISE + np.sqrt(np.maximum(spread, 0)))
        _, most, _, (x, y) = cv2.minMaxLoc(score)
        title = f"flat speck of {inside} px"
        measures |= {
            f"strength of {title}": most,
            f"column of {title}": (x + 0.5) / score.shape[1], f"row of {title}": (y + 0.5) / score.shape[0],
            **{f"{name} of {title}": float(value) for name, value in zip(HUES, mean[y, x].tolist(), strict=False)},
        }  # fmt: skip
    return measures
