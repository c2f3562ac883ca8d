"""The smallest difference that a release can reveal: how much two systems must differ to be distinguishable.

Systems are distinguished by a joint test of all their pairs, so the difference grows with their number. It also depends
on the proportion of items that exactly one of two systems answers correctly, and on the design effect of items that
share a picture, pair or scene. Both are medians over the pairs of stored systems, or assumed as in the audit of a
benchmark.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from statistics import median
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchwright.diagnostics.keys.power import PowerAssumptions, assumed_design_effect
from benchwright.statistics import kinds_of
from benchwright.statistics.paired_difference import paired_design_effect
from benchwright.statistics.paired_power import POWER, joint_threshold, least_difference

from .observations import Observations
from .population import Population

COMPARED = (2, 5, 10, 20, 50)
"""Numbers of systems for which the smallest difference is stated, in addition to the number of stored systems."""
_NOT_ASKED = -1
_LEAST_ITEMS = 10
"""Smallest number of items that both systems must have been asked for their answers to be used."""


class LeastDifference(NamedTuple):
    """A difference that can be detected with 80 % power.

    Args:
        systems: Number of systems, compared in all pairs.
        items: Number of items that each system is asked.
        difference: Smallest detectable difference between two of them, 0 to 1; None if no possible difference is
            detectable.
    """

    systems: int
    items: int
    difference: float | None


class Telling(NamedTuple):
    """The smallest differences, and the evidence behind them.

    Args:
        pairs: Number of pairs of stored systems; 0 if all figures are assumed.
        discordant: Proportion of items that exactly one of two systems answers correctly, 0 to 1.
        design_effect: Design effect of a difference on all items.
        assumptions: Assumptions made; None if the figures come from stored systems.
        differences: The differences, by number of items, then by number of systems.
    """

    pairs: int
    discordant: float
    design_effect: float
    assumptions: PowerAssumptions | None
    differences: tuple[LeastDifference, ...]

    def document(self) -> dict[str, Any]:
        """Return the differences as JSON values."""
        return {
            "power": POWER,
            "pairs": self.pairs,
            "discordant": self.discordant,
            "design_effect": self.design_effect,
            "assumed": None if self.assumptions is None else self.assumptions._asdict(),
            "differences": [entry._asdict() for entry in self.differences],
        }


def telling_of(
    systems: Sequence[Observations], population: Population, items: Sequence[int], score: float | None = None
) -> Telling:
    """Return the smallest differences that can be detected if each item is asked once.

    Args:
        systems: Answers of stored systems.
        population: Items of the release.
        items: Numbers of items for which to state differences.
        score: Proportion of right answers to assume if there are no stored systems; 0.5 if None.
    """
    found = _pairs(systems, population)
    assumptions = None
    if found:
        discordant, effect = (median(figures) for figures in zip(*found, strict=True))
        alike = population.in_cluster - 1
        within = 0.0 if alike == 0 else min(1.0, (effect - 1) / alike)
    else:
        assumptions = PowerAssumptions() if score is None else PowerAssumptions(accuracy=score)
        discordant, within = assumptions.discordant, assumptions.within_cluster
        effect = _effect(population, population.size, within)
    numbers = sorted({*COMPARED, *([len(systems)] if len(systems) > 1 else [])})
    differences = [
        LeastDifference(number, count, least_difference(count, discordant, of_count, joint_threshold(number)))
        for count, of_count in ((count, _effect(population, count, within)) for count in items)
        for number in numbers
    ]
    return Telling(len(found), discordant, effect, assumptions, tuple(differences))


def _effect(population: Population, items: int, within: float) -> float:
    """Return the design effect of a sample of items, in which fewer items share a cluster than in the whole."""
    group = population.group[population.drawn(items)] if items < population.size else population.group
    return assumed_design_effect(np.bincount(group)[np.unique(group)], within)


def _pairs(systems: Sequence[Observations], population: Population) -> list[tuple[float, float]]:
    """Return the discordant proportion and the design effect for each pair of systems."""
    answers = [_first_answers(system, population.size) for system in systems]
    found = []
    for first, second in combinations(answers, 2):
        both = (first != _NOT_ASKED) & (second != _NOT_ASKED)
        n = int(both.sum())
        if n < _LEAST_ITEMS:
            continue
        difference = first[both] - second[both]
        b, c = int((difference > 0).sum()), int((difference < 0).sum())
        kinds = kinds_of(np.unique(population.group[both], return_inverse=True)[1], difference)
        found.append(((b + c) / n, 1.0 if kinds.clusters == n else paired_design_effect(kinds, b, c)))
    return found


def _first_answers(system: Observations, size: int) -> NDArray[np.int8]:
    """Return whether the first answer to each item is right, according to the reader that the system's score uses."""
    read = system.read_by(system.reader)
    places, rows = np.unique(system.levels["items"][read], return_index=True)
    answers = np.full(size, _NOT_ASKED, dtype=np.int8)
    answers[places] = system.value[read][rows]
    return answers
