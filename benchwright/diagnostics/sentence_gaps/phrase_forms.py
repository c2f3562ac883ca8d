"""Grammatical forms of English options: a noun phrase, a verb with its complements, a clause."""

from __future__ import annotations

import re
from functools import lru_cache

from ..wording.word_forms import forms_of

_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
DETERMINERS = frozenset([
    "the", "a", "an", "his", "her", "its", "their", "my", "your", "our", "this", "that", "these", "those", "some",
    "any", "no", "each", "every", "another", "both", "all", "many", "several", "few", "most", "much", "more",
])  # fmt: skip
_OF_ONE = frozenset(["a", "an", "this", "that", "each", "every", "another", "one", "1"])
_OF_SEVERAL = frozenset(["these", "those", "both", "many", "several", "few", "two", "three", "four", "five", "six",
                         "seven", "eight", "nine", "ten", "eleven", "twelve"])  # fmt: skip
PREPOSITIONS = frozenset([
    "of", "in", "on", "at", "by", "for", "with", "from", "into", "onto", "over", "under", "about", "between", "among",
    "through", "behind", "beside", "besides", "near", "against", "across", "along", "around", "above", "below",
    "beneath", "underneath", "inside", "outside", "toward", "towards", "without", "within", "during", "opposite",
    "beyond", "upon", "off", "past", "amid", "as", "like", "after", "before", "until", "since", "next", "out", "up",
    "down",
])  # fmt: skip
_PRONOUNS = frozenset(["he", "she", "it", "they", "we", "you", "i"])
_CONJUNCTIONS = frozenset(["because", "that", "if", "when", "while", "although", "whether", "so"])
OF_ONE_VERB = frozenset(["is", "was", "has", "does", "isn't", "wasn't", "hasn't", "doesn't"])
OF_SEVERAL_VERB = frozenset(["are", "were", "have", "do", "aren't", "weren't", "haven't", "don't", "am"])
MODALS = frozenset(["will", "would", "can", "could", "may", "might", "must", "shall", "should", "won't", "can't",
                    "cannot", "couldn't", "wouldn't"])  # fmt: skip
_PAST_OF_EITHER = frozenset(["had", "did", "hadn't", "didn't"])
_VERB_AFTER_SUBJECT = OF_ONE_VERB | OF_SEVERAL_VERB | MODALS | _PAST_OF_EITHER
VERBAL = frozenset(["base", "third", "past", "participle", "ing"])
_VERBAL_ADJECTIVES = frozenset(["ing", "participle"])
_PARTICLES = frozenset(["down", "up", "out", "off", "away", "back", "over"])
_LONGEST_NAME = 5


@lru_cache(maxsize=1 << 14)
def phrase_forms(text: str) -> frozenset[str]:
    """Return all forms that a phrase can have in a sentence; empty if its words do not show them.

    The forms are `one` and `several` for noun phrases, with `determined` if they begin with an article or similar word;
    for verbs, the forms of `forms_of`, `auxiliary one`, `auxiliary several`, `auxiliary past` and `modal`; `to` with a
    verb, `preposition …`, `clause`, `adjective`, `adverb`.

    Example:
        >>> sorted(phrase_forms("an open book")), sorted(phrase_forms("with a sceptre"))
        (['determined', 'one'], ['preposition with'])
    """
    words = [word.casefold().replace("’", "'") for word in _WORD.findall(text)]
    if not words or not all(word.isascii() for word in words):
        return frozenset()
    if words[0] == "not" and len(words) > 1:
        words = words[1:]
    if (closed := _of_first_word(words)) is not None:
        return closed
    if _is_clause(words):
        return frozenset(["clause"])
    is_noun = words[0] in DETERMINERS | _OF_SEVERAL | _OF_ONE or words[0][0].isdigit()
    return _determined(words) if is_noun else _open(words)


def _of_first_word(words: list[str]) -> frozenset[str] | None:
    """Return the forms of a phrase if its first word is an auxiliary, a pronoun, a conjunction or a preposition."""
    first, is_long = words[0], len(words) > 1
    found = None
    if first in _VERB_AFTER_SUBJECT:
        found = [_auxiliary(first)]
    elif first in _PRONOUNS:
        found = ["clause"] if is_long else ["one", "determined"]
    elif first in _CONJUNCTIONS and is_long and (first != "that" or words[1] in DETERMINERS or len(words) > 2):
        found = ["clause"]
    elif first == "to" and is_long:
        found = ["to"] if "base" in forms_of(words[1]) and words[1] not in DETERMINERS else ["preposition to"]
    elif first in PREPOSITIONS:
        found = [f"preposition {first}"]
    return None if found is None else frozenset(found)


def _auxiliary(word: str) -> str:
    if word in MODALS:
        return "modal"
    if word in _PAST_OF_EITHER:
        return "auxiliary past"
    return "auxiliary one" if word in OF_ONE_VERB else "auxiliary several"


def _is_clause(words: list[str]) -> bool:
    """Return whether a verb follows a subject: `gloves are on`, `plants respire`."""
    for word in words[1:]:
        if word in ("that", "who", "which"):
            return False
        if word in _VERB_AFTER_SUBJECT:
            return True
    last = forms_of(words[-1])
    return len(words) == 2 and forms_of(words[0]) == {"plural"} and bool(last) and last <= {"base", "past"}


def _determined(words: list[str]) -> frozenset[str]:
    first = words[0]
    if "and" in words:
        return frozenset(["several", "determined"])
    if first in _OF_ONE:
        return frozenset(["one", "determined"])
    if first in _OF_SEVERAL or (first.isdigit() and first != "1"):
        return frozenset(["several", "determined"])
    return _number_of(words) | {"determined"}


def _number_of(words: list[str]) -> frozenset[str]:
    """Return the number of a noun phrase, from its noun: the last one before a preposition or a relative clause."""
    ends = [
        at for at, word in enumerate(words) if at and (word in PREPOSITIONS or word in ("that", "who", "which", "to"))
    ]
    head = words[(ends[0] if ends else len(words)) - 1]
    forms = forms_of(head.rpartition("-")[2])
    found = {"one" for form in forms if form == "singular"} | {"several" for form in forms if form == "plural"}
    return frozenset(found or ["one"])


def _open(words: list[str]) -> frozenset[str]:
    """Return the possible forms of a phrase that begins with a noun, a verb, an adjective or an adverb."""
    forms = forms_of(words[0].split("-")[-1])
    found: set[str] = set()
    verbs = forms & VERBAL
    object_follows = len(words) > 1 and (
        words[1] in DETERMINERS
        or words[1] in ("him", "them", "me", "us", "it")
        or ("base" in verbs and len(words) == 2 and words[1] in _PARTICLES)
    )
    if verbs:
        found |= verbs
    if "adverb" in forms and "adjective" not in forms:
        found.add("adverb")
    if "adjective" in forms and not object_follows:
        found.add("adjective")
    if not object_follows and len(words) <= _LONGEST_NAME:
        is_phrase = (
            len(words) > 1 and words[1] not in PREPOSITIONS and ("adjective" in forms or verbs & _VERBAL_ADJECTIVES)
        )
        nominal = forms & {"singular", "plural"}
        if nominal or is_phrase:
            number = frozenset(["several"]) if "and" in words else _number_of(words)
            last = forms_of(words[-1])
            if len(words) == 1 or last & {"singular", "plural"} or "of" in words:
                found |= number
    return frozenset(found)
