"""Questions about a pair of pictures, before their options are placed in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...item_parts.idea import Level
from ...item_parts.options.pairs import SIDES, Side

LEVELS: tuple[Level, Level] = ("low", "high")
OPTIONS = 5
"""Number of options of every question with options, as in MVP-Bench."""


class YesNoQuestion(NamedTuple):
    """A question for both pictures that is true of one of them.

    Args:
        level: Level at which it asks.
        text: Wording of the question.
        yes_on: Picture of which it is true.
        wording: Number of its wording, from 1; None if the idea or a model supplied the wording.
    """

    level: Level
    text: str
    yes_on: Side
    wording: int | None = None


class OptionsQuestion(NamedTuple):
    """A question with one right option.

    Args:
        question: Wording of the question.
        right: The right option.
        wrong: The wrong options, in arbitrary order.
        wording: Number of its wording, from 1; None if a model supplied the wording.
    """

    question: str
    right: str
    wrong: tuple[str, ...]
    wording: int | None = None


class WrittenPairQuestions(NamedTuple):
    """The questions that a writer writes for one idea.

    Args:
        yes_no: Two for each level: one true of the natural picture, one of the manipulated picture.
        single_image: Question about the manipulated picture; its first wrong option is the natural picture's answer.
            None if too few distractors are known.
        written_by: `template`, or `model:<id>`.
        replies: Replies of a model, verbatim; the last one is used.
    """

    yes_no: tuple[YesNoQuestion, ...]
    single_image: OptionsQuestion | None
    written_by: str
    replies: Sequence[str] = ()


def one_a_level(written: WrittenPairQuestions, rng: np.random.Generator) -> WrittenPairQuestions:
    """Return the questions with one yes/no question per level; chance decides for which picture its answer is yes.

    The two levels ask for different pictures, so each picture has one question that is true of it and one that is
    false. A solver that merely sees which picture was edited gains nothing.

    Args:
        written: Questions with two yes/no questions per level.
        rng: Random generator of the idea.
    """
    first = int(rng.integers(2))
    asks_for = {level: SIDES[(first + place) % 2] for place, level in enumerate(LEVELS)}
    kept = tuple(question for question in written.yes_no if question.yes_on == asks_for[question.level])
    return written._replace(yes_no=kept)
