"""Questions that need no model: an idea's own where it has some, else templates around its words."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...distractors.sameness import apart
from ...item_parts.choices import capital, drawn
from ...item_parts.idea import Change, Idea, Level
from .pair_question import OPTIONS, OptionsQuestion, WrittenPairQuestions, YesNoQuestion

_TEMPLATE = "template"


def from_template(idea: Idea, rng: np.random.Generator) -> WrittenPairQuestions:
    """Return the questions of an idea; the same for all its candidates where `rng` is.

    The single-image question asks at the high level, as in MVP-Bench. Its distractors are the natural image's answer
    and three values that the low-level clues suggest; it is None where there are not so many.

    Args:
        idea: The idea; questions are asked at its levels.
        rng: Chooses among more than three values.
    """
    asked: list[YesNoQuestion] = []
    for level in idea.levels:
        asked += _yes_no(level, idea.low if level == "low" else idea.high)
    return WrittenPairQuestions(
        tuple(asked), _single_image(idea.high, rng) if "high" in idea.levels else None, _TEMPLATE
    )


def _yes_no(level: Level, change: Change) -> Iterator[YesNoQuestion]:
    yield YesNoQuestion(level, change.ask_natural or _describes(change, change.natural), "natural")
    yield YesNoQuestion(level, change.ask_manipulated or _describes(change, change.manipulated), "manipulated")


def _describes(change: Change, value: str) -> str:
    return f"Does this describe {change.aspect} in the image: {value}?"


def _single_image(change: Change, rng: np.random.Generator) -> OptionsQuestion | None:
    candidates = drawn(change.tempting, len(change.tempting), rng)
    wrong, _ = apart((change.manipulated, change.natural), candidates, most=OPTIONS - 2)
    if len(wrong) < OPTIONS - 2:
        return None
    options = tuple(capital(text) for text in (change.natural, *wrong))
    return OptionsQuestion(f"What best describes {change.aspect} in the image?", capital(change.manipulated), options)
