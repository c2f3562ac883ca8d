"""What curators decide against a step's verdict: drops and asks that they reverse, records that they drop by hand.

The review store owns these decisions. What the step itself said is kept beside them in its table, so that neither a
decision nor taking it back needs a step to run again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from benchwright.steps import Outcome

Action = Literal["keep", "drop"]
REVERSED = "reversed"
"""Reason, in tables and counts, of a record that is kept because a curator reversed what the step said."""
BY_HAND = "by_hand"
"""Reason of a record that the step kept and a curator dropped."""
OVERRIDDEN = "overridden"
"""Under this name an outcome's evidence holds the verdict and the reason that the step itself gave."""
AGAINST = "of"
"""Under this name evidence says which record a duplicate was dropped against."""


@dataclass(frozen=True, slots=True)
class Override:
    """One decision of a curator about one verdict.

    Args:
        stage: Id of the stage whose verdict it is.
        record_id: Image or item.
        root_image_id: Source image that the record goes back to; names the shard.
        action: `keep` reverses a drop or an ask, `drop` drops what the step kept or asked about.
        reason: Reason of the verdict that was reversed; None for `drop`.
        against: Record that it was dropped against, where the evidence named one. A reversal speaks of this pair only.
        by: Name of the curator.
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
        """Return whether it speaks of this outcome: a reversal only of the very drop or ask that was reversed."""
        if self.action == "drop":
            return outcome.verdict in {"keep", "ask"}
        if outcome.verdict not in {"drop", "ask"} or outcome.reason != self.reason:
            return False
        return self.against is None or outcome.evidence.get(AGAINST) == self.against


class OverriddenVerdict(NamedTuple):
    """What goes into a table of a record: verdict, reason and evidence after a curator's decision."""

    verdict: str
    reason: str | None
    evidence: Mapping[str, Any]


def said(outcome: Outcome, override: Override | None) -> OverriddenVerdict:
    """Return an outcome as tables tell it, with what the step said kept in the evidence where it was overridden."""
    if override is None or not override.changes(outcome):
        return OverriddenVerdict(outcome.verdict, outcome.reason, outcome.evidence)
    evidence = {**outcome.evidence, OVERRIDDEN: {"verdict": outcome.verdict, "reason": outcome.reason}}
    return OverriddenVerdict(override.action, REVERSED if override.action == "keep" else BY_HAND, evidence)


def unsaid(verdict: Any, reason: str | None, evidence: Mapping[str, Any]) -> tuple[Any, str | None, dict[str, Any]]:
    """Return verdict, reason and evidence as the step itself gave them: the other way round from `said`."""
    rest = dict(evidence)
    own = rest.pop(OVERRIDDEN, None)
    return (verdict, reason, rest) if own is None else (own["verdict"], own["reason"], rest)
