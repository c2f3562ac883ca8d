"""Check submissions against a campaign's form and the item of the task."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchwright.questions.edits import EditError, edits_of
from benchwright.records import Item

from ...forms.campaign_form import CampaignForm
from ...forms.evidence import checked_evidence
from ...forms.fields.field_types import DraftsField
from ...forms.fields.field_values import FormError
from ...forms.fields.form import Form, statement_at
from ...forms.kind_forms.statements import mistakes_in_statements
from ...forms.kinds import TO_WRITER
from ...forms.payloads import item_in, proposals_in, sizes_in
from ...forms.submission import Submission
from ..database.records import RefusedError


def decisions_of(form: CampaignForm, payload: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the decisions that a task accepts: those of its form, or the keys of the task's choices."""
    if form.takes_choices:
        return tuple(choice["key"] for choice in item_in(payload)["choices"])
    return form.decisions


def is_sent_back(submission: Submission) -> bool:
    """Return whether a submission sends the item back to its writer."""
    return TO_WRITER in {
        submission.decision,
        *(key for key, vote in (submission.fields or {}).items() if vote == "yes"),
    }


def normalized(form: CampaignForm, payload: Mapping[str, Any], submission: Submission) -> Submission:
    """Return a submission as stored, with fields and edits checked against the form and the item of the task.

    Reasons are sorted and each is listed once. Fields are written as in the form, and the decision follows from the
    first field. Edits omit the parts that they leave unchanged, and are None if they change nothing.

    Raises:
        RefusedError: The form does not accept the fields, the item does not accept the edits, or the campaign has no
            fields or accepts no edits.
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
    """Return the decision in a submission, and its checked fields, or None if there are no fields."""
    typed = form.typed
    if typed is None:
        try:
            return submission.decision, checked_evidence(form, payload, submission)
        except FormError as error:
            raise RefusedError(str(error)) from None
    item = item_in(payload)
    letters = [choice["key"] for choice in item["choices"]]
    try:
        key, sizes_wh = item.get("answer") or item.get("refusal"), sizes_in(payload)
        fields = typed.checked(submission.fields or {}, letters=letters, key=key, sizes_wh=sizes_wh)
    except FormError as error:
        raise RefusedError(str(error)) from None
    _check_statements(form, typed, fields)
    return typed.headline_of(fields), _with_origins(typed, fields, payload)


def _check_statements(form: CampaignForm, typed: Form, fields: Mapping[str, Any]) -> None:
    """Check values that state facts about a picture together, in the same way as in a facts file.

    Raises:
        RefusedError: The values have mistakes; the message lists all of them.
    """
    if form.states_facts and (mistakes := mistakes_in_statements(typed, fields)):
        raise RefusedError("; ".join(mistakes))


def _with_origins(typed: Form, fields: Mapping[str, Any], payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return values with the origin of each statement that came from a model's draft: the model and any edits.

    If a draft has a note, the values also name its author and prompt, and for a group's entry the changed or added
    parts.

    Raises:
        RefusedError: A statement is not among the values, or its origin is not among the drafts.
    """
    values = dict(fields)
    drafts = next((field for field in typed.fields if isinstance(field, DraftsField)), None)
    if drafts is None or drafts.name not in values:
        return values
    proposals = proposals_in(payload)
    drafted: Mapping[str, Any] = {} if proposals is None else proposals.fields
    origins: dict[str, dict[str, Any]] = {}
    for place, origin in values.pop(drafts.name).items():
        stated, draft = statement_at(values, place), statement_at(drafted, origin)
        if proposals is None or stated is None or draft is None or place.partition("/")[0] != origin.partition("/")[0]:
            raise RefusedError(f"statement {place!r} comes from no draft {origin!r} of this task")
        origins[place] = {"from": origin, "model": proposals.model, "edited": stated != draft}
        if (note := proposals.notes.get(origin)) is not None:
            origins[place] |= {"model": note.author, "by": note.by, "prompt": note.prompt}
            if isinstance(draft, Mapping):
                changed = sorted(name for name in draft if stated.get(name) != draft[name])
                origins[place] |= {"changed": changed, "added": sorted({*stated} - {*draft})}
    return values | {drafts.name: origins}


def edits_in(form: CampaignForm, payload: Mapping[str, Any], edits: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return the checked edits to a task's item, as JSON values; None if they change nothing.

    Raises:
        RefusedError: The item does not accept the edits, or the campaign accepts none.
    """
    if not edits:
        return None
    if not form.edits:
        raise RefusedError("this campaign takes no edits of items")
    try:
        return edits_of(Item.model_validate(item_in(payload)), edits).to_json() or None
    except EditError as error:
        raise RefusedError(str(error)) from None
