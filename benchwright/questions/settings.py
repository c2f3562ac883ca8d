"""Settings for questions that people write or models draft: numbers of questions and options, and labels.

The campaign `write` and the step `draft_questions` produce questions of the same shape, so they share settings.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from benchwright.questions.written import REFUSAL, as_read
from benchwright.records import Record

_MOST_OPTIONS = 20
DECLINING = "declining"
"""Form field in which writers state whether an option declines to answer."""
_OWN_FIELDS = frozenset(("ask", "right", "wrong", "tempting", "explanation", "origin", DECLINING))


class Amount(Record):
    """A range of numbers; in a recipe, a single number requires exactly that many.

    Attributes:
        at_least: Smallest number.
        at_most: Largest number.
    """

    at_least: int = Field(ge=1, le=_MOST_OPTIONS)
    at_most: int = Field(ge=1, le=_MOST_OPTIONS)

    @model_validator(mode="before")
    @classmethod
    def _of_one_number(cls, value: Any) -> Any:
        return {"at_least": value, "at_most": value} if isinstance(value, int) else value

    @model_validator(mode="after")
    def _in_order(self) -> Amount:
        if self.at_least > self.at_most:
            raise ValueError(f"at least {self.at_least} and at most {self.at_most} leaves no number")
        return self


class MaxChars(Record):
    """Largest numbers of characters in written texts.

    Attributes:
        question: Largest number in a question.
        option: Largest number in an option.
        explanation: Largest number in an explanation.
    """

    question: int = Field(300, ge=20, le=2000)
    option: int = Field(200, ge=12, le=2000)
    explanation: int = Field(2000, ge=20, le=10_000)


class LabelSet(Record):
    """A closed set of labels from which writers choose; a recipe may also give it as the list of its values.

    Attributes:
        values: Values to choose from, as items state them.
        required: Whether every question needs one.
        several: Whether a question may have several; items then state them joined by `+`.
    """

    values: tuple[str, ...] = Field(min_length=2, max_length=100)
    required: bool = True
    several: bool = False

    @model_validator(mode="before")
    @classmethod
    def _of_a_list(cls, value: Any) -> Any:
        return {"values": value} if isinstance(value, list | tuple) else value

    @field_validator("values")
    @classmethod
    def _told_apart(cls, values: tuple[str, ...]) -> tuple[str, ...]:
        for value in values:
            if not value.strip() or len(value) > 200 or "+" in value or ";" in value:
                raise ValueError(f"{value!r} is not a label; labels have 1 to 200 characters, without `+` or `;`")
        readings = Counter(as_read(value) for value in values)
        if twice := [value for value in values if readings[as_read(value)] > 1]:
            raise ValueError(f"{twice[0]!r} and {twice[1]!r} read the same; give only one of them")
        return values

    @property
    def words_by_code(self) -> dict[str, str]:
        """Return the values, by their codes in the form."""
        codes = [re.sub(r"[^a-z0-9]+", "_", value.casefold()).strip("_")[:60] for value in self.values]
        is_plain = len(set(codes)) == len(codes) and all(code[:1].isalpha() for code in codes)
        named = codes if is_plain else [f"value_{number}" for number in range(1, len(self.values) + 1)]
        return dict(zip(named, self.values, strict=True))


class QuestionSettings(Record):
    """The texts that people write about each picture.

    Attributes:
        questions: Number of questions that each writer writes about a picture, `{at_least, at_most}` or one number; 1
            to 3 by default.
        options: Number of options of a question, including the right one, in the same form; 4 by default. A declining
            option is additional.
        drawn_options: Labels of options drawn in the picture, such as A, B, C and D: writers then name the right one
            and write no options.
        refusal: Whether an option declines to answer: `none`, `allowed` (writers choose for each question) or
            `required`. If one is offered, writers also state whether it is the right one.
        refusal_text: Text of that option.
        explanation: Whether writers explain the right option: `required`, `optional` or `none`.
        labels: Closed sets of labels by name, such as `{difficulty: [easy, hard]}`; items have them as attributes.
        max_chars: Largest numbers of characters: 300 of a `question`, 200 of an `option` and 2,000 of an `explanation`
            by default.
    """

    questions: Amount = Amount(at_least=1, at_most=3)
    options: Amount = Amount(at_least=4, at_most=4)
    drawn_options: tuple[str, ...] = Field((), max_length=_MOST_OPTIONS)
    refusal: Literal["none", "allowed", "required"] = "none"
    refusal_text: str = Field(REFUSAL, min_length=1, max_length=200)
    explanation: Literal["required", "optional", "none"] = "optional"
    labels: dict[str, LabelSet] = Field(default_factory=dict)
    max_chars: MaxChars = MaxChars()

    @field_validator("options")
    @classmethod
    def _leaves_a_choice(cls, value: Amount) -> Amount:
        if value.at_least < 2:
            raise ValueError("a question has at least 2 options")
        return value

    @field_validator("drawn_options")
    @classmethod
    def _drawn_once(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if value and (len(value) < 2 or len(set(map(as_read, value))) < len(value)):
            raise ValueError(f"drawn options must be two or more, each with a unique label, not {list(value)}")
        if wrong := [label for label in value if not label.strip() or len(label) > 40]:
            raise ValueError(f"{wrong[0]!r} is not a valid option label; labels have 1 to 40 characters")
        return value

    @field_validator("labels")
    @classmethod
    def _named_well(cls, value: dict[str, LabelSet]) -> dict[str, LabelSet]:
        for name in value:
            if not re.fullmatch(r"[a-z][a-z0-9_]{0,24}", name) or name in _OWN_FIELDS or re.search(r"_\d+$", name):
                raise ValueError(
                    f"{name!r} is not a name of labels: give at most 25 lower-case letters, digits and underscores, no "
                    f"number at the end, and not {', '.join(sorted(_OWN_FIELDS))}"
                )
        return value

    @model_validator(mode="after")
    def _hangs_together(self) -> QuestionSettings:
        if self.drawn_options and self.refusal != "none":
            raise ValueError("options drawn in the picture exclude an added option that declines")
        return self

    @property
    def drawn_by_code(self) -> dict[str, str]:
        """Return the labels of drawn options, by their codes in the form."""
        return {f"value_{number}": label for number, label in enumerate(self.drawn_options, 1)}
