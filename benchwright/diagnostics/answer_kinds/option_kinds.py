"""Kinds of answers that an English option can be, by the form of its words and by lists of frequent words."""

from __future__ import annotations

import re
from functools import lru_cache

from benchwright.texts.normalization import normal

from ..wording.number_words import NUMERALS
from ..wording.quantities import quantity
from .word_lists import KINDS_OF_WORD

BESIDE_LISTS = frozenset([
    "number", "year", "clock", "amount", "verdict", "place", "transport", "agent", "means", "reason", "purpose",
    "action", "manner", "often", "thing",
])  # fmt: skip
"""Kinds in addition to those of the word lists: `amount` is a number with a unit, `clock` a time of day, `transport`
`by train`, `agent` `by a tourist`, `means` `with a hammer`, `often` `twice a day`, and `thing` a phrase with an article
and an unlisted noun."""
_VERDICTS = frozenset(["yes", "no", "true", "false", "maybe", "sometimes", "probably", "never", "always", "perhaps"])
_ARTICLE = re.compile(r"(?:an?|the|some|his|her|its|their|my|this|that|these|those)\s+", re.IGNORECASE)
_PLACE = re.compile(
    r"(?:(?:in|on|at|under|behind|near|beside|above|below|inside|outside|between|against|along|across|"
    r"around|over|underneath|by|off|through|within|towards?|beyond)(?: the| an?| some| his| her| its| their)?|"
    r"(?:next to|in front of|on top of|in the middle of|at the (?:top|bottom|end|edge|back|side) of|"
    r"to the (?:left|right) of|"
    r"close to|far from)(?: the| an?)?)\s+(?P<thing>[\w' -]+)",
    re.IGNORECASE,
)
_OF_TIME = frozenset(["month", "season", "weekday", "daytime", "number", "clock", "year", "amount"])
_BY_OR_ON = re.compile(r"(?:by|on) (?P<thing>(?:(?:the|an?) )?[\w'’ -]+)", re.IGNORECASE)
_YEAR = re.compile(r"(?:around |about |circa )?(?:1\d|20)\d\ds?(?: ?(?:AD|BC|CE|BCE))?", re.IGNORECASE)
_CLOCK = re.compile(
    r"(?:at |around |about )?(?:\d{1,2}[:.]\d\d(?: ?[ap]\.?m\.?)?|\d{1,2} ?[ap]\.?m\.?|\d{1,2} o'?clock)", re.IGNORECASE
)
_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        ("year", r"(?:in|since|until|before|after) (?:1\d|20)\d\ds?"
                 r"|.*\b(?:century|centuries|b\.?c\.?e?|(?:year|day|hour|month)s? ago)\b.*"),
        ("often", r"(?:once|twice|(?:\w+ )?times?) (?:(?:an?|per|every) \w+|daily|weekly|monthly|yearly)"
                  r"|every (?:\w+ )?(?:day|week|month|year|morning|evening|night)"
                  r"|daily|weekly|monthly|yearly|hourly|often|rarely|seldom"),
        ("transport", r"on foot|on horseback|by (?:air|sea|land|road|rail)"),
        ("manner", r"(?:in|with) (?:an? |the )?[a-z -]+ (?:manner|way|fashion|style|mood|tone)"),
        ("means", r"with (?:the |an? |his |her |its |their )[\w' -]+"),
        ("reason", r"(?:because|since|due to|so that|in order to|out of)\b.*"),
    )
)  # fmt: skip
"""Kinds that are recognized by the form of an option."""
_TO_DO = re.compile(r"to (?!the\b|an?\b|his\b|her\b|its\b|my\b)[a-z]+", re.IGNORECASE)
_DOING = re.compile(r"(?P<verb>[a-z]{2,}ing)\b(?: .*)?", re.IGNORECASE)
_NO_DOING = frozenset([
    "thing", "king", "ring", "string", "spring", "wing", "morning", "evening", "building", "ceiling", "painting",
    "drawing", "wedding", "clothing", "nothing", "something", "anything", "everything", "sibling", "pudding", "earring",
    "duckling", "dumpling",
])  # fmt: skip
_MANNER = re.compile(r"(?:very |quite |too )?(?P<word>[a-z]{3,}ly)", re.IGNORECASE)
_NO_MANNER = frozenset([
    "family", "jelly", "lily", "belly", "fly", "italy", "bully", "butterfly", "dragonfly", "firefly", "early", "ugly",
    "only", "lovely", "friendly", "lonely", "holy", "silly", "assembly", "supply", "reply", "anomaly", "monopoly",
    "curly", "elderly", "july", "hilly", "chilly", "likely", "molly", "emily", "billy", "kelly", "sally", "smelly",
    "jolly", "ally", "ply", "doily", "gully",
])  # fmt: skip
_SUBSTANTIVE = re.compile(
    r"(?:an?|the)\s+(?!(?:same|left|right|other|latter|former|most|least)\b)[a-z][\w' -]*", re.IGNORECASE
)
_SENTENCE = re.compile(r"\b(?:is|are|was|were|has|have|had|does|do|did|can|will|would|should|must)\b", re.IGNORECASE)
_AFTER_NOUN = re.compile(
    r"\s+(?:of|in|on|with|at|from|by|to|for|near|behind|under|that|who|which|and)\s+", re.IGNORECASE
)
_MODIFIES_COLOR = frozenset(
    ["light", "dark", "pale", "bright", "deep", "and", "with", "stripes", "spots", "dots", "mostly", "sky", "rose"]
)
_LEAST_COMPOUND = 2
"""Number of words of a compound such as `shipping containers`, which may also be an action."""
_LONGEST, _LONGEST_NOUN = 8, 3
"""Largest number of words in an option, and in a compound that is looked up."""
_SINGULARS = {
    "men": "man", "women": "woman", "children": "child", "feet": "foot", "teeth": "tooth", "mice": "mouse",
    "geese": "goose", "wolves": "wolf", "leaves": "leaf", "knives": "knife", "shelves": "shelf", "loaves": "loaf",
    "potatoes": "potato", "tomatoes": "tomato", "calves": "calf", "policemen": "policeman",
}  # fmt: skip
_ENDINGS = (("ies", "y"), ("ches", "ch"), ("shes", "sh"), ("sses", "ss"), ("xes", "x"), ("s", ""))


@lru_cache(maxsize=1 << 15)
def kinds_of(text: str) -> frozenset[str]:
    """Return all kinds of answers that a text can be: from the word lists and `BESIDE_LISTS`; empty if none fit.

    Example:
        >>> sorted(kinds_of("an orange")), sorted(kinds_of("by train")), sorted(kinds_of("12 kg"))
        (['color', 'food'], ['transport'], ['amount'])
    """
    plain = " ".join(text.strip().rstrip(".!").split())
    words = normal(plain).split()
    if not words or len(words) > _LONGEST:
        return frozenset()
    if len(words) == 1 and words[0] in _VERDICTS:
        return frozenset(["verdict"])
    return (
        _by_number(plain)
        or _by_form(plain)
        or _by_preposition(plain)
        or _by_first_word(plain, words)
        or _by_noun(plain)
    )


_OF_VALUE = {
    "place": frozenset(["number", "year"]), "rate": frozenset(["often"]), "century": frozenset(["year"]),
    "date": frozenset(["year", "month", "number"]), "day": frozenset(["month", "weekday", "amount"]),
    "decade": frozenset(["year", "amount"]), "scale": frozenset(["number"]),
    "multiple": frozenset(["number", "amount"]),
}  # fmt: skip
"""Kinds of numbers, by what they count; any other is a number with a unit."""


def _by_number(text: str) -> frozenset[str]:
    if _CLOCK.fullmatch(text):
        return frozenset(["clock"])
    if _YEAR.fullmatch(text):
        return frozenset(["year", "number"])
    value = quantity(text)
    if value is None:
        return frozenset()
    if value.of == "time of day":
        return frozenset(["clock"])
    if (kinds := _OF_VALUE.get(value.of.split()[0] if value.of else "")) is not None:
        return kinds
    return (_counted_things(text) if value.of else frozenset(["number"])) or frozenset(["amount"])


def _counted_things(text: str) -> frozenset[str]:
    """Return the kinds of a counted noun, such as `two dogs`; empty for a number with a unit."""
    number, _, thing = text.partition(" ")
    is_number = number.isdigit() or number.casefold() in NUMERALS
    of = KINDS_OF_WORD.get(_singular(thing.casefold())) if is_number else None
    return of | {"number"} if of else frozenset()


def _by_form(text: str) -> frozenset[str]:
    return next((frozenset([kind]) for kind, pattern in _FORMS if pattern.fullmatch(text)), frozenset())


def _by_preposition(text: str) -> frozenset[str]:
    if by := _BY_OR_ON.fullmatch(text):
        of = _of_noun(by["thing"])
        if "vehicle" in of and not _ARTICLE.match(by["thing"]):
            return frozenset(["transport"])
        if text.casefold().startswith("by ") and of & {"profession", "person"}:
            return frozenset(["agent"])
    if place := _PLACE.fullmatch(text):
        of = _of_noun(place["thing"]) | _by_number(place["thing"])
        return of if of and of <= _OF_TIME else frozenset(["place", *(of & {"season", "month"})])
    is_purpose = _TO_DO.match(text) is not None and text.casefold() not in KINDS_OF_WORD
    return frozenset(["purpose"] if is_purpose else [])


def _by_first_word(text: str, words: list[str]) -> frozenset[str]:
    if (doing := _DOING.fullmatch(text)) and doing["verb"].casefold() not in _NO_DOING:
        may_be_things = ["thing"] if len(words) == _LEAST_COMPOUND and words[-1].endswith("s") else []
        return frozenset(["action", *may_be_things, *KINDS_OF_WORD.get(text.casefold(), ())])
    if (manner := _MANNER.fullmatch(text)) and manner["word"].casefold() not in _NO_MANNER:
        return frozenset(["manner"])
    are_colors = [word in KINDS_OF_WORD and "color" in KINDS_OF_WORD[word] for word in words]
    is_color = len(words) > 1 and any(are_colors) and all(
        known or word in _MODIFIES_COLOR for word, known in zip(words, are_colors, strict=True)
    )  # fmt: skip
    return frozenset(["color"] if is_color else [])


def _by_noun(text: str) -> frozenset[str]:
    if _SENTENCE.search(text):
        return frozenset()
    is_thing = _SUBSTANTIVE.fullmatch(text) is not None and " " in text
    return _of_noun(text) or frozenset(["thing"] if is_thing else [])


def _of_noun(phrase: str) -> frozenset[str]:
    """Return the kinds of the noun of a phrase: from all its words, or from the last ones before a preposition."""
    whole = phrase.casefold().replace("’", "'").strip()
    for form in (whole, whole.replace("-", "")):
        if form in KINDS_OF_WORD:
            return KINDS_OF_WORD[form]
    head = _AFTER_NOUN.split(_ARTICLE.sub("", whole, count=1) if _ARTICLE.match(whole) else whole)[0].split()
    if any(_ARTICLE.fullmatch(f"{word} ") for word in head):
        return frozenset()  # a verb with its object: `open the door`
    for size in range(min(_LONGEST_NOUN, len(head)), 0, -1):
        noun = " ".join(head[len(head) - size :])
        for form in (noun, _singular(noun)):
            if form in KINDS_OF_WORD and (size == len(head) or _is_noun_at_end(form)):
                return KINDS_OF_WORD[form]
    return frozenset()


def _is_noun_at_end(word: str) -> bool:
    """Return whether a word after others is the noun of a phrase; `light blue` and `very happy` are not things."""
    return not KINDS_OF_WORD[word] & {"emotion", "size", "direction"}


def _singular(noun: str) -> str:
    first, _, last = noun.rpartition(" ")
    if last in _SINGULARS:
        last = _SINGULARS[last]
    elif last not in KINDS_OF_WORD:
        for ending, instead in _ENDINGS:
            if last.endswith(ending) and len(last) > len(ending) + 1:
                last = last.removesuffix(ending) + instead
                break
    return f"{first} {last}".strip()
