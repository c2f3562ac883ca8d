"""Helpers for rows of figure tables: chaining, sorting and rounding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...campaigns.running.verdicts import DIGITS

Row = Sequence[Any]


def in_order(rows: Iterator[list[Any]]) -> list[list[Any]]:
    """Return the rows sorted by their first four values."""
    return sorted(rows, key=lambda row: [str(value) for value in row[:4]])


def chained(parts: Iterator[Iterator[Row]]) -> Iterator[Row]:
    """Yield the rows of several parts, one part after the other."""
    for part in parts:
        yield from part


def rounded(*values: Any) -> list[Any]:
    """Return values in which floats are rounded, so that their last bits, which depend on the platform, are dropped."""
    return [round(value, DIGITS) if isinstance(value, float) else value for value in values]
