"""Questions made without a model: an idea's own questions if it has some, otherwise templates filled with its words."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...distractors.sameness import apart
from ...item_parts.idea import Idea, Level
from ...item_parts.options.choices import capital, drawn
from ...item_parts.options.pairs import Side
from ...item_parts.wording.wordings import WordingsInUse
from .pair_question import OPTIONS, OptionsQuestion, WrittenPairQuestions, YesNoQuestion
from .phrasing import Phrasing

_TEMPLATE = "template"


def from_template(idea: Idea, rng: np.random.Generator, *, wordings: WordingsInUse = "all") -> WrittenPairQuestions:
    """Return the questions of an idea, which are the same for all its candidates if `rng` is the same.

    The single-image question asks at the high level, as in MVP-Bench. Its distractors are the natural image's answer
    and three values that the low-level clues suggest; it is None with fewer such values.

    Args:
        idea: The idea; questions are asked at its levels.
        rng: Random generator that chooses among more than three values, and among wordings.
        wordings: Wordings in use.
    """
    phrasing = Phrasing(idea, wordings)
    asked = [question for level in idea.levels for question in _yes_no(phrasing, level, rng)]
    single = _single_image(phrasing, rng) if "high" in idea.levels else None
    return WrittenPairQuestions(tuple(asked), single, _TEMPLATE)


def _yes_no(phrasing: Phrasing, level: Level, rng: np.random.Generator) -> Iterator[YesNoQuestion]:
    """Yield the two questions of a level: the idea's own questions if it has some."""
    change = phrasing.idea.low if level == "low" else phrasing.idea.high
    sides: tuple[tuple[Side, str | None, str], ...] = (
        ("natural", change.ask_natural, change.natural),
        ("manipulated", change.ask_manipulated, change.manipulated),
    )
    for side, own, value in sides:
        drawn = phrasing.yes_no(level, value, rng)
        if own is not None:
            yield YesNoQuestion(level, own, side)
        else:
            yield YesNoQuestion(level, drawn.template, side, drawn.number)


def _single_image(phrasing: Phrasing, rng: np.random.Generator) -> OptionsQuestion | None:
    change = phrasing.idea.high
    candidates = drawn(change.tempting, len(change.tempting), rng)
    wrong, _ = apart((change.manipulated, change.natural), candidates, most=OPTIONS - 2)
    if len(wrong) < OPTIONS - 2:
        return None
    options = tuple(capital(text) for text in (change.natural, *wrong))
    question = phrasing.open(rng)
    return OptionsQuestion(question.template, capital(change.manipulated), options, question.number)
