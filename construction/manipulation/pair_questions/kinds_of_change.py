"""The kinds of difference in a pair, as worded in the options: five aspects of perception, and kinds of edits.

MVP-Bench's cross-image questions ask for both (section 3.1): the aspect that differs is the high level, and the
modification of the pictures is the low level. The wording is ours.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from benchwright.facts import CATEGORIES

from ...distractors.sameness import apart
from ...item_parts.idea import Idea
from ...item_parts.options.choices import capital
from .pair_question import OPTIONS, OptionsQuestion
from .phrasing import Phrasing, Shown

ASPECTS: Mapping[str, str] = {category.code[0]: category.high.name.capitalize() for category in CATEGORIES.values()}
"""High-level categories by the letter of their low-level categories."""

EDITS: Mapping[str, str] = {
    "B1": "The background behind the main subject was replaced.",
    "B2": "The object that the main subject uses was replaced.",
    "B3": "The main subject's posture or movement was changed.",
    "B4": "The content of a screen, sheet or sign was replaced.",
    "R1": "A new group was put around the main subject.",
    "R2": "The clothing that the main subject wears was changed.",
    "R3": "The main subject was replaced by a fictional character.",
    "I1": "The main subject's physical features were changed.",
    "I2": "The main subject was replaced by a famous person.",
    "E1": "The gesture that the main subject makes was changed.",
    "E2": "The main subject's facial expression was changed.",
    "S1": "The background behind the main subject was replaced.",
    "S2": "The style or light of the whole picture was changed.",
}
"""Kinds of edits by low-level category, all of similar length: a folder may give mostly one kind."""

_MAY_HOLD_TOO: tuple[frozenset[str], ...] = (
    frozenset({"B1", "R1", "S1"}),
    frozenset({"B3", "E1"}),
    frozenset({"B3", "I1"}),
    frozenset({"B4", "I1"}),
    frozenset({"I1", "I2", "R3", "E2"}),
    frozenset({"B2", "B4"}),
)
"""Kinds that readers might confuse: none is used as a distractor if another of its set is right."""


def which_aspect(phrasing: Phrasing, shown: Shown, rng: np.random.Generator) -> OptionsQuestion:
    """Ask at the high level which aspect differs, as in the paper; the options are its five aspects."""
    right = ASPECTS[phrasing.idea.category[0]]
    wrong = tuple(aspect for aspect in ASPECTS.values() if aspect != right)
    question = phrasing.aspects(shown, rng)
    return OptionsQuestion(question.template, right, wrong, question.number)


def what_changed(phrasing: Phrasing, shown: Shown, rng: np.random.Generator) -> OptionsQuestion | None:
    """Ask at the high level what one image shows and the other does not; None if there are fewer than three tempting
    values.

    Five values (natural, manipulated and three tempting ones) form a ring, and each option names two neighbors. Each
    value therefore occurs in two options, and counting values reveals nothing.
    """
    change = phrasing.idea.high
    tempting, _ = apart((change.natural, change.manipulated), change.tempting, most=OPTIONS - 2)
    if len(tempting) < OPTIONS - 2:
        return None
    ring = (change.natural, change.manipulated, *tempting)
    pairs = [sorted((ring[place], ring[(place + 1) % OPTIONS])) for place in range(OPTIONS)]
    right, *wrong = (f"{capital(first)} in one, {second} in the other" for first, second in pairs)
    question = phrasing.across(shown, rng)
    return OptionsQuestion(question.template, right, tuple(wrong), question.number)


def how_modified(phrasing: Phrasing, shown: Shown, rng: np.random.Generator) -> OptionsQuestion:
    """Ask at the low level how one picture was turned into the other; four other kinds are the distractors."""
    category = phrasing.idea.category
    alike = {category}.union(*(kinds for kinds in _MAY_HOLD_TOO if category in kinds))
    right = EDITS[category]
    other_edits = sorted({EDITS[kind] for kind in EDITS if kind not in alike} - {right})
    wrong = tuple(other_edits[number] for number in rng.permutation(len(other_edits))[: OPTIONS - 1].tolist())
    question = phrasing.edited(shown, rng)
    return OptionsQuestion(question.template, right, wrong, question.number)


def side_by_side(question: OptionsQuestion) -> OptionsQuestion:
    """Return the question as one about the two halves of a single picture, with words that explain the picture."""
    return question._replace(question=f"This picture shows two images side by side. {question.question}")


def control_question(idea: Idea) -> str:
    """Return a yes/no question that has the same answer for both pictures, as a control."""
    if idea.category[0] == "I" or idea.category == "R3":
        return "Does this image show nothing but written text?"
    return f"Can {idea.subject.phrase} be seen in this image?"
