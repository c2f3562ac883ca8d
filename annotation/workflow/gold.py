"""Gold items: what is known of them, and what becomes of them when their campaign closes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchwright.errors import DataError
from benchwright.steps import Outcome, Verdicts

from ..forms.assignment_settings import AssignmentSettings
from ..forms.campaign_form import CampaignForm
from ..forms.description import NOTHING
from ..forms.form import OneOf, SeveralOf
from ..forms.kinds import BLIND_KINDS, DESCRIBE, REVIEW, SCREEN_ITEMS, VERIFY
from ..forms.payloads import TaskInput, item_in
from ..forms.screening import KEEP
from ..store import decisions_of
from ..store.campaigns.gold import GoldAnswer

_OF_WHAT_IS_VETTED = {VERIFY: "accept", SCREEN_ITEMS: KEEP}
"""What is right of an item that was vetted before, such as one of an earlier release."""


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


def known_right(handout: AssignmentSettings, work: TaskInput, *, kind: str, form: CampaignForm) -> str | None:
    """Return the decision that is known to be right of an item, as the store spells it; None where people find out.

    An item of a release is gold while its content is as it was there. What follows from its own key is that key where
    annotators pick among its choices, as in `answer` and `review`; that they accept it where they verify it, and keep
    it where they screen it. Of several categories all are known: right is who names these and no others.

    Raises:
        DataError: Nothing follows from its key, or the campaign has no such decision, or no such reason for it.
    """
    known = handout.known(work.item_id)
    if known is None or known.content_hash not in {None, work.content_hash}:
        return None
    where, said = f"{handout.gold}: gold item {work.item_id}", known.decision or _own(work, kind)
    takes = _knowable(work, kind, form)
    if said is None:
        raise DataError(
            f"{where}: no decision is given, and none follows from its key; this campaign takes {', '.join(takes)}"
        )
    right = _spelled(said, takes, several=_is_of_several(form))
    if right is None:
        raise DataError(f"{where}: {said[:60]!r} is none; this campaign takes {', '.join(takes)}")
    if known.reason and known.reason not in (reasons := _reasons(right, form)):
        takes_none = f"{right!r} goes without a reason here"
        raise DataError(
            f"{where}: reason {known.reason[:60]!r}: {'it is none of ' + ', '.join(reasons) if reasons else takes_none}"
        )
    return right


def _own(work: TaskInput, kind: str) -> str | None:
    """Return the decision that follows from an item's own key; None where none does."""
    if kind in _OF_WHAT_IS_VETTED:
        return _OF_WHAT_IS_VETTED[kind]
    item = item_in(work.payload)
    key = item.get("answer") or item.get("refusal")
    return str(key) if kind in BLIND_KINDS and key is not None else None


def _knowable(work: TaskInput, kind: str, form: CampaignForm) -> Sequence[str]:
    """Return the decisions of which one can be known to be right; of several categories each by itself."""
    if kind == REVIEW:  # where an item passes as it is: one whose key is known to be wrong is no gold there
        return [own] if (own := _own(work, kind)) is not None else []
    if kind == DESCRIBE:  # nobody's words are known beforehand, only that an image conveys nothing
        return [NOTHING]
    typed = form.typed
    if typed is None:
        return decisions_of(form, work.payload)
    assert isinstance(typed.headline, OneOf | SeveralOf), "other kinds begin with a choice among options"
    return [option.code for option in typed.headline.options]


def _is_of_several(form: CampaignForm) -> bool:
    typed = form.typed
    return typed is not None and isinstance(typed.headline, SeveralOf)


def _spelled(said: str, takes: Sequence[str], *, several: bool) -> str | None:
    """Return a decision as `Form.headline_of` spells it; None where it is none of those that are taken."""
    if not several:
        return said if said in takes else None
    named = {one.strip() for one in re.split("[;+]", said)} - {""}
    return "+".join(code for code in takes if code in named) if named and named <= set(takes) else None


def _reasons(right: str, form: CampaignForm) -> Sequence[str]:
    """Return the reasons of which one can be known: of a form that asks for some where this is decided."""
    typed = form.typed
    for field in () if typed is None else typed.fields:
        if isinstance(field, SeveralOf) and field.only_if is not None and right in field.only_if.codes:
            return [option.code for option in field.options]
    return ()


def with_gold(verdicts: Verdicts, outcomes: Mapping[str, Outcome]) -> Verdicts:
    """Return a closed campaign's verdicts with those of its gold items, which its counts and agreement leave out."""
    if not outcomes:
        return verdicts
    kept = sum(one.verdict == "keep" for one in outcomes.values())
    summary = {**verdicts.summary, "gold": {"items": len(outcomes), "kept": kept}}
    return replace(verdicts, outcomes={**verdicts.outcomes, **outcomes}, summary=summary)
