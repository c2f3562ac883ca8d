"""The form of the screening campaigns: keep a record, or discard it with reasons."""

from __future__ import annotations

from collections.abc import Sequence

from ..fields.field_types import OneOf, OnlyIf, Option, SeveralOf, TextField
from ..fields.form import Form

KEEP, DISCARD = "keep", "discard"
NO_AGREEMENT = "no_agreement"
"""Reason for dropping a record on which annotators disagree; forms may not use this name for a reason."""
DISCARDED = "discarded"
"""Reason for dropping a gold record that is known to be discarded, if none of the form's reasons is known."""
_HELP = {
    "no_implication": "It means no more than what it shows.",
    "poor_quality": "Too small, blurred or damaged to be understood.",
    "mostly_text": "It is read rather than seen.",
    "offensive": "It would hurt or insult people.",
    "personal_data": "It identifies a private person, or shows where they live.",
    "ambiguous": "More than one option can be defended.",
    "wrong_answer": "What is marked as right is not.",
    "answer_given_away": "The words alone tell the answer, without the picture.",
    "bad_image": "Broken, the wrong one, or too poor to tell.",
}
"""Help texts that state when common reasons apply."""
COMMON_REASONS = (*_HELP, "other")
"""Codes of the reasons that screening offers if a recipe names no others."""


def screening_form(reasons: Sequence[str]) -> Form:
    """Return the form with these reasons for discarding."""
    options = tuple(
        Option(code=code, words=code.replace("_", " ").capitalize(), help=_HELP.get(code, "")) for code in reasons
    )
    if_discarded = OnlyIf(field="verdict", codes=(DISCARD,))
    return Form(
        fields=(
            OneOf(
                name="verdict",
                label="Verdict",
                options=(Option(code=KEEP, words="Keep"), Option(code=DISCARD, words="Discard")),
            ),
            SeveralOf(name="reasons", label="Why", options=options, only_if=if_discarded),
            TextField(name="note", label="Note", hint="Anything a curator should know (N)", is_required=False),
        )
    )
