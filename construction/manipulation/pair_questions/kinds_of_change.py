"""What a pair may differ in, in the words of options: five aspects of perception, and kinds of edits.

MVP-Bench's cross-image questions ask for both (section 3.1): which aspect differs is the high level, how the pictures
were modified is the low one. The words are ours.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from benchwright.facts import CATEGORIES

from ...distractors.sameness import apart
from ...item_parts.choices import capital
from ...item_parts.idea import Idea
from .pair_question import OPTIONS, OptionsQuestion

ASPECTS: Mapping[str, str] = {category.code[0]: category.high.name.capitalize() for category in CATEGORIES.values()}
"""High-level categories by the letter of their low-level ones."""

EDITS: Mapping[str, str] = {
    "B1": "The background was replaced.",
    "B2": "The object that goes with the main subject was exchanged.",
    "B3": "The main subject's movement was altered.",
    "B4": "What a screen, a sheet or a sign shows was replaced.",
    "R1": "A group was put around the main subject.",
    "R2": "The main subject's clothing was changed.",
    "R3": "A made-up character was brought in.",
    "I1": "The main subject's physical features were changed.",
    "I2": "The main subject was exchanged for somebody well known.",
    "E1": "The main subject's gesture was changed.",
    "E2": "The main subject's facial expression was changed.",
    "S1": "The background was replaced.",
    "S2": "The style or the light of the whole picture was changed.",
}
"""Kinds of edits by low-level category."""

_MAY_HOLD_TOO: tuple[frozenset[str], ...] = (
    frozenset({"B1", "R1", "S1"}),
    frozenset({"B3", "E1"}),
    frozenset({"I1", "I2", "R3", "E2"}),
    frozenset({"B2", "B4"}),
)
"""Kinds that a person might call by each other's name: none is a distractor where another of its set is right."""


def which_aspect(idea: Idea) -> OptionsQuestion:
    """Ask at the high level which aspect of the subject differs; the options are the five of them."""
    right = ASPECTS[idea.category[0]]
    wrong = tuple(aspect for aspect in ASPECTS.values() if aspect != right)
    return OptionsQuestion(f"Which aspect of {idea.subject.phrase} differs between the two images?", right, wrong)


def what_changed(idea: Idea) -> OptionsQuestion | None:
    """Ask at the high level what one image shows and the other does not; None where fewer than three values tempt.

    Five values, the natural one, the manipulated one and three that tempt, are laid in a ring, and each option names
    two neighbours. So each value stands in two options, and counting them gives nothing away.
    """
    change = idea.high
    tempting, _ = apart((change.natural, change.manipulated), change.tempting, most=OPTIONS - 2)
    if len(tempting) < OPTIONS - 2:
        return None
    ring = (change.natural, change.manipulated, *tempting)
    pairs = [sorted((ring[place], ring[(place + 1) % OPTIONS])) for place in range(OPTIONS)]
    right, *wrong = (f"{capital(first)} in one, {second} in the other" for first, second in pairs)
    return OptionsQuestion(f"How do the two images differ in {change.aspect}?", right, tuple(wrong))


def how_modified(idea: Idea, rng: np.random.Generator) -> OptionsQuestion:
    """Ask at the low level how one picture was turned into the other; four other kinds are the distractors."""
    alike = {idea.category}.union(*(kinds for kinds in _MAY_HOLD_TOO if idea.category in kinds))
    right = EDITS[idea.category]
    other_edits = sorted({EDITS[kind] for kind in EDITS if kind not in alike} - {right})
    wrong = tuple(other_edits[number] for number in rng.permutation(len(other_edits))[: OPTIONS - 1].tolist())
    return OptionsQuestion("How was one of the two images turned into the other?", right, wrong)


def side_by_side(question: OptionsQuestion) -> OptionsQuestion:
    """Return the same question for one picture that holds both."""
    words = question.question.replace("between the two images", "between its left and its right half")
    words = words.replace("do the two images differ", "do its left and its right half differ")
    words = words.replace("one of the two images turned into the other", "one half turned into the other")
    return question._replace(question=f"This picture shows two images side by side. {words}")


def control_question(idea: Idea) -> str:
    """Return a yes/no question whose answer is the same for both pictures; a sound answerer says so."""
    if idea.category[0] == "I" or idea.category == "R3":
        return "Does this image show nothing but written text?"
    return f"Can {idea.subject.phrase} be seen in this image?"
