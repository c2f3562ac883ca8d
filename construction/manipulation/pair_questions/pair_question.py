"""Questions about a pair of pictures, before options have their places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...item_parts.idea import Level
from ...item_parts.pairs import Side

LEVELS: tuple[Level, Level] = ("low", "high")
OPTIONS = 5
"""Of every question with options, as in MVP-Bench."""


class YesNoQuestion(NamedTuple):
    """A question for both pictures that is true of one."""

    level: Level
    text: str
    yes_on: Side


class OptionsQuestion(NamedTuple):
    """A question with one right option.

    Args:
        question: Question as it is asked.
        right: The right option.
        wrong: The others, in no order that says anything.
    """

    question: str
    right: str
    wrong: tuple[str, ...]


class WrittenPairQuestions(NamedTuple):
    """What a writer writes for one idea.

    Args:
        yes_no: Two for each level: true of the natural picture, true of the manipulated one.
        single_image: About the manipulated picture; its first wrong option is what the natural picture shows. None
            where too few distractors are known.
        written_by: `template`, or `model:<id>`.
        replies: What a model said in so many words, the last one counts.
    """

    yes_no: tuple[YesNoQuestion, ...]
    single_image: OptionsQuestion | None
    written_by: str
    replies: Sequence[str] = ()
