"""What adjudicators decided against, or with, what most annotators had said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ..store.campaigns.adjudications import SEND_BACK, AdjudicatedTask

DIVIDED = "divided"
"""Of annotators none of whose decisions more than half gave."""
ACCEPT = "accept"
_MISSED = "missed_"


class AdjudicatedCount(NamedTuple):
    """How often an adjudicator decided so where annotators had said so.

    Args:
        adjudicator: By name.
        decision: Of the adjudicator.
        said: What more than half of the annotators had said, or `divided`. Where they vote on criteria: `accept` where
            each has more than half of the votes, else those that have not, such as `missed_accurate+difficult`.
        times: How often.
    """

    adjudicator: str
    decision: str
    said: str
    times: int

    @property
    def is_against(self) -> bool:
        """Return whether the decision is another than most annotators'; sending back is none."""
        if self.decision == SEND_BACK or self.said == DIVIDED:
            return False
        if self.said.startswith(_MISSED):
            return self.decision == ACCEPT
        return self.decision != self.said


class AdjudicationStats(NamedTuple):
    """What adjudicators decided in a campaign.

    Args:
        cases: Tasks that they decided or sent back; one that was sent back and decided later is one.
        against: Decisions against what most annotators had said.
        ruled: Decisions by adjudicator, decision and what was said, in that order.
    """

    cases: int
    against: int
    ruled: Sequence[AdjudicatedCount]

    def to_json(self) -> dict[str, Any]:
        """Return the document that `review status --json` prints of it."""
        return {
            "cases": self.cases,
            "against_majority": self.against,
            "decisions": [
                {
                    "adjudicator": one.adjudicator, "decision": one.decision, "annotators": one.said,
                    "against_majority": one.is_against, "times": one.times,
                }
                for one in self.ruled
            ],
        }  # fmt: skip


def rulings_in(rulings: Iterable[AdjudicatedTask]) -> AdjudicationStats:
    """Return rulings counted by who decided what against what."""
    listed = list(rulings)
    counted = Counter((one.adjudicator, one.decision, _majority(one)) for one in listed)
    ruled = [AdjudicatedCount(*key, times) for key, times in sorted(counted.items())]
    return AdjudicationStats(
        len({one.task_id for one in listed}), sum(one.times for one in ruled if one.is_against), ruled
    )


def _majority(one: AdjudicatedTask) -> str:
    total = sum(one.said.values())
    if one.votes:
        missed = [name for name, votes in one.votes.items() if 2 * votes <= total]
        return _MISSED + "+".join(missed) if missed else ACCEPT
    return next((said for said, times in one.said.items() if 2 * times > total), DIVIDED)
