"""Gold items: their right decisions, and their outcomes when a campaign closes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from benchwright.errors import DataError
from benchwright.steps import Outcome, Verdicts

from ..forms.assignment_settings import AssignmentSettings
from ..forms.campaign_form import CampaignForm
from ..forms.fields.field_types import OneOf, SeveralOf
from ..forms.gold_file import GoldLabel
from ..forms.kind_forms.description import NOTHING
from ..forms.kind_forms.screening import KEEP
from ..forms.kinds import AUTHORED_KINDS, BLIND_KINDS, DESCRIBE, REVIEW, SCREEN_ITEMS, STATE, VERIFY, WRITE
from ..forms.payloads import TaskInput, item_in
from ..store.campaigns.gold import gold_task_ids
from ..store.database.records import Campaign, Task
from ..store.review_store import ReviewStore
from ..store.submissions.form_checks import decisions_of

_OF_WHAT_IS_VETTED = {VERIFY: "accept", SCREEN_ITEMS: KEEP}
"""Right decision, by kind of campaign, on an item that was checked before, such as one from an earlier release."""


def gold_decision(handout: AssignmentSettings, task_input: TaskInput, *, kind: str, form: CampaignForm) -> str | None:
    """Return the known right decision on an item, as the store spells it; None if the item is not a gold item.

    An item of a release is gold while its content is unchanged. Without a given decision, the right one follows from
    the item: its key if annotators pick among its choices, as in `answer` and `review`; `accept` if they verify it;
    `keep` if they screen it. If the decision names several categories, only an answer with exactly these is right.

    Raises:
        DataError: No decision follows from the item, or the campaign lacks the decision or its reason.
    """
    known = handout.gold_label(task_input.item_id)
    return _known_decision(known, f"{handout.gold}: gold item", task_input, kind=kind, form=form)


def practice_decision(
    handout: AssignmentSettings, task_input: TaskInput, *, kind: str, form: CampaignForm
) -> str | None:
    """Return the known right decision on a practice item, as `gold_decision` does; None for other items.

    Raises:
        DataError: As `gold_decision`.
    """
    known = handout.practice_label(task_input.item_id)
    return _known_decision(known, f"{handout.practice}: practice item", task_input, kind=kind, form=form)


def gold_why(handout: AssignmentSettings, task_input: TaskInput) -> str | None:
    """Return why a gold item's decision is right, as stated in its file or by the item; None if no reason is stated."""
    known = handout.gold_label(task_input.item_id)
    why = (known.why if known is not None else "") or item_in(task_input.payload).get("explanation")
    return str(why) if why else None


def _known_decision(
    known: GoldLabel | None, file: str, task_input: TaskInput, *, kind: str, form: CampaignForm
) -> str | None:
    if known is None or known.content_hash not in {None, task_input.content_hash}:
        return None
    where, decision = f"{file} {task_input.item_id}", known.decision or _decision_of_item(task_input, kind)
    takes = _knowable(task_input, kind, form)
    if decision is None:
        raise DataError(
            f"{where}: no decision is given, and none follows from its key; this campaign takes {', '.join(takes)}"
        )
    right = _spelled(decision, takes, several=_is_of_several(form))
    if right is None:
        raise DataError(f"{where}: {decision[:60]!r} is not a decision here; this campaign takes {', '.join(takes)}")
    if known.reason and known.reason not in (reasons := _reasons(right, form)):
        takes_none = f"{right!r} takes no reason here"
        raise DataError(
            f"{where}: reason {known.reason[:60]!r}: "
            f"{'it is not one of ' + ', '.join(reasons) if reasons else takes_none}"
        )
    return right


def _decision_of_item(task_input: TaskInput, kind: str) -> str | None:
    """Return the decision that follows from the item itself, or None if no decision follows."""
    if kind in _OF_WHAT_IS_VETTED:
        return _OF_WHAT_IS_VETTED[kind]
    item = item_in(task_input.payload)
    key = item.get("answer") or item.get("refusal")
    return str(key) if kind in BLIND_KINDS and key is not None else None


def _knowable(task_input: TaskInput, kind: str, form: CampaignForm) -> Sequence[str]:
    """Return the decisions that may be stated as right; if annotators can choose several categories, each category."""
    if kind == REVIEW:  # an item passes unchanged: one whose key is known to be wrong cannot be gold here
        return [own] if (own := _decision_of_item(task_input, kind)) is not None else []
    if kind in {DESCRIBE, STATE, WRITE}:  # texts cannot be known in advance, only that there is nothing to write
        return [NOTHING]
    typed = form.typed
    if typed is None:
        return decisions_of(form, task_input.payload)
    assert isinstance(typed.headline, OneOf | SeveralOf), "other kinds begin with a choice among options"
    return [option.code for option in typed.headline.options]


def _is_of_several(form: CampaignForm) -> bool:
    typed = form.typed
    return typed is not None and isinstance(typed.headline, SeveralOf)


def _spelled(decision: str, takes: Sequence[str], *, several: bool) -> str | None:
    """Return a decision as spelled by `Form.headline_of`; None if the decision is not in `takes`."""
    if not several:
        return decision if decision in takes else None
    named = {code.strip() for code in re.split("[;+]", decision)} - {""}
    return "+".join(code for code in takes if code in named) if named and named <= set(takes) else None


def _reasons(right: str, form: CampaignForm) -> Sequence[str]:
    """Return the reasons that may be stated as right: those that the form offers for this decision."""
    typed = form.typed
    for field in () if typed is None else typed.fields:
        if isinstance(field, SeveralOf) and field.only_if is not None and right in field.only_if.codes:
            return [option.code for option in field.options]
    return ()


def with_gold(verdicts: Verdicts, outcomes: Mapping[str, Outcome]) -> Verdicts:
    """Add the outcomes of gold items to the verdicts of a closed campaign; counts and agreement exclude gold items."""
    if not outcomes:
        return verdicts
    kept = sum(outcome.verdict == "keep" for outcome in outcomes.values())
    summary = {**verdicts.summary, "gold": {"items": len(outcomes), "kept": kept}}
    return replace(verdicts, outcomes={**verdicts.outcomes, **outcomes}, summary=summary)


def takes_gold_elsewhere(campaign: Campaign) -> bool:
    """Return whether decisions on gold items can come from a table or Label Studio, which require a single decision."""
    return not campaign.form.blind_first and campaign.kind not in AUTHORED_KINDS and not campaign.is_simulated


def gold_tasks(store: ReviewStore, campaign: Campaign) -> list[Task]:
    """Return the gold items of a campaign as tasks, by item; none if the items can be shown only in the app."""
    if not takes_gold_elsewhere(campaign):
        return []
    with store.reading() as connection:
        ids = gold_task_ids(connection, campaign)
    return [task for task in store.tasks(campaign.name, states=("retired",)) if task.id in ids] if ids else []
