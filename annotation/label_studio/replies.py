"""What somebody said in Label Studio, read against the campaign's form. Nothing of it is trusted.

Any user of the community version can write any label through its API, for anybody. So labels are checked here, and
what does not fit is told, not taken.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from benchwright.errors import DataError

from ..forms.form import Form, Lines, OneChoice, PhotographField, SeveralOf, TextField, form_of
from ..forms.submission import Submission
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
    voted_on,
)
from .task_data import option_labels

MAX_REGIONS = 100


def read_reply(result: Any, form: Mapping[str, Any], payload: Mapping[str, Any], *, votes: bool = False) -> Submission:
    """Read an annotation's result.

    Args:
        result: Label Studio's list of regions.
        form: Of the campaign.
        payload: Of the task that was labelled.
        votes: It was said once the key was shown, in a campaign that asks for an answer first.

    Raises:
        DataError: It is not what the form lets people say.
    """
    said = by_control(result)
    if is_answered_blind(form, votes=votes):
        _check_controls(said, {ANSWER})
        return _answer(said, payload)
    if votes:
        return _votes(said, form, payload)
    typed = form_of(form)
    if typed is not None:
        return Submission(fields=fields_said(said, typed, payload))
    return _verdict(said, form, payload)


def _answer(said: Mapping[str, list[str]], payload: Mapping[str, Any]) -> Submission:
    known = {label: label.partition(".")[0] for label in option_labels(payload)}
    label = _one(said, ANSWER)
    if label not in known:
        raise DataError(f"answer {_shown(label)} is none of the choices")
    return Submission(known[label])


def _votes(said: dict[str, list[str]], form: Mapping[str, Any], payload: Mapping[str, Any]) -> Submission:
    edits = None
    if form.get("edits"):
        chosen = said.pop(EDITING, [AS_IT_IS])
        if chosen not in ([AS_IT_IS], [TO_BE_EDITED]):
            raise DataError(f"{_shown(', '.join(chosen))} is neither {AS_IT_IS!r} nor {TO_BE_EDITED!r}")
        is_edited = chosen == [TO_BE_EDITED]
        edits = take_edits(said, payload, is_shown=is_edited, with_explanation=True)
        if edits is not None and not is_edited:
            raise DataError(f"it edits the item, and says {AS_IT_IS!r}")
    return Submission(fields=fields_said(said, voted_on(form), payload), edits=edits)


def _verdict(said: dict[str, list[str]], form: Mapping[str, Any], payload: Mapping[str, Any]) -> Submission:
    edits = None
    if form.get("edits"):
        is_revised = said.get(DECISION) == [REVISE]
        edits = take_edits(said, payload, is_shown=is_revised, with_explanation=False)
    _check_controls(said, {DECISION, REASON, NOTE})
    decision = _one(said, DECISION)
    if decision not in form["decisions"]:
        raise DataError(f"decision {_shown(decision)} is none of {', '.join(form['decisions'])}")
    reasons = [reason for reason in said.get(REASON, ()) if reason != NO_REASON]
    if unknown := sorted(set(reasons) - set(form.get("reasons", ()))):
        raise DataError(f"reason {_shown(unknown[0])} is none of the form's")
    note = "\n".join(said.get(NOTE, ())).strip() or None
    return Submission(decision, tuple(sorted(set(reasons))), note, edits=edits)


def _check_controls(said: Mapping[str, list[str]], known: Collection[str]) -> None:
    if unknown := sorted(set(said) - set(known)):
        raise DataError(f"a label of control {_shown(unknown[0])} does not belong to the form")


def by_control(result: Any) -> dict[str, list[str]]:
    """Return the texts and choices of a result by control.

    Raises:
        DataError: It is no list of such labels.
    """
    if not isinstance(result, Sequence) or isinstance(result, str) or len(result) > MAX_REGIONS:
        raise DataError("it is no list of labels")
    said: dict[str, list[str]] = {}
    for region in result:
        if not isinstance(region, Mapping) or not isinstance(region.get("value"), Mapping):
            raise DataError("a label has no value")
        control = region.get("from_name")
        field = {"choices": "choices", "textarea": "text"}.get(str(region.get("type")))
        values = region["value"].get(field) if field else None
        values = [values] if isinstance(values, str) else values
        if not isinstance(control, str) or not isinstance(values, list):
            raise DataError(f"a label of control {_shown(str(control))} does not belong to the form")
        if not all(isinstance(value, str) for value in values):
            raise DataError("a label is no text")
        said.setdefault(control, []).extend(values)
    return said


def fields_said(said: Mapping[str, list[str]], form: Form, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was said by field, in the form's codes; the store checks it against the form."""
    known = {control_of(field): field for field in form.fields}
    _check_controls(said, known)
    found: dict[str, Any] = {}
    for control, values in said.items():
        field = known[control]
        if isinstance(field, TextField | Lines):
            found[field.name] = "\n".join(values)
        elif isinstance(field, OneChoice):
            letters = {label: label.partition(".")[0] for label in option_labels(payload)}
            found[field.name] = letters.get(_one(said, control), "?")
        elif isinstance(field, PhotographField):
            raise DataError(f"a label of control {_shown(control)} cannot hold a photograph")
        else:
            codes = codes_by_words(field)
            named = [codes.get(value, value) for value in values if value != NO_REASON]
            found[field.name] = named if isinstance(field, SeveralOf) else _one({control: named}, control)
    return found


def _one(said: Mapping[str, list[str]], control: str) -> str:
    values = said.get(control, [])
    if len(values) != 1:
        raise DataError(f"it says {len(values)} times what the {control} is; once is wanted")
    return values[0]


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:60] + "...")
