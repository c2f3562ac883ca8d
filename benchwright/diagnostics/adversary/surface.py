"""Measures of a picture's surface: its light, lowest bits, spectrum, borders, and small maps of it.

All measures are taken at native size, which preserves single pixels and faint patterns; only the maps are small.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from ..pictures.compression import luma_table

MAP_CELLS = 24
"""Number of cells along each side of a map."""
CORNER_PX, LINE_CELLS, LINES = 8, 24, 2
SIDES = ("top", "bottom", "left", "right")
HALVES = tuple(f"{side} {half}" for side in SIDES for half in ("first", "second"))
"""The eight halves of the border; the left or upper half of each side comes first."""
_MOST_PX = 1 << 17
"""Number of pixels up to which light and spectrum are measured over the whole picture; larger pictures are measured at
the center."""
_BLOCK, _LOW = 8, 10
_RINGS, _BINS = 12, 8
_FILTERS, _FILTER_PX, _ANSWERS_PX = 16, 5, 192
_CHANNELS = "RGB"

Floats = NDArray[np.float32]
Pixels = NDArray[np.uint8]


class Surface(NamedTuple):
    """The measures of a picture's pixels.

    Args:
        pixels: Light, color, noise, rare values and lowest bits, by name.
        frequency: Spectrum, and statistics of the coefficients that a JPEG rounds, by name.
        convolution: Largest and mean responses of small random filters, by name (A. Rahimi, B. Recht, "Random features
            for large-scale kernel machines", NIPS 2007).
        border: Colors of the outermost lines and their steps to the lines inside, for each half of a side; shape
            (8, 7).
        thumbnail: The picture in `MAP_CELLS` by `MAP_CELLS` cells, shape (cells, cells, 3).
        marks: In the same cells, the largest difference of a pixel from its neighbors; 128 means none.
        corners: The pixels in the four corners, shape (4, px, px, 3).
    """

    pixels: dict[str, float]
    frequency: dict[str, float]
    convolution: dict[str, float]
    border: Floats
    thumbnail: Pixels
    marks: Pixels
    corners: Pixels


def surface_of(pixels: Pixels, data: bytes) -> Surface:
    """Return the measures of a picture.

    Args:
        pixels: Upright pixels of the picture, shape (height, width, 3), RGB.
        data: Bytes of the picture's file, for the rounding steps of a JPEG.
    """
    middle = _middle(pixels)
    whole = np.ascontiguousarray(pixels)
    residual = np.asarray(cv2.subtract(whole, cv2.medianBlur(whole, 3), dtype=cv2.CV_16S), np.int16)
    luma = np.asarray(cv2.cvtColor(middle, cv2.COLOR_RGB2GRAY), np.uint8)
    return Surface(
        _light(middle, residual, luma) | _specks(residual) | _borders_by_name(pixels),
        _spectrum(luma) | _rounding(luma, data),
        _answers(middle),
        border_lines(pixels),
        _resized(pixels, MAP_CELLS),
        _strongest(residual),
        _corners(pixels),
    )


def _middle(pixels: Pixels) -> Pixels:
    height, width = pixels.shape[:2]
    if height * width <= _MOST_PX:
        return pixels
    scale = (_MOST_PX / (height * width)) ** 0.5
    high, wide = int(height * scale) // _BLOCK * _BLOCK, int(width * scale) // _BLOCK * _BLOCK
    top, left = (height - high) // 2 // _BLOCK * _BLOCK, (width - wide) // 2 // _BLOCK * _BLOCK
    return np.ascontiguousarray(pixels[top : top + high, left : left + wide])


def _light(pixels: Pixels, residual: NDArray[np.int16], luma: Pixels) -> dict[str, float]:
    measures: dict[str, float] = {}
    counts = pixels.shape[0] * pixels.shape[1]
    step = max(1, residual.shape[0] * residual.shape[1] // _MOST_PX)
    for number, name in enumerate(_CHANNELS):
        channel = np.ascontiguousarray(pixels[:, :, number])
        histogram = np.bincount(channel.ravel(), minlength=256).astype(np.float64)
        levels = np.flatnonzero(histogram)
        cumulated = np.cumsum(histogram) / counts
        mean = float(histogram @ np.arange(256)) / counts
        measures |= {
            f"mean of {name}": mean,
            f"spread of {name}": float(np.sqrt(histogram @ (np.arange(256) - mean) ** 2 / counts)),
            f"least {name}": float(levels[0]), f"most {name}": float(levels[-1]),
            f"levels of {name}": float(len(levels)),
            f"gaps of {name}": float(levels[-1] - levels[0] + 1 - len(levels)),
            f"black {name}": histogram[0] / counts, f"white {name}": histogram[255] / counts,
            f"peak of {name}": float(histogram.max()) / counts,
            f"comb of {name}": float(np.abs(np.diff(histogram)).sum()) / counts,
        }  # fmt: skip
        measures |= {
            f"{share} % of {name}": float(np.searchsorted(cumulated, share / 100)) for share in (1, 10, 50, 90)
        }
        for bit in range(3):
            measures[f"bit {bit} of {name}"] = float((histogram[(np.arange(256) >> bit) & 1 == 1]).sum()) / counts
        bits = channel & 1
        measures[f"low bits alike across {name}"] = (
            float((bits[:, 1:] == bits[:, :-1]).mean()) if bits.shape[1] > 1 else 0
        )
        measures[f"low bits alike down {name}"] = float((bits[1:] == bits[:-1]).mean()) if bits.shape[0] > 1 else 0
        rest = np.ascontiguousarray(residual[:, :, number]).ravel()[::step]
        measures |= {
            f"noise of {name}": float(np.abs(rest).mean()), f"still pixels of {name}": float((rest == 0).mean()),
            f"skew of noise of {name}": float(rest.mean()),
        }  # fmt: skip
    return measures | _colors(pixels) | _layout(luma)


def _specks(residual: NDArray[np.int16]) -> dict[str, float]:
    """Return the strongest difference between a pixel and its neighbors anywhere, in light and in color."""
    planes = cv2.split(residual)
    pairs = {
        "R": planes[0], "G": planes[1], "B": planes[2], "R less G": cv2.subtract(planes[0], planes[1]),
        "G less B": cv2.subtract(planes[1], planes[2]), "B less R": cv2.subtract(planes[2], planes[0]),
    }  # fmt: skip
    return {
        f"{end} speck of {name}": limit
        for name, plane in pairs.items()
        for end, limit in zip(("darkest", "brightest"), _limits(plane), strict=True)
    }


def _limits(plane: NDArray[Any]) -> tuple[float, float]:
    """Return how far the values of a plane extend below 0 and above 0, separately."""
    least, most, _, _ = cv2.minMaxLoc(plane)
    return -least, most


def _colors(pixels: Pixels) -> dict[str, float]:
    """Return joint measures of color: pure colors, the number of colors, saturation."""
    red, green, blue = (np.ascontiguousarray(plane) for plane in cv2.split(pixels))
    spread = cv2.max(cv2.max(red, green), blue) - cv2.min(cv2.min(red, green), blue)
    is_pure = np.ones(red.shape, np.bool_)
    corner = np.zeros(red.shape, np.uint8)
    for plane, bit in ((red, 4), (green, 2), (blue, 1)):
        is_pure &= (plane <= 8) | (plane >= 247)
        corner += np.uint8(bit) * (plane >= 247)
    share = np.bincount(corner[is_pure], minlength=8)[:8]
    codes = (red.astype(np.int32) << 16) | (green.astype(np.int32) << 8) | blue.astype(np.int32)
    codes = np.sort(codes.ravel())
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    unique, counts = codes[starts], np.diff(starts, append=codes.size)
    measures = {f"pure {''.join(c if n >> 2 - k & 1 else '-' for k, c in enumerate(_CHANNELS))}": float(np.log1p(count))
                for n, count in enumerate(share)}  # fmt: skip
    return measures | {
        "saturation": cv2.mean(spread)[0], "most saturated": cv2.minMaxLoc(spread)[1],
        "grey pixels": 1 - cv2.countNonZero(spread) / spread.size,
        "colors": float(np.log1p(len(unique))), "commonest color": float(counts.max()) / codes.size,
        "commonest is red": float(unique[counts.argmax()] >> 16),
        "red less green": cv2.mean(red)[0] - cv2.mean(green)[0],
        "green less blue": cv2.mean(green)[0] - cv2.mean(blue)[0],
    }  # fmt: skip


def _layout(luma: Pixels) -> dict[str, float]:
    """Return the distribution of light: slopes, center against border, similarity to the picture's reflections."""
    small = cv2.resize(luma, (16, 16), interpolation=cv2.INTER_AREA).astype(np.float64)
    across = cv2.mean(cv2.absdiff(luma[:, 1:], luma[:, :-1]))[0] if luma.shape[1] > 1 else 0.0
    down = cv2.mean(cv2.absdiff(luma[1:], luma[:-1]))[0] if luma.shape[0] > 1 else 0.0
    centred = small - small.mean()
    energy = float((centred**2).sum()) + 1.0
    slope = np.linspace(-1, 1, 16)
    return {
        "light to the right": float(small.mean(axis=0) @ slope),
        "light to the bottom": float(small.mean(axis=1) @ slope),
        "light in the middle": float(small[4:12, 4:12].mean() - small.mean()),
        "reflected across": float((centred * centred[:, ::-1]).sum() / energy),
        "reflected down": float((centred * centred[::-1]).sum() / energy),
        "steps across": float(across), "steps down": float(down),
        "steps across or down": float(np.log((across + 1) / (down + 1))),
    }  # fmt: skip


def _spectrum(luma: Pixels) -> dict[str, float]:
    """Return the energy of rings of the spectrum, and the strongest single line compared with its ring."""
    side = min(256, 1 << int(np.log2(max(16, min(luma.shape)))))
    square = luma[:side, :side] if min(luma.shape) >= side else cv2.resize(luma, (side, side))
    window = np.hanning(side)
    power = np.abs(np.fft.rfft2((square - square.mean()) * np.outer(window, window))) ** 2
    radius = np.hypot(np.fft.fftfreq(side)[:, None], np.fft.rfftfreq(side)[None, :])
    ring = np.minimum((radius / 0.5 * _RINGS).astype(int), _RINGS)
    means = np.bincount(ring.ravel(), power.ravel()) / np.maximum(1, np.bincount(ring.ravel()))
    measures = {f"ring {number}": float(np.log1p(value)) for number, value in enumerate(means)}
    lines = np.where(ring >= 2, power / (means[ring] + 1), 0)
    at = int(lines.argmax())
    place = divmod(at, lines.shape[1])
    return measures | {
        "strongest line": float(np.log1p(lines.ravel()[at])), "line down": float(abs(np.fft.fftfreq(side)[place[0]])),
        "line across": float(np.fft.rfftfreq(side)[place[1]]),
    }  # fmt: skip


@cache
def _transform() -> NDArray[np.float32]:
    """Return the discrete cosine transform of a row of eight (ITU-T T.81, A.3.3)."""
    k, n = np.arange(_BLOCK)[:, None], np.arange(_BLOCK)[None, :]
    matrix = np.cos((2 * n + 1) * k * np.pi / 16) / 2
    matrix[0] /= np.sqrt(2)
    return matrix.astype(np.float32)


@cache
def _zigzag() -> NDArray[np.int64]:
    """Return the coefficients of a block in order of frequency, lowest first."""
    places = sorted(range(64), key=lambda at: (at // 8 + at % 8, at // 8 if (at // 8 + at % 8) % 2 else at % 8))
    return np.array(places)


def _rounding(luma: Pixels, data: bytes) -> dict[str, float]:
    """Return statistics of the coefficients of blocks, in which a second compression leaves gaps and peaks."""
    high, wide = (side // _BLOCK * _BLOCK for side in luma.shape)
    if not high or not wide:
        return {}
    blocks = luma[:high, :wide].astype(np.float32).reshape(high // 8, 8, wide // 8, 8).transpose(0, 2, 1, 3) - 128
    blocks = blocks.reshape(-1, 8, 8)[:8192]
    of_block = (_transform() @ blocks @ _transform().T).reshape(-1, 64)[:, _zigzag()]
    size = np.abs(of_block)
    measures = {f"coefficient {n}": float(value) for n, value in enumerate(np.log1p(size[:, 1:].mean(axis=0)), 1)}
    measures |= {f"nought {n}": float(value) for n, value in enumerate((size[:, 1:] < 0.5).mean(axis=0), 1)}
    table = luma_table(data)
    steps = (
        np.ones(64) if table is None else np.maximum(1, np.array(table, float))
    )  # a file's tables are in zigzag order
    for number in range(1, _LOW):
        units = of_block[:, number] / steps[number]
        whole = np.rint(units)
        measures[f"off the steps {number}"] = float(np.abs(units - whole).mean())
        bins = np.bincount(np.minimum(np.abs(whole), _BINS).astype(int), minlength=_BINS + 1)[: _BINS + 1] / len(whole)
        measures |= {f"steps {number} {value}": float(share) for value, share in enumerate(bins)}
        measures |= _periods(whole, number)
    phases = _phases(luma)
    return measures | {f"grid {axis} {n}": float(v) for axis, row in phases.items() for n, v in enumerate(row)}


def _periods(whole: NDArray[np.float32], number: int) -> dict[str, float]:
    """Return how periodic the histogram of a coefficient's values is (A. Popescu, H. Farid, 2004)."""
    inside = whole[np.abs(whole) <= 63].astype(int) + 63
    counts = np.bincount(inside, minlength=127).astype(float)[:127]
    ratio = counts[1:-1] / (counts[:-2] + counts[2:] + 1)
    power = np.abs(np.fft.rfft(ratio - ratio.mean()))
    peak = int(power[3:].argmax()) + 3
    return {f"periodic {number}": float(power[peak] / (power.mean() + 1e-9)), f"period {number}": float(peak)}


def _phases(luma: Pixels) -> dict[str, NDArray[np.float64]]:
    """Return the mean step at each of eight positions, across and down, relative to the mean of all steps."""
    found = {}
    for name, levels in (("across", luma), ("down", np.ascontiguousarray(luma.T))):
        steps = cv2.absdiff(levels[:, 1:], levels[:, :-1]).mean(axis=0, dtype=np.float64)
        steps = np.resize(steps, 8) if len(steps) < 8 else steps[: len(steps) // 8 * 8]
        means = steps.reshape(-1, 8).mean(axis=0)
        found[name] = means / (means.mean() + 1e-6)
    return found


@cache
def _filters() -> tuple[NDArray[np.float32], ...]:
    """Return small filters of random weights, each with sum 0 over all colors."""
    weights = np.random.default_rng(20240).normal(size=(_FILTERS, 3, _FILTER_PX, _FILTER_PX)).astype(np.float32)
    weights -= weights.mean(axis=(1, 2, 3), keepdims=True)
    return tuple(weights)


def _answers(pixels: Pixels) -> dict[str, float]:
    """Return the largest, the mean and the spread of the rectified responses of each filter."""
    planes = cv2.split(np.ascontiguousarray(pixels[:_ANSWERS_PX, :_ANSWERS_PX]).astype(np.float32))
    measures: dict[str, float] = {}
    for number, weights in enumerate(_filters()):
        first, second, third = (
            cv2.filter2D(plane, cv2.CV_32F, kernel) for plane, kernel in zip(planes, weights, strict=True)
        )
        answer = cv2.max(cv2.add(cv2.add(first, second), third), 0.0)  # type: ignore[call-overload]
        mean, spread = (float(np.ravel(value)[0]) for value in cv2.meanStdDev(answer))
        measures |= {
            f"filter {number} most": cv2.minMaxLoc(answer)[1], f"filter {number} mean": mean,
            f"filter {number} spread": spread,
        }  # fmt: skip
    return measures


def _lines(pixels: Pixels) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """Yield each side with its outermost lines, shape (lines, length, 3), the outermost first."""
    depth = min(6, *pixels.shape[:2])
    views = (pixels, pixels[::-1], pixels.transpose(1, 0, 2), pixels.transpose(1, 0, 2)[::-1])
    for side, view in zip(SIDES, views, strict=True):
        yield side, view[:depth].astype(np.float32)


def border_lines(pixels: Pixels) -> Floats:
    """Return mean color, spread and inward step of the outermost line of each half of the four sides; shape (8, 7)."""
    rows = []
    for _, lines in _lines(pixels):
        inner = lines[min(3, len(lines) - 1)]
        half = max(1, lines.shape[1] // 2)
        for part in (slice(0, half), slice(min(half, lines.shape[1] - 1), None)):
            outer = lines[0, part]
            step = (inner[part] - outer).mean(axis=0)
            rows.append([*outer.mean(axis=0), float(outer.std()), *step])
    return np.array(rows, np.float32)


def _borders_by_name(pixels: Pixels) -> dict[str, float]:
    """Return how each side's outermost line differs from the next ones, and whether it has a single color."""
    measures = {}
    for side, lines in _lines(pixels):
        second, third = lines[min(1, len(lines) - 1)], lines[min(2, len(lines) - 1)]
        measures[f"{side} line"] = float(np.abs(lines[0] - second).mean())
        measures[f"{side} line against the next"] = float(
            np.abs(lines[0] - second).mean() - np.abs(second - third).mean()
        )
        measures[f"{side} spread"] = float(np.log1p(lines[0].std(axis=0).mean()))
    return measures


def _resized(pixels: Pixels, cells: int) -> Pixels:
    return np.asarray(cv2.resize(pixels, (cells, cells), interpolation=cv2.INTER_AREA), np.uint8)


def _strongest(residual: NDArray[np.int16]) -> Pixels:
    """Return the residual with the largest magnitude in each cell, halved and centered at 128."""
    height, width = residual.shape[:2]
    top = np.linspace(0, height, MAP_CELLS + 1).astype(int)[:-1]
    left = np.linspace(0, width, MAP_CELLS + 1).astype(int)[:-1]
    most = np.maximum.reduceat(np.maximum.reduceat(residual, top, axis=0), left, axis=1)
    least = np.minimum.reduceat(np.minimum.reduceat(residual, top, axis=0), left, axis=1)
    strongest = np.where(most >= -least, most, least)
    return np.asarray(np.clip(128 + strongest // 2, 0, 255), np.uint8)


def _corners(pixels: Pixels) -> Pixels:
    high, wide = (min(CORNER_PX, side) for side in pixels.shape[:2])
    corners = np.zeros((4, CORNER_PX, CORNER_PX, 3), np.uint8)
    views = (pixels, pixels[:, ::-1], pixels[::-1], pixels[::-1, ::-1])
    for corner, view in zip(corners, views, strict=True):
        corner[:high, :wide] = view[:high, :wide]
    return corners
