"""Columns of the table of scores that only some releases and runs have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..summary import is_of_all

if TYPE_CHECKING:
    from ..score import Figure, Score

KNOWLEDGE = (
    ("score_kk", "mm_sap/score_kk", "known, right"),
    ("score_ku", "mm_sap/score_ku", "unknown, declined"),
    ("score_sa", "mm_sap/score_sa", "their sum"),
)
"""Name in the paper, metric, and words."""
READER = (
    ("robust reader", "by_robust_reader", "same replies"),
    ("reader gap", "reader_gap", "robust less paper's"),
)


class More(NamedTuple):
    """A column: its words, what stands below, and a figure for each score (None where there is none)."""

    name: str
    below: str
    figures: tuple[Figure | None, ...]
    is_difference: bool = False


def more_columns(scores: Sequence[Score]) -> tuple[More, ...]:
    """Return the further columns of the scores of a page, in their order.

    MM-SAP's figures stand there where every asked item offers an option that declines; where only some do, they have a
    table of their own. What the robust reader makes of the same replies stands there where a paper's reader read.
    """
    found = []
    if any(is_of_all(score, KNOWLEDGE[0][1]) for score in scores):
        found += [_column(scores, *one) for one in KNOWLEDGE]
    if any(_figure(score, READER[0][1]) is not None for score in scores):
        found += [_column(scores, *one) for one in READER]
    return tuple(one for one in found if any(figure is not None for figure in one.figures))


def _column(scores: Sequence[Score], name: str, metric: str, below: str) -> More:
    return More(name, below, tuple(_figure(score, metric) for score in scores), metric == "reader_gap")


def _figure(score: Score, name: str) -> Figure | None:
    found = score.metrics.get(name)
    return None if found is None or found.value is None else found
