"""Adjusted p-values for many pairs, and ranks that differ only where models differ significantly."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple


class Rank(NamedTuple):
    """Place of a model in the ranking.

    Args:
        rank: 1 + the number of models in the ranks above; equal where models cannot be told apart.
        best: Best possible place: 1 + the number of models above it that are told apart from it.
        worst: Worst possible place: the number of all models less those below it that are told apart from it.
    """

    rank: int
    best: int
    worst: int

    @property
    def places(self) -> str:
        """The places that a model may have as text, such as `2-5`; `2` where only one is left."""
        return str(self.best) if self.best == self.worst else f"{self.best}-{self.worst}"


def rank_text(place: Rank | None, places: Iterable[Rank | None]) -> str:
    """Return a rank as text: with "=" where another model has the same rank, a dash where there is none."""
    if place is None:
        return "-"
    return (
        f"{place.rank}{'=' if sum(listed is not None and listed.rank == place.rank for listed in places) > 1 else ''}"
    )


def tied_ranks(count: int, told_apart: Callable[[int, int], bool]) -> list[Rank]:
    """Return the places of models that are given best first.

    A rank ends where every model above is told apart from every model below. So models that cannot be told apart always
    share a rank, and models of different ranks always are told apart. A rank may also hold models that are told apart,
    where others between them link them; `best` and `worst` then say more.

    Source: the rule of the rank clusters of the Workshop on Machine Translation; O. Bojar et al., "Findings of the 2013
    Workshop on Statistical Machine Translation", 1-44.

    Args:
        count: Number of models, from the most accurate to the least.
        told_apart: Function that says whether two models, the better first, differ significantly.
    """
    above = [[told_apart(i, k) for i in range(k)] for k in range(count)]
    rank, places = 1, []
    for k in range(count):
        if all(above[low][high] for low in range(k, count) for high in range(k)):
            rank = k + 1
        below = sum(above[low][k] for low in range(k + 1, count))
        places.append(Rank(rank, 1 + sum(above[k]), count - below))
    return places
