"""Rules that pick an option by words alone, without the picture: each gives every option its share of the pick."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from benchwright.text_normalization import normal

Words = Sequence[str]
"""The texts of an item's options, in order."""
Rule = Callable[[str, Words], list[float]]
"""From question and options to each option's share of the pick, together 1; options that tie share it alike."""


def _share(scores: Sequence[float]) -> list[float]:
    """Share the pick among the options of the highest score."""
    best = max(scores)
    picked = [score >= best - 1e-12 for score in scores]
    return [chosen / sum(picked) for chosen in picked]


def longest(question: str, options: Words) -> list[float]:
    """Pick the option with the most characters: right options are often put with more care."""
    del question
    return _share([len(text.strip()) for text in options])


def shortest(question: str, options: Words) -> list[float]:
    """Pick the option with the fewest characters."""
    del question
    return _share([-len(text.strip()) for text in options])


def most_shared(question: str, options: Words) -> list[float]:
    """Pick the option that takes up most words of the question, as a share of its own."""
    asked = set(normal(question).split())
    return _share([len(asked & words) / max(1, len(words)) for words in _sets(options)])


def most_typical(question: str, options: Words) -> list[float]:
    """Pick the option that shares most words with the others: wrong options are often made from the right one."""
    del question
    return _share(_kinship(options))


def odd_one_out(question: str, options: Words) -> list[float]:
    """Pick the option that shares fewest words with the others."""
    del question
    return _share([-kinship for kinship in _kinship(options)])


def odd_form(question: str, options: Words) -> list[float]:
    """Pick the option that alone ends or begins otherwise: with a full stop, with a small letter, with a digit."""
    del question
    forms = [(_ending(text), _beginning(text)) for text in options]
    return _share([max(_rarity(form[part], [one[part] for one in forms]) for part in (0, 1)) for form in forms])


RULES: Mapping[str, Rule] = {
    "longest": longest,
    "shortest": shortest,
    "most_shared": most_shared,
    "most_typical": most_typical,
    "odd_one_out": odd_one_out,
    "odd_form": odd_form,
}
"""By name."""


def _sets(options: Words) -> list[set[str]]:
    return [set(normal(text).split()) for text in options]


def _kinship(options: Words) -> list[float]:
    """Return each option's mean Jaccard similarity of words to the others, rounded against the last bit."""
    words = _sets(options)
    found = []
    for at, own in enumerate(words):
        others = [other for number, other in enumerate(words) if number != at]
        shares = sorted(len(own & other) / max(1, len(own | other)) for other in others)
        found.append(round(sum(shares) / len(shares), 9))
    return found


def _ending(text: str) -> str:
    last = text.strip()[-1:]
    return last if last and not last.isalnum() else "word"


def _beginning(text: str) -> str:
    first = re.sub(r"^\W+", "", text.strip())[:1]
    return "digit" if first.isdigit() else "capital" if first.isupper() else "small"


def _rarity(form: str, forms: Sequence[str]) -> float:
    """Return 1 for the only one of its form where all others have another, common one; else 0."""
    others = {one for one in forms if one != form}
    return float(len(forms) > 2 and forms.count(form) == 1 and len(others) == 1)
