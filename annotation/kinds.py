"""The kinds of campaigns, and what each asks.

A kind says what a browser may show, and, where it has a typed form, of what fields that is made. Adding one is an
entry here: the store checks its values, the app and tables of decisions render it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchwright.review_tasks import Category

from .form import Form, OneChoice, OneOf, OnlyIf, Option, SeveralOf, Text

VERIFY, ANSWER, REVIEW, ERROR_ANALYSIS, ERRATA = "verify", "answer", "review", "error_analysis", "errata"
KEY_RIGHT, KEY_WRONG, AMBIGUOUS, PICTURE_PROBLEM = "key_right", "key_wrong", "ambiguous", "picture_problem"
"""What an annotator can find of a key."""


@dataclass(frozen=True)
class Kind:
    """One kind of campaign.

    Args:
        name: As campaigns and commands call it.
        shows_key: Whether its annotators see which choice is right; they answer such an item in no other campaign.
        form: Makes its typed form of the categories that a file of tasks brings; None for kinds that recipes open,
            whose answers are a decision with reasons and a note.
        rule: What becomes of so many annotators' answers, as people read it.
        annotators: That each task takes, unless it is said otherwise.
        guidelines: What annotators are told, in Markdown.
    """

    name: str
    shows_key: bool
    form: Callable[[Sequence[Category]], Form] | None = None
    rule: str = "answers({n})"
    annotators: int = 1
    guidelines: str = ""


def _error_analysis(categories: Sequence[Category]) -> Form:
    options = tuple(Option(code=one.code, words=one.words, help=one.help) for one in categories)
    return Form(
        fields=(
            SeveralOf(name="categories", label="What went wrong", options=options),
            Text(name="reason", label="Reason", hint="What in the reply shows it (N)"),
        )
    )


def _errata(categories: Sequence[Category]) -> Form:
    del categories  # what can be wrong with an item does not hang on the file
    findings = (
        Option(code=KEY_RIGHT, words="The key is right"),
        Option(code=KEY_WRONG, words="The key is wrong", help="Another option is right, or none of them."),
        Option(code=AMBIGUOUS, words="Ambiguous", help="More than one option can be defended."),
        Option(
            code=PICTURE_PROBLEM, words="Problem with a picture", help="Broken, the wrong one, or too poor to tell."
        ),
    )
    return Form(
        fields=(
            OneOf(name="finding", label="The item", options=findings),
            OneChoice(
                name="instead", label="Right instead (leave open if none is)", is_required=False, is_key_offered=False,
                only_if=OnlyIf(field="finding", codes=(KEY_WRONG,)),
            ),
            Text(
                name="reason", label="Reason", hint="How you can tell (N)",
                only_if=OnlyIf(field="finding", codes=(KEY_WRONG, AMBIGUOUS, PICTURE_PROBLEM)),
            ),
        )
    )  # fmt: skip


KINDS = {
    kind.name: kind
    for kind in (
        Kind(VERIFY, shows_key=True),
        Kind(ANSWER, shows_key=False),
        Kind(REVIEW, shows_key=True),
        Kind(
            ERROR_ANALYSIS, shows_key=True, form=_error_analysis,
            guidelines=(
                "A model got this item wrong. Read its reply beside the key and the pictures, name **every** category "
                "that applies, and say in a sentence what shows it."
            ),
        ),
        Kind(
            ERRATA, shows_key=True, form=_errata, rule="majority({n})", annotators=3,
            guidelines=(
                "The key of this item is in doubt. Work the answer out **yourself** from the pictures before you look "
                "at what models and other people said: they may all be wrong."
            ),
        ),
    )
}  # fmt: skip

WITH_KEY = tuple(sorted(kind.name for kind in KINDS.values() if kind.shows_key))
"""Kinds whose annotators know too much to answer the same items blind."""
BLIND_KINDS = (ANSWER, REVIEW)
"""Kinds whose annotators must not know the key when they begin; in `review` it is shown once they have answered."""
