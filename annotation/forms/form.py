"""Typed forms: the values that an annotator can enter about a task, as a list of fields.

One description serves the app, the table that people fill in without it, and the store, which checks every value
against it. Fields are of several kinds: one of several options, several of them, one of the item's own choices, text, a
number of lines of text, a photograph, regions marked on the pictures, other pictures of the campaign, and a group of
fields that occurs several times.
A field may apply only if an earlier one has a certain value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple
from urllib.parse import urlsplit

from pydantic import Field, model_validator

from benchwright.errors import BenchwrightError
from benchwright.records import Record, Sha256
from benchwright.regions import RegionError, RegionShape, SizeWH

from .region_values import (
    MAX_REGION_BYTES,
    MOST_REGIONS,
    RegionRule,
    read_regions,
    regions_in_words,
    shape_in_words,
    size_of,
)
from .texts import can_be_kept

Values = Mapping[str, Any]
"""Values by field: a code, a letter or a text; for `several_of` the codes, in the order of the options; for `lines` the
lines; for `region` a list of regions as JSON values, in the order drawn; for `repeated` a list of entries, each the
values of its fields."""

MAX_TEXT = 10_000
MOST_MISTAKES = 30
"""Most mistakes that a message names, so that hostile values make no endless one."""
_Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,31}$")]
_SHORT_NAME = re.compile(r"[a-z][a-z0-9_]{0,59}")


def _is_unset(value: Any) -> bool:
    return not value


class FormError(BenchwrightError):
    """Values that do not fit a form; the message says where."""


class Option(Record):
    """One option of a field: its code, and its text for people."""

    code: str = Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")
    words: str = Field(min_length=1, max_length=200)
    help: str = Field("", max_length=1000)


class OnlyIf(Record):
    """Condition of a field: it applies only if an earlier field has one of these values."""

    field: _Name
    codes: tuple[str, ...] = Field(min_length=1)


class _Field(Record):
    """Base of all fields.

    Attributes:
        name: Name of the column in tables.
        label: Name for people.
        only_if: Condition under which the field applies; default None, always.
        is_required: Whether the field must be filled in if it applies; default True.
        section: Heading under which the app shows the field with its neighbours of the same section, which can be
            folded; default none.
    """

    name: _Name
    label: str = Field(min_length=1, max_length=200)
    only_if: OnlyIf | None = None
    is_required: bool = True
    section: str = Field("", max_length=100, exclude_if=_is_unset)


class OneOf(_Field):
    """Exactly one of several options."""

    type: Literal["one_of"] = "one_of"
    options: tuple[Option, ...] = Field(min_length=2, max_length=100)


class SeveralOf(_Field):
    """One or more of several options."""

    type: Literal["several_of"] = "several_of"
    options: tuple[Option, ...] = Field(min_length=1, max_length=100)


class OneChoice(_Field):
    """One of the choices of the item itself, by its letter."""

    type: Literal["one_choice"] = "one_choice"
    is_key_offered: bool = True
    """Whether the choice that counts as right can be given too."""


class TextField(_Field):
    """A text in the annotator's own words."""

    type: Literal["text"] = "text"
    hint: str = Field("", max_length=200)
    max_chars: int = Field(MAX_TEXT, ge=1, le=MAX_TEXT)
    is_line: bool = False
    """Whether it is one line: a question, or an option of one."""
    is_address: bool = False
    """Whether it is the address of a page: `http://` or `https://`, with a host."""
    is_name: bool = Field(False, exclude_if=_is_unset)
    """Whether it is a short name for programs: lower-case letters, digits and underscores, at most 60, a letter
    first."""
    is_count: bool = Field(False, exclude_if=_is_unset)
    """Whether it is a whole number, 0 or more."""


class Lines(_Field):
    """A number of lines in the annotator's own words, all different."""

    type: Literal["lines"] = "lines"
    hint: str = Field("", max_length=200)
    count: int = Field(ge=1, le=20)
    at_least: int | None = Field(None, ge=1, le=20, exclude_if=_is_unset)
    """Fewest lines where fewer than `count` will do; default None, all of them."""
    max_chars: int = Field(MAX_TEXT, ge=1, le=MAX_TEXT)
    """Most characters of one line."""
    differ_from: _Name | None = None
    """Name of an earlier text field whose text no line may repeat."""


class PhotographField(_Field):
    """A photograph that the annotator uploaded, by the SHA-256 of its stored file."""

    type: Literal["photograph"] = "photograph"
    max_bytes: int = Field(20 << 20, ge=1, le=128 << 20)
    max_pixels: int = Field(24_000_000, ge=1, le=100_000_000)
    min_side_px: int = Field(1, ge=1)


class PicturesField(_Field):
    """Other pictures of the campaign, each by the SHA-256 of its file."""

    type: Literal["pictures"] = "pictures"
    max_count: int = Field(1, ge=1, le=50)


class DraftsField(_Field):
    """Which statements were accepted from a draft that a model wrote; nothing that people see or fill in.

    A window sends each statement's place with the place that it has in the draft; the store keeps what follows from it.
    """

    type: Literal["drafts"] = "drafts"
    is_required: Literal[False] = False


class RegionField(_Field):
    """Regions that the annotator marks on the task's pictures, all of one shape, in the order in which they were drawn.

    A correspondence joins a point of the first picture to one of the second; every other region lies on the first.
    """

    type: Literal["region"] = "region"
    shape: RegionShape
    options: tuple[Option, ...] = Field((), max_length=100)
    """Labels, of which each region has one; empty if regions have no label, or one that the annotator writes."""
    free_label: bool = False
    """Whether an annotator may write a label that is none of the options."""
    min_count: int = Field(1, ge=0, le=MOST_REGIONS)
    max_count: int = Field(100, ge=1, le=MOST_REGIONS)
    instructions: str = Field("", max_length=MAX_TEXT)
    """What to mark, and how, in Markdown."""
    example: Sha256 | None = None
    """Picture that shows how it is done, by its image id; None without one."""

    @model_validator(mode="after")
    def _hangs_together(self) -> RegionField:
        codes = [option.code for option in self.options]
        if len(set(codes)) != len(codes):
            raise ValueError(f"two labels of field {self.name!r} have the same code")
        if self.min_count > self.max_count:
            raise ValueError(f"field {self.name!r} has at least {self.min_count} and at most {self.max_count} regions")
        return self

    @property
    def rule(self) -> RegionRule:
        """Return what the field takes."""
        labels = {option.code: option.words for option in self.options}
        return RegionRule(self.shape, labels, self.free_label, self.max_count)


EntryField = Annotated[OneOf | SeveralOf | TextField | Lines | PicturesField, Field(discriminator="type")]
"""A field of a group."""


class Repeated(_Field):
    """A group of fields that occurs several times, such as questions; an optional group may be left out altogether."""

    type: Literal["repeated"] = "repeated"
    entry: str = Field(min_length=1, max_length=60)
    """One of the entries, as people call it: `question`."""
    fields: tuple[EntryField, ...] = Field(min_length=1, max_length=40)
    """Fields of an entry; each may apply only where an earlier one of the same entry has certain values."""
    min_count: int = Field(1, ge=1, le=100)
    max_count: int = Field(20, ge=1, le=100)
    distinct: _Name | None = None
    """Field, a text or one of several options, in which no two entries may be equal, whatever their case."""

    @model_validator(mode="after")
    def _hangs_together(self) -> Repeated:
        _check_conditions(self.fields)
        if self.min_count > self.max_count:
            raise ValueError(f"group {self.name!r} has at least {self.min_count} and at most {self.max_count} entries")
        if self.distinct is not None and self.distinct not in {
            field.name for field in self.fields if isinstance(field, TextField | OneOf)
        }:
            raise ValueError(f"group {self.name!r} has no text or choice {self.distinct!r} to tell entries apart")
        return self


FormField = Annotated[
    OneOf
    | SeveralOf
    | OneChoice
    | TextField
    | Lines
    | PhotographField
    | RegionField
    | PicturesField
    | Repeated
    | DraftsField,
    Field(discriminator="type"),
]
_PLACE = re.compile(r"[a-z][a-z0-9_]{0,31}(/[1-9][0-9]{0,2})?")
_SHA256 = re.compile(r"[0-9a-f]{64}")


class Form(Record):
    """The fields of a task, in the order in which they are filled in.

    Attributes:
        fields: Fields, at least one; the first is the headline, which lists show and agreement compares.
    """

    fields: tuple[FormField, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _hangs_together(self) -> Form:
        _check_conditions(self.fields)
        headline = self.fields[0]
        if (
            not isinstance(headline, OneOf | SeveralOf | OneChoice)
            or not headline.is_required
            or headline.only_if is not None
        ):
            raise ValueError("the first field of a form is a choice that is always made")
        return self

    @property
    def headline(self) -> FormField:
        """Return the first field, which stands for the decision in lists and agreement."""
        return self.fields[0]

    @property
    def region_fields(self) -> tuple[RegionField, ...]:
        """Return the fields for regions."""
        return tuple(field for field in self.fields if isinstance(field, RegionField))

    def applies(self, field: FormField, values: Values) -> bool:
        """Return whether a field applies, given the values of those before it."""
        return _applies(field, values)

    def checked(
        self,
        entries: Mapping[str, Any],
        *,
        letters: Sequence[str],
        key: str | None,
        sizes_wh: Sequence[SizeWH] = (),
    ) -> dict[str, Any]:
        """Check the values of a form and return them as JSON values, in its order, without fields that do not apply.

        Args:
            entries: Values by field; absent, None and empty ones are not filled in.
            letters: Letters of the item's choices.
            key: Letter of the right choice; None if there is none.
            sizes_wh: Size of each picture of the task in pixels, upright; only regions need them.

        Raises:
            FormError: A field is not known, is missing, or has a value that it does not take; the message names all
                such values.
        """
        known = {field.name for field in self.fields}
        if unknown := sorted(set(entries) - known):
            raise FormError(f"the form has no field {_quoted(unknown[0])}; it has {', '.join(sorted(known))}")
        values, mistakes = _checked(self.fields, entries, _Task(letters, key, sizes_wh))
        bytes_of_regions = sum(size_of(values[field.name]) for field in self.region_fields if field.name in values)
        if bytes_of_regions > MAX_REGION_BYTES:
            mistakes.append(
                f"all regions together take at most {MAX_REGION_BYTES >> 20} MiB; these take {bytes_of_regions:,} bytes"
            )
        _raise_all(mistakes)
        return values

    def comparable(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return values as `checked` spells them, field by field and entry by entry, without those that do not fit.

        What a model drafted is kept this way: its draft of one field may have a mistake that others have not.
        """
        fitting: dict[str, Any] = {}
        for field in self.fields:
            given = values.get(field.name)
            for part in given if isinstance(field, Repeated) and isinstance(given, list | tuple) else [given]:
                lone = {field.name: [part] if isinstance(field, Repeated) else part}
                checked, mistakes = _checked([_alone(field)], lone, _Task())
                if mistakes or field.name not in checked:
                    continue
                if isinstance(field, Repeated):
                    _append_entry(fitting.setdefault(field.name, []), checked[field.name], field)
                else:
                    fitting[field.name] = checked[field.name]
        return fitting

    def headline_of(self, values: Mapping[str, Any]) -> str:
        """Return a decision as one word: the code in the first field; several codes are joined by `+`."""
        value = values[self.headline.name]
        return value if isinstance(value, str) else "+".join(value)

    def describe(self, values: Mapping[str, Any]) -> str:
        """Return values as text for lists."""
        return " · ".join(value_in_words(field, values[field.name]) for field in self.fields if values.get(field.name))


def _check_conditions(fields: Sequence[FormField]) -> None:
    """Check that names differ, and that each condition names a choice that comes before its field.

    Raises:
        ValueError: They do not.
    """
    names = [field.name for field in fields]
    if len(set(names)) != len(names):
        raise ValueError("two fields of a form have the same name")
    for number, field in enumerate(fields):
        if field.only_if is None:
            continue
        if field.only_if.field not in names[:number]:
            raise ValueError(f"field {field.name!r} hangs on {field.only_if.field!r}, which does not come before it")
        if isinstance(fields[names.index(field.only_if.field)], Repeated | RegionField):
            raise ValueError(f"field {field.name!r} hangs on {field.only_if.field!r}, which is no choice")


def _applies(field: FormField, values: Values) -> bool:
    if field.only_if is None:
        return True
    value = values.get(field.only_if.field, ())
    return bool({*([value] if isinstance(value, str) else value)} & set(field.only_if.codes))


class _Task(NamedTuple):
    """What of a task its values depend on: the letters of its choices, the right one, the sizes of its pictures."""

    letters: Sequence[str] = ()
    key: str | None = None
    sizes_wh: Sequence[SizeWH] = ()


def _checked(fields: Sequence[FormField], entries: Mapping[str, Any], task: _Task) -> tuple[dict[str, Any], list[str]]:
    """Return the checked values of fields, without those that do not apply, and all mistakes in words."""
    values: dict[str, Any] = {}
    mistakes: list[str] = []
    for field in fields:
        if not _applies(field, values):
            continue
        try:
            value = _value(field, entries.get(field.name), task)
            if isinstance(field, Lines) and value:
                _check_lines(field, value, before=values)
        except FormError as error:
            mistakes.append(str(error))
            continue
        if value:
            values[field.name] = value
        elif field.is_required and not (isinstance(field, RegionField) and field.min_count == 0):
            mistakes.append(f"field {field.name!r} ({field.label}) is not filled in")
    return values, mistakes


def _raise_all(mistakes: Sequence[str]) -> None:
    if mistakes:
        more = f"; and {len(mistakes) - MOST_MISTAKES} more" if len(mistakes) > MOST_MISTAKES else ""
        raise FormError("; ".join(mistakes[:MOST_MISTAKES]) + more)


def _append_entry(entries: list[Any], checked: Sequence[Any], field: Repeated) -> None:
    """Append a checked entry, unless the group is full or has one that reads the same."""
    taken = {str(entry.get(field.distinct)).casefold() for entry in entries}
    is_taken = field.distinct is not None and str(checked[0].get(field.distinct)).casefold() in taken
    if not is_taken and len(entries) < field.max_count:
        entries.append(checked[0])


def _alone(field: FormField) -> FormField:
    """Return a field as if it stood alone: without a condition, required or not, a group from one entry on."""
    free: dict[str, Any] = {"only_if": None}
    if not isinstance(field, DraftsField):
        free["is_required"] = False
    return field.model_copy(update=free | ({"min_count": 1} if isinstance(field, Repeated) else {}))


def statement_at(values: Mapping[str, Any], place: str) -> Any:
    """Return the value at a place such as `caption` or, for a group's second entry, `questions/2`; None if none."""
    name, _, number = place.partition("/")
    value = values.get(name)
    if not number:
        return None if isinstance(value, list) and value and isinstance(value[0], dict) else value
    return value[int(number) - 1] if isinstance(value, list) and int(number) <= len(value) else None


def value_in_words(field: FormField, value: Any) -> str:
    """Return a field's value as text for lists: the words of options; the entries of a group by their number."""
    if isinstance(field, PhotographField):
        return field.label
    if isinstance(field, DraftsField):
        return ", ".join(f"{place}: from a draft" for place in sorted(value))
    if isinstance(field, RegionField):
        return regions_in_words(value, field.rule)
    if isinstance(field, Repeated):
        return "; ".join(f"{field.entry} {number}: {line}" for number, line in enumerate(entry_lines(field, value), 1))
    words = {option.code: option.words for option in getattr(field, "options", ())}
    each = [value] if isinstance(value, str) else value
    return ", ".join(words.get(code, code) for code in each)


def entry_lines(field: Repeated, entries: Sequence[Values]) -> list[str]:
    """Return each entry of a group as a line of text."""
    return [
        " · ".join(value_in_words(part, entry[part.name]) for part in field.fields if entry.get(part.name))
        for entry in entries
    ]


def words_of(field: FormField) -> str:
    """Return a text on the values that a field takes, as tables spell them, without giving the right choice away."""
    if isinstance(field, OneOf | SeveralOf):
        codes = ", ".join(option.code for option in field.options)
        return codes if isinstance(field, OneOf) else f"{codes}; several are parted by semicolons"
    if isinstance(field, Lines):
        return f"{_count_in_words(field)} lines of text in one cell"
    if isinstance(field, PhotographField):
        return "the name of a file below the table's folder"
    if isinstance(field, PicturesField):
        return f"at most {field.max_count} other pictures of the campaign, by item_id, parted by semicolons"
    return _list_in_json(field) if isinstance(field, RegionField | Repeated) else _text_in_words(field)


def _list_in_json(field: RegionField | Repeated) -> str:
    """Return what a cell of a table takes as the entries of a group, or as regions."""
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
        return "a short name of lower-case letters, digits and underscores"
    if field.is_count:
        return "a whole number"
    return "an address such as https://host/page" if field.is_address else "text"


def _count_in_words(field: Lines) -> str:
    least = field.count if field.at_least is None else field.at_least
    return str(field.count) if least == field.count else f"{least} to {field.count}"


def _in_json(field: EntryField) -> str:
    """Return what an entry of a JSON cell takes as a field's value."""
    words = {SeveralOf: "a list of ", OneOf: "one of "}.get(type(field), "")
    if isinstance(field, OneOf | SeveralOf):
        words += ", ".join(option.code for option in field.options)
    elif isinstance(field, Lines):
        words = f"a list of {_count_in_words(field)} lines"
    elif isinstance(field, PicturesField):
        words = f"a list of at most {field.max_count} other pictures of the campaign, by item_id"
    else:
        words = words_of(field)
    condition = field.only_if
    where = "" if condition is None else f" (only where {condition.field} is {' or '.join(condition.codes)})"
    return words + ("" if field.is_required else " (may be left out)") + where


def _value(field: FormField, value: Any, task: _Task) -> Any:
    """Check one field's value and return it; empty if it is not filled in."""
    if isinstance(field, RegionField):
        return _regions(field, value, task.sizes_wh)
    if isinstance(field, Repeated):
        return _entries(field, value)
    if isinstance(field, SeveralOf):
        chosen = [value] if isinstance(value, str) and value else value or []
        codes = [option.code for option in field.options]
        if not isinstance(chosen, list | tuple) or any(code not in codes for code in chosen):
            raise FormError(f"field {field.name!r}: {_quoted(value)} is none of {', '.join(codes)}")
        return [code for code in codes if code in chosen]
    if isinstance(field, Lines):
        return _lines(field, value)
    if isinstance(field, PicturesField | DraftsField):
        return _pictures(field, value) if isinstance(field, PicturesField) else _drafts(field, value)
    return "" if value is None or value == "" else _text_or_code(field, value, task)


def _text_or_code(field: OneOf | OneChoice | TextField | PhotographField, value: Any, task: _Task) -> str:
    """Check the value of a field that takes a text, a code or a letter, and return it."""
    if not isinstance(value, str):
        raise FormError(f"field {field.name!r}: {_quoted(value)} is no text")
    if isinstance(field, TextField):
        return _text(field, value)
    if isinstance(field, PhotographField):
        if not _SHA256.fullmatch(value):
            raise FormError(f"field {field.name!r}: {_quoted(value)} is no photograph that was taken in")
        return value
    possible = [option.code for option in field.options] if isinstance(field, OneOf) else list(task.letters)
    if isinstance(field, OneChoice) and not field.is_key_offered:
        possible = [letter for letter in possible if letter != task.key]
    if value not in possible:
        raise FormError(f"field {field.name!r}: {_quoted(value)} is none of {', '.join(possible)}")
    return value


def _pictures(field: PicturesField, value: Any) -> list[str]:
    """Return the ids of pictures, given as a list or as a text with semicolons; the store says which there are."""
    given = [part.strip() for part in value.split(";")] if isinstance(value, str) else value or []
    if not isinstance(given, list | tuple) or not all(isinstance(one, str) for one in given):
        raise FormError(f"field {field.name!r} ({field.label}): {_quoted(value)} is no list of pictures")
    ids = list(dict.fromkeys(one for one in given if one))
    if wrong := [one for one in ids if not _SHA256.fullmatch(one)]:
        raise FormError(f"field {field.name!r} ({field.label}): {_quoted(wrong[0])} is no picture of the campaign")
    if len(ids) > field.max_count:
        raise FormError(f"field {field.name!r} ({field.label}): at most {field.max_count}; it has {len(ids)}")
    return ids


def _drafts(field: DraftsField, value: Any) -> dict[str, str]:
    """Return the place in the draft of each statement's place; what was stored of it may come back as it was."""
    if value is None or value == "":
        return {}
    if not isinstance(value, Mapping):
        raise FormError(f"field {field.name!r}: {_quoted(value)} says of no statement where it comes from")
    places: dict[str, str] = {}
    for place, origin in value.items():
        source = origin.get("from") if isinstance(origin, Mapping) else origin
        if not (isinstance(source, str) and _PLACE.fullmatch(source) and _PLACE.fullmatch(place)):
            raise FormError(f"field {field.name!r}: {_quoted((place, source))} are no places of statements")
        places[place] = source
    return places


def _regions(field: RegionField, value: Any, sizes_wh: Sequence[SizeWH]) -> list[dict[str, Any]]:
    """Return the regions of a field, given as a list or as JSON text."""
    try:
        regions = read_regions(value, field.rule, sizes_wh)
    except RegionError as error:
        raise FormError(f"field {field.name!r} ({field.label}): {error}") from None
    if regions and len(regions) < field.min_count:
        raise FormError(f"field {field.name!r} ({field.label}): at least {field.min_count}; it has {len(regions)}")
    return regions


def _entries(field: Repeated, value: Any) -> list[dict[str, Any]]:
    """Return the entries of a group, given as a list or as JSON text, without entries in which nothing is filled in.

    Raises:
        FormError: There are too few or too many, or entries have mistakes; the message names all of them.
    """
    if isinstance(value, str) and value.strip():
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            raise FormError(f"field {field.name!r}: {_quoted(value)} is no JSON; it takes {words_of(field)}") from None
    given = value or []
    if not isinstance(given, list | tuple) or not all(isinstance(entry, Mapping) for entry in given):
        raise FormError(f"field {field.name!r} ({field.label}): {_quoted(value)} is no list of entries")
    if len(given) > field.max_count:
        raise FormError(f"field {field.name!r} ({field.label}): at most {field.max_count}; it has {len(given)}")
    checked, mistakes = [], []
    taken: dict[str, int] = {}
    known = {part.name for part in field.fields}
    for number, entry in enumerate((entry for entry in given if any(entry.values())), 1):
        values, wrong = _checked(field.fields, entry, _Task())
        wrong += [f"there is no field {_quoted(name)}" for name in entry if name not in known]
        text = "" if field.distinct is None else values.get(field.distinct, "")
        if text and (first := taken.setdefault(text.casefold(), number)) != number:
            wrong.append(f"{_quoted(text)} is that of {field.entry} {first} already")
        mistakes += [f"{field.entry} {number}: {mistake}" for mistake in wrong]
        checked.append(values)
    if checked and len(checked) < field.min_count:
        mistakes.append(f"field {field.name!r} ({field.label}): at least {field.min_count}; it has {len(checked)}")
    _raise_all(mistakes)
    return checked


def _text(field: TextField | Lines, value: str) -> str:
    if len(value) > field.max_chars or not can_be_kept(value):
        most = f"at most {field.max_chars} characters, none of them null or half of one"
        raise FormError(f"field {field.name!r}: {most}; it has {len(value)}")
    text = value.strip()
    if isinstance(field, TextField) and field.is_line and len(text.splitlines()) > 1:
        raise FormError(f"field {field.name!r} ({field.label}): one line; it has {len(text.splitlines())}")
    if text and isinstance(field, TextField) and field.is_name and not _SHORT_NAME.fullmatch(text):
        raise FormError(
            f"field {field.name!r} ({field.label}): {_quoted(text)} is no short name of lower-case letters, digits and "
            "underscores, such as name_tag"
        )
    if text and isinstance(field, TextField) and field.is_count and not re.fullmatch("[0-9]{1,6}", text):
        raise FormError(f"field {field.name!r} ({field.label}): {_quoted(text)} is no whole number")
    if text and isinstance(field, TextField) and field.is_address and not _is_address(text):
        raise FormError(
            f"field {field.name!r} ({field.label}): {_quoted(text)} is no address such as https://host/page"
        )
    return text


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and not re.search(r"[\s\x00-\x1f]", text)
    except ValueError:
        return False


def _lines(field: Lines, value: Any) -> list[str]:
    """Return the lines of a list, or of one text, without empty ones."""
    texts_given = value.splitlines() if isinstance(value, str) else value or []
    if not isinstance(texts_given, list | tuple) or not all(isinstance(text, str) for text in texts_given):
        raise FormError(f"field {field.name!r}: {_quoted(value)} are no lines of text")
    texts = [_text(field, line) for text in texts_given for line in text.splitlines()]
    return [text for text in texts if text]


def _check_lines(field: Lines, lines: Sequence[str], *, before: Mapping[str, Any]) -> None:
    least = field.count if field.at_least is None else field.at_least
    if not least <= len(lines) <= field.count:
        raise FormError(f"field {field.name!r} ({field.label}): {_count_in_words(field)} lines; it has {len(lines)}")
    taken = {before.get(field.differ_from, "").casefold()} if field.differ_from is not None else set()
    for line in lines:  # lines that differ only in case count as equal: a reader sees no difference
        if line.casefold() in taken:
            raise FormError(f"field {field.name!r} ({field.label}): {_quoted(line)} stands twice")
        taken.add(line.casefold())


def _quoted(value: Any) -> str:
    return ascii(value)[:80]
