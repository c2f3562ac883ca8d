"""Detection, from words alone, of options that mean the same as the right option or as another distractor.

The filter `second_answers` and annotators find the cases that words cannot reveal: two options that are both true of
the picture.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from benchwright.diagnostics.wording.repeated_options import are_nearly_equal
from benchwright.texts.normalization import normal

from .related_words import are_related

_ARTICLES = frozenset({"a", "an", "the", "some", "his", "her", "their", "its"})


def says_the_same(first: str, second: str) -> bool:
    """Return whether two options mean the same: they are equal except for articles, one contains the other, or one is
    misspelled.

    Examples are `a gun` and `the gun`, `a red car` and `a car`, `gray dog` and `grey dog`. An option contained in
    another counts, since an answer with the more general one is not wrong.
    """
    left, right = core_of(first), core_of(second)
    if not left or not right:
        return normal(first) == normal(second)
    return _within(left, right) or _within(right, left) or are_nearly_equal(" ".join(left), " ".join(right))


@lru_cache(maxsize=1 << 16)
def may_both_be_right(first: str, second: str) -> bool:
    """Return whether one picture can match both options: they mean the same, or one includes the other.

    In addition to `says_the_same`, this finds `a man` and `person`, `couch` and `sofa`, and `two dogs` and `animals` by
    our short list (`related_words`). If an option has several words, only the last one is compared, which names the
    object in English.
    """
    left, right = core_of(first), core_of(second)
    if says_the_same(first, second) or are_related(" ".join(left), " ".join(right)):
        return True
    if not left or not right or (len(left) > 1 and len(right) > 1):
        return False
    return left[-1] != right[-1] and are_related(left[-1], right[-1])


def apart(right: Sequence[str], candidates: Iterable[str], *, most: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return up to `most` distractors, none of which means the same as another or as an option in `right`.

    Args:
        right: The right option, and existing options.
        candidates: Candidates, best first.
        most: Number of distractors to return.

    Returns:
        The distractors in the order of the candidates, and the candidates that repeat another one.
    """
    taken: list[str] = []
    refused: list[str] = []
    for candidate in candidates:
        if any(says_the_same(candidate, taken_text) for taken_text in (*right, *taken)):
            refused.append(candidate)
        elif len(taken) < most:
            taken.append(candidate)
    return tuple(taken), tuple(refused)


def core_of(text: str) -> tuple[str, ...]:
    """Return the normalized words of a text without articles and possessives."""
    return tuple(word for word in normal(text).split() if word not in _ARTICLES)


def _within(few: tuple[str, ...], many: tuple[str, ...]) -> bool:
    """Return whether one text contains the words of the other, consecutively and in order."""
    return any(many[at : at + len(few)] == few for at in range(len(many) - len(few) + 1))
