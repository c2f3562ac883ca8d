"""Descriptions of fields and their values, for lists and for the headers of tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchwright.texts.normalization import counted

from .field_types import (
    DraftsField,
    EntryField,
    FormField,
    Lines,
    OneChoice,
    OneOf,
    PhotographField,
    PicturesField,
    RegionField,
    Repeated,
    SeveralOf,
    TextField,
    Values,
)
from .region_values import regions_in_words, shape_in_words


def value_in_words(field: FormField, value: Any) -> str:
    """Return a field's value as text for lists, with the words for options and a group's entries numbered."""
    if isinstance(field, PhotographField):
        return field.label
    if isinstance(field, DraftsField):
        return ", ".join(f"{place}: from a draft" for place in sorted(value))
    if isinstance(field, RegionField):
        return regions_in_words(value, field.rule)
    if isinstance(field, Repeated):
        return "; ".join(f"{field.entry} {number}: {line}" for number, line in enumerate(_entry_lines(field, value), 1))
    words = {option.code: option.words for option in getattr(field, "options", ())}
    each = [value] if isinstance(value, str) else value
    return ", ".join(words.get(code, code) for code in each)


def _entry_lines(field: Repeated, entries: Sequence[Values]) -> list[str]:
    """Return each entry in a group as a line of text."""
    return [
        " · ".join(value_in_words(part, entry[part.name]) for part in field.fields if entry.get(part.name))
        for entry in entries
    ]


def takes_in_words(field: FormField) -> str:
    """Return a description of the values that a field accepts in tables; it does not reveal the right choice."""
    if isinstance(field, OneOf | SeveralOf):
        codes = ", ".join(option.spelled for option in field.options)
        return codes if isinstance(field, OneOf) else f"{codes}; separate several by semicolons"
    if isinstance(field, Lines):
        return f"{count_in_words(field)} lines of text in one cell"
    if isinstance(field, PhotographField):
        return "the name of a file below the table's folder"
    if isinstance(field, PicturesField):
        return (
            f"at most {counted(field.max_count, 'other picture')} of the campaign, by item_id, separated by semicolons"
        )
    return _list_in_json(field) if isinstance(field, RegionField | Repeated) else _text_in_words(field)


def _list_in_json(field: RegionField | Repeated) -> str:
    """Return a description of the JSON that a table cell accepts for a group's entries or for regions."""
    if isinstance(field, Repeated):
        parts = ", ".join(f'"{part.name}": {_in_json(part)}' for part in field.fields)
        return f"JSON, a list of {field.min_count} to {field.max_count}, each {{{parts}}}"
    label = ', "label"' if field.options or field.free_label else ""
    place = '"mask": {"size", "counts"}' if field.shape == "mask" else '"points": [[x, y], ...]'
    codes = f" (labels {', '.join(option.code for option in field.options)})" if field.options else ""
    what = f"{field.min_count} to {field.max_count} {shape_in_words(field.shape)}"
    return f'JSON, a list of {what}{codes}, each {{"shape": "{field.shape}", {place}{label}}}'


def _text_in_words(field: OneChoice | TextField | DraftsField) -> str:
    if not isinstance(field, TextField):
        return "the letter of one of the choices" if isinstance(field, OneChoice) else "nothing"
    if field.is_name:
        return "a short name of lowercase letters, digits and underscores"
    if field.is_count:
        return "a whole number"
    return "an address such as https://host/page" if field.is_address else "text"


def count_in_words(field: Lines) -> str:
    """Return a description of the number of lines that a field accepts."""
    least = field.count if field.at_least is None else field.at_least
    return str(field.count) if least == field.count else f"{least} to {field.count}"


def _in_json(field: EntryField) -> str:
    """Return a description of the value that a field accepts in an entry of a JSON cell."""
    words = {SeveralOf: "a list of ", OneOf: "one of "}.get(type(field), "")
    if isinstance(field, OneOf | SeveralOf):
        words += ", ".join(option.code for option in field.options)
    elif isinstance(field, Lines):
        words = f"a list of {count_in_words(field)} lines"
    elif isinstance(field, PicturesField):
        words = f"a list of at most {counted(field.max_count, 'other picture')} of the campaign, by item_id"
    else:
        words = takes_in_words(field)
    return words + when_in_words(field)


def when_in_words(field: FormField | EntryField) -> str:
    """Return a note in brackets on whether a field is optional and when it applies; empty if it is always required."""
    condition = field.only_if
    where = "" if condition is None else f" (only where {condition.field} is {' or '.join(condition.codes)})"
    return ("" if field.is_required else " (may be left out)") + where
