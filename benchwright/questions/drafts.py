"""Drafts about a picture, by a model or by templates, with what a second model did to break them.

The steps `draft_questions` and `draft_descriptions` give each image a value named `drafts`: `QuestionDrafts` as
canonical JSON. The campaigns `write` and `describe` show them to people as drafts. A draft is nobody's until a person
accepts or edits it.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from benchwright.questions.implication import Implication
from benchwright.records import Record

DRAFTS = "drafts"
"""Name of the value."""
TEMPLATE = "template"
"""Author of what templates made."""
Attack = Literal["without_picture", "other_option", "too_easy"]
"""What a second model tries on a draft.

- `without_picture`: It finds the right option from the words alone, however the options stand.
- `other_option`: It sees the picture, and picks another option or claims that another one is right, too.
- `too_easy`: It sees the picture, picks the right option, and calls the question easy.
"""
AttackResult = Literal["broken", "held", "not_made"]
_Words = Annotated[str, Field(min_length=1)]


class DraftAttack(Record):
    """One attempt to break a draft.

    Attributes:
        attack: What was tried.
        by: Author of the attempt, as `model:<id>`.
        result: `broken` where it succeeded, `held` where it did not, `not_made` where the model gave no usable reply.
        says: What the model said, or why there is no reply, in words.
    """

    attack: Attack
    by: str
    result: AttackResult
    says: str = ""


class DraftedQuestion(Record):
    """One drafted question with its options.

    Attributes:
        ask: The question.
        right: The option that answers it; None where only declining is right.
        wrong: All other options but the one that declines.
        explanation: Why the right option is right; None where nothing is said.
        labels: Labels by name, each as the recipe words it.
        prompt: Name of the prompt that it was drafted with; for templates, that of the template.
        attacks: What a second model did to break it; empty where none was asked.
    """

    ask: _Words
    right: str | None
    wrong: tuple[_Words, ...] = Field(min_length=1)
    explanation: str | None = None
    labels: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    prompt: str
    attacks: tuple[DraftAttack, ...] = ()


class DraftedDescription(Record):
    """What a picture is and conveys, as drafted; its questions stand among the other drafts.

    Attributes:
        implication: Labels and explanation.
        prompt: Name of the prompt that it was drafted with; for templates, that of the template.
    """

    implication: Implication
    prompt: str


class QuestionDrafts(Record):
    """The drafts about one picture.

    Attributes:
        by: Their author, as in `Item.written_by`: `model:<id>` or `template`.
        questions: Drafts that people are shown.
        broken: Drafts that an attack took out.
        failed: Why a prompt gave nothing, or less than was asked: a reason code and words, by the prompt's name.
        description: What the picture is and conveys; None where no such draft was asked for, or none is there.
    """

    by: str
    questions: tuple[DraftedQuestion, ...] = ()
    broken: tuple[DraftedQuestion, ...] = ()
    failed: dict[str, str] = Field(default_factory=dict)
    description: DraftedDescription | None = Field(None, exclude_if=lambda description: description is None)


def author_of_draft(by: str, *, is_edited: bool) -> str:
    """Return the author of a text that a person accepted from a draft, as it was or edited.

    Example:
        >>> author_of_draft("model:tiny", is_edited=True), author_of_draft("template", is_edited=False)
        ('person, from model:tiny', 'template')
    """
    return f"person, from {by}" if is_edited else by
