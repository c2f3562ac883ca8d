"""What a threshold of the text-area ratio would do: how many pictures it drops, and which lie closest to it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .text_report import TextShare

CANDIDATES = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
NEAR = 0.02
"""A picture whose ratio is within this of a threshold is a close call: so much do two careful looks differ."""
EXAMPLES = 4


class Candidate(NamedTuple):
    """One threshold.

    Args:
        threshold: A picture is dropped where its ratio is above this.
        kept: Files that stay.
        dropped: Files that go.
        close: Files whose ratio is within `NEAR`.
        below: Distinct pictures that stay, nearest first.
        above: Distinct pictures that go, nearest first.
    """

    threshold: float
    kept: int
    dropped: int
    close: int
    below: tuple[TextShare, ...]
    above: tuple[TextShare, ...]


def candidates(shares: Sequence[TextShare], thresholds: Iterable[float] | None = None) -> list[Candidate]:
    """Return what each threshold would do, ascending; the order of files does not matter.

    Args:
        shares: One a file.
        thresholds: 0 to 1. If None, those of `CANDIDATES` that drop something, and the first that drops nothing.
    """
    ordered = sorted(shares, key=lambda one: (one.ratio, one.path))
    ratios = [one.ratio for one in ordered]
    if thresholds is None:
        last = bisect_right(CANDIDATES, ratios[-1] if ratios else 0.0)
        thresholds = CANDIDATES[: last + 1]
    return [_candidate(ordered, ratios, threshold) for threshold in sorted(set(thresholds))]


def _candidate(ordered: Sequence[TextShare], ratios: Sequence[float], threshold: float) -> Candidate:
    kept = bisect_right(ratios, threshold)
    close = sum(abs(ratio - threshold) <= NEAR for ratio in ratios)
    return Candidate(
        threshold, kept, len(ordered) - kept, close, _distinct(reversed(ordered[:kept])), _distinct(ordered[kept:])
    )


def _distinct(nearest_first: Iterable[TextShare]) -> tuple[TextShare, ...]:
    """Return the first few that show something else than those before: copies of a file are no further example."""
    found: dict[object, TextShare] = {}
    for one in nearest_first:
        found.setdefault((one.ratio, one.regions, one.left_out) if one.boxes else one.path, one)
        if len(found) == EXAMPLES:
            break
    return tuple(found.values())
