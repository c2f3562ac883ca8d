"""Drafts about a picture, by a model or by templates, with a second model's attacks on them.

The steps `draft_questions` and `draft_descriptions` give each image a value named `drafts`: `QuestionDrafts` as
canonical JSON. The campaigns `write` and `describe` show them to annotators as drafts. A draft does not count until an
annotator accepts or edits it.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from benchwright.questions.implication import Implication
from benchwright.records import Record

DRAFTS = "drafts"
"""Name of the value that holds drafts."""
TEMPLATE = "template"
"""Author given for texts from templates."""
Attack = Literal["without_picture", "other_option", "too_easy"]
"""Kind of a second model's attack on a draft.

- `without_picture`: The model finds the right option from the words alone, in any order of the options.
- `other_option`: The model sees the picture, and picks another option or claims that another one is also right.
- `too_easy`: The model sees the picture, picks the right option, and calls the question easy.
"""
AttackResult = Literal["broken", "held", "not_made"]
_Words = Annotated[str, Field(min_length=1)]


class DraftAttack(Record):
    """One attempt to break a draft.

    Attributes:
        attack: Kind of the attack.
        by: Author of the attempt, as `model:<id>`.
        result: `broken` if it succeeded, `held` if it failed, `not_made` if the model gave no usable reply.
        says: Text of the model's reply, or the reason why there is none.
    """

    attack: Attack
    by: str
    result: AttackResult
    says: str = ""


class DraftedQuestion(Record):
    """One drafted question with its options.

    Attributes:
        ask: Text of the question.
        right: The option that answers it; None if only declining is right.
        wrong: All other options except the one that declines.
        explanation: Why the right option is right; None without an explanation.
        labels: Labels by name, in the recipe's words.
        prompt: Name of the prompt, or of the template, that produced it.
        attacks: A second model's attacks on it; empty without a second model.
    """

    ask: _Words
    right: str | None
    wrong: tuple[_Words, ...] = Field(min_length=1)
    explanation: str | None = None
    labels: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    prompt: str
    attacks: tuple[DraftAttack, ...] = ()


class DraftedDescription(Record):
    """A drafted description of a picture and its message; its questions are among the other drafts.

    Attributes:
        implication: Labels and explanation.
        prompt: Name of the prompt, or of the template, that produced it.
    """

    implication: Implication
    prompt: str


class QuestionDrafts(Record):
    """The drafts about one picture.

    Attributes:
        by: Author of the drafts, as in `Item.written_by`: `model:<id>` or `template`.
        questions: Drafts shown to annotators.
        broken: Drafts that an attack removed.
        failed: Why a prompt yielded nothing, or too little: a reason code and an explanation, by the prompt's name.
        description: Description of the picture and its message; None if not requested or missing.
    """

    by: str
    questions: tuple[DraftedQuestion, ...] = ()
    broken: tuple[DraftedQuestion, ...] = ()
    failed: dict[str, str] = Field(default_factory=dict)
    description: DraftedDescription | None = Field(None, exclude_if=lambda description: description is None)


def author_of_draft(by: str, *, is_edited: bool) -> str:
    """Return the author of a text that an annotator accepted from a draft, unchanged or edited.

    Example:
        >>> author_of_draft("model:tiny", is_edited=True), author_of_draft("template", is_edited=False)
        ('person, from model:tiny', 'template')
    """
    return f"person, from {by}" if is_edited else by
