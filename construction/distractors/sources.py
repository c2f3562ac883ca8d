"""Sources of distractors: answers of the same category, similar answers, nearby numbers, the other picture's answer.

A source proposes candidates; `chosen_distractors` checks them and chooses.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .difficulty import closeness_in_spelling, closeness_of_vectors

_NUMBER_OF_OTHERS = 3


class DistractorCandidate(NamedTuple):
    """A text that may become a distractor.

    Args:
        text: The text.
        source: Source of the text: `same_category`, `spelling`, `vector`, `number`, `other_picture`, or `model:<name>`
            for a language model.
        closeness: Closeness to the right option, 0 to 1; None if the source does not state it.
    """

    text: str
    source: str
    closeness: float | None = None


def same_category(
    right: str, answers: Mapping[str, int], rng: np.random.Generator, *, most: int = 50
) -> list[DistractorCandidate]:
    """Return answers to other questions of the category, drawn without replacement; common answers are more likely to
    be drawn.

    Args:
        right: The right option, which is excluded.
        answers: Number of questions by answer; those with 0 are not drawn.
        rng: Random generator.
        most: Largest number of candidates.
    """
    texts = sorted(text for text, count in answers.items() if count > 0 and text != right)
    if not texts:
        return []
    weights = np.array([answers[text] for text in texts], np.float64)
    order = rng.choice(len(texts), size=min(most, len(texts)), replace=False, p=weights / weights.sum())
    return [DistractorCandidate(texts[number], "same_category") for number in order.tolist()]


def nearest_in_spelling(right: str, answers: Iterable[str], *, most: int = 50) -> list[DistractorCandidate]:
    """Return the answers with the spelling most similar to the right option, nearest first, then by text."""
    close = ((closeness_in_spelling(right, text), text) for text in set(answers) if text != right)
    ordered = sorted(close, key=lambda pair: (-pair[0], pair[1]))
    return [DistractorCandidate(text, "spelling", closeness) for closeness, text in ordered[:most]]


def nearest_by_vector(
    right: str, vectors: Mapping[str, NDArray[np.float64]], *, most: int = 50
) -> list[DistractorCandidate]:
    """Return the answers whose vectors are nearest to that of the right option, by cosine, then by text.

    Args:
        right: The right option.
        vectors: A vector for each answer and for the right option.
        most: Largest number of candidates.

    Raises:
        KeyError: The right option has no vector.
    """
    own = vectors[right]
    close = ((closeness_of_vectors(own, vector), text) for text, vector in vectors.items() if text != right)
    ordered = sorted(close, key=lambda pair: (-pair[0], pair[1]))
    return [DistractorCandidate(text, "vector", closeness) for closeness, text in ordered[:most]]


def other_pictures(answers: Sequence[str]) -> list[DistractorCandidate]:
    """Return the right options of other pictures, such as the natural picture of a pair, in the given order."""
    return [DistractorCandidate(text, "other_picture") for text in answers]


def other_numbers(
    count: int, reach: int, rng: np.random.Generator, *, number: int = _NUMBER_OF_OTHERS
) -> tuple[int, ...]:
    """Return other numbers near a count, in ascending order, none below 0.

    First draws how many of them are below the count, with equal probability for each possible number. The right number
    is therefore no more often in the middle than at either end.

    Args:
        count: The right number.
        reach: Largest distance of the other numbers from the count; at least `number`.
        rng: Random generator.
        number: Number of others to return.
    """
    below = np.arange(max(0, count - reach), count)
    above = np.arange(count + 1, count + reach + 1)
    number_below = int(rng.integers(0, min(number, len(below)) + 1))
    lower = rng.choice(below, number_below, replace=False)
    higher = rng.choice(above, number - number_below, replace=False)
    return tuple(sorted(int(other) for other in (*lower, *higher)))
