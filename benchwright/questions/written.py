"""Questions that people wrote about a picture, with their options, an explanation and labels.

The campaign `write` gives each image a value named `questions`: `WrittenQuestions` as canonical JSON. A step that turns
them into items reads that value and does not depend on the writers' form.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Annotated

from pydantic import Field, model_validator

from benchwright.questions.implication import WrittenIn
from benchwright.records import Record

ASK = "ask"
"""Key under which mistakes in the question itself are reported."""
QUESTIONS = "questions"
"""Name of the value that holds written questions."""
REFUSAL = "The picture does not show enough to tell."
"""Text of the option that declines to answer, unless a recipe states another (MM-SAP, section 3.2)."""
TASK_NAME = r"^[a-z][a-z0-9_]{0,63}$"
_PLACED = re.compile(r"<image\s*\d+>", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
_POINTING_WORDS = """
    a an and any are at be been by can could d did do does for from had has have he her here hers him his how i
    in is it its ll m many may me might much my of on or our ours re s she should so some t than that the their
    theirs them then there these they this those to us ve was we were what when where which who whom whose why
    will with would you your yours
"""
NAMES_NOTHING = frozenset(_POINTING_WORDS.split())
"""English words that point, ask or connect, and name nothing visible."""
_Words = Annotated[str, Field(min_length=1)]


def _is_empty(value: Mapping[str, str]) -> bool:
    return not value


class WrittenQuestion(Record):
    """One question with its options.

    Attributes:
        ask: The question.
        right: The option that answers it; None if nothing in the picture does, so that declining is right.
        wrong: All other options except the one that declines.
        refusal: Text of the option that declines to answer; None if none is offered.
        explanation: Why the right option is right; None without an explanation.
        labels: Labels by name; several of one name are joined by `+`.
        written_in: Slot of the campaign in which an annotator wrote it.
        authors: Author of each text taken from a draft, by `question`, `choices`, `explanation` or `labels`; the
            question's writer wrote the others.
    """

    ask: _Words
    right: str | None
    wrong: tuple[_Words, ...] = Field(min_length=1)
    refusal: str | None = None
    explanation: str | None = None
    labels: dict[str, str] = Field(default_factory=dict)
    written_in: WrittenIn
    authors: dict[str, str] = Field(default_factory=dict, exclude_if=_is_empty)

    @model_validator(mode="after")
    def _has_one_right_option(self) -> WrittenQuestion:
        if self.right is None and self.refusal is None:
            raise ValueError(f"question {self.ask!r} has neither a right option nor one that declines")
        return self

    @property
    def author(self) -> str:
        """Return the author of the texts, as in `Item.written_by`, except of those listed in `authors`."""
        return "simulated" if self.written_in.simulated else "person"

    def written_by(self, texts: Iterable[str]) -> dict[str, str]:
        """Return the author of each of these texts, as in `Item.written_by`; labels only if a draft contains them."""
        drafted = {"labels": self.authors["labels"]} if "labels" in self.authors else {}
        return {text: self.authors.get(text, self.author) for text in texts} | drafted


class WrittenQuestions(Record):
    """The questions about one picture.

    Attributes:
        task: Task of their items.
        questions: The questions, grouped by annotator.
        drawn_options: Labels of options drawn in the picture, in their order there, such as A, B, C and D; empty if
            options are texts of the questions.
    """

    task: str = Field(pattern=TASK_NAME)
    questions: tuple[WrittenQuestion, ...] = Field(min_length=1)
    drawn_options: tuple[str, ...] = ()


def quoted(text: str) -> str:
    """Return a text in quotation marks for a message, shortened to 80 characters."""
    return repr(text if len(text) <= 80 else f"{text[:79]}…")


def as_read(text: str) -> str:
    """Return a text normalized so that differences unnoticed by readers disappear.

    These are case, spaces, final periods, and two spellings of one character (Unicode NFC).
    """
    return " ".join(unicodedata.normalize("NFC", text).casefold().split()).rstrip(". ")


def question_mistakes(
    ask: str | None, options: Mapping[str, str], *, refusal: str | None = None
) -> list[tuple[str, str]]:
    """Return the mistakes in a question and its options, by any author; empty if there are none.

    Args:
        ask: The question; None if not yet written.
        options: The question's options by key, in the order of comparison.
        refusal: Option that declines, which no other option may repeat; None if none is offered.

    Returns:
        The location of each mistake, `ask` or a key of `options`, and an explanation.
    """
    mistakes = []
    if ask and _PLACED.search(ask):
        mistakes.append((ASK, "it places a picture, which appears with it anyway"))
    elif ask and not names_something(ask):
        mistakes.append((ASK, f"{quoted(ask)} names nothing visible"))
    taken = {} if refusal is None else {as_read(refusal): "the option that declines, which is added automatically"}
    for place, text in options.items():
        reading = as_read(text)
        if not reading:
            mistakes.append((place, f"{quoted(text)} says nothing"))
        elif ask and reading == as_read(ask):
            mistakes.append((place, f"{quoted(text)} is the question itself"))
        elif reading in taken:
            mistakes.append((place, f"{quoted(text)} reads the same as {taken[reading]}"))
        else:
            taken[reading] = quoted(text)
    return mistakes


def names_something(ask: str) -> bool:
    """Return whether a question contains a word that names a thing, an action or a property.

    In languages other than English, every word counts; in scripts without spaces, every letter does.
    """
    return any(word.casefold() not in NAMES_NOTHING for word in _WORD.findall(ask))
