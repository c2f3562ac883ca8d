"""What has become of a campaign's tasks so far: accepted, rejected, divided, still open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from benchwright.errors import BenchwrightError

from .rules import Rule, parse_rule
from .store import Campaign
from .store.tallies import Pattern

NO_AGREEMENT, DECIDED, BEGUN, UNTOUCHED = "no_agreement", "decided", "begun", "untouched"
Facet = Literal["kind", "task", "category"]


class Standing(NamedTuple):
    """Tasks of a campaign, or of a part of it.

    Args:
        name: Of the part; "" where tasks have no such value.
        tasks: How many.
        outcomes: Tasks by what they came to: a decision under the rule, `no_agreement`, `decided` where the rule
            settles nothing, `begun` or `untouched`. Those that can occur, in this order.
    """

    name: str
    tasks: int
    outcomes: Mapping[str, int]


def standing_of(campaign: Campaign, patterns: Iterable[Pattern], name: str = "") -> Standing:
    """Return what became of tasks."""
    rule, order = _rule_of(campaign), tuple(campaign.form.get("decisions", ()))
    counted: Counter[str] = Counter()
    for one in patterns:
        counted[_outcome(rule, order, one)] += one.times
    known = (*order, NO_AGREEMENT) if rule is not None else (DECIDED,)
    outcomes = {outcome: counted.pop(outcome, 0) for outcome in (*known, BEGUN, UNTOUCHED)}
    return Standing(name, sum(outcomes.values()) + counted.total(), {**dict(sorted(counted.items())), **outcomes})


def standings_by(campaign: Campaign, patterns: Sequence[Pattern], facet: Facet) -> list[Standing]:
    """Return what became of the tasks of each kind, task or category, by name."""
    names = sorted({getattr(one, facet) or "" for one in patterns})
    return [
        standing_of(campaign, [one for one in patterns if (getattr(one, facet) or "") == name], name) for name in names
    ]


def _rule_of(campaign: Campaign) -> Rule | None:
    try:
        return parse_rule(campaign.rule)
    except BenchwrightError:  # such as answers(3), which settles nothing
        return None


def _outcome(rule: Rule | None, order: Sequence[str], pattern: Pattern) -> str:
    if pattern.state == "open":
        return BEGUN if pattern.decisions else UNTOUCHED
    if rule is None:
        return DECIDED
    given = [*order, *sorted(set(pattern.decisions) - set(order))]
    return next((one for one in given if pattern.decisions.get(one, 0) >= rule.need), NO_AGREEMENT)
