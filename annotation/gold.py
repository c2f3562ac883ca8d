"""Gold items: what is known of them, and what becomes of them when their campaign closes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchwright.errors import DataError
from benchwright.steps import Outcome, Verdicts

from .hand_out import HandOut
from .kinds import BLIND_KINDS, REVIEW, VERIFY
from .store import Work, decisions_of, item_in
from .store.gold import GoldAnswer


@dataclass(frozen=True)
class GoldAccuracy:
    """How one annotator did on gold items: how many were answered, and how many of these as is known to be right."""

    answered: int
    right: int

    def to_json(self) -> dict[str, Any]:
        """Return the entry that `review annotators --json` prints."""
        share = self.right / self.answered if self.answered else None
        return {"answered": self.answered, "right": self.right, "accuracy": share}


def gold_accuracies(answers: Iterable[GoldAnswer]) -> dict[str, GoldAccuracy]:
    """Return how each annotator did on gold items, by name."""
    found: dict[str, GoldAccuracy] = {}
    for one in answers:
        before = found.get(one.annotator, GoldAccuracy(0, 0))
        found[one.annotator] = GoldAccuracy(before.answered + 1, before.right + (one.decision == one.right))
    return dict(sorted(found.items()))


def known_right(handout: HandOut, work: Work, *, kind: str, form: Mapping[str, Any]) -> str | None:
    """Return the decision that is known to be right of an item; None where people are to find out.

    An item of a release is gold while its content is as it was there. What follows from its own key is that key where
    annotators pick among its choices, as in `answer` and `review`, and `accept` where they verify it.

    Raises:
        DataError: Nothing follows from its key, or the campaign has no such decision.
    """
    known = handout.known(work.item_id)
    if known is None or known.content_hash not in {None, work.content_hash}:
        return None
    right = known.decision if known.decision is not None else _own(work, kind)
    if kind == REVIEW:  # where an item passes as it is: one whose key is known to be wrong is no gold there
        takes: Sequence[str] | None = [own] if (own := _own(work, kind)) is not None else []
    else:
        takes = decisions_of(form, work.payload) if {"decisions", "decisions_from"} & form.keys() else None
    if right is None or (takes is not None and right not in takes):
        said = "no decision is given, and none follows from its key" if right is None else f"{right[:60]!r} is none"
        takes = takes or ("its form's first field",)
        raise DataError(f"{handout.gold}: gold item {work.item_id}: {said}; this campaign takes {', '.join(takes)}")
    return right


def _own(work: Work, kind: str) -> str | None:
    if kind == VERIFY:
        return "accept"
    item = item_in(work.payload)
    key = item.get("answer") or item.get("refusal")
    return str(key) if kind in BLIND_KINDS and key is not None else None


def with_gold(verdicts: Verdicts, outcomes: Mapping[str, Outcome]) -> Verdicts:
    """Return a closed campaign's verdicts with those of its gold items, which its counts and agreement leave out."""
    if not outcomes:
        return verdicts
    kept = sum(one.verdict == "keep" for one in outcomes.values())
    summary = {**verdicts.summary, "gold": {"items": len(outcomes), "kept": kept}}
    return replace(verdicts, outcomes={**verdicts.outcomes, **outcomes}, summary=summary)
