"""Kinds of answers that an option can be, from the word lists and, for unlisted words, from a WordNet."""

from __future__ import annotations

from ..answer_kinds.option_kinds import kinds_of
from .phrases import is_open, phrase_of
from .wordnet import Synset, WordNet

_OF_FIELD: dict[int, frozenset[str]] = {
    field: frozenset(kinds.split(","))
    for field, kinds in {
        4: "action,abstract,sport", 5: "animal", 6: "household", 7: "abstract,size", 8: "body", 9: "abstract",
        10: "abstract,household", 11: "event", 12: "emotion,abstract", 13: "food", 14: "person,abstract",
        15: "city,country,landscape", 16: "abstract", 17: "landscape", 18: "person", 19: "weather,event", 20: "plant",
        21: "abstract", 22: "event,abstract", 23: "number", 24: "abstract", 25: "shape", 26: "abstract,emotion",
        27: "material", 28: "daytime,month,event",
    }.items()
}  # fmt: skip
"""Kinds of the noun fields of a WordNet (`lexnames(5WN)`); field 3, the most general nouns, has none."""
_OF_GENERAL = {
    "clothing": "clothing", "vehicle": "vehicle", "building": "building", "structure": "building",
    "furniture": "furniture",
    "musical instrument": "instrument", "tool": "tool", "kitchen utensil": "kitchenware", "jewelry": "jewelry",
    "beverage": "drink", "room": "room", "sport": "sport", "color": "color", "worker": "profession", "money": "amount",
    "language": "language", "fabric": "material", "building material": "material", "game": "game", "country": "country",
    "unit of measurement": "amount", "weekday": "weekday", "calendar month": "month", "season": "season",
    "chromatic color": "color", "body of water": "landscape", "toy": "household", "container": "kitchenware",
}  # fmt: skip
_SENSES = 4
_LONGEST = 4


def wider_kinds_of(text: str, wordnet: WordNet) -> frozenset[str]:
    """Return all kinds of answers that a text can be; empty if neither the lists nor the WordNet have its words.

    Args:
        text: An option.
        wordnet: A WordNet, of whose nouns the frequent senses are used.
    """
    if known := kinds_of(text) - {"thing"}:
        return known
    phrase = phrase_of(text, wordnet)
    if not phrase.words or len(phrase.words) > _LONGEST:
        return kinds_of(text)
    word = phrase.words[phrase.head]
    senses = wordnet.senses(word, "noun") if is_open(word) and len(word) > 1 else ()
    if not senses or len(wordnet.senses(word, "verb")) > len(senses) or wordnet.senses(word, "adj"):
        return kinds_of(text)
    return frozenset[str]().union(*(_kinds_of_sense(sense, wordnet) for sense in senses[:_SENSES]))


def _kinds_of_sense(sense: Synset, wordnet: WordNet) -> frozenset[str]:
    above = {word for general in (sense, *wordnet.more_general(sense)) for word in general.words}
    return _OF_FIELD.get(sense.field, frozenset(["thing"])) | {
        kind for word, kind in _OF_GENERAL.items() if word in above
    }
