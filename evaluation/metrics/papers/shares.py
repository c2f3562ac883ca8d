"""Proportions that keep their numerator and denominator."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import NamedTuple


class Share(NamedTuple):
    """A proportion with the counts behind it; `part` is a sum of proportions if the metric is their mean."""

    part: float
    of: int

    @property
    def value(self) -> float | None:
        """The proportion, 0 to 1; None if `of` is 0."""
        return self.part / self.of if self.of else None


def share(rights: Iterable[bool]) -> Share:
    """Return the proportion of true values.

    Example:
        >>> share([True, False, True])
        Share(part=2, of=3)
    """
    listed = list(rights)
    return Share(sum(listed), len(listed))


def share_of_groups(answers: Iterable[tuple[Hashable, bool]], *, at_least: int = 1) -> Share:
    """Return the proportion of groups with every answer right, among the groups with enough answers.

    Args:
        answers: Pairs of group and whether the answer is right, in any order.
        at_least: Smallest number of answers for a group to be included; 1 by default.

    Example:
        >>> share_of_groups([("a", True), ("a", True), ("b", True), ("b", False), ("c", True)], at_least=2)
        Share(part=1, of=2)
    """
    groups: dict[Hashable, list[bool]] = {}
    for group, right in answers:
        groups.setdefault(group, []).append(right)
    return share(all(rights) for rights in groups.values() if len(rights) >= at_least)


def mean_of_shares(shares: Iterable[Share]) -> Share:
    """Return the unweighted mean of proportions, their sum over their number; a proportion with denominator 0 counts as
    0.
    """
    values = [estimate.value or 0.0 for estimate in shares]
    return Share(sum(values), len(values))
