"""Strength of a picture's compression, from its JPEG tables and from its pixels."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_BLOCK_PX = 8
_LUMA_AT_50 = (
    16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51,
    87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101,
    72, 92, 95, 98, 112, 100, 103, 99,
)  # fmt: skip
"""The table of ITU-T T.81, annex K.1, which the quality of the Independent JPEG Group scales. Only its sum is used
here, so the order of the coefficients does not matter."""
_START_OF_SCAN, _TABLES = 0xDA, 0xDB
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_PROGRESSIVE = frozenset({0xC2, 0xC6, 0xCA, 0xCE})


def jpeg_quality(data: bytes) -> int | None:
    """Return the quality, 1 to 100, whose luma table is closest to that of a JPEG file; None if it has no table.

    Args:
        data: Bytes of the file. Only its markers up to the first scan are read; nothing is decoded.
    """
    table = luma_table(data)
    if table is None:
        return None
    coarseness = sum(min(step, 255) for step in table)
    return min(range(100, 0, -1), key=lambda quality: abs(_coarseness(quality) - coarseness))


@cache
def _coarseness(quality: int) -> int:
    """Return the sum of libjpeg's luma table for a given quality."""
    scale = 5000 // quality if quality < 50 else 200 - 2 * quality
    return sum(min(255, max(1, (step * scale + 50) // 100)) for step in _LUMA_AT_50)


class ChromaCoding(NamedTuple):
    """The color sampling of a JPEG file, and the order of its scans.

    Args:
        samples: Samples per pixel of the second channel: 1 for full color, 0.25 for 4:2:0, 0 for a grayscale file.
        is_progressive: Whether coarse scans come first.
    """

    samples: float
    is_progressive: bool


def chroma_coding(data: bytes) -> ChromaCoding | None:
    """Return the color sampling of a JPEG file; None if its header does not state it. Nothing is decoded."""
    for marker, payload in jpeg_segments(data):
        if marker in _FRAMES and len(payload) >= 6:
            samples = [(pair >> 4) * (pair & 15) for pair in payload[7 : 6 + 3 * payload[5] : 3]]
            if len(samples) != payload[5] or 0 in samples[:1]:
                return None
            return ChromaCoding(samples[1] / samples[0] if len(samples) > 1 else 0.0, marker in _PROGRESSIVE)
    return None


def luma_table(data: bytes) -> tuple[int, ...] | None:
    """Return quantization table 0 of a JPEG file: the 64 steps to which its luma was rounded, from low to high.

    Return None if the file has no such table.
    """
    for marker, payload in jpeg_segments(data):
        if marker == _TABLES and (table := _table_zero(payload)) is not None:
            return table
    return None


def jpeg_segments(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the marker and content of each complete segment before the first scan of a JPEG file."""
    if data[:2] != b"\xff\xd8":
        return
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF:  # a fill byte
            at += 1
            continue
        length = int.from_bytes(data[at + 2 : at + 4], "big")
        if marker == _START_OF_SCAN or length < 2:
            return
        yield marker, data[at + 4 : at + 2 + length]
        at += 2 + length


def _table_zero(segment: bytes) -> tuple[int, ...] | None:
    at = 0
    while at < len(segment):
        wide, number = segment[at] >> 4, segment[at] & 15
        size = 128 if wide else 64
        steps = segment[at + 1 : at + 1 + size]
        if len(steps) < size:
            return None
        if number == 0:
            return tuple(int.from_bytes(steps[n : n + 1 + wide], "big") for n in range(0, size, 1 + wide))
        at += 1 + size
    return None


def blockiness(gray: NDArray[np.uint8]) -> float:
    """Return how much stronger steps are along a grid of 8 pixels than elsewhere: 0 equal, 1 twice as strong.

    This works in any file format, including a strongly compressed JPEG stored again as PNG or with a higher quality.
    The grid may begin anywhere, for example after a crop. The strength of a step is the amount by which the difference
    between two neighbors exceeds the differences on both sides of it.

    Args:
        gray: Shape (height, width), at native size: shrinking blurs the grid away.
    """
    strengths = []
    for levels in (gray.astype(np.int16), np.ascontiguousarray(gray.T, np.int16)):
        if levels.shape[1] < 4 * _BLOCK_PX:
            return 0.0
        steps = np.abs(np.diff(levels, axis=1))
        twice = 2 * steps[:, 1:-1] - steps[:, :-2] - steps[:, 2:]  # integers are faster, and equally exact
        columns = np.maximum(twice, 0).sum(axis=0, dtype=np.int32) / 2 / len(twice)
        columns = columns[: len(columns) // _BLOCK_PX * _BLOCK_PX].reshape(-1, _BLOCK_PX)
        phases = np.sort(columns.mean(axis=0))
        strengths.append((phases[-1] - phases[:-1].mean()) / max(float(phases[:-1].mean()), 0.25))
    return float(min(strengths))
