"""A practice item: its content, the right decisions on it, and the reason why they are right."""

from __future__ import annotations

from pydantic import Field

from benchwright.records import Record
from benchwright.regions import Region

from .campaign_form import CampaignForm
from .fields.field_types import OneOf, Option, TextField
from .kind_forms.marking import MarkField, marking_form
from .kind_forms.statements import WHY_FIELD
from .kinds import COLLECT, DESCRIBE, MARK, STATE, WRITE
from .task_content import TaskContent

TAKE, LEAVE = "take", "leave"
"""Decisions on another person's photograph or question, used in practice for the kinds that produce these."""
_FIRST_TEXT_OF_DESCRIPTION = "questions"


class TextBeside(Record):
    """A text shown next to an item."""

    label: str
    text: str


def _is_empty(value: object) -> bool:
    return not value


class PracticeItem(Record):
    """A practice item.

    Attributes:
        name: Name of the item, under which its answers are kept.
        content: What is shown.
        right: Right decisions, the best one first, as the review store spells them; in a campaign whose annotators
            first answer without the key, `accept` for a sound item and `revise` for any other.
        why: Why these decisions are right, in one or two sentences.
        answers: Right answers before the key is shown, if the campaign asks for one.
        beside: Texts next to the item.
        regions: Right regions, by field, if any are marked.
    """

    name: str = Field(min_length=1, max_length=200)
    content: TaskContent
    right: tuple[str, ...] = Field(min_length=1)
    why: str = ""
    answers: tuple[str, ...] = ()
    beside: tuple[TextBeside, ...] = ()
    regions: dict[str, tuple[Region, ...]] = Field(default_factory=dict, exclude_if=_is_empty)


_FOUND_PHOTOGRAPH = OneOf(
    name="verdict",
    label="Would you hand this photograph in?",
    options=(
        Option(code=TAKE, words="Take it", help="It fits the prompt, and its page allows it."),
        Option(code=LEAVE, words="Leave it", help="Look for another one."),
    ),
)

_WRITTEN_QUESTION = OneOf(
    name="verdict",
    label="Would you hand this question in?",
    options=(
        Option(code=TAKE, words="Hand it in", help="It is clear, and one option is right."),
        Option(code=LEAVE, words="Write another one", help="Something is wrong with it."),
    ),
)


PRACTISED_BOXES, PRACTISED_POINTS = "boxes", "points"
"""Names of the fields for practice in marking."""
_BALLS = tuple(Option(code=color, words=f"A {color} ball") for color in ("red", "blue", "green", "yellow"))
_PRACTISED_MARKS = (
    MarkField(name=PRACTISED_BOXES, label="Boxes", shape="box", options=_BALLS, min_count=0, max_count=20),
    MarkField(name=PRACTISED_POINTS, label="Points", shape="point", options=_BALLS, min_count=0, max_count=20),
)


def practice_form(kind: str, form: CampaignForm, *, is_own: bool = False) -> CampaignForm:
    """Return the form for practicing a campaign's work: the campaign's form without fields that cannot be judged.

    Practice for describing omits writing questions. Practice for collecting judges other people's photographs, and for
    writing other people's questions. Practice for marking uses drawn still lifes, unless the campaign names its own
    pictures (`is_own`). Practice for stating explains why a picture does not answer a question.
    """
    if kind == MARK and not is_own:
        return CampaignForm(fields=marking_form(_PRACTISED_MARKS).fields)
    if kind == COLLECT:
        return CampaignForm(fields=(_FOUND_PHOTOGRAPH,))
    if kind == WRITE and not is_own:
        return CampaignForm(fields=(_WRITTEN_QUESTION,))
    if kind == STATE:
        return CampaignForm(fields=(WHY_FIELD,))
    if kind == DESCRIBE and form.fields is not None:
        names = [field.name for field in form.fields]
        end = names.index(_FIRST_TEXT_OF_DESCRIPTION) if _FIRST_TEXT_OF_DESCRIPTION in names else len(names)
        return CampaignForm(fields=tuple(field for field in form.fields[:end] if not isinstance(field, TextField)))
    return form
