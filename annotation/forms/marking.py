"""The form of the campaign `mark`: regions of a picture, or of a pair of pictures, or that there is nothing to mark."""

from __future__ import annotations

from collections.abc import Sequence

from .form import Form, OneOf, OnlyIf, Option, RegionField, TextField

HEADLINE = "marked"
"""Name of the first field: whether there is anything to mark."""
MARKED, NOTHING, UNSURE = "marked", "nothing", "unsure"
NOTE = "note"
IF_MARKED = OnlyIf(field=HEADLINE, codes=(MARKED,))


def marking_form(fields: Sequence[RegionField]) -> Form:
    """Return the form with these fields for regions, which are asked for where there is something to mark."""
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
            *(field.model_copy(update={"only_if": IF_MARKED}) for field in fields),
            TextField(name=NOTE, label="Note", hint="Anything a curator should know (N)", is_required=False),
        )
    )
