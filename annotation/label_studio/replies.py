"""Read untrusted annotations from Label Studio and check them against the campaign's form.

Any user of the community version can write any label through its API, under any name. This module therefore checks
labels, and reports those that do not fit instead of storing them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from benchwright.errors import DataError
from benchwright.texts.normalization import counted

from ..forms.campaign_form import CampaignForm
from ..forms.drafted_values import drafts_field, taken_from_drafts
from ..forms.fields.field_types import (
    DraftsField,
    Lines,
    OneChoice,
    PhotographField,
    PicturesField,
    RegionField,
    Repeated,
    SeveralOf,
    TextField,
)
from ..forms.fields.form import Form
from ..forms.fields.numbered_fields import grouped_values, with_numbered_fields
from ..forms.payloads import item_in, proposals_in
from ..forms.submission import Submission
from ..store.submissions.pre_key_answers import voted_on
from .drawn_regions import take_drawn
from .editing import take_edits
from .label_config import (
    ANSWER,
    AS_IT_IS,
    DECISION,
    EDITING,
    NO_REASON,
    NOTE,
    REASON,
    REVISE,
    TO_BE_EDITED,
    codes_by_words,
    control_of,
    is_answered_blind,
)
from .task_data import option_labels

_MAX_REGIONS = 100


def read_reply(result: Any, form: CampaignForm, payload: Mapping[str, Any], *, votes: bool = False) -> Submission:
    """Read the result of an annotation.

    Args:
        result: Label Studio's list of regions.
        form: Form of the campaign.
        payload: Payload of the labeled task.
        votes: Whether the annotation holds votes, which follow once the key is shown, in a campaign that asks for an
            answer first; default False.

    Raises:
        DataError: The annotation does not fit the form.
    """
    drawn: dict[str, list[dict[str, Any]]] = {}
    if form.typed is not None and form.typed.region_fields:
        result, drawn = _without_drawn(result, form.typed, payload)
    values_in = values_by_control(result)
    if is_answered_blind(form, votes=votes):
        _check_controls(values_in, {ANSWER})
        return _answer(values_in, payload)
    if votes:
        return _votes(values_in, form, payload)
    typed = form.typed
    if typed is not None:
        fields = read_fields(values_in, with_numbered_fields(typed), payload)
        values = {**grouped_values(typed, fields), **drawn}
        drafts = drafts_field(typed)
        if drafts is not None and (taken := taken_from_drafts(typed, values, proposals_in(payload))):
            values[drafts.name] = taken
        return Submission(fields=values)
    return _verdict(values_in, form, payload)


def _without_drawn(
    result: Any, form: Form, payload: Mapping[str, Any]
) -> tuple[list[Any], dict[str, list[dict[str, Any]]]]:
    """Return a result without its drawn regions, and the regions by field."""
    if not isinstance(result, list):
        raise DataError("it is not a list of labels")
    controls = {field.name: control_of(field) for field in form.region_fields}
    words = {field.name: codes_by_words(field) for field in form.region_fields}
    sizes_wh = [(int(width), int(height)) for width, height in item_in(payload).get("sizes_wh", ())]
    return take_drawn(result, form, controls, words, sizes_wh)


def _answer(values_in: Mapping[str, list[str]], payload: Mapping[str, Any]) -> Submission:
    known = {label: label.partition(".")[0] for label in option_labels(payload)}
    label = _single_value(values_in, ANSWER)
    if label not in known:
        raise DataError(f"answer {_quoted(label)} is not one of the choices")
    return Submission(known[label])


def _votes(values_in: dict[str, list[str]], form: CampaignForm, payload: Mapping[str, Any]) -> Submission:
    edits = None
    if form.edits:
        chosen = values_in.pop(EDITING, [AS_IT_IS])
        if chosen not in ([AS_IT_IS], [TO_BE_EDITED]):
            raise DataError(f"{_quoted(', '.join(chosen))} is neither {AS_IT_IS!r} nor {TO_BE_EDITED!r}")
        is_edited = chosen == [TO_BE_EDITED]
        edits = take_edits(values_in, payload, is_shown=is_edited, with_explanation=True)
        if edits is not None and not is_edited:
            raise DataError(f"it edits the item, but says {AS_IT_IS!r}")
    return Submission(fields=read_fields(values_in, voted_on(form), payload), edits=edits)


def _verdict(values_in: dict[str, list[str]], form: CampaignForm, payload: Mapping[str, Any]) -> Submission:
    edits = None
    if form.edits:
        is_revised = values_in.get(DECISION) == [REVISE]
        edits = take_edits(values_in, payload, is_shown=is_revised, with_explanation=form.explained)
    _check_controls(values_in, {DECISION, REASON, NOTE})
    decision = _single_value(values_in, DECISION)
    if decision not in form.decisions:
        raise DataError(f"decision {_quoted(decision)} is not one of {', '.join(form.decisions)}")
    reasons = [reason for reason in values_in.get(REASON, ()) if reason != NO_REASON]
    if unknown := sorted(set(reasons) - set(form.reasons)):
        raise DataError(f"reason {_quoted(unknown[0])} is not one of the form's reasons")
    note = "\n".join(values_in.get(NOTE, ())).strip() or None
    return Submission(decision, tuple(sorted(set(reasons))), note, edits=edits)


def _check_controls(values_in: Mapping[str, list[str]], known: Collection[str]) -> None:
    if unknown := sorted(set(values_in) - set(known)):
        raise DataError(f"a label of control {_quoted(unknown[0])} does not belong to the form")


def values_by_control(result: Any) -> dict[str, list[str]]:
    """Return the texts and choices in a result by control.

    Raises:
        DataError: The result is not a list of texts and choices.
    """
    if not isinstance(result, Sequence) or isinstance(result, str) or len(result) > _MAX_REGIONS:
        raise DataError("it is not a list of labels")
    values_in: dict[str, list[str]] = {}
    for region in result:
        if not isinstance(region, Mapping) or not isinstance(region.get("value"), Mapping):
            raise DataError("a label has no value")
        control = region.get("from_name")
        field = {"choices": "choices", "textarea": "text"}.get(str(region.get("type")))
        values = region["value"].get(field) if field else None
        values = [values] if isinstance(values, str) else values
        if not isinstance(control, str) or not isinstance(values, list):
            raise DataError(f"a label of control {_quoted(str(control))} does not belong to the form")
        if not all(isinstance(value, str) for value in values):
            raise DataError("a label is not text")
        values_in.setdefault(control, []).extend(values)
    return values_in


def read_fields(values_in: Mapping[str, list[str]], form: Form, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a typed form by field, as codes of the form; the store checks them against the form."""
    fields = {control_of(field): field for field in form.fields if not isinstance(field, DraftsField)}
    _check_controls(values_in, fields)
    submitted: dict[str, Any] = {}
    for control, values in values_in.items():
        field = fields[control]
        if isinstance(field, TextField | Lines | RegionField | Repeated | PicturesField):
            submitted[field.name] = "\n".join(values)
        elif isinstance(field, OneChoice):
            letters = {label: label.partition(".")[0] for label in option_labels(payload)}
            submitted[field.name] = letters.get(_single_value(values_in, control), "?")
        elif isinstance(field, PhotographField):
            raise DataError(f"a label of control {_quoted(control)} cannot hold a photograph")
        else:
            codes = codes_by_words(field)
            codes_chosen = [codes.get(value, value) for value in values if value != NO_REASON]
            submitted[field.name] = (
                codes_chosen if isinstance(field, SeveralOf) else _single_value({control: codes_chosen}, control)
            )
    return submitted


def _single_value(values_in: Mapping[str, list[str]], control: str) -> str:
    values = values_in.get(control, [])
    if len(values) != 1:
        raise DataError(f"it gives the {control} {counted(len(values), 'time')}; give it once")
    return values[0]


def _quoted(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:60] + "...")
