"""MVP-Bench's metrics (paper, section 3, tables 2, 3 and 5; denominators as in its `evaluate.py`)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import NamedTuple

from .shares import Share, share, share_of_groups

IMAGE_QUESTIONS = 2
"""Number of yes/no questions below which an image is left out of iAcc."""

PAIR_ANSWERS = 4
"""Number of answers below which an image pair is left out of mAcc: two questions on both images."""


class YesNoAnswer(NamedTuple):
    """A yes/no answer: its image pair, question and image, and whether it is right."""

    pair: Hashable
    question: str
    image: str
    right: bool


def a_acc(answers: Iterable[YesNoAnswer]) -> Share:
    """Return the proportion of right answers."""
    return share(answer.right for answer in answers)


def q_acc(answers: Iterable[YesNoAnswer]) -> Share:
    """Return the proportion of questions that are answered correctly on every image of their pair.

    A question is one text about one pair; the same text about another pair is a different question. Within a category
    this is table 5's pAcc.
    """
    return share_of_groups(((answer.pair, answer.question), answer.right) for answer in answers)


def i_acc(answers: Iterable[YesNoAnswer]) -> Share:
    """Return the proportion of images with every question right, among images with at least two questions."""
    return share_of_groups(((answer.image, answer.right) for answer in answers), at_least=IMAGE_QUESTIONS)


def m_acc(answers: Iterable[YesNoAnswer]) -> Share:
    """Return the proportion of image pairs with all answers on both images right, among pairs with four or more."""
    return share_of_groups(((answer.pair, answer.right) for answer in answers), at_least=PAIR_ANSWERS)


def circular(answers: Iterable[tuple[Hashable, bool]]) -> Share:
    """Return the proportion of multiple-choice questions answered correctly under every rotation of their options.

    Args:
        answers: Pairs of question and whether the answer to one of its rotations is right.
    """
    return share_of_groups(answers)
