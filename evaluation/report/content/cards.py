"""Items as JSON values, from which the page's template and script build cards."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

from benchwright.texts.formulas import formulas_of

from .legible import legible
from .replies import ReportedReply

if TYPE_CHECKING:
    from benchwright.records import Item

    from .pictures import PagePicture
    from .score_table import PeopleShare

_PLACE = re.compile(r"<image (\d{1,3})>")

OUTCOMES: Mapping[str, tuple[str, str]] = {
    "right": ("✓", "right"),
    "wrong": ("✗", "wrong"),
    "miss": ("?", "no single letter"),
    "refusal": ("⊘", "refusal"),
    "cut_off": ("…", "cut off"),
    "error": ("!", "error"),
}
"""Symbol and words for each outcome of a question."""


def card(
    item: Item,
    split: str,
    *,
    pictures: Sequence[PagePicture],
    replies: Sequence[ReportedReply | None],
    people: PeopleShare | None,
    difficulty: float,
    discrimination: float,
) -> dict[str, Any]:
    """Return an item with its replies; `formulas` contains the texts of the item that include formulas.

    Args:
        item: Record of the item, with the answer.
        split: Name of the item's split.
        pictures: Numbers of its pictures, in order.
        replies: Reply of each model, in the order of the page; None for a model that was not asked.
        people: Number of people who answered it, and number of those who were right.
        difficulty: Proportion of models that answer it correctly, 0 to 1; NaN if none was asked.
        discrimination: Correlation, across models, with the rest of its task; NaN if undefined.
    """
    numbers = {image.image_id: k for k, image in reversed(list(enumerate(item.images)))}
    right = item.answer if item.answer is not None else item.refusal
    question = _question_parts(item.question, len(item.images))
    texts = [part for part in question if isinstance(part, str)]
    texts += [legible(choice.text) for choice in item.choices if choice.text is not None]
    texts += [] if item.explanation is None else [legible(item.explanation)]
    formulas = formulas_of(texts)
    return {
        "id": item.item_id,
        "task": item.task,
        "split": split,
        "question": question,
        "pictures": [_picture(shown, image.role) for shown, image in zip(pictures, item.images, strict=True)],
        "options": [
            {
                "key": choice.key,
                "text": None if choice.text is None else legible(choice.text),
                "picture": None if choice.image_id is None else numbers[choice.image_id],
                "right": choice.key == right,
            }
            for choice in item.choices
        ],
        "unanswerable": item.answered_key is None,
        "explanation": None if item.explanation is None else legible(item.explanation),
        "replies": [None if reply is None else _reply(reply) for reply in replies],
        "people": None if people is None else {"asked": people.asked, "right": people.right},
        "difficulty": None if isnan(difficulty) else round(difficulty, 4),
        "discrimination": None if isnan(discrimination) else round(discrimination, 4),
        **({"formulas": formulas} if formulas else {}),
    }


def _question_parts(question: str, pictures: int) -> list[str | int]:
    """Return a question as words and picture numbers, from 1; a number without a picture stays part of the words."""
    parts: list[str | int] = []
    words, at = "", 0
    for match in _PLACE.finditer(question):
        if 1 <= int(match[1]) <= pictures:
            words += question[at : match.start()]
            parts += [legible(words), int(match[1])]
            words, at = "", match.end()
    parts.append(legible(words + question[at:]))
    return [part for part in parts if part != ""]


def outcome(reply: ReportedReply) -> str:
    """Return the outcome of a question: right, wrong, miss, refusal, cut_off or error."""
    if reply.state == "answered":
        return "right" if reply.right else "wrong"
    return reply.state


def _picture(shown: PagePicture, role: str) -> dict[str, Any]:
    problem = None if shown.problem is None else legible(shown.problem)
    return {
        "picture": shown.picture,
        "marks": shown.marks,
        "problem": problem,
        "role": legible(role),
        "width": shown.width,
        "height": shown.height,
    }


def _reply(reply: ReportedReply) -> dict[str, Any]:
    words = reply.reply or reply.cause
    return {
        "outcome": outcome(reply),
        "letter": reply.letter,
        "said": legible((words or "")[:4000]),
        "left_out": reply.left_out,
    }
