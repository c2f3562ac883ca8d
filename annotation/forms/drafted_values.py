"""Drafts as values of a form's columns, for tables and Label Studio, and the values returned from there.

Columns there are prefilled with the draft. A value that comes back unchanged counts as accepted, a changed one as
edited, and an emptied one as discarded.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from benchwright.canonical import canonical_json

from .fields.field_types import DraftsField, FormField, Repeated
from .fields.form import Form
from .fields.numbered_fields import is_numbered, name_of
from .payloads import DraftNote, Proposals

_RESULTS = {"broken": "yes", "held": "no", "not_made": "no reply"}


def drafts_field(form: Form) -> DraftsField | None:
    """Return the field of a form that states which drafts were used, or None if the form accepts no drafts."""
    return next((field for field in form.fields if isinstance(field, DraftsField)), None)


def drafted_columns(form: Form, proposals: Proposals | None) -> dict[str, Any]:
    """Return the drafted value of each column except the headline, with the column names of `with_numbered_fields`.

    Only annotators fill in the headline: their entry shows that they have looked.

    Args:
        form: Form of the campaign.
        proposals: Drafts for a task, or None if there is none.
    """
    values: dict[str, Any] = {}
    for field in form.fields[1:] if proposals is not None else ():
        assert proposals is not None, "without proposals no field is looked at"
        drafted = proposals.fields.get(field.name)
        if not drafted:
            continue
        if is_numbered(field):
            for number, entry in enumerate(drafted, 1):
                values |= {name_of(part, number): value for part, value in entry.items()}
        else:
            values[field.name] = canonical_json(drafted) if isinstance(field, Repeated) else drafted
    return values


def taken_from_drafts(form: Form, fields: Mapping[str, Any], proposals: Proposals | None) -> dict[str, str]:
    """Return the origins of values that come from a draft: the path of each statement, with its path in the draft.

    A value has the same path as its draft. An entry of a group that has moved is recognized by its distinguishing
    field, such as its question.

    Args:
        form: Form of the campaign.
        fields: Submitted values, by field.
        proposals: Drafts for the task, or None if there is none.
    """
    origins: dict[str, str] = {}
    for field in form.fields[1:] if proposals is not None else ():
        assert proposals is not None, "without proposals no field is looked at"
        drafted, value = proposals.fields.get(field.name), fields.get(field.name)
        if not drafted or not value or not form.applies(field, fields):
            continue
        if isinstance(field, Repeated):
            origins |= _origins_of_entries(field, _entries(value), drafted)
        else:
            origins[field.name] = field.name
    return origins


def _entries(value: Any) -> Sequence[Any]:
    if not isinstance(value, str):
        return list(value)
    try:
        entries = json.loads(value)
    except (ValueError, RecursionError):
        return ()  # the form reports that it is not a list of entries
    return entries if isinstance(entries, list) else ()


def _origins_of_entries(
    field: Repeated, entries: Sequence[Any], drafted: Sequence[Mapping[str, Any]]
) -> dict[str, str]:
    filled = [place for place, entry in enumerate(entries) if isinstance(entry, Mapping) and any(entry.values())]
    known = {_reading(field, draft): place for place, draft in enumerate(drafted)}
    moved = {place: known[reading] for place in filled if (reading := _reading(field, entries[place])) in known}
    origins = {}
    for number, place in enumerate(filled, 1):
        source = moved.get(place, place)
        if source < len(drafted) and (place in moved or source not in moved.values()):
            origins[f"{field.name}/{number}"] = f"{field.name}/{source + 1}"
    return origins


def _reading(field: Repeated, entry: Mapping[str, Any]) -> str:
    return str(entry.get(str(field.distinct), "")).strip().casefold()


def drafts_in_words(form: Form, proposals: Proposals | None) -> str:
    """Return the authors of a task's drafts, one per line, with a second model's verdicts; empty without drafts."""
    if proposals is None:
        return ""
    if proposals.failed is not None and not proposals.fields:
        return f"{proposals.model} drafted nothing: {proposals.failed}"
    labels = {field.name: field for field in form.fields}
    lines: dict[str, list[str]] = {}
    for place, note in proposals.notes.items():
        words = f"draft by {note.author}, prompt {note.prompt}, not accepted yet"
        lines.setdefault("; ".join([words, *_attacks(note)]), []).append(_place_in_words(place, labels))
    if not proposals.notes and proposals.fields:
        return f"draft by {proposals.model}, not accepted yet"
    return "\n".join(f"{', '.join(places)}: {words}" for words, places in lines.items())


def _place_in_words(place: str, fields: Mapping[str, FormField]) -> str:
    name, _, number = place.partition("/")
    field = fields[name]
    return f"{field.entry} {number}" if isinstance(field, Repeated) else field.name


def _attacks(note: DraftNote) -> list[str]:
    return [
        f"{attack.by.removeprefix('model:')} on {attack.attack.replace('_', ' ')}: {_RESULTS[attack.result]}"
        + (f" ({attack.says})" if attack.says else "")
        for attack in note.attacks
    ]
