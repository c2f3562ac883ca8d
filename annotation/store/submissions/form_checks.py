"""What a campaign's form lets annotators say of a task."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from benchwright.records import Item

from ...forms.campaign_form import CampaignForm
from ...forms.edits import EditError, edits_of
from ...forms.form import FormError
from ...forms.payloads import item_in
from ..database.records import RefusedError


class FormEntry(NamedTuple):
    """What was said in a typed form: in one word, and by field."""

    decision: str
    values: dict[str, Any]


def decisions_of(form: CampaignForm, payload: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the decisions that a task takes: its form's, or the keys of its own choices."""
    if form.takes_choices:
        return tuple(choice["key"] for choice in payload["choices"])
    return form.decisions


def fields_of(form: CampaignForm, payload: Mapping[str, Any], said: Mapping[str, Any] | None) -> FormEntry | None:
    """Return what was said in a typed form, checked against it; None where the campaign has no such form.

    Raises:
        RefusedError: The form does not take it, or has no fields.
    """
    typed = form.typed
    if typed is None:
        if said is not None:
            raise RefusedError("this campaign takes a decision, and no fields")
        return None
    item = item_in(payload)
    letters = [choice["key"] for choice in item["choices"]]
    try:
        values = typed.checked(said or {}, letters=letters, key=item.get("answer") or item.get("refusal"))
    except FormError as error:
        raise RefusedError(str(error)) from None
    return FormEntry(typed.headline_of(values), values)


def edits_in(form: CampaignForm, payload: Mapping[str, Any], said: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return edits of a task's item, checked, as JSON values; None where they change nothing.

    Raises:
        RefusedError: The item cannot take them, or the campaign takes none.
    """
    if not said:
        return None
    if not form.edits:
        raise RefusedError("this campaign takes no edits of items")
    try:
        return edits_of(Item.model_validate(item_in(payload)), said).to_json() or None
    except EditError as error:
        raise RefusedError(str(error)) from None
