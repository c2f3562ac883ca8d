"""An item to practise on: what is shown, which decisions on it are right, and why."""

from __future__ import annotations

from pydantic import Field

from benchwright.records import Record

from .campaign_form import CampaignForm
from .form import OneOf, Option, TextField
from .kinds import COLLECT, DESCRIBE, STATE
from .statements import WHY_FIELD
from .task_content import TaskContent

TAKE, LEAVE = "take", "leave"
"""Decisions on a photograph that somebody found, when `collect` is practised."""
_FIRST_TEXT_OF_DESCRIPTION = "questions"


class TextBeside(Record):
    """A text that is shown beside an item."""

    label: str
    text: str


class PracticeItem(Record):
    """An item to practise on.

    Attributes:
        name: Name of the item, by which the answers to it are kept.
        content: What is shown.
        right: Decisions that are right, the best one first, as the review store spells them; in a campaign whose
            annotators first answer without the key, `accept` for a sound item and `revise` for any other.
        why: Why they are right, in a sentence or two.
        answers: Right answers before the key is shown, where the campaign asks for one.
        beside: Texts beside the item.
    """

    name: str = Field(min_length=1, max_length=200)
    content: TaskContent
    right: tuple[str, ...] = Field(min_length=1)
    why: str = ""
    answers: tuple[str, ...] = ()
    beside: tuple[TextBeside, ...] = ()


_FOUND_PHOTOGRAPH = OneOf(
    name="verdict",
    label="Would you hand this photograph in?",
    options=(
        Option(code=TAKE, words="Take it", help="It fits the prompt, and its page allows it."),
        Option(code=LEAVE, words="Leave it", help="Look for another one."),
    ),
)


def practice_form(kind: str, form: CampaignForm) -> CampaignForm:
    """Return the form in which a campaign's work is practised: its own, without what nobody can judge as right.

    Describing is practised without writing questions, collecting by judging photographs that somebody found, and
    stating by saying why a picture does not answer a question.
    """
    if kind == COLLECT:
        return CampaignForm(fields=(_FOUND_PHOTOGRAPH,))
    if kind == STATE:
        return CampaignForm(fields=(WHY_FIELD,))
    if kind == DESCRIBE and form.fields is not None:
        names = [field.name for field in form.fields]
        end = names.index(_FIRST_TEXT_OF_DESCRIPTION) if _FIRST_TEXT_OF_DESCRIPTION in names else len(names)
        return CampaignForm(fields=tuple(field for field in form.fields[:end] if not isinstance(field, TextField)))
    return form
