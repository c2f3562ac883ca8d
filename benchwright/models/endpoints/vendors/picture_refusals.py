"""Refusals of pictures as too large, and the limits inferred from them."""

from __future__ import annotations

import re
from typing import NamedTuple

_LEAST_SIDE_PX, _LEAST_HALF_PX = 16, 64
"""Smallest sides that are inferred, from wording and by halving: a server that refuses less has another reason."""
_LEAST_BYTES = 2048
_OF_TOKENS = re.compile(r"\btokens?\b|\bcontext\b", re.I)
_PIXELS = re.compile(r"\b(\d[\d,]{1,6})\s*(?:px|pixels?)\b", re.I)
_BYTES = re.compile(r"\b(\d[\d,]{3,14})\s*bytes\b", re.I)
_MEGABYTES = re.compile(r"\b(\d{1,4}(?:\.\d{1,3})?)\s*Mi?B\b", re.I)
"""Patterns of limits as refusals state them."""


class LearnedLimits(NamedTuple):
    """An endpoint's limits on a picture; None for no limit.

    Args:
        max_side_px: Longest side, in pixels.
        max_bytes: Size of the file, in bytes.
    """

    max_side_px: int | None = None
    max_bytes: int | None = None


def learned_limits(words: str, side_px: int, size_bytes: int) -> LearnedLimits | None:
    """Return the limits inferred from an endpoint's refusal of a picture as too large.

    The function adopts a stated limit, but only three quarters of one in bytes, since servers measure base64. Without a
    stated limit, it halves both sides. It returns None if the picture would become smaller than 64 pixels, or if the
    refusal is about tokens: shrinking all pictures because of one long question would change every question.

    Args:
        words: Text of the refusal.
        side_px: Longest side of the request's largest picture.
        size_bytes: Size of the request's largest file.

    Example:
        >>> learned_limits("dimensions exceed max allowed size: 8000 pixels", 9000, 50_000)
        LearnedLimits(max_side_px=8000, max_bytes=None)
        >>> learned_limits("image exceeds 5 MB maximum: 5649924 bytes > 5242880 bytes", 3000, 4_237_443)
        LearnedLimits(max_side_px=None, max_bytes=3932160)
    """
    sides = [side for side in _numbers(_PIXELS, words) if _LEAST_SIDE_PX <= side < side_px]
    sizes = [size * 3 // 4 for size in _numbers(_BYTES, words)]
    sizes += [int(float(number) * 2**20 * 3 / 4) for number in _MEGABYTES.findall(words)]
    sizes = [size for size in sizes if _LEAST_BYTES <= size < size_bytes]
    if sides or sizes:
        return LearnedLimits(max(sides, default=None), max(sizes, default=None))
    if _OF_TOKENS.search(words):
        return None
    half = side_px // 2
    return LearnedLimits(half) if half >= _LEAST_HALF_PX else None


def _numbers(pattern: re.Pattern[str], words: str) -> list[int]:
    return [int(number.replace(",", "")) for number in pattern.findall(words)]
