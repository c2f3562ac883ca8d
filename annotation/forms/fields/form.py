"""Typed forms: what an annotator can enter about a task, as a list of fields.

One description serves the app, the table for filling in without it, and the store, which checks every value against it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field, model_validator

from benchwright.records import Record
from benchwright.regions import SizeWH

from .field_types import (
    DraftsField,
    FormField,
    OneChoice,
    OneOf,
    RegionField,
    Repeated,
    SeveralOf,
    Values,
    check_conditions,
)
from .field_values import FieldMistake, FormError, TaskValues, applies, checked_values, quoted, raise_all
from .field_words import value_in_words
from .region_values import MAX_REGION_BYTES, size_of


class Form(Record):
    """The fields of a task, in the order in which they are filled in.

    Attributes:
        fields: At least one field; the first is the headline, which is shown in lists and compared for agreement.
    """

    fields: tuple[FormField, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _fields_are_consistent(self) -> Form:
        check_conditions(self.fields)
        headline = self.fields[0]
        if (
            not isinstance(headline, OneOf | SeveralOf | OneChoice)
            or not headline.is_required
            or headline.only_if is not None
        ):
            raise ValueError("the first field of a form must be a choice that is always made")
        return self

    @property
    def headline(self) -> FormField:
        """Return the first field, which represents the decision in lists and agreement."""
        return self.fields[0]

    @property
    def region_fields(self) -> tuple[RegionField, ...]:
        """Return the fields for regions."""
        return tuple(field for field in self.fields if isinstance(field, RegionField))

    def applies(self, field: FormField, values: Values) -> bool:
        """Return whether a field applies, given the values of earlier fields."""
        return applies(field, values)

    def checked(
        self,
        entries: Mapping[str, Any],
        *,
        letters: Sequence[str],
        key: str | None,
        sizes_wh: Sequence[SizeWH] = (),
    ) -> dict[str, Any]:
        """Check the values of a form and return them as JSON values, in field order, without fields that do not apply.

        Args:
            entries: Values by field; absent, None and empty values are treated as not filled in.
            letters: Letters of the item's choices.
            key: Letter of the right choice; None if there is none.
            sizes_wh: Size of each upright picture of the task in pixels, which only regions need.

        Raises:
            FormError: A field is unknown or missing, or has an unacceptable value; the message names all such fields.
        """
        known = {field.name for field in self.fields}
        if unknown := sorted(set(entries) - known):
            raise FormError(f"the form has no field {quoted(unknown[0])}; it has {', '.join(sorted(known))}")
        values, mistakes = checked_values(self.fields, entries, TaskValues(letters, key, sizes_wh))
        bytes_of_regions = sum(size_of(values[field.name]) for field in self.region_fields if field.name in values)
        if bytes_of_regions > MAX_REGION_BYTES:
            most = f"all regions together take at most {MAX_REGION_BYTES >> 20} MiB"
            mistakes.append(FieldMistake("", f"{most}; these take {bytes_of_regions:,} bytes"))
        raise_all(mistakes)
        return values

    def wrong_so_far(self, entries: Mapping[str, Any]) -> list[FieldMistake]:
        """Return the mistakes in values that are still being filled in; missing values are not mistakes."""
        _, mistakes = checked_values(self.fields, entries, TaskValues())
        return [mistake for mistake in mistakes if not mistake.is_missing]

    def comparable(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return values as spelled by `checked`, field by field and entry by entry, without values that do not fit.

        This is how a model's drafts are stored, since the draft of one field may have a mistake while others do not.
        """
        fitting: dict[str, Any] = {}
        for field in self.fields:
            given = values.get(field.name)
            for part in given if isinstance(field, Repeated) and isinstance(given, list | tuple) else [given]:
                lone = {field.name: [part] if isinstance(field, Repeated) else part}
                checked, mistakes = checked_values([_alone(field)], lone, TaskValues())
                if mistakes or field.name not in checked:
                    continue
                if isinstance(field, Repeated):
                    _append_entry(fitting.setdefault(field.name, []), checked[field.name], field)
                else:
                    fitting[field.name] = checked[field.name]
        return fitting

    def headline_of(self, values: Mapping[str, Any]) -> str:
        """Return a decision as a single string: the code in the first field; several codes are joined with `+`."""
        value = values[self.headline.name]
        return value if isinstance(value, str) else "+".join(value)

    def describe(self, values: Mapping[str, Any]) -> str:
        """Return values as a text for lists."""
        return " · ".join(value_in_words(field, values[field.name]) for field in self.fields if values.get(field.name))


def _append_entry(entries: list[Any], checked: Sequence[Any], field: Repeated) -> None:
    """Append a checked entry, unless the group is full or contains an entry that reads the same."""
    taken = {str(entry.get(field.distinct)).casefold() for entry in entries}
    is_taken = field.distinct is not None and str(checked[0].get(field.distinct)).casefold() in taken
    if not is_taken and len(entries) < field.max_count:
        entries.append(checked[0])


def _alone(field: FormField) -> FormField:
    """Return a form's field so that it can be checked alone: without condition, optional, groups from one entry on."""
    free: dict[str, Any] = {"only_if": None}
    if not isinstance(field, DraftsField):
        free["is_required"] = False
    return field.model_copy(update=free | ({"min_count": 1} if isinstance(field, Repeated) else {}))


def statement_at(values: Mapping[str, Any], place: str) -> Any:
    """Return the value at a path such as `caption` or, in a group, `questions/2`; None if there is no value."""
    name, _, number = place.partition("/")
    value = values.get(name)
    if not number:
        return None if isinstance(value, list) and value and isinstance(value[0], dict) else value
    return value[int(number) - 1] if isinstance(value, list) and int(number) <= len(value) else None
