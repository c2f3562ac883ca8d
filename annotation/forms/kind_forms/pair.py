"""The form of the campaign `pair`: whether two images are the same picture."""

from __future__ import annotations

from ..fields.field_types import OneOf, Option, TextField
from ..fields.form import Form

SAME, DIFFERENT = "same", "different"

PAIR_FORM = Form(
    fields=(
        OneOf(
            name="verdict",
            label="Verdict",
            options=(
                Option(
                    code=SAME,
                    words="The same picture",
                    help="One was made from the other: resized, cropped, recolored, captioned, mirrored.",
                ),
                Option(
                    code=DIFFERENT,
                    words="Different pictures",
                    help="Another moment, another angle, another thing, however much alike.",
                ),
            ),
        ),
        TextField(name="note", label="Note", hint="Anything a curator should know (N)", is_required=False),
    )
)
