"""Votes between two options, such as keep and discard: what a rule makes of them, and how far people agreed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .agreement import agreement
from .ratings import Rating
from .rounds import votes_in
from .rules import Rule
from .settlement import SettlementPolicy, settle
from .store import Annotation
from .verdicts import pseudonyms, rounded, short_agreement


@dataclass(frozen=True)
class Votes:
    """The annotations of a campaign whose form begins with a choice of two.

    Args:
        rule: What decides a record.
        options: Codes of the two; where so few must agree that both have enough, the first goes.
        said: All annotations.
    """

    rule: Rule
    options: tuple[str, str]
    said: Sequence[Annotation]

    def by_record(self) -> dict[str, list[Annotation]]:
        """Return the annotations of each record, by its id."""
        found: dict[str, list[Annotation]] = {}
        for one in self.said:
            found.setdefault(one.item_id, []).append(one)
        return found

    def decided(self, given: Sequence[Annotation]) -> str | None:
        """Return the option that the annotations of one record come to; None where neither has enough."""
        # Of fewer than the rule takes there are only those whose others could change nothing (`closing.py`).
        policy = SettlementPolicy(self.rule, self.rule.slots, self.options, closes_with=self.options)
        outcome = settle(policy, votes_in(policy, given))
        return outcome if outcome in self.options else None

    def evidence(self, given: Sequence[Annotation]) -> dict[str, Any]:
        """Return how the annotations of one record are told in its outcome."""
        said = Counter(one.decision for one in given)
        return {
            "rule": str(self.rule), **{option: said[option] for option in self.options},
            "simulated": any(one.annotator_kind == "simulated" for one in given),
        }  # fmt: skip

    def summary(self, kinds: Mapping[str, str], *, seed: int) -> dict[str, Any]:
        """Return how far annotators agreed, overall and by kind of record, and what each said; no clocks, no names."""
        ratings = [Rating(one.item_id, one.annotator, one.decision) for one in self.said]
        names = pseudonyms(self.said)
        by_annotator = Counter((names[one.annotator], one.decision) for one in self.said)
        return {
            "agreement": rounded(agreement(ratings, categories=self.options, seed=seed).to_json()),
            "tasks": {
                kind: short_agreement([one for one in ratings if kinds[one.unit] == kind], self.options)
                for kind in sorted(set(kinds.values()))
            },
            "annotators": {
                name: {option: by_annotator[name, option] for option in self.options} for name in names.values()
            },
        }


def most_named(named: Iterable[str], order: Sequence[str]) -> str:
    """Return what was named most often; among equals, what comes first in `order`."""
    counts = Counter(named)
    return min(counts, key=lambda one: (-counts[one], order.index(one)))
