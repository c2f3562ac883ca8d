"""Drafts as Label Studio predictions, which are the initial values of an annotator's form there.

Predicted values that an annotator submits unchanged count as accepted, changed ones as edited, and emptied ones as
discarded. The task shows the drafts' author (`task_data`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..forms.drafted_values import drafted_columns, drafts_field
from ..forms.fields.field_types import DraftsField, FormField, OneOf, SeveralOf
from ..forms.fields.numbered_fields import with_numbered_fields
from ..forms.payloads import proposals_in
from ..store.database.records import Campaign, Task
from .label_config import codes_by_words, control_of

MODEL_VERSION = "drafts"
"""Common name for all predictions in a project, by any author, since a project shows predictions of only one name."""


def predictions_of(campaign: Campaign, task: Task) -> list[dict[str, Any]]:
    """Return the prediction with a task's drafts, in the form that projects import; none if there are no drafts."""
    form = campaign.form.typed
    if form is None or drafts_field(form) is None:
        return []
    proposals = proposals_in(task.payload)
    values = drafted_columns(form, proposals)
    if proposals is None or not values:
        return []
    headline = form.headline.name
    if headline in proposals.fields:  # fields that depend on it show only if it is chosen
        values = {headline: proposals.fields[headline], **values}
    fields = {field.name: field for field in with_numbered_fields(form).fields if not isinstance(field, DraftsField)}
    result = [_region(fields[column], value) for column, value in values.items()]
    return [{"model_version": MODEL_VERSION, "result": result}]


def _region(field: FormField, value: Any) -> Mapping[str, Any]:
    values = [value] if isinstance(value, str) else list(value)
    is_chosen = isinstance(field, OneOf | SeveralOf)
    if isinstance(field, OneOf | SeveralOf):
        words = {code: text for text, code in codes_by_words(field).items()}
        values = [words[code] for code in values]
    return {
        "id": control_of(field),
        "from_name": control_of(field),
        "to_name": "question",
        "type": "choices" if is_chosen else "textarea",
        "value": {"choices" if is_chosen else "text": values},
    }
