"""The form for describing what an image conveys, as II-Bench's annotators did (appendix B.3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, get_args

from benchwright.questions.drafts import DraftedQuestion
from benchwright.questions.implication import (
    MOST_QUESTIONS,
    WRONG_OPTIONS,
    Difficulty,
    Domain,
    Emotion,
    ImageType,
    Implication,
    Rhetoric,
)

from ..fields.field_types import DraftsField, FormField, Lines, OneOf, OnlyIf, Option, SeveralOf, TextField
from ..fields.form import Form

HEADLINE, CONVEYS, NOTHING = "implication", "conveys", "nothing"
DRAFTS = "drafts"
LABELS = ("image_type", "difficulty", "domain", "emotion", "rhetoric")
COUNTS = ("one", "two", "three")
"""Codes for the number of questions, which are words because codes must begin with a letter."""
_MAX_EXPLANATION, _MAX_LINE = 4000, 600
_CONVEYS = OnlyIf(field=HEADLINE, codes=(CONVEYS,))


def code_of(words: str) -> str:
    """Return the code for a vocabulary term, such as `single_panel_comic`."""
    return words.replace("-", "_").replace(" ", "_")


def words_of(vocabulary: Any) -> dict[str, str]:
    """Return the terms of a vocabulary by code."""
    return {code_of(words): words for words in get_args(vocabulary)}


def _options(vocabulary: Any) -> tuple[Option, ...]:
    return tuple(Option(code=code, words=words.capitalize()) for code, words in words_of(vocabulary).items())


def _label(name: str, label: str, vocabulary: Any) -> OneOf:
    return OneOf(name=name, label=label, options=_options(vocabulary), only_if=_CONVEYS)


def _question(number: int) -> Iterable[FormField]:
    """Return the fields for one question; those for a later question apply only if there are that many questions."""
    only_if = _CONVEYS if number == 1 else OnlyIf(field="questions", codes=COUNTS[number - 1 :])
    line = {"only_if": only_if, "is_line": True, "max_chars": _MAX_LINE}
    yield TextField(name=f"ask_{number}", label=f"Question {number}", hint="About what the image conveys", **line)
    yield TextField(name=f"right_{number}", label=f"Right option of question {number}", **line)
    yield Lines(
        name=f"wrong_{number}",
        label=f"Wrong options of question {number}",
        only_if=only_if,
        count=WRONG_OPTIONS,
        max_chars=_MAX_LINE,
        differ_from=f"right_{number}",
        hint=f"{WRONG_OPTIONS} lines, each a tempting wrong option",
    )


def description_form(*, several_types: bool = False, drafts: bool = False) -> Form:
    """Return the form for a description.

    Args:
        several_types: Whether an image may have several types, as in II-Bench's published data; the paper's appendix B
            allows one. Default False.
        drafts: Whether drafts may be accepted; the form then has sections, each of which can accept all its drafts at
            once.
    """
    fields: list[FormField] = list(DESCRIPTION_FORM.fields)
    if several_types:
        label = "Image type (all that apply)"
        types = SeveralOf(name="image_type", label=label, options=_options(ImageType), only_if=_CONVEYS)
        fields = [types if field.name == "image_type" else field for field in fields]
    if drafts:
        fields[1:] = [field.model_copy(update={"section": _section_of(field)}) for field in fields[1:]]
        fields.append(DraftsField(name=DRAFTS, label="Drafts", only_if=_CONVEYS))
    return Form(fields=tuple(fields))


def _section_of(field: FormField) -> str:
    return "Description" if field.name in (*LABELS, "questions", "explanation") else "Questions"


DESCRIPTION_FORM = Form(
    fields=(
        OneOf(
            name=HEADLINE,
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
            max_chars=_MAX_EXPLANATION,
            hint="What the image conveys, and what in it does so (N)",
        ),
        *(field for number in range(1, MOST_QUESTIONS + 1) for field in _question(number)),
    )
)


def fields_of_description(
    implication: Implication | None, questions: Sequence[DraftedQuestion], *, several_types: bool
) -> dict[str, Any]:
    """Return the form's values that correspond to a draft; empty if no draft was made.

    Args:
        implication: Drafted labels and explanation; None if there are none.
        questions: Drafted questions; the form has room for three.
        several_types: Whether the form accepts several types of an image; a form with a single type omits several
            drafted types.
    """
    values: dict[str, Any] = {}
    if implication is not None:
        values |= {
            "domain": code_of(implication.domain),
            "emotion": code_of(implication.emotion),
            "rhetoric": list(map(code_of, implication.rhetoric)),
            "explanation": implication.explanation,
        }
        types = list(map(code_of, implication.image_types))
        if several_types or len(types) == 1:
            values["image_type"] = types if several_types else types[0]
        if implication.difficulty is not None:
            values["difficulty"] = code_of(implication.difficulty)
    shown = questions[:MOST_QUESTIONS]
    for number, question in enumerate(shown, 1):
        values |= {f"ask_{number}": question.ask, f"right_{number}": question.right}
        values[f"wrong_{number}"] = list(question.wrong)
    if shown:
        values["questions"] = COUNTS[len(shown) - 1]
    return {HEADLINE: CONVEYS, **values} if values else {}
