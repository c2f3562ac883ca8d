"""Groups of fields as separate columns: `ask_2` is the field `ask` of a group's second entry.

Tables and Label Studio cannot repeat fields, so they have these columns for groups that are small enough
(`in_columns`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .field_types import EntryField, FormField, Lines, Repeated, SeveralOf
from .form import Form

_PARTED = " | "
"""Separator of several lines in a cell that has only one line."""


def with_numbered_fields(form: Form) -> Form:
    """Return a form in which the fields of all entries replace each group that has separate columns."""
    return Form(
        fields=tuple(
            numbered
            for field in form.fields
            for numbered in (numbered_fields(field) if is_numbered(field) else (field,))
        )
    )


def is_numbered(field: FormField) -> bool:
    """Return whether a field is a group whose entries have separate columns."""
    return isinstance(field, Repeated) and field.in_columns


def numbered_fields(group: FormField) -> tuple[FormField, ...]:
    """Return the fields of all possible entries of a group, entry by entry.

    Fields of optional entries are not required; `_entries_of` and the form check that entries are complete.
    """
    assert isinstance(group, Repeated), "only groups have entries"
    numbered = []
    for number in range(1, group.max_count + 1):
        for part in group.fields:
            condition = group.only_if
            if part.only_if is not None:
                condition = part.only_if.model_copy(update={"field": name_of(part.only_if.field, number)})
            is_required = part.is_required and group.is_required and number <= group.min_count
            label = f"{group.entry.capitalize()} {number}: {part.label}"
            update = {"name": name_of(part.name, number), "label": label, "only_if": condition}
            numbered.append(part.model_copy(update={**update, "is_required": is_required, **_differing(part, number)}))
    return tuple(numbered)


def _differing(part: EntryField, number: int) -> dict[str, Any]:
    if not isinstance(part, Lines) or part.differ_from is None:
        return {}
    return {"differ_from": name_of(part.differ_from, number)}


def name_of(part: str, number: int) -> str:
    """Return the name of the column for a field of an entry in a group."""
    return f"{part}_{number}"


def _entries_of(group: FormField, values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a group's entries from the values of its columns; entries without any value are empty.

    Args:
        group: The group.
        values: Values by column, as text or as a list.
    """
    assert isinstance(group, Repeated), "only groups have entries"
    return [
        {part.name: value for part in group.fields if (value := values.get(name_of(part.name, number)))}
        for number in range(1, group.max_count + 1)
    ]


def lines_in(text: str) -> list[str]:
    """Return the lines in a cell; a single line is split at ` | `, and an empty cell has no lines."""
    lines: Sequence[str] = text.splitlines()
    return list(lines) if len(lines) > 1 else [part for part in text.split(_PARTED) if part.strip()]


def grouped_values(form: Form, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a form from those of `with_numbered_fields(form)`, with each group's entries together."""
    grouped: dict[str, Any] = {}
    for field in form.fields:
        if is_numbered(field):
            grouped[field.name] = _entries_of(field, values)
        elif field.name in values:
            grouped[field.name] = values[field.name]
    return grouped


def cells_of(form: Form, fields: Mapping[str, Any]) -> dict[str, str]:
    """Return a form's values as the cells that `grouped_values` reads, without values that have no cell."""
    values = {field.name: fields.get(field.name) for field in form.fields if not is_numbered(field)}
    for group in filter(is_numbered, form.fields):
        for number, entry in enumerate(fields.get(group.name) or (), 1):
            values |= {name_of(name, number): value for name, value in entry.items()}
    cells = {}
    for field in with_numbered_fields(form).fields:
        value = values.get(field.name)
        if isinstance(field, Lines) and value:
            cells[field.name] = (_PARTED if len(value) > 1 and _PARTED not in "".join(value) else "\n").join(value)
        elif isinstance(field, SeveralOf) and value:
            cells[field.name] = "; ".join(value)
        elif isinstance(value, str):
            cells[field.name] = value
    return cells
