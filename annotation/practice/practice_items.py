"""Five practice items for each kind of campaign, with the right decision and the reason why it is right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from benchwright.records import Choice, ItemImage
from benchwright.regions import Region

from ..forms.kind_forms.description import CONVEYS, NOTHING
from ..forms.kind_forms.marking import MARKED
from ..forms.kind_forms.marking import NOTHING as NOTHING_TO_MARK
from ..forms.kind_forms.pair import DIFFERENT, SAME
from ..forms.kind_forms.screening import DISCARD, KEEP
from ..forms.kinds import (
    AMBIGUOUS,
    ANSWER,
    COLLECT,
    DESCRIBE,
    ERRATA,
    KEY_RIGHT,
    KEY_WRONG,
    MARK,
    PAIR,
    PICTURE_PROBLEM,
    REVIEW,
    SCREEN,
    SCREEN_ITEMS,
    STATE,
    VERIFY,
    WRITE,
)
from ..forms.practice_item import LEAVE, PRACTISED_BOXES, PRACTISED_POINTS, TAKE, PracticeItem, TextBeside
from ..forms.task_content import TaskContent
from .scenes import balls_in, picture_id, scene_size

TASK = "practice"
"""Task name of practice items, instead of one such as `jigsaw`."""
_ACCEPT, _REJECT, _REVISE = "accept", "reject", "revise"


class _PracticeQuestion(NamedTuple):
    """A question about a drawn picture, with the marked key, the defensible answers, and the finding.

    Args:
        picture: Name of the picture.
        question: The question.
        options: Texts of the options, from A on.
        key: Letter marked as right.
        answers: Letters of defensible answers.
        finding: The problem with the item, as in an errata campaign.
        why: Reason for the finding, in one or two sentences.
    """

    picture: str
    question: str
    options: tuple[str, ...]
    key: str
    answers: tuple[str, ...]
    finding: str
    why: str

    @property
    def is_sound(self) -> bool:
        """Return whether the item needs no changes."""
        return self.finding == KEY_RIGHT

    def content(self) -> TaskContent:
        """Return the content of a task with this question."""
        return _content(
            [self.picture], self.question, choices=dict(zip("ABCDEF", self.options, strict=False)), key=self.key
        )


_GIVEN_AWAY = "given_away"
_QUESTIONS = {
    "clean": _PracticeQuestion(
        "left of the cup", "How many balls lie to the left of the cup?", ("2", "3", "4", "5"), "B", ("B",), KEY_RIGHT,
        "Two red balls and a blue one lie to the left of the cup. The question is clear, and 3 is its only "
        "right option.",
    ),
    "wrong key": _PracticeQuestion(
        "two cups", "How many cups stand on the table?", ("1", "2", "3", "4"), "C", ("B",), KEY_WRONG,
        "There are two cups, and 3 is marked. Work the answer out first and look at the mark afterward to see this.",
    ),
    "ambiguous": _PracticeQuestion(
        "equally large", "Which ball is the largest?", ("the red one", "the green one", "the blue one"), "A",
        ("A", "C"), AMBIGUOUS,
        "The red ball and the blue one are equally large, so two options can be defended. A careful person could get "
        "this wrong without being at fault.",
    ),
    "given away": _PracticeQuestion(
        "one yellow", "What is the color of the yellow ball next to the cup?", ("red", "yellow", "blue", "green"), "B",
        ("B",), _GIVEN_AWAY,
        "The question says the answer itself. An item that can be answered without its picture does not test sight.",
    ),
    "hidden": _PracticeQuestion(
        "half hidden", "How many balls are there in all?", ("5", "6", "7", "8"), "B", ("B",), KEY_RIGHT,
        "It is easy to count five: a green ball looks out from behind the cup, on its left. Zoom in before you "
        "settle on a number. The item is hard, and there is nothing wrong with it.",
    ),
    "unclear picture": _PracticeQuestion(
        "blurred", "Which ball lies nearest to the cup?", ("the red one", "the green one", "the blue one"), "B",
        ("B",), PICTURE_PROBLEM,
        "The picture is too dark and blurred to tell. What cannot be seen cannot be asked about.",
    ),
    "nearest": _PracticeQuestion(
        "nearest", "Which ball lies nearest to the cup?", ("the red one", "the yellow one", "the green one"), "C",
        ("C",), KEY_RIGHT,
        "The green ball touches the cup; the yellow one, further back, lies apart from it.",
    ),
    "most": _PracticeQuestion(
        "most blue", "What color are most of the balls?", ("red", "green", "blue"), "C", ("C",), KEY_RIGHT,
        "Four balls are blue, two are red, and one is green.",
    ),
    "cups": _PracticeQuestion(
        "two cups", "How many cups stand on the table?", ("1", "2", "3", "4"), "B", ("B",), KEY_RIGHT,
        "One is at the front on the left, and a smaller one is at the back.",
    ),
}  # fmt: skip
_SCREENED = {
    "balance": (
        KEEP, "A heart weighs less than a heap of coins: the drawing means more than the things that it shows, and "
        "that is worth asking about.",
    ),
    "three balls": (DISCARD, "Three balls on a table, and nothing more: the picture means no more than it shows."),
    "cage": (
        KEEP, "The door is open and the bird has flown. The picture speaks of freedom without a word.",
    ),
    "blurred": (DISCARD, "Too dark and too blurred to be understood, whatever it may have meant."),
    "page": (DISCARD, "A page of print is read rather than seen; a question about it would be about its words."),
}  # fmt: skip
_DESCRIBED = {
    "balance": (
        CONVEYS, "It conveys something: money outweighs love. Of the labels, symbols on paper make it an "
                 "illustration, and scales that stand for a judgment are a metaphor.",
    ),
    "bricks": (NOTHING, "A wall of bricks that stands for nothing. It would be a poor question that asked for more."),
    "cage": (
        CONVEYS, "It conveys something: a prisoner is free. The empty cage and the bird beyond it say so together, "
                 "without a word.",
    ),
    "three balls": (NOTHING, "A pleasant still life that means no more than it shows."),
    "lamps": (
        CONVEYS, "It conveys something: one of many is awake, or has an idea. Five dark lamps make the lit one stand "
        "for more than light.",
    ),
}  # fmt: skip
_PAIRED = {
    "resized": (
        ("left of the cup", "small"), SAME, "One was made from the other by making it smaller. Nothing in them has "
        "another place.",
    ),
    "another moment": (
        ("three balls", "moved"), DIFFERENT, "The same three balls, but two of them have moved: two photographs of one "
        "thing are different pictures. Blinking (M) shows it at once.",
    ),
    "cropped": (
        ("most blue", "cropped"), SAME, "Cropped at its edges and made brighter. What is still in sight lies exactly "
        "as before.",
    ),
    "another angle": (
        ("two cups", "other side"), DIFFERENT, "Much the same things on the same table, seen from elsewhere: neither "
        "was made from the other.",
    ),
    "mirrored": (("nearest", "mirrored"), SAME, "One is the other in a mirror. A mirrored copy is still a copy."),
}  # fmt: skip
_MARKED: Mapping[str, tuple[str, str, str, Sequence[str], str]] = {
    "all balls": (
        "three balls", "Mark every ball with a box.", PRACTISED_BOXES, ("red", "blue", "yellow"),
        "Three balls, so three boxes, each with the color of its ball. A box touches what it is about on all four "
        "sides.",
    ),
    "one of three": (
        "equally large", "Mark the green ball with a box, and nothing else.", PRACTISED_BOXES, ("green",),
        "One box is asked for. A second one, around another ball, would be one too many, however good it is.",
    ),
    "nothing there": (
        "bricks", "Mark every ball with a box.", PRACTISED_BOXES, (),
        "There is no ball in sight, and that is an answer: nothing to mark.",
    ),
    "points": (
        "left of the cup", "Put a point on the middle of each red ball.", PRACTISED_POINTS, ("red",),
        "Three balls are red. A point belongs on the middle of a thing unless something else is asked for.",
    ),
    "yellow": (
        "one yellow", "Mark the yellow ball with a box.", PRACTISED_BOXES, ("yellow",),
        "There is one yellow ball, on the left. Its shadow is no part of it, so the box ends where the ball does.",
    ),
}  # fmt: skip
_FREE, _RESERVED, _OWN = (
    "“Licensed under CC BY 4.0. Photograph: R. Amari.”",
    "“© 2021 Studio Amari. All rights reserved.”",
    "You took it yourself, and you may give it away under CC BY 4.0.",
)
_COLLECTED = {
    "free": (
        "A still life with a cup", "left of the cup", _FREE, TAKE, "It shows what the prompt describes, it is sharp, "
                                                                   "and its page states one of the licenses offered "
                                                                   "and names the author.",
    ),
    "reserved": (
        "Three balls on a table", "three balls", _RESERVED, LEAVE, "It fits the prompt, but its page reserves all "
                                                                   "rights. A photograph that must not be passed on "
                                                                   "cannot go into a benchmark.",
    ),
    "drawn": (
        "A birdcage with an open door", "cage", _FREE, LEAVE, "It is a drawing. Only what a camera has taken is asked "
        "for.",
    ),
    "blurred": (
        "A cup among balls", "blurred", _FREE, LEAVE, "It may well show what is asked for, but it is too blurred to "
                                                      "tell: a photograph must be sharp.",
    ),
    "own": (
        "Two cups on one table", "two cups", _OWN, TAKE, "Your own photographs are welcome, if they fit the prompt "
                                                         "and you may give them away under one of the licenses.",
    ),
}  # fmt: skip
_NOT_ANSWERED = {
    "taste": (
        "left of the cup", "What does the drink in the cup taste like?", ("other_modality",), "A picture has no taste: "
        "the question is about another sense.",
    ),
    "dog": (
        "three balls", "Which of the balls is the dog looking at?", ("nonexistent_object",), "There is no dog. The "
        "question takes for granted that the picture shows one.",
    ),
    "owner": (
        "two cups", "Whose cups are these?", ("background_information",), "Nothing in sight says so: it takes prior "
                                                                          "knowledge.",
    ),
    "next": (
        "moved", "Which ball will be moved next?", ("temporal_unpredictability",), "A picture shows one moment, and "
        "this asks about a later one.",
    ),
    "behind": (
        "half hidden", "What is written on the back of the cup?", ("missing_visual_information",), "The back of the "
        "cup is there, and turned away: what would answer is hidden.",
    ),
}  # fmt: skip
_OF_KIND: Mapping[str, Sequence[str]] = {
    VERIFY: ("clean", "wrong key", "ambiguous", "given away", "hidden"),
    SCREEN_ITEMS: ("clean", "wrong key", "ambiguous", "given away", "hidden"),
    REVIEW: ("clean", "wrong key", "ambiguous", "given away", "hidden"),
    ERRATA: ("clean", "wrong key", "ambiguous", "unclear picture", "hidden"),
    ANSWER: ("clean", "cups", "nearest", "hidden", "most"),
    WRITE: ("clean", "ambiguous", "given away", "hidden", "unclear picture"),
}
_NOT_FIT = {AMBIGUOUS: (_REJECT, _REVISE), _GIVEN_AWAY: (_REJECT, _REVISE), KEY_WRONG: (_REVISE, _REJECT)}


def practice_items(kind: str) -> list[PracticeItem]:
    """Return Benchwright's five items for a kind of campaign; none for kinds that cannot have practice items."""
    if kind in _OF_KIND:
        return [_of_question(kind, name, _QUESTIONS[name]) for name in _OF_KIND[kind]]
    if kind == SCREEN:
        ask = "Does this image belong in the benchmark?"
        return [_of_picture(name, ask, *judged) for name, judged in _SCREENED.items()]
    if kind == DESCRIBE:
        ask = "What does this image convey?"
        return [_of_picture(name, ask, *judged) for name, judged in _DESCRIBED.items()]
    if kind == PAIR:
        ask = "Is this the same picture?"
        return [
            PracticeItem(name=name, content=_content(pictures, ask), right=(right,), why=why)
            for name, (pictures, right, why) in _PAIRED.items()
        ]
    return _of_further_kind(kind)


def _of_further_kind(kind: str) -> list[PracticeItem]:
    if kind == STATE:
        return [
            PracticeItem(name=name, content=_content([picture], ask), right=right, why=why)
            for name, (picture, ask, right, why) in _NOT_ANSWERED.items()
        ]
    if kind == COLLECT:
        return [_of_found(name, *found) for name, found in _COLLECTED.items()]
    return [_of_marks(name, *marks) for name, marks in _MARKED.items()] if kind == MARK else []


def _of_question(kind: str, name: str, question: _PracticeQuestion) -> PracticeItem:
    is_sound = question.is_sound
    right = {
        VERIFY: (_ACCEPT,) if is_sound else _NOT_FIT.get(question.finding, (_REJECT,)),
        REVIEW: (_ACCEPT,) if is_sound else (_REVISE,),
        SCREEN_ITEMS: (KEEP,) if is_sound else (DISCARD,),
        ERRATA: (question.finding,),
        WRITE: (TAKE,) if is_sound else (LEAVE,),
        ANSWER: question.answers,
    }[kind]
    answers = question.answers if kind == REVIEW else ()
    return PracticeItem(name=name, content=question.content(), right=right, why=question.why, answers=answers)


def _of_found(name: str, prompt: str, picture: str, words: str, right: str, why: str) -> PracticeItem:
    beside = (TextBeside(label="What its page says", text=words),)
    return PracticeItem(name=name, content=_content([picture], prompt), right=(right,), why=why, beside=beside)


def _of_marks(name: str, picture: str, question: str, field: str, colors: Sequence[str], why: str) -> PracticeItem:
    """Return an item that asks annotators to mark the balls of these colors, each with a box or a point."""
    balls = [ball for ball in balls_in(picture) if ball.color in colors] if colors else []
    regions = tuple(
        Region(shape="box", points=((x - radius, y - radius), (x + radius, y + radius)), label=color)
        if field == PRACTISED_BOXES
        else Region(shape="point", points=((x, y),), label=color)
        for color, x, y, radius in balls
    )
    content = _content([picture], question).model_copy(update={"sizes_wh": (scene_size(picture),)})
    right, known = (MARKED, {field: regions}) if regions else (NOTHING_TO_MARK, {})
    return PracticeItem(name=name, content=content, right=(right,), why=why, regions=known)


def _of_picture(name: str, question: str, right: str, why: str) -> PracticeItem:
    return PracticeItem(name=name, content=_content([name], question), right=(right,), why=why)


def _content(
    pictures: Sequence[str], question: str, *, choices: Mapping[str, str] | None = None, key: str | None = None
) -> TaskContent:
    return TaskContent(
        task=TASK,
        question=question,
        images=tuple(ItemImage(image_id=picture_id(name), role="reference") for name in pictures),
        choices=tuple(Choice(key=letter, text=text) for letter, text in (choices or {}).items()),
        answer=key,
    )
