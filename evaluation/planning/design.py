"""The width of a score's interval under a design (D study): numbers of items, orders, wordings, samples and readers.

The variance of a score is the sum of the effects' variances, each divided by the number of averaged levels. An effect
adds nothing if all its facets are fixed: the inference holds for these levels. For items there are two answers, never
mixed: for *these items*, those of the release, of which a sample is asked, and for *items like these*, of which the
release itself is a sample.

Source: R. L. Brennan, Generalizability Theory, Springer 2001, sections 4.1 and 4.3 (fixed facets); W. G. Cochran,
Sampling Techniques, 3rd ed., Wiley 1977, section 2.6 (samples of a finite number).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import sqrt
from typing import Literal, NamedTuple

from benchwright.statistics.score_interval import Z_95, Interval, score_interval

from .facets import ASKED, Facet
from .study import Component, VarianceStudy

Scope = Literal["items_like_these", "these_items"]
SCOPES: dict[Scope, str] = {"items_like_these": "items like these", "these_items": "these items"}
"""Populations to which an interval may refer, and their names in text."""


class Numbers(NamedTuple):
    """The number of levels of each facet in a design."""

    items: int
    orders: int = 1
    wordings: int = 1
    samples: int = 1
    readers: int = 1

    def of(self, facet: Facet) -> int:
        """Return the number of levels of a given facet."""
        return int(getattr(self, facet))

    @property
    def questions(self) -> int:
        """Return the number of questions; all readers read the same replies."""
        return self.items * self.orders * self.wordings * self.samples


class PlanSetting(NamedTuple):
    """The inputs from which a width is computed, in addition to the numbers of a design.

    Args:
        study: The variances of the effects.
        size: Number of items of the release.
        in_cluster: Items in the cluster of an item, averaged over items (`Population.in_cluster`).
        fixed: Facets other than items whose levels are fixed.
    """

    study: VarianceStudy
    size: int
    in_cluster: float
    fixed: frozenset[Facet] = frozenset()

    def worth(self, items: int) -> float:
        """Return the number of equal clusters that is equivalent to the clusters of this many items (Kish 1965, section
        5.4).
        """
        if items >= self.size:
            return items / self.in_cluster
        return self.size / (self.in_cluster + self.size / items - 1)

    def is_bound(self, scope: Scope) -> bool:
        """Return whether widths are upper bounds because order or sample effects are inseparable from fixed ones."""
        fixed = _fixed(self, scope)
        return any(part.contains and part.effect.facets <= fixed for part in self.study.components)


def contributions(setting: PlanSetting, numbers: Numbers, scope: Scope) -> dict[str, float]:
    """Return the contribution of each effect to the variance of a score."""
    fixed = _fixed(setting, scope)
    return {
        component.effect.name: component.value * _factor(component, numbers, fixed, setting)
        for component in setting.study.components
    }


def as_run(setting: PlanSetting, scope: Scope) -> dict[str, float]:
    """Return each effect's contribution to the variance of the mean of the stored answers, whatever their layout."""
    fixed = _fixed(setting, scope)
    left = max(0.0, 1 - setting.study.levels["items"] / setting.size)
    added = {}
    for component in setting.study.components:
        facets = component.effect.facets
        is_fixed = _is_fixed(component, fixed)
        share = left if is_fixed and "clusters" in facets else 0.0 if is_fixed else 1.0
        added[component.effect.name] = component.value * component.in_mean * share
    return added


def width(setting: PlanSetting, numbers: Numbers, scope: Scope) -> float:
    """Return the full width of the 95 % interval of a score, or of a difference between scores, under a design."""
    low, high = interval_of(setting, contributions(setting, numbers, scope), numbers)
    return high - low


def interval_of(setting: PlanSetting, added: Mapping[str, float], numbers: Numbers) -> Interval:
    """Return the 95 % interval of the study's score, given the effects' contributions to its variance.

    The squares of t times the root of each part are added, so that a part with few observed levels is treated as
    uncertain and the interval has at least the stated coverage. For effects within items, t has as many degrees of
    freedom as clusters less one; for wordings and readers, as many as levels less one, of the stored answers or the
    design, whichever has more. A difference extends by the root of the sum on either side; a score has Wilson's
    interval for the number of items with that variance.

    Source: S. K. Banerjee, "Approximate confidence interval for linear functions of means of k populations when the
    population variances are not equal", Sankhya 22 (1960), 357-358; E. L. Korn, B. I. Graubard, Survey Methodology 24
    (1998), 193-201.
    """
    score = setting.study.score
    squares = sum(
        _quantile(_freedom(component.effect.facets, setting, numbers)) ** 2 * added[component.effect.name]
        for component in setting.study.components
    )
    if squares <= 0:
        return Interval(score, score)
    if setting.study.is_difference:
        half = sqrt(squares)
        return Interval(max(-1.0, score - half), min(1.0, score + half))
    worth = score * (1 - score) * Z_95**2 / squares
    return score_interval(score * worth, worth)


@lru_cache(maxsize=1 << 12)
def _quantile(freedom: int) -> float:
    """Return the 97.5 % point of Student's t."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 0.975))


def _fixed(setting: PlanSetting, scope: Scope) -> frozenset[Facet]:
    items: frozenset[Facet] = frozenset({"clusters", "items"}) if scope == "these_items" else frozenset()
    return setting.fixed | items


def _is_fixed(component: Component, fixed: frozenset[Facet]) -> bool:
    """Return whether all facets of an effect are fixed; orders and samples are never fixed."""
    return component.effect.facets <= fixed and not component.contains


def _factor(component: Component, numbers: Numbers, fixed: frozenset[Facet], setting: PlanSetting) -> float:
    """Return the factor by which an effect's variance contributes to the variance of a score."""
    averaged, facets = 1, component.effect.facets
    for facet in facets - {"clusters", "items"}:
        averaged *= numbers.of(facet)
    is_fixed = _is_fixed(component, fixed)
    if "clusters" not in facets:
        return 0.0 if is_fixed else 1 / averaged
    if is_fixed:
        return max(0.0, 1 / numbers.items - 1 / setting.size) / averaged
    return 1 / (setting.worth(numbers.items) if facets == {"clusters"} else numbers.items * averaged)


def _freedom(facets: frozenset[Facet], setting: PlanSetting, numbers: Numbers) -> int:
    levels = setting.study.levels
    if "clusters" in facets:
        return max(1, int(setting.worth(max(levels["items"], numbers.items))) - 1)
    freedom = 1
    for facet in facets:
        freedom *= max(levels[facet], numbers.of(facet)) - 1
    return max(1, freedom)


def facets_of(setting: PlanSetting) -> list[Facet]:
    """Return the facets whose numbers a design can choose: items, and all facets that are known and not fixed."""
    return [facet for facet in ASKED if facet not in setting.study.unknown and facet not in setting.fixed]
