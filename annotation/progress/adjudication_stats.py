"""Counts of adjudicators' decisions, by the decision of most annotators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ..store.campaigns.adjudications import SEND_BACK, AdjudicatedTask

_DIVIDED = "divided"
"""Value of the majority if no decision was made by more than half of the annotators."""
ACCEPT = "accept"
_MISSED = "missed_"


class AdjudicatedCount(NamedTuple):
    """The number of times that an adjudicator made a certain decision on tasks with a certain majority of annotators.

    Args:
        adjudicator: Name of the adjudicator.
        decision: The adjudicator's decision.
        majority: The decision of more than half of the annotators, or `divided`. If they vote on criteria: `accept` if
            each criterion has more than half of the votes, otherwise `missed_` and the criteria that do not, such as
            `missed_accurate+difficult`.
        times: Number of tasks.
    """

    adjudicator: str
    decision: str
    majority: str
    times: int

    @property
    def is_against(self) -> bool:
        """Return whether the decision differs from most annotators' decision; sending an item back does not count."""
        if self.decision == SEND_BACK or self.majority == _DIVIDED:
            return False
        if self.majority.startswith(_MISSED):
            return self.decision == ACCEPT
        return self.decision != self.majority


class AdjudicationStats(NamedTuple):
    """Statistics of the adjudicators' decisions in a campaign.

    Args:
        cases: Number of tasks decided or sent back; a task sent back and decided later counts once.
        against: Number of decisions against most annotators.
        counts: Decisions by adjudicator, decision and majority, in that order.
    """

    cases: int
    against: int
    counts: Sequence[AdjudicatedCount]

    def to_json(self) -> dict[str, Any]:
        """Return the document that `review status --json` prints."""
        return {
            "cases": self.cases,
            "against_majority": self.against,
            "decisions": [
                {
                    "adjudicator": adjudicated_count.adjudicator,
                    "decision": adjudicated_count.decision,
                    "annotators": adjudicated_count.majority,
                    "against_majority": adjudicated_count.is_against,
                    "times": adjudicated_count.times,
                }
                for adjudicated_count in self.counts
            ],
        }


def adjudication_stats_of(tasks: Iterable[AdjudicatedTask]) -> AdjudicationStats:
    """Count adjudications by adjudicator, decision and majority."""
    listed = list(tasks)
    counted = Counter((task.adjudicator, task.decision, _majority(task)) for task in listed)
    adjudicated_counts = [AdjudicatedCount(*key, times) for key, times in sorted(counted.items())]
    return AdjudicationStats(
        len({task.task_id for task in listed}),
        sum(adjudicated_count.times for adjudicated_count in adjudicated_counts if adjudicated_count.is_against),
        adjudicated_counts,
    )


def _majority(task: AdjudicatedTask) -> str:
    total = sum(task.said.values())
    if task.votes:
        missed = [name for name, votes in task.votes.items() if 2 * votes <= total]
        return _MISSED + "+".join(missed) if missed else ACCEPT
    return next((decision for decision, times in task.said.items() if 2 * times > total), _DIVIDED)
