"""Check submissions against a campaign's form and the task's item."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchwright.records import Item

from ...forms.campaign_form import CampaignForm
from ...forms.edits import EditError, edits_of
from ...forms.form import FormError
from ...forms.payloads import item_in
from ...forms.submission import Submission
from ..database.records import RefusedError


def decisions_of(form: CampaignForm, payload: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the decisions that a task takes: those of its form, or the keys of its own choices."""
    if form.takes_choices:
        return tuple(choice["key"] for choice in payload["choices"])
    return form.decisions


def normalized(form: CampaignForm, payload: Mapping[str, Any], submission: Submission) -> Submission:
    """Return a submission as the store keeps it, with fields and edits checked against the form and the task's item.

    Reasons are sorted, each listed once. Fields are spelled as in the form, and the decision follows from the first
    field. Edits lack the parts that they leave unchanged; they are None if they change nothing.

    Raises:
        RefusedError: The form does not take the fields, the item does not take the edits, or the campaign has no fields
            or takes no edits.
    """
    decision, fields = _fields_in(form, payload, submission)
    return Submission(
        decision=decision,
        reasons=tuple(sorted(set(submission.reasons))),
        note=submission.note,
        edits=edits_in(form, payload, submission.edits),
        fields=fields,
        active_s=submission.active_s,
    )


def _fields_in(
    form: CampaignForm, payload: Mapping[str, Any], submission: Submission
) -> tuple[str, dict[str, Any] | None]:
    """Return the decision of a submission, and its fields, or None if the campaign has no typed form."""
    typed = form.typed
    if typed is None:
        if submission.fields is not None:
            raise RefusedError("this campaign takes a decision, and no fields")
        return submission.decision, None
    item = item_in(payload)
    letters = [choice["key"] for choice in item["choices"]]
    try:
        key, sizes_wh = item.get("answer") or item.get("refusal"), item.get("sizes_wh", ())
        fields = typed.checked(submission.fields or {}, letters=letters, key=key, sizes_wh=sizes_wh)
    except FormError as error:
        raise RefusedError(str(error)) from None
    return typed.headline_of(fields), fields


def edits_in(form: CampaignForm, payload: Mapping[str, Any], edits: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return checked edits of a task's item, as JSON values; None if they change nothing.

    Raises:
        RefusedError: The item cannot take them, or the campaign takes none.
    """
    if not edits:
        return None
    if not form.edits:
        raise RefusedError("this campaign takes no edits of items")
    try:
        return edits_of(Item.model_validate(item_in(payload)), edits).to_json() or None
    except EditError as error:
        raise RefusedError(str(error)) from None
