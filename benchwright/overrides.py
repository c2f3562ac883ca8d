"""Curators' overrides of step verdicts: reversed drops and asks, and additional drops.

The review store owns these decisions. The step's table keeps its own verdict, so that a step need not run again when a
curator makes or withdraws a decision.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from benchwright.steps import Outcome

Action = Literal["keep", "drop"]
REVERSED = "reversed"
"""Reason, in tables and counts, of a record kept because a curator reversed the step's verdict."""
BY_HAND = "by_hand"
"""Reason, in tables and counts, of a record that the step kept and a curator dropped."""
OVERRIDDEN = "overridden"
"""Key of an outcome's evidence that holds the step's own verdict and reason."""
AGAINST = "of"
"""Key of an outcome's evidence that names the record whose duplicate was dropped."""


@dataclass(frozen=True, slots=True)
class Override:
    """One decision of a curator about one verdict.

    Args:
        stage: Id of the stage that gave the verdict.
        record_id: Id of the image or item.
        root_image_id: Source image from which the record derives; determines the shard.
        action: `keep` reverses a drop or an ask, `drop` drops what the step kept or asked about.
        reason: Reason of the reversed verdict; None for `drop`.
        against: Record whose duplicate this one is, if the evidence named one; a reversal covers only this pair.
        by: Name of the curator who decided.
        why: Reason in the curator's words.
    """

    stage: str
    record_id: str
    root_image_id: str
    action: Action
    reason: str | None
    against: str | None
    by: str
    why: str

    def changes(self, outcome: Outcome) -> bool:
        """Return whether the decision applies to this outcome; a reversal applies only to the same drop or ask."""
        if self.action == "drop":
            return outcome.verdict in {"keep", "ask"}
        if outcome.verdict not in {"drop", "ask"} or outcome.reason != self.reason:
            return False
        return self.against is None or outcome.evidence.get(AGAINST) == self.against


class OverriddenVerdict(NamedTuple):
    """Verdict, reason and evidence of a record after a curator's decision, in the form in which tables store them."""

    verdict: str
    reason: str | None
    evidence: Mapping[str, Any]


def said(outcome: Outcome, override: Override | None) -> OverriddenVerdict:
    """Return an outcome in the form of the tables; if overridden, its evidence retains the step's own verdict."""
    if override is None or not override.changes(outcome):
        return OverriddenVerdict(outcome.verdict, outcome.reason, outcome.evidence)
    evidence = {**outcome.evidence, OVERRIDDEN: {"verdict": outcome.verdict, "reason": outcome.reason}}
    return OverriddenVerdict(override.action, REVERSED if override.action == "keep" else BY_HAND, evidence)


def unsaid(verdict: Any, reason: str | None, evidence: Mapping[str, Any]) -> tuple[Any, str | None, dict[str, Any]]:
    """Return the step's own verdict, reason and evidence: the inverse of `said`."""
    rest = dict(evidence)
    own = rest.pop(OVERRIDDEN, None)
    return (verdict, reason, rest) if own is None else (own["verdict"], own["reason"], rest)
