"""Grammar of English questions and options, by small rules that name the fault; there is no parser and no guessing.

Each rule reads a pattern that is wrong in nearly any sentence. Faults that need a parser (`the man that hold the cups
is`) are not found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple


class GrammarFault(NamedTuple):
    """A fault found by a rule: `article`, `doubled_word`, `agreement` or `capital`, with the words concerned."""

    kind: str
    words: str


_FLAGS = re.IGNORECASE
_ARTICLE = re.compile(r"(?<![\w'’-])(a|an)\s+([^\W_][\w'’-]*)", _FLAGS)
_SILENT_H = re.compile(r"hour|honest|hono(?:u)?r|heir(?!loom\b)|heirloom", _FLAGS)
_LIKE_YOU = re.compile(
    r"uni(?!n|mp|d)|us(?:e|u|a[bg])|ut(?:e|i|o)|eu|ew|one(?!rous)|once|ubi|ufo|uk|ura|uro|uku", _FLAGS
)
_VOWEL_NUMBER = re.compile(r"8\d*$|11$|18$|1[18]\D|8\d*\D|(?:11|18)\d{3}$")
_AFTER_A_LETTER = frozenset(
    [
        "and",
        "are",
        "as",
        "at",
        "but",
        "can",
        "for",
        "from",
        "has",
        "in",
        "is",
        "of",
        "on",
        "or",
        "than",
        "the",
        "to",
        "was",
        "with",
    ]
)
"""Words before which `A` is the letter of an option or the name of a point."""

_DOUBLED = re.compile(r"\b([a-z]+(?:['’][a-z]+)?)\s+\1\b(?!['’-])", _FLAGS)
_RIGHTLY_DOUBLED = frozenset(
    [
        "had",
        "that",
        "bye",
        "blah",
        "ha",
        "knock",
        "no",
        "very",
        "so",
        "tut",
        "yum",
        "cha",
        "so",
        "really",
        "many",
        "far",
        "long",
    ]
)

_ONE = "man|woman|child|person|foot|tooth|mouse|goose|leaf|knife|shelf|wolf"
_MANY = "men|women|children|people|feet|teeth|mice|geese|leaves|knives|shelves|wolves"
_NUMBER = "two|three|four|five|six|seven|eight|nine|ten|several|many|both|[2-9]|[1-9]\\d+"
_THIRD = "has|is|was|does|goes|wears|holds|shows|looks|stands|sits|eats|rides|makes|says|plays|carries|means|lies|had"
_PAST = "went|was|were|saw|took|came|ran|made|ate|held|wore|stood|sat|fell|broke|threw|had"
_BASE = "hold|wear|sit|stand|look|ride|eat|walk|carry|read|wait|hug|drink|throw|smile|sleep|talk|cook|swim|climb"
_DETERMINED = r"(?:the|this|that|a|an|his|her|its|their|my|your)\s+(?:[\w-]+\s+){0,1}?[\w-]+"
_PRONOUN = "he|she|it|they|we|you|i"
_NO_NOUN = (
    r"(?!(?:lot|few|couple|dozen|number|pair|variety|total|hundred|thousand|million|group|bunch|handful|series|set|"
    r"large|great|good|small|significant|huge|vast|certain|mix|mixture|range|minimum|maximum|majority)\b)"
)
_BEGINNING = r"(?:^|(?<=[.?!] ))"
"""The beginning of a sentence: only there is `that` certainly a demonstrative; elsewhere it may begin a clause."""
_IRREGULAR = "men|women|children|feet|teeth|mice|geese|wolves"
_AGREEMENT = tuple(
    re.compile(pattern, _FLAGS)
    for pattern in (
        rf"\bthere\s+(?:is|was)\s+(?!both\b)(?:{_NUMBER}|few|people|children|men|women)\s+(?!-|of\b)\w+",
        rf"\b(?:is|was)\s+there\s+(?:(?:{_NUMBER})\s+(?!or\b)\w+|people|children|men|women)\b",
        rf"\bthere\s+are\s+(?:a|an|one)\s+{_NO_NOUN}[\w-]+(?=[\s.,?!]|$)(?!\s+or\b|\s+and\b)",
        rf"\b(?:are|were)\s+there\s+(?:a|an|one)\s+{_NO_NOUN}[\w-]+(?!\s+or\b|\s+and\b)",
        rf"\b(?:{_NUMBER}|these|those|many|several|few)\s+(?:{_ONE})\b(?![-'’])",
        rf"(?:\b(?:a|an|one|this|every|each)|{_BEGINNING}that)\s+(?:{_IRREGULAR})\b(?!['’-])",
        r"(?<!\bof )(?<!ing )\b(?:these|those)\s+(?:[\w-]+\s+)?(?:is|was|has|does)\b",
        rf"(?:\bthis|{_BEGINNING}that)\s+(?:are|were)\b",
        r"(?<!\bdo )(?<!\bdoes )(?<!\bdid )(?<!\bwould )(?<!\bcould )(?<!\bcan )(?<!\bmight )(?<!\bmust )(?<!\bif )"
        r"\b(?:he|she|it)\s+(?:have|do|are|were|go)\b",
        r"\b(?:they|we|you)\s+(?:is|was|has|does)\b",
        rf"\bdo\s+(?:he|she|it|(?:the|this|that|a)\s+(?:{_ONE}))\b(?!\s+and\b)(?!['’])",
        rf"\bdoes\s+(?:they|we|you|(?:the\s+)?(?:{_MANY})|these|those)\b(?!['’])",
        rf"\b(?:is|was|has)\s+(?:the\s+|these\s+|those\s+)?(?:{_MANY}|they|we|you|these|those)\b(?!['’-]|\s+of\b)",
        rf"\b(?:are|were|have)\s+(?:the|this|that|a)\s+(?:{_ONE})\b(?![-'’])(?!.*\band\b)",
        rf"\b(?:the|these|those)\s+(?:{_MANY})\s+(?:is|was|has|does)\b",
        rf"(?<!\band )\b(?:the|this|that|a)\s+(?:{_ONE})\s+(?:are|were|have|do)\b",
        rf"\b(?:does|did|do)\s+(?:{_DETERMINED}|{_PRONOUN}|(?:{_MANY}))\s+(?:{_THIRD})\b",
        rf"\bdid\s+(?:{_DETERMINED}|{_PRONOUN}|(?:{_MANY}))\s+(?:{_PAST})\b",
        r"\b(?:can|could|will|would|should|must|might|may)\s+(?:be\s+)?(?:not\s+)?(?:has|is|was|does|goes|went|saw|had)\b",
        rf"\b(?:is|are|was|were)\s+(?:{_DETERMINED}|{_PRONOUN})\s+(?:{_BASE})\b(?!-|\s+(?:like|of)\b)",
        r"\bhow\s+much\s+(?:people|men|women|children|\w+s\s+(?:are|were|do|can))\b",
        rf"\bhow\s+many\s+(?:{_ONE})\b",
        r"\bhow\s+many\s+[\w-]+(?:\s+[\w-]+)?\s+(?:is|was|has|does)\b(?!\s+(?:the|this|that|it|he|she|each|one|a)\b)",
    )
)
_HOW_MANY = re.compile(r"\bhow\s+many\s+((?:[\w-]+\s+){0,2}?)([\w-]+)\s+(?:are|can|do|were|have)\b", _FLAGS)
_PLURAL = re.compile(
    rf"(?:s|{_MANY}|sheep|deer|fish|aircraft|cattle|police|species|oxen|dice|poultry|more|there|other)$", _FLAGS
)
_PHRASE = re.compile(r"\b(?:of|in|on|with|at|from|behind|near|that|who|which|to|by|under|for)\b", _FLAGS)
_SMALL_I = re.compile(r"(?<![\w.'’/-])i(?![\w.'’/-])")


def grammar_faults(text: str) -> list[GrammarFault]:
    """Return the grammatical faults in an English text, rule by rule.

    Example:
        >>> [fault.kind for fault in grammar_faults("Is there a apple on on the table?")]
        ['article', 'doubled_word']
    """
    return [fault for rule in _RULES for fault in rule(text)]


def begins_small(text: str) -> bool:
    """Return whether a sentence begins in lowercase, except with a name such as `iPhone`, a symbol or a place."""
    match = re.match(r"[\s\"'“‘(¿¡]*([^\W\d_][\w-]*)", text)
    return match is not None and match.group(1).islower()


def _articles(text: str) -> Iterator[GrammarFault]:
    for match in _ARTICLE.finditer(text):
        article, word = match.groups()
        if word.lower() in _AFTER_A_LETTER or (
            article == "A" and match.start() > 0 and text[match.start() - 2] not in ".?!"
        ):
            continue
        if len(word) > 1 and word.isupper() and not word.isdigit():
            continue  # the pronunciation of letters is unknown: `an MRI`, `a USB stick`
        if (article.lower() == "an") != begins_with_vowel(word):
            yield GrammarFault("article", match.group())


def begins_with_vowel(word: str) -> bool:
    """Return whether a word begins with a vowel sound."""
    if word[0].isdigit():
        return _VOWEL_NUMBER.match(word) is not None
    if len(word) == 1:
        return word.upper() in "AEFHILMNORSX"
    if word[0] in "hH":
        return _SILENT_H.match(word) is not None
    return word[0].lower() in "aeiouáéíóú" and _LIKE_YOU.match(word) is None


def _doubled(text: str) -> Iterator[GrammarFault]:
    for match in _DOUBLED.finditer(text):
        word = match.group(1)
        if (len(word) > 1 and word.lower() not in _RIGHTLY_DOUBLED and not word[1:].isupper()) or (
            word.lower() == "a" and word.islower()
        ):
            yield GrammarFault("doubled_word", match.group())


def _agreement(text: str) -> Iterator[GrammarFault]:
    for pattern in _AGREEMENT:
        if match := pattern.search(text):
            yield GrammarFault("agreement", match.group())
            return
    match = _HOW_MANY.search(text)
    if match and not _PHRASE.search(match.group()) and not any(_PLURAL.search(word) for word in match.group(1, 2)):
        yield GrammarFault("agreement", match.group())


def _small_i(text: str) -> Iterator[GrammarFault]:
    for match in _SMALL_I.finditer(text):
        yield GrammarFault("capital", match.group())


_RULES: tuple[Callable[[str], Iterator[GrammarFault]], ...] = (_articles, _doubled, _agreement, _small_i)
