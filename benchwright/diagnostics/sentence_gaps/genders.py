"""Options to which a pronoun of an English question refers: `Who has lost her shoe?` asks for a woman."""

from __future__ import annotations

import re
from collections.abc import Sequence

_ASKS_PERSON = re.compile(
    r"\bwho\b|\bwh(?:ich|at)(?: one)?(?: of the)? (?:person|people|child(?:ren)?|players?|dancers?|persons?|adults?|"
    r"performers?|runners?|members?|characters?|figures?|actors?|one|students?|workers?|doctors?|teachers?|singers?|"
    r"athletes?|swimmers?|passengers?|riders?|artists?|musicians?|family|guests?|kids?)\b|\b(?:is|was) the \w+ "
    r"(?:called|___)|___",
    re.IGNORECASE,
)
_HIS = re.compile(r"\b(?:he|his|him|himself)\b", re.IGNORECASE)
_HER = re.compile(r"\b(?:she|her|hers|herself)\b", re.IGNORECASE)
_MEN = frozenset([
    "man", "boy", "gentleman", "father", "grandfather", "grandpa", "brother", "son", "uncle", "husband", "king",
    "prince",
    "nephew", "waiter", "actor", "groom", "lad", "guy", "dad", "monk", "priest", "policeman", "fireman", "fisherman",
    "businessman", "salesman", "postman", "mailman", "bridegroom", "knight", "grandson", "stepfather", "duke",
    "emperor",
    "wizard", "bull", "rooster", "stallion", "lord", "sir", "mr",
])  # fmt: skip
_WOMEN = frozenset([
    "woman", "girl", "lady", "mother", "grandmother", "grandma", "sister", "daughter", "aunt", "wife", "queen",
    "princess", "niece", "waitress", "actress", "bride", "mom", "mum", "nun", "policewoman", "businesswoman",
    "saleswoman", "granddaughter", "stepmother", "duchess", "empress", "witch", "hen", "cow", "mare", "ballerina",
    "stewardess", "mrs", "ms", "madam",
])  # fmt: skip
_FEWEST = 2
_WORD = re.compile(r"[a-z]+")


def opposite_genders(question: str, texts: Sequence[str]) -> tuple[str, list[int]] | None:
    """Return a question's personal pronoun and the indices of options of its gender; None if it does not decide.

    The pronoun is not decisive if the question has pronouns of both genders, or an option has neither gender.

    Example:
        >>> opposite_genders("Who has lost her shoe?", ["The man in black", "The woman in white"])
        ('her', [1])
    """
    his, her = _HIS.search(question), _HER.search(question)
    if len(texts) < _FEWEST or (his is None) == (her is None) or not _ASKS_PERSON.search(question):
        return None
    genders = [_gender_of(text) for text in texts]
    if None in genders:
        return None
    pronoun = his or her
    assert pronoun is not None
    wanted = "man" if his is not None else "woman"
    return pronoun.group(), [place for place, gender in enumerate(genders) if gender == wanted]


def _gender_of(text: str) -> str | None:
    for word in _WORD.findall(text.casefold()):
        if word in _MEN:
            return "man"
        if word in _WOMEN:
            return "woman"
    return None
