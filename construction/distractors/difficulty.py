"""An estimate of how hard distractors make a question, from texts and frequencies alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from benchwright.texts.normalization import normal


@lru_cache(maxsize=1 << 16)
def closeness_in_spelling(first: str, second: str) -> float:
    """Return the similarity of two texts, 0 to 1: the proportion of characters in the same order (Ratcliff,
    Obershelp).
    """
    left, right = sorted((normal(first), normal(second)))  # the measure depends on the order of its arguments
    return SequenceMatcher(None, left, right, autojunk=False).ratio()


def closeness_of_vectors(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Return the cosine of two vectors, 0 if it is negative or one of them is 0."""
    lengths = float(np.linalg.norm(first) * np.linalg.norm(second))
    return 0.0 if lengths == 0 else max(0.0, float(first @ second) / lengths)


def difficulty(
    right: str,
    wrong: Sequence[str],
    *,
    frequencies: Mapping[str, int] | None = None,
    vectors: Mapping[str, NDArray[np.float64]] | None = None,
) -> float:
    """Return an estimate, 0 to 1, of how hard a question is made by its distractors; 0 if there are none.

    The estimate is a mean over the distractors. Each contributes, in equal parts, its closeness to the right option
    (the cosine of their vectors, otherwise their similarity in spelling) and its relative frequency as an answer, n /
    (n + n of the right option). If the frequencies are unknown, only closeness is used. The estimate orders questions
    by how tempting their options are. It is not a measurement, because it uses neither answers to the question nor
    pixels.

    Args:
        right: The right option.
        wrong: The distractors.
        frequencies: How often each text is the answer to questions of the kind.
        vectors: A vector for each text, such as an embedding; texts without a vector are compared by spelling.
    """
    if not wrong:
        return 0.0
    return sum(_temptation(right, option, frequencies=frequencies, vectors=vectors) for option in wrong) / len(wrong)


def _temptation(
    right: str,
    option: str,
    *,
    frequencies: Mapping[str, int] | None = None,
    vectors: Mapping[str, NDArray[np.float64]] | None = None,
) -> float:
    """Return the contribution of one distractor to `difficulty`, 0 to 1."""
    known = vectors is not None and right in vectors and option in vectors
    close = (
        closeness_of_vectors(vectors[right], vectors[option])
        if vectors is not None and known
        else closeness_in_spelling(right, option)
    )
    if frequencies is None:
        return close
    count, of_right = frequencies.get(option, 0), frequencies.get(right, 0)
    common = count / (count + of_right) if count + of_right else 0.5
    return (close + common) / 2
