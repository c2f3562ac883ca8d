"""Ranks of models as intervals, and groups of models that do not differ significantly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple


class Rank(NamedTuple):
    """The ranks that a model may have according to the comparisons of all pairs.

    If the probability of wrongly separating any pair is at most 5 %, the intervals of all models jointly contain the
    true ranks in at least 95 of 100 studies.

    Source: M. Mogstad, J. P. Romano, A. M. Shaikh, D. Wilhelm, "Inference for ranks with applications to mobility
    across neighbourhoods and academic achievement across countries", Review of Economic Studies 91 (2024), 476-518.

    Args:
        best: 1 + the number of models found better.
        worst: The number of all models minus the number of those found worse.
    """

    best: int
    worst: int

    def __str__(self) -> str:
        """Return the interval as text, such as `2–5`, or `2` for a single rank."""
        return str(self.best) if self.best == self.worst else f"{self.best}–{self.worst}"


def rank_intervals(count: int, told_apart: Callable[[int, int], bool]) -> list[Rank]:
    """Return the possible ranks of models that are ordered from best to worst.

    Args:
        count: Number of models, from the most accurate to the least.
        told_apart: Function that returns whether two models, given with the better one first, differ significantly.
    """
    return [
        Rank(
            1 + sum(told_apart(above, k) for above in range(k)),
            count - sum(told_apart(k, below) for below in range(k + 1, count)),
        )
        for k in range(count)
    ]


def group_letters(count: int, told_apart: Callable[[int, int], bool]) -> list[str]:
    """Return the letters of each model's groups: two models differ significantly exactly if they share no letter.

    Letters follow the best model of their group, from `a`. After `z` come `aa`, `ab` and so on, separated by spaces.

    Source: H.-P. Piepho, "An algorithm for a letter-based representation of all-pairwise comparisons", Journal of
    Computational and Graphical Statistics 13 (2004), 456-466 (insert and absorb).

    Args:
        count: Number of models, from the most accurate to the least.
        told_apart: Function that returns whether two models, given with the better one first, differ significantly.
    """
    groups = [frozenset(range(count))]
    for low in range(count):
        for high in range(low):
            if told_apart(high, low):
                groups = _parted(groups, high, low)
    groups.sort(key=sorted)
    names = list(_names(len(groups)))
    between = "" if len(groups) <= _ALPHABET else " "
    return [between.join(name for name, group in zip(names, groups, strict=True) if k in group) for k in range(count)]


_RUN = 5
"""Length of the shortest run of consecutive letters that is written as its first and last letter."""


def shortened_groups(letters: str) -> str:
    """Return the letters of a model's groups as shown in tables, with five or more consecutive letters as `c–g`.

    Example:
        >>> shortened_groups("abcdf"), shortened_groups("bcdefgk")
        ('abcdf', 'b–g k')
    """
    names = letters.split() if " " in letters else list(letters)
    between = " " if " " in letters else ""
    runs: list[list[str]] = []
    for name in names:
        if runs and _number(name) == _number(runs[-1][-1]) + 1:
            runs[-1].append(name)
        else:
            runs.append([name])
    if all(len(run) < _RUN for run in runs):
        return letters
    return " ".join(f"{run[0]}–{run[-1]}" if len(run) >= _RUN else between.join(run) for run in runs)


def _number(name: str) -> int:
    """Return the index of a group given its name; `a` is 0."""
    number = 0
    for letter in name:
        number = number * _ALPHABET + ord(letter) - ord("a") + 1
    return number - 1


def _parted(groups: list[frozenset[int]], high: int, low: int) -> list[frozenset[int]]:
    """Return groups none of which contains both models: groups with both are split, and subsets of other groups are
    dropped.
    """
    kept = [group for group in groups if not {high, low} <= group]
    for made in (group - {one} for group in groups if {high, low} <= group for one in (low, high)):
        if not any(made <= group for group in kept):
            kept = [group for group in kept if not group < made]
            kept.append(made)
    return kept


_ALPHABET = 26


def _names(count: int) -> Iterator[str]:
    for number in range(count):
        first, last = divmod(number, _ALPHABET)
        yield ("" if first == 0 else chr(ord("a") + first - 1)) + chr(ord("a") + last)
