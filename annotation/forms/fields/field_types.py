"""The types of fields in typed forms, and the values that each type accepts.

A field is one of several options, several of them, one of the item's own choices, text, a number of lines of text, a
photograph, regions marked on the pictures, other pictures of the campaign, or a group of fields that occurs several
times. A field may apply only if an earlier one has a certain value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from benchwright.records import Record, Sha256
from benchwright.regions import RegionShape
from benchwright.texts.normalization import counted

from .region_values import MOST_REGIONS, RegionRule

Values = Mapping[str, Any]
"""Values by field: a code, a letter or a text; for `several_of` the codes, in the order of the options; for `lines` the
lines; for `region` a list of regions as JSON values, in the order drawn; for `repeated` a list of entries, each the
values of its fields."""

_MAX_TEXT = 10_000
_NUMBERED = re.compile(r"value_\d+")

_Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,31}$")]


def _is_unset(value: Any) -> bool:
    return not value


class Option(Record):
    """One option of a field, or a possible label of a region.

    Attributes:
        code: Code of the option in tables and values: lower-case letters, digits and underscores, beginning with a
            letter.
        words: Name of the option for readers.
        help: Sentence that states when the option applies.
    """

    code: str = Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")
    words: str = Field(min_length=1, max_length=200)
    help: str = Field("", max_length=1000)

    @property
    def spelled(self) -> str:
        """Return the option as spelled in tables: its code, or its words if the code is only a number (`value_2`)."""
        return self.words if _NUMBERED.fullmatch(self.code) else self.code


class OnlyIf(Record):
    """The condition of a field, which applies only if an earlier field has one of the given values."""

    field: _Name
    codes: tuple[str, ...] = Field(min_length=1)


class _Field(Record):
    """Base of all fields.

    Attributes:
        name: Name of the column in tables.
        label: Name for readers.
        only_if: Condition under which the field applies; default None, always.
        is_required: Whether the field must be filled in if it applies; default True.
        section: Heading under which the app shows the field with its neighbors of the same section, which can be
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
    """One of the item's own choices, given by its letter."""

    type: Literal["one_choice"] = "one_choice"
    is_key_offered: bool = True
    """Whether the choice that counts as right is among the options."""


class TextField(_Field):
    """A text in the annotator's own words."""

    type: Literal["text"] = "text"
    hint: str = Field("", max_length=200)
    max_chars: int = Field(_MAX_TEXT, ge=1, le=_MAX_TEXT)
    is_line: bool = False
    """Whether the text is a single line: a question, or an option of a question."""
    is_address: bool = False
    """Whether the text is the URL of a page, with `http://` or `https://` and a host."""
    is_name: bool = Field(False, exclude_if=_is_unset)
    """Whether it is a short name for programs: up to 60 lower-case letters, digits and underscores, a letter first."""
    is_count: bool = Field(False, exclude_if=_is_unset)
    """Whether the text is an integer, 0 or greater."""


class Lines(_Field):
    """A number of lines in the annotator's own words, all of them different."""

    type: Literal["lines"] = "lines"
    hint: str = Field("", max_length=200)
    count: int = Field(ge=1, le=20)
    at_least: int | None = Field(None, ge=1, le=20, exclude_if=_is_unset)
    """Minimum number of lines if fewer than `count` suffice; default None, all of them."""
    max_chars: int = Field(_MAX_TEXT, ge=1, le=_MAX_TEXT)
    """Maximum number of characters in one line."""
    differ_from: _Name | None = None
    """Name of an earlier text field whose text no line may repeat."""


class PhotographField(_Field):
    """A photograph that the annotator uploaded, given by the SHA-256 of the stored file."""

    type: Literal["photograph"] = "photograph"
    max_bytes: int = Field(20 << 20, ge=1, le=128 << 20)
    max_pixels: int = Field(24_000_000, ge=1, le=100_000_000)
    min_side_px: int = Field(1, ge=1)


class PicturesField(_Field):
    """Other pictures of the campaign, each given by the SHA-256 of its file."""

    type: Literal["pictures"] = "pictures"
    max_count: int = Field(1, ge=1, le=50)


class DraftsField(_Field):
    """The statements accepted from a model's draft; people neither see nor fill in this field.

    A window sends the path of each statement with its path in the draft; the store keeps the resulting origin.
    """

    type: Literal["drafts"] = "drafts"
    is_required: Literal[False] = False


class RegionField(_Field):
    """Regions that the annotator marks on the task's pictures: all with the same shape, in the order drawn.

    A correspondence joins a point of the first picture to one of the second; every other region lies on the first.
    """

    type: Literal["region"] = "region"
    shape: RegionShape
    options: tuple[Option, ...] = Field((), max_length=100)
    """Labels to choose from for each region; empty if regions have no label, or one that the annotator writes."""
    free_label: bool = False
    """Whether an annotator may write a label outside the options."""
    min_count: int = Field(1, ge=0, le=MOST_REGIONS)
    max_count: int = Field(100, ge=1, le=MOST_REGIONS)
    instructions: str = Field("", max_length=_MAX_TEXT)
    """Instructions for marking, in Markdown."""
    example: Sha256 | None = None
    """Example picture, by its image id, or None if there is none."""
    example_words: str = Field("", max_length=1000)
    """Description of that picture, for annotators who cannot see it; empty for the field's label."""

    @model_validator(mode="after")
    def _is_consistent(self) -> RegionField:
        codes = [option.code for option in self.options]
        if len(set(codes)) != len(codes):
            raise ValueError(f"two labels of field {self.name!r} have the same code")
        if self.min_count > self.max_count:
            raise ValueError(
                f"field {self.name!r} has at least {self.min_count} and at most {counted(self.max_count, 'region')}"
            )
        return self

    @property
    def rule(self) -> RegionRule:
        """Return the rule for the field's values."""
        labels = {option.code: option.words for option in self.options}
        return RegionRule(self.shape, labels, self.free_label, self.max_count)


EntryField = Annotated[OneOf | SeveralOf | TextField | Lines | PicturesField, Field(discriminator="type")]
"""A field of a group."""


class QuestionRule(Record):
    """The fields of a group that hold a question and its options, which are checked together.

    Attributes:
        ask: Field with the question, a text.
        options: Fields with its options, texts or lines; no two may read the same.
        refusal: Text of the option that declines, which is added automatically and which no other option may repeat;
            None if there is no such option.
    """

    ask: _Name = "ask"
    options: tuple[_Name, ...] = ("right", "wrong", "tempting")
    refusal: str | None = None


class Repeated(_Field):
    """A group of fields that occurs several times, such as questions; an optional group may be left out altogether."""

    type: Literal["repeated"] = "repeated"
    entry: str = Field(min_length=1, max_length=60)
    """Name of one entry for readers: `question`."""
    fields: tuple[EntryField, ...] = Field(min_length=1, max_length=40)
    """Fields of an entry; each may depend on values of an earlier one of the same entry."""
    min_count: int = Field(1, ge=1, le=100)
    max_count: int = Field(20, ge=1, le=100)
    distinct: _Name | None = None
    """Field, a text or one of several options, that must differ between entries, ignoring case."""
    question: QuestionRule | None = Field(None, exclude_if=_is_unset)
    """Fields that form a question with options; None if an entry is not a question."""
    in_columns: bool = Field(False, exclude_if=_is_unset)
    """Whether tables and Label Studio have each field of each entry separately, such as `ask_2`, instead of JSON."""

    @model_validator(mode="after")
    def _is_consistent(self) -> Repeated:
        check_conditions(self.fields)
        if self.min_count > self.max_count:
            raise ValueError(
                f"group {self.name!r} has at least {self.min_count} and at most "
                f"{counted(self.max_count, 'entry', 'entries')}"
            )
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


def check_conditions(fields: Sequence[FormField]) -> None:
    """Check that all names differ, and that each condition names a choice in an earlier field.

    Raises:
        ValueError: Names repeat, or a condition is invalid.
    """
    names = [field.name for field in fields]
    if len(set(names)) != len(names):
        raise ValueError("two fields of a form have the same name")
    for number, field in enumerate(fields):
        if field.only_if is None:
            continue
        if field.only_if.field not in names[:number]:
            raise ValueError(f"field {field.name!r} depends on {field.only_if.field!r}, which must come before it")
        if isinstance(fields[names.index(field.only_if.field)], Repeated | RegionField):
            raise ValueError(f"field {field.name!r} depends on {field.only_if.field!r}, which is not a choice")
