"""The form in which people describe what an image conveys, as II-Bench's annotators did (appendix B.3)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, get_args

from benchwright.questions.implication import (
    MOST_QUESTIONS,
    WRONG_OPTIONS,
    Difficulty,
    Domain,
    Emotion,
    ImageType,
    Rhetoric,
)

from ..fields.field_types import FormField, Lines, OneOf, OnlyIf, Option, SeveralOf, TextField
from ..fields.form import Form

CONVEYS, NOTHING = "conveys", "nothing"
COUNTS = ("one", "two", "three")
"""Codes of the number of questions: words, because codes begin with a letter."""
MAX_EXPLANATION, MAX_LINE = 4000, 600
_CONVEYS = OnlyIf(field="implication", codes=(CONVEYS,))


def code_of(words: str) -> str:
    """Return the code of a word of a vocabulary, such as `single_panel_comic`."""
    return words.replace("-", "_").replace(" ", "_")


def words_of(vocabulary: Any) -> dict[str, str]:
    """Return a vocabulary's words by their codes."""
    return {code_of(words): words for words in get_args(vocabulary)}


def _options(vocabulary: Any) -> tuple[Option, ...]:
    return tuple(Option(code=code, words=words.capitalize()) for code, words in words_of(vocabulary).items())


def _label(name: str, label: str, vocabulary: Any) -> OneOf:
    return OneOf(name=name, label=label, options=_options(vocabulary), only_if=_CONVEYS)


def _question(number: int) -> Iterable[FormField]:
    """Return the fields of one question; those of a later question apply only if that many are asked."""
    only_if = _CONVEYS if number == 1 else OnlyIf(field="questions", codes=COUNTS[number - 1 :])
    line = {"only_if": only_if, "is_line": True, "max_chars": MAX_LINE}
    yield TextField(name=f"ask_{number}", label=f"Question {number}", hint="About what the image conveys", **line)
    yield TextField(name=f"right_{number}", label=f"Right option of question {number}", **line)
    yield Lines(
        name=f"wrong_{number}",
        label=f"Wrong options of question {number}",
        only_if=only_if,
        count=WRONG_OPTIONS,
        max_chars=MAX_LINE,
        differ_from=f"right_{number}",
        hint=f"{WRONG_OPTIONS} lines, each an option that somebody could fall for",
    )


def description_form(*, several_types: bool = False) -> Form:
    """Return the form of a description.

    Args:
        several_types: Whether an image may be of several types, as in II-Bench's published data, where the paper's
            appendix B takes one; default False.
    """
    if not several_types:
        return DESCRIPTION_FORM
    types = SeveralOf(
        name="image_type", label="Image type (all that apply)", options=_options(ImageType), only_if=_CONVEYS
    )
    return Form(fields=tuple(types if field.name == "image_type" else field for field in DESCRIPTION_FORM.fields))


DESCRIPTION_FORM = Form(
    fields=(
        OneOf(
            name="implication",
            label="Implication",
            options=(
                Option(code=CONVEYS, words="Conveys something"),
                Option(code=NOTHING, words="Discard", help="It means no more than what it shows."),
            ),
        ),
        _label("image_type", "Image type", ImageType),
        _label("difficulty", "Difficulty for people", Difficulty),
        _label("domain", "Domain", Domain),
        _label("emotion", "Emotion", Emotion),
        SeveralOf(name="rhetoric", label="Rhetoric (all that apply)", options=_options(Rhetoric), only_if=_CONVEYS),
        OneOf(
            name="questions",
            label="How many questions",
            only_if=_CONVEYS,
            options=tuple(Option(code=code, words=code.capitalize()) for code in COUNTS[:MOST_QUESTIONS]),
        ),
        TextField(
            name="explanation",
            label="Explanation",
            only_if=_CONVEYS,
            max_chars=MAX_EXPLANATION,
            hint="What the image conveys, and what in it does so (N)",
        ),
        *(field for number in range(1, MOST_QUESTIONS + 1) for field in _question(number)),
    )
)
