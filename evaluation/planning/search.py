"""The cheapest design that reaches a width, and the narrowest one within a budget, among all that a release allows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from benchwright.errors import BenchwrightError

from .design import Numbers, PlanSetting, Scope, facets_of, width
from .facets import ASKED, Facet

MOST: Mapping[Facet, int] = {"orders": 12, "wordings": 4, "samples": 16, "readers": 4}
"""Largest numbers of levels in a design. Four wordings differ in their words (`protocols.wordings`), and there are four
readers; more than a dozen orders or 16 samples of a question are rarely worth their price."""
_MANY, _MOST_REPEATS = 10_000_000, 100
"""Largest number of items, and of orders or samples, to try; runs accept no more of these."""
LEAST_ITEMS = 2
_UNSEEN = 0.0005
"""Difference between widths that is too small to appear in tables."""


class Costs(NamedTuple):
    """Costs, all in the same unit, which the user chooses.

    Args:
        question: Cost of asking a question once.
        item: Additional cost of an item, regardless of how often it is asked.
        reading: Cost of each reading of a reply beyond the first.
    """

    question: float = 1.0
    item: float = 0.0
    reading: float = 0.0

    def of(self, numbers: Numbers) -> float:
        """Return the cost of a design."""
        return self.item * numbers.items + numbers.questions * (self.question + self.reading * (numbers.readers - 1))


class SearchBounds(NamedTuple):
    """Costs, and the largest number of levels of each facet that a design may have."""

    costs: Costs
    most: Mapping[Facet, int]


def cheapest(setting: PlanSetting, bounds: SearchBounds, wanted: float, scope: Scope) -> Numbers | None:
    """Return the cheapest design whose interval is at most as wide as wanted, or None if there is none.

    Among designs of equal cost, the one with the most items is chosen, because it depends least on the effect of
    repeated questions.
    """
    found = []
    for family in _families(setting, bounds):
        items = _least_items(setting, family, wanted, scope, bounds.most["items"])
        if items is not None:
            numbers = family._replace(items=items)
            found.append((bounds.costs.of(numbers), -items, width(setting, numbers, scope), numbers))
    return min(found)[-1] if found else None


def narrowest(setting: PlanSetting, bounds: SearchBounds, budget: float | None, scope: Scope) -> Numbers:
    """Return the design with the narrowest interval within a budget.

    Among designs whose widths differ by less than tables show, the one with the most items is chosen, and among these
    the cheapest.

    Raises:
        BenchwrightError: The budget allows fewer than two items.
    """
    found = []
    for family in _families(setting, bounds):
        items = bounds.most["items"]
        if budget is not None:
            per_item = bounds.costs.of(family._replace(items=1))
            items = min(items, int(budget / per_item + 1e-9)) if per_item > 0 else items
        if items >= LEAST_ITEMS:
            numbers = family._replace(items=items)
            found.append((width(setting, numbers, scope), bounds.costs.of(numbers), numbers))
    if not found:
        raise BenchwrightError(f"a budget of {budget:g} pays for fewer than {LEAST_ITEMS} items; raise it")
    least = min(found)[0] + _UNSEEN
    return min((-numbers.items, cost, wide, numbers) for wide, cost, numbers in found if wide <= least)[-1]


def cheapest_beyond(setting: PlanSetting, bounds: SearchBounds, wanted: float, scope: Scope) -> Numbers | None:
    """Return the cheapest design that reaches a width beyond the limits or the release, or None if there is none.

    If the population is items like these, the design may use more items; if it is these items, more orders or samples.
    """
    if scope == "items_like_these":
        most = {**bounds.most, "items": _MANY}
    else:
        repeats: tuple[Facet, ...] = ("orders", "samples")
        most = {**bounds.most, "items": setting.size, **{f: _MOST_REPEATS for f in repeats if bounds.most[f] > 1}}
    return cheapest(setting, bounds._replace(most=most), wanted, scope)


class MoreOf(NamedTuple):
    """A design with twice as many levels of one facet.

    Args:
        facet: The facet.
        numbers: Numbers of the design.
        beyond: Whether it asks more items than the release has.
    """

    facet: Facet
    numbers: Numbers
    beyond: bool


def twice_as_many(setting: PlanSetting, numbers: Numbers) -> list[MoreOf]:
    """Return the designs with twice as many levels of one facet, one for each known facet."""
    more = []
    for facet in facets_of(setting):
        doubled = numbers._replace(**{facet: 2 * numbers.of(facet)})
        more.append(MoreOf(facet, doubled, facet == "items" and doubled.items > setting.size))
    return more


def checked_most(stated: Mapping[Facet, int], setting: PlanSetting) -> dict[Facet, int]:
    """Return the largest number of levels of each facet, as specified or by default; 1 for an unknown facet.

    Fixed wordings have as many levels as the runs contain; fixed readers have one.
    """
    levels = setting.study.levels
    most: dict[Facet, int] = {"items": min(stated.get("items", setting.size), setting.size)}
    known = facets_of(setting)
    for facet in ASKED[1:]:
        most[facet] = stated.get(facet, MOST[facet]) if facet in known else 1
        if facet in setting.fixed:
            most[facet] = 1 if facet == "readers" else levels[facet]
    return most


def _families(setting: PlanSetting, bounds: SearchBounds) -> Iterator[Numbers]:
    """Yield the possible designs, with their number of items left open.

    Orders and samples are not crossed: no run does so, and an additional order costs the same as an additional sample
        and also yields a new reply.
    """
    most = bounds.most
    repeats = [(orders, 1) for orders in range(1, most["orders"] + 1)]
    repeats += [(1, samples) for samples in range(2, most["samples"] + 1)]
    for wordings in _choices("wordings", setting, most):
        for readers in _choices("readers", setting, most):
            for orders, samples in repeats:
                yield Numbers(LEAST_ITEMS, orders, wordings, samples, readers)


def _choices(facet: Facet, setting: PlanSetting, most: Mapping[Facet, int]) -> range:
    return range(most[facet] if facet in setting.fixed else 1, most[facet] + 1)


def _least_items(setting: PlanSetting, family: Numbers, wanted: float, scope: Scope, most: int) -> int | None:
    """Return the smallest number of items for which a design reaches a width; None if `most` items do not suffice."""

    def reaches(items: int) -> bool:
        return width(setting, family._replace(items=items), scope) <= wanted

    if most < LEAST_ITEMS or not reaches(most):
        return None
    low, high = LEAST_ITEMS - 1, most  # low does not reach it, or is too few
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return high
