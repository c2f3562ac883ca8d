"""Words missing from lists because writers form them freely, with productive English prefixes and endings.

A word list has `weapon` and `masculine`, but may lack `weaponization` and `masculinized`. The parts of such a word show
that it is formed by rule: a word of the list, a productive ending, and the spelling of their combination (a final e is
dropped before a vowel, y becomes i). The endings and prefixes are some of those that L. Bauer, R. Lieber and I. Plag,
"The Oxford Reference Guide to English Morphology" (2013), call productive.

Endings that often occur in misspellings are excluded. These are endings of inflection (`begining` would pass as `begin`
with `ing`, and lists have the forms of common verbs), plurals other than those of agents and doctrines (`-er`, `-ist`,
`-ism`), because learners write `informations`, and the adverbial `-ly`, because they write `truely`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

_LEAST_STEM = 5
"""Smallest number of letters of a base word, because shorter words are parts of too many misspellings."""
PREFIXES = (
    "anti", "auto", "bio", "counter", "cyber", "eco", "hyper", "inter", "macro", "mega", "meta", "micro", "mini",
    "mis", "mono", "multi", "nano", "neo", "neuro", "non", "over", "photo", "poly", "post", "pre", "pseudo", "psycho",
    "quasi", "re", "retro", "semi", "socio", "sub", "super", "tele", "trans", "ultra", "un", "under",
)  # fmt: skip
_BEFORE_A_VOWEL = re.compile(
    r"(?P<doctrine>i[sz](?:e[ds]?|ers?|ing|ations?|able)|ists?|istic(?:ally)?|isms?|ities|ity)\Z"
    r"|(?P<able>abl[ey]|abilit(?:y|ies))\Z|(?P<agent>ers?)\Z"
)
_BEFORE_A_CONSONANT = re.compile(r"(?:ful(?:ly|ness)?|less(?:ly|ness)?|ness|like|ships?|hoods?|wise|proof)\Z")
_HAS_PLURAL = re.compile(r"(?:er|or|ist|ian|ism)s\Z")
_ADJECTIVES_WITH_ITY = re.compile(r"(?:ive|al|ic|ile)\Z")
_DOUBLES = re.compile(r"[^aeiou][aeiou][^aeiouwxy]\Z")
"""Words that double their last letter before an ending, sometimes optionally: `begin`, `plan`."""


def is_derived(word: str, is_listed: Callable[[str], bool]) -> bool:
    """Return whether a word is formed by rule from a listed word, by one prefix, one ending or one of each.

    Args:
        word: Word in lowercase.
        is_listed: Function from a word in lowercase to whether the list contains it.

    Example:
        >>> is_derived("weaponization", {"weapon"}.__contains__)
        True
        >>> is_derived("wepaonization", {"weapon"}.__contains__)
        False
    """
    bodies = [word]
    for prefix in PREFIXES:
        rest = word.removeprefix(prefix)
        if rest != word and len(rest) >= _LEAST_STEM:
            bodies.append(rest)
    return any(map(is_listed, bodies)) or any(is_listed(stem) for body in bodies for stem in _stems(body))


def _stems(word: str) -> Iterator[str]:
    """Yield the possible base words of a word with one ending."""
    stems: list[str] = []
    if match := _BEFORE_A_VOWEL.search(word):
        stem = word[: match.start()]
        is_soft = stem.endswith(("c", "g"))
        if match["doctrine"] and match["doctrine"].startswith("it"):
            stems += filter(_ADJECTIVES_WITH_ITY.search, (stem, stem + "e"))
        elif match["doctrine"]:
            stems += [stem, stem + "e"]
        elif not (match["able"] and is_soft):  # `noticeable` keeps its e
            stems.append(stem + "e")
        if not match["doctrine"] and not _DOUBLES.search(stem) and not stem.endswith("e"):
            stems.append(stem)
    if match := _BEFORE_A_CONSONANT.search(word):
        stem = word[: match.start()]
        stems.append(stem[:-1] + "y" if stem.endswith("i") else "" if re.search(r"[^aeiou]y\Z", stem) else stem)
    if _HAS_PLURAL.search(word):
        stems.append(word[:-1])
    return (stem for stem in stems if len(stem) >= _LEAST_STEM)
