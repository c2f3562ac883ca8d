"""MVP-Bench's metrics (paper section 3, tables 2, 3 and 5; denominators as in its `evaluate.py`)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import NamedTuple

from .shares import Share, share, share_of_groups

IMAGE_QUESTIONS = 2
"""iAcc leaves out images with fewer yes/no questions."""

PAIR_ANSWERS = 4
"""mAcc leaves out image pairs with fewer answers: two questions on both images."""


class YesNoAnswer(NamedTuple):
    """One yes/no answer: its image pair, question and image, and whether it is right."""

    pair: Hashable
    question: str
    image: str
    right: bool


def a_acc(answers: Iterable[YesNoAnswer]) -> Share:
    """Return the share of right answers."""
    return share(answer.right for answer in answers)


def q_acc(answers: Iterable[YesNoAnswer]) -> Share:
    """Return the share of questions that are right on every image of their pair.

    A question is one text on one pair: the same text on another pair is another question. Within a category this
    is table 5's pAcc.
    """
    return share_of_groups(((answer.pair, answer.question), answer.right) for answer in answers)


def i_acc(answers: Iterable[YesNoAnswer]) -> Share:
    """Return the share of images with every question right, of images with at least two questions."""
    return share_of_groups(((answer.image, answer.right) for answer in answers), at_least=IMAGE_QUESTIONS)


def m_acc(answers: Iterable[YesNoAnswer]) -> Share:
    """Return the share of image pairs with every answer on both images right, of pairs with at least four answers."""
    return share_of_groups(((answer.pair, answer.right) for answer in answers), at_least=PAIR_ANSWERS)


def circular(answers: Iterable[tuple[Hashable, bool]]) -> Share:
    """Return the share of multiple-choice questions that are right under every rotation of their options.

    Args:
        answers: Question and whether the answer to one of its rotations is right.
    """
    return share_of_groups(answers)
