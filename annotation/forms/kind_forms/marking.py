"""The form of the campaign `mark`: regions of a picture or a pair, or the statement that there is nothing to mark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from pydantic import Field, model_validator

from benchwright.records import Record, Sha256
from benchwright.regions import RegionShape

from ..fields.field_types import OneOf, OnlyIf, Option, RegionField, TextField
from ..fields.form import Form
from ..fields.region_values import MOST_REGIONS

HEADLINE = "marked"
"""Name of the first field, which states whether there is anything to mark."""
MARKED, NOTHING, UNSURE = "marked", "nothing", "unsure"
NOTE = "note"
_IF_MARKED = OnlyIf(field=HEADLINE, codes=(MARKED,))


class MarkField(Record):
    """Regions of one shape to be marked, as a recipe requests them.

    Attributes:
        name: Name of the column in tables.
        label: Name for readers.
        shape: `point`, `points` (in their order), `box`, `polygon`, `mask`, or `correspondence`, which joins a point of
            the first picture of a pair to one of the second.
        options: Labels to choose from; without any, regions have no label unless `free_label` is set.
        free_label: Whether annotators may write their own labels.
        min_count: Fewest regions if there is anything to mark; 0 lets the field be left empty.
        max_count: Largest number of regions.
        instructions: Instructions for marking, in Markdown.
        example: Example picture: a file next to the recipe, or the image id of one in the workspace.
        example_words: Description of that picture, for annotators who cannot see it.
    """

    name: str = Field(pattern=r"^[a-z][a-z0-9_]{0,31}$")
    label: str = Field(min_length=1, max_length=200)
    shape: RegionShape
    options: tuple[Option, ...] = Field((), max_length=100)
    free_label: bool = False
    min_count: int = Field(1, ge=0, le=MOST_REGIONS)
    max_count: int = Field(100, ge=1, le=MOST_REGIONS)
    instructions: str = Field("", max_length=10_000)
    example: str | None = Field(None, min_length=1)
    example_words: str = Field("", max_length=1000)

    @model_validator(mode="after")
    def _can_be_filled_in(self) -> MarkField:
        self.field()
        return self

    def field(self, example: Sha256 | None = None) -> RegionField:
        """Return the form's field, which applies if there is something to mark; `example` is the example's image id."""
        return RegionField.model_validate({**self.model_dump(), "example": example, "only_if": _IF_MARKED})


def marking_form(fields: Sequence[MarkField], examples: Mapping[str, Sha256] = MappingProxyType({})) -> Form:
    """Return the form with these region fields, which apply only if there is something to mark.

    Args:
        fields: The fields, in order.
        examples: Image ids of the fields' example pictures, by the field's name.
    """
    return Form(
        fields=(
            OneOf(
                name=HEADLINE,
                label="The picture",
                options=(
                    Option(code=MARKED, words="Marked"),
                    Option(code=NOTHING, words="Nothing to mark", help="Nothing of what is asked for is in sight."),
                    Option(code=UNSURE, words="I cannot tell", help="It may be there; the picture does not show."),
                ),
            ),
            *(field.field(examples.get(field.name)) for field in fields),
            TextField(name=NOTE, label="Note", hint="Anything a curator should know (N)", is_required=False),
        )
    )
