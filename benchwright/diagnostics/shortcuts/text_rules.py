"""Rules that pick an option from words alone, without the picture; each gives every option a share of the pick."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations

from benchwright.texts.normalization import normal

Words = Sequence[str]
"""The texts of an item's options, in order."""
Rule = Callable[[str, Words], list[float]]
"""Function from question and options to each option's share of the pick; the shares sum to 1, and ties share
equally."""


_FIXED = ({"yes", "no"}, {"true", "false"}, {"right", "wrong"}, {"correct", "incorrect"})
"""Options determined by the kind of question: their length reveals no more than their letter."""


def _share(scores: Sequence[float]) -> list[float]:
    """Divide the pick among the options with the highest score."""
    best = max(scores)
    picked = [score >= best - 1e-12 for score in scores]
    share = 1 / sum(picked)
    return [share if chosen else 0.0 for chosen in picked]


def lengths(options: Words) -> list[int]:
    """Return the number of characters of each option; all equal for Yes and No, whose length no author chose."""
    stripped = [text.strip() for text in options]
    return [0] * len(stripped) if {*map(normal, stripped)} in _FIXED else [*map(len, stripped)]


def longest(question: str, options: Words) -> list[float]:
    """Pick the option with the most characters: right options are often written with more care."""
    del question
    return _share(lengths(options))


def shortest(question: str, options: Words) -> list[float]:
    """Pick the option with the fewest characters."""
    del question
    return _share([-length for length in lengths(options)])


def most_shared(question: str, options: Words) -> list[float]:
    """Pick the option with the largest share of words that also occur in the question."""
    question_words = set(normal(question).split())
    return _share([len(question_words & words) / max(1, len(words)) for words in word_sets(options)])


def most_typical(question: str, options: Words) -> list[float]:
    """Pick the option that shares the most words with the others: wrong options are often made from the right one."""
    del question
    return _share(kinship(options))


def odd_one_out(question: str, options: Words) -> list[float]:
    """Pick the option that shares the fewest words with the others."""
    del question
    return _share([-mean for mean in kinship(options)])


def odd_form(question: str, options: Words) -> list[float]:
    """Pick the only option that ends or begins differently, such as with a full stop, a lowercase letter or a digit."""
    del question
    endings, beginnings = [_ending(text) for text in options], [_beginning(text) for text in options]
    return _share([max(pair) for pair in zip(_rarities(endings), _rarities(beginnings), strict=True)])


_REMEMBERED = 1 << 14
"""Number of texts and items whose words are cached, for the rules and then the cues."""

RULES: Mapping[str, Rule] = {
    "longest": longest,
    "shortest": shortest,
    "most_shared": most_shared,
    "most_typical": most_typical,
    "odd_one_out": odd_one_out,
    "odd_form": odd_form,
}
"""All rules, by name."""


def word_sets(options: Words) -> list[frozenset[str]]:
    """Return the words of each option, normalized."""
    return [_word_set(text) for text in options]


@lru_cache(maxsize=_REMEMBERED)
def _word_set(text: str) -> frozenset[str]:
    return frozenset(normal(text).split())


def kinship(options: Words) -> list[float]:
    """Return each option's mean Jaccard similarity of words to the others, rounded to remove floating-point noise."""
    return list(_kinship(tuple(options)))


@lru_cache(maxsize=_REMEMBERED)
def _kinship(options: tuple[str, ...]) -> tuple[float, ...]:
    shares: list[list[float]] = [[] for _ in options]
    for (at, own), (other, its) in combinations(enumerate(word_sets(options)), 2):
        shared = len(own & its)
        share = shared / max(1, len(own) + len(its) - shared)
        shares[at].append(share)
        shares[other].append(share)
    return tuple(round(sum(sorted(of_one)) / len(of_one), 9) for of_one in shares)


def _ending(text: str) -> str:
    last = text.strip()[-1:]
    return last if last and not last.isalnum() else "word"


def _beginning(text: str) -> str:
    first = re.sub(r"^\W+", "", text.strip())[:1]
    return "digit" if first.isdigit() else "capital" if first.isupper() else "small"


def _rarities(forms: Sequence[str]) -> list[float]:
    """Return, for each form, 1 if it occurs only once while all other forms are equal; otherwise 0."""
    if len(forms) < 3 or len(set(forms)) != 2:
        return [0.0] * len(forms)
    return [float(forms.count(form) == 1) for form in forms]
