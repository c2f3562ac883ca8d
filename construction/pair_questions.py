"""Questions about a pair: the same subject before its own background, and before another one.

As in MVP-Bench (section 3): the same yes/no questions on both images with opposite answers, a question on the
manipulated image with the natural image's answer among the distractors, and one across both images.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .choices import Placed, capital, drawn, place
from .pairs.items_of_a_pair import Side

DISTRACTORS = 3


class Pair(NamedTuple):
    """What questions about a pair need to know, in words.

    Args:
        phrase: The subject, such as `the cup`.
        natural: What lies behind it in the natural image.
        manipulated: What lies behind it in the manipulated image.
        others: What lies behind it in neither, in a stable order.
    """

    phrase: str
    natural: str
    manipulated: str
    others: Sequence[str]


class YesNo(NamedTuple):
    """A question for both images, with opposite answers."""

    background: str
    question: str
    yes_on: Side


class Choosing(NamedTuple):
    """A question with its options in place."""

    question: str
    placed: Placed[str]


def yes_no(pair: Pair) -> tuple[YesNo, YesNo]:
    """Ask for the natural background and for the manipulated one; each on both images."""
    return (
        YesNo("natural", f"Does the background of this image show {pair.natural}?", "natural"),
        YesNo("manipulated", f"Does the background of this image show {pair.manipulated}?", "manipulated"),
    )


def single_image(pair: Pair, rng: np.random.Generator) -> Choosing:
    """Ask for the background of the manipulated image; the natural background is a distractor."""
    others = drawn(pair.others, DISTRACTORS - 1, rng)
    wrong = [([pair.natural, *others])[number] for number in rng.permutation(1 + len(others)).tolist()]
    return Choosing("What does the background of this image show?", place(capital(pair.manipulated), _all(wrong), rng))


def cross_image(pair: Pair, *, natural_first: bool, rng: np.random.Generator) -> Choosing:
    """Ask how the second image differs from the first."""
    first, second = (pair.natural, pair.manipulated) if natural_first else (pair.manipulated, pair.natural)
    wrong = [
        f"The background changes from {second} to {first}.",
        f"{capital(pair.phrase)} is gone; the background stays the same.",
        *(f"The background changes from {first} to {other}." for other in drawn(pair.others, 1, rng)),
    ]
    wrong = [wrong[number] for number in rng.permutation(len(wrong)).tolist()]
    question = "Compare the two images. How does the second differ from the first?"
    return Choosing(question, place(f"The background changes from {first} to {second}.", wrong, rng))


def _all(texts: Sequence[str]) -> list[str]:
    return [capital(text) for text in texts]
