"""Ratings as columns of numbers, so that hundreds of thousands can be counted and selected without a Python loop."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

_MOST_KEYS = 2**62


@dataclass(frozen=True)
class RatingColumns:
    """R ratings as columns.

    Args:
        units: (R,) number of the unit, from 0.
        raters: (R,) index of the rater in `rater_names`.
        labels: (R,) index of the label in `label_names`.
        unit_count: Number of units; some may have no rating.
        rater_names: Names of all raters.
        label_names: Names of labels, in the order of an ordinal metric.
        is_declared: Whether `label_names` are all possible labels; otherwise only labels in use are considered.
    """

    units: Ints
    raters: Ints
    labels: Ints
    unit_count: int
    rater_names: tuple[str, ...]
    label_names: tuple[str, ...]
    is_declared: bool

    def __len__(self) -> int:
        return len(self.units)

    def only(self, mask: Mask) -> RatingColumns:
        """Return the ratings that a mask over R selects; unit numbers and names stay unchanged."""
        return replace(self, units=self.units[mask], raters=self.raters[mask], labels=self.labels[mask])

    def without(self, rater: str) -> RatingColumns:
        """Return the ratings of all other raters."""
        return self.only(self.raters != self.rater_names.index(rater))

    @property
    def present(self) -> list[str]:
        """Return the names of raters with at least one rating, sorted."""
        return sorted(self.rater_names[place] for place in np.unique(self.raters))


def numbered(names: Iterable[str], known: Sequence[str] | None = None) -> tuple[tuple[str, ...], Ints]:
    """Return the distinct names, sorted or in the order of `known`, and the index of each name among them."""
    listed = list(names)
    distinct = tuple(sorted(set(listed)) if known is None else known)
    place = {name: number for number, name in enumerate(distinct)}
    return distinct, np.array([place[name] for name in listed], dtype=np.int64)


def distinct_rows(rows: Ints) -> tuple[Ints, Ints]:
    """Return the distinct rows of small integers in lexicographic order, and how often each occurs.

    The result equals that of `numpy.unique(rows, axis=0)` but is tens of times faster if a row fits into one integer.
    """
    if not rows.size:
        distinct, times = np.unique(rows, axis=0, return_counts=True)
        return distinct, times.astype(np.int64)
    lowest = rows.min(axis=0)
    spans = [int(span) for span in rows.max(axis=0) - lowest + 1]
    scales = [1]
    for span in reversed(spans[1:]):
        scales.insert(0, scales[0] * span)
    if scales[0] * spans[0] > _MOST_KEYS:
        distinct, times = np.unique(rows, axis=0, return_counts=True)
        return distinct, times.astype(np.int64)
    keys, times = np.unique((rows - lowest) @ np.array(scales, dtype=np.int64), return_counts=True)
    distinct = keys[:, None] // np.array(scales) % np.array(spans) + lowest
    return distinct.astype(np.int64), times.astype(np.int64)
