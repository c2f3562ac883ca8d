"""Relations between two words, from the definitions and the pointers to more general senses in a WordNet.

`robin` is defined as a `small Old World songbird`; `enormous` and `huge` are similar to the same adjective and share a
word in their definitions; Paris is a part of France.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from .wordnet import PARTS, Synset, WordNet

_MAIN_SENSES = 2
_CLUSTER_SENSES = 3
_OPPOSITE_SENSES = 4
_DIRECTIONS = frozenset(["north", "south", "east", "west"])
_LOCATIONS = frozenset([15, 17])
_MOST_STEPS = 5
_ENDS_GENUS = re.compile(
    r"[,;:()]|\b(?:of|with|that|which|having|consisting|used|in|for|on|to|from|made|at|by|who|whose|where|when|and|or|as|under|"
    r"usually|between|along|through|around|following|preceding|before|after|opposite|lying|near|across|behind|into|over|containing|especially|resembling|worn|formed|played|designed)\b"
)
_IN_PART = re.compile(r"\b(?:part(?:ial)?ly|half|combination|mixture|imitation)\b")
"""Words of a definition whose genus applies only in part: sleet is `partially melted snow`."""
_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*")
_SAYS_NOTHING = frozenset([
    "a", "an", "the", "any", "of", "or", "and", "in", "to", "with", "by", "for", "from", "that", "is", "being", "very",
    "extremely", "having", "not", "as", "on", "used", "especially", "someone", "something", "person", "one",
    "kind", "type",
    "characterized", "showing", "marked", "causing", "full", "lacking", "given", "at", "it", "be", "more", "than",
    "state",
    "quality", "great", "degree", "usually", "often", "unusually", "expressing", "experiencing", "extent", "who",
    "which",
])  # fmt: skip
_COLOR = frozenset(["chromatic", "achromatic", "colored", "coloured", "metallic", "metal"])
_MATHEMATICAL: dict[str, frozenset[str]] = {
    "square": frozenset(["rectangle", "rhombus", "parallelogram", "quadrilateral", "regular polygon"]),
    "rectangle": frozenset(["parallelogram", "quadrilateral"]),
    "rhombus": frozenset(["parallelogram", "quadrilateral"]),
    "parallelogram": frozenset(["quadrilateral"]),
    "trapezoid": frozenset(["quadrilateral"]),
    "trapezium": frozenset(["quadrilateral"]),
    "equilateral triangle": frozenset(["isosceles triangle", "acute triangle", "regular polygon"]),
    "cube": frozenset(["cuboid", "prism", "rectangular prism", "polyhedron"]),
    "circle": frozenset(["ellipse"]),
    "cuboid": frozenset(["prism"]),
}
"""Shapes that are special cases of others but that WordNets do not list as such."""


@lru_cache(maxsize=1 << 14)
def is_defined_as(word: str, other: str, wordnet: WordNet) -> bool:
    """Return whether the definition of a word has another word as its genus."""
    for part in ("noun", "verb"):
        others = {lemma for sense in wordnet.senses(other, part)[:_MAIN_SENSES] for lemma in sense.words}
        if not others:
            continue
        for sense in wordnet.senses(word, part)[:1]:
            if _genus(wordnet.gloss(sense), part) in others and sense not in wordnet.senses(other, part):
                return True
    return False


def _genus(gloss: str, part: str) -> str:
    beginning = _ENDS_GENUS.split(gloss)[0]
    if _IN_PART.search(beginning):
        return ""
    words = _WORD.findall(beginning)
    return str(words[0 if part == "verb" else -1]) if words else ""


@lru_cache(maxsize=1 << 14)
def are_antonyms(word: str, other: str, wordnet: WordNet) -> bool:
    """Return whether two words are opposites in a WordNet, in one of their frequent senses."""
    for part in PARTS:
        theirs = {(sense.part, sense.offset) for sense in wordnet.senses(other, part)[:_OPPOSITE_SENSES]}
        for sense in wordnet.senses(word, part)[:_OPPOSITE_SENSES]:
            if any(symbol == "!" and (of, offset) in theirs for symbol, of, offset in sense.pointers):
                return True
    return False


@lru_cache(maxsize=1 << 14)
def are_near_adjectives(word: str, other: str, wordnet: WordNet) -> bool:
    """Return whether two adjectives of one cluster have similar definitions, such as `enormous` and `huge`."""
    if are_antonyms(word, other, wordnet):
        return False
    for sense in wordnet.senses(word, "adj")[:_CLUSTER_SENSES]:
        for beside in wordnet.senses(other, "adj")[:_CLUSTER_SENSES]:
            if "lea" in wordnet.gloss(sense) and "shape" in wordnet.gloss(sense):
                continue  # shapes of leaves have similar definitions
            mine, theirs = set(_heads(sense, wordnet)), set(_heads(beside, wordnet))
            heads = mine & theirs
            if any(not _COLOR.isdisjoint(head.words) for head in mine | theirs):
                continue  # a bus may be red or maroon
            if _names(sense, word, beside, other, wordnet):
                return True
            if not heads:
                continue
            shared = _told(wordnet.gloss(sense)) & _told(wordnet.gloss(beside))
            is_named = other in _told(wordnet.gloss(sense)) or word in _told(wordnet.gloss(beside))
            if (
                is_named
                or len(shared) > 1
                or (shared and min(map(len, map(_told, map(wordnet.gloss, (sense, beside))))) < 3)
            ):
                return True
    return False


def _names(sense: Synset, word: str, beside: Synset, other: str, wordnet: WordNet) -> bool:
    """Return whether the definition of one adjective contains the other, and neither is the opposite of the other."""
    glosses = wordnet.gloss(sense), wordnet.gloss(beside)
    if re.search(r"\b(?:not|colou?r|leaf|leaves|shaped)\b", glosses[0] + glosses[1]) or any(
        symbol == "!" for symbol, *_ in (*sense.pointers, *beside.pointers)
    ):
        return False
    return re.search(rf"\b{re.escape(other)}\b", glosses[0]) is not None or (
        re.search(rf"\b{re.escape(word)}\b", glosses[1]) is not None
    )


@lru_cache(maxsize=1 << 14)
def are_near_verbs(word: str, other: str, wordnet: WordNet) -> bool:
    """Return whether two verbs share a sense by their definitions: `fall` and `drop` are both `go down in value`."""
    if any(
        " " in each or len(wordnet.senses(each, "noun")) >= len(wordnet.senses(each, "verb")) for each in (word, other)
    ):
        return False
    if are_antonyms(word, other, wordnet):
        return False
    senses, others = (wordnet.senses(each, "verb")[:_VERB_SENSES] for each in (word, other))
    told, beside = ([_told(wordnet.gloss(sense)) for sense in each] for each in (senses, others))
    names = (
        {lemma for sense in others[:2] for lemma in sense.words},
        {lemma for sense in senses[:2] for lemma in sense.words},
    )
    if any(_genus(wordnet.gloss(sense), "verb") in names[0] for sense in senses[:4]) and others:
        return _genus_is_specific(names[0])
    if any(_genus(wordnet.gloss(sense), "verb") in names[1] for sense in others[:4]) and senses:
        return _genus_is_specific(names[1])
    return any(len(one & two) > 1 and len(one & two) >= 0.6 * min(len(one), len(two)) for one in told for two in beside)


def _genus_is_specific(words: set[str]) -> bool:
    return words.isdisjoint(_GENERAL_VERBS)


_VERB_SENSES = 6
_GENERAL_VERBS = frozenset(["make", "do", "be", "have", "go", "move", "take", "get", "put", "give", "cause",
                            "become", "come",
                            "act", "use", "travel", "bring", "change", "keep", "hold", "cover", "cut", "touch", "run",
                            "walk", "turn", "remove", "place", "play", "eat", "say", "utter", "look", "perform",
                            "produce",
                            "create", "form", "set", "cook", "prepare", "show", "pass", "carry", "work"])  # fmt: skip
"""Verbs that occur in the definitions of many other verbs."""
_REGIONAL = frozenset(
    frozenset(pair.split("/"))
    for pair in [
        "lorry/truck",
        "flat/apartment",
        "lift/elevator",
        "biscuit/cookie",
        "aubergine/eggplant",
        "courgette/zucchini",
        "torch/flashlight",
        "trousers/pants",
        "jumper/sweater",
        "pavement/sidewalk",
        "petrol/gasoline",
        "tap/faucet",
        "nappy/diaper",
        "pram/stroller",
        "cot/crib",
        "wardrobe/closet",
        "rubbish/trash",
        "dustbin/trashcan",
        "queue/line",
        "autumn/fall",
        "football/soccer",
        "spanner/wrench",
        "sofa/couch",
        "motorway/highway",
        "holiday/vacation",
        "sweet/candy",
        "aeroplane/airplane",
        "underground/subway",
        "eraser/rubber",
        "tin/can",
        "coriander/cilantro",
        "ladybird/ladybug",
        "valise/suitcase",
        "seashore/beach",
        "tv/television",
        "bike/bicycle",
        "fridge/refrigerator",
        "photo/photograph",
        "phone/telephone",
        "plane/airplane",
        "chemist/pharmacy",
        "drugstore/pharmacy",
        "curtain/drape",
        "caravan/trailer",
        "bookshop/bookstore",
        "postman/mailman",
        "shop/store",
        "railway/railroad",
        "tram/streetcar",
        "maize/corn",
        "hoover/vacuum",
        "windscreen/windshield",
        "mobile/cellphone",
        "rucksack/backpack",
        "cupboard/cabinet",
        "dressing/bandage",
        "gown/dress",
        "coat/overcoat",
        "rabbit/bunny",
        "kid/child",
        "forest/wood",
        "stone/rock",
        "road/street",
        "ship/vessel",
        "present/gift",
    ]
)
"""British and American words, and long and short words, for the same thing."""


def name_one_thing(word: str, other: str) -> bool:
    """Return whether two words name one thing in two varieties of English, in singular or plural."""
    return any(frozenset(pair) in _REGIONAL for pair in ((word, other), (_singular(word), _singular(other))))


def _singular(word: str) -> str:
    return word.removesuffix("ies") + "y" if word.endswith("ies") else word.removesuffix("s")


@lru_cache(maxsize=1 << 13)
def is_said_of(phrase: str, other: str, wordnet: WordNet) -> bool:
    """Return whether the definition of a phrase contains another phrase of several words."""
    return " " in other and any(
        other in wordnet.gloss(sense) for sense in wordnet.senses(phrase, "noun")[:_MAIN_SENSES]
    )


@lru_cache(maxsize=1 << 13)
def is_flower(word: str, wordnet: WordNet) -> bool:
    """Return whether the definition of a plant's name says that the plant is grown for its flowers."""
    return any(
        sense.field == _PLANT and re.search(r"flower|bloom|blossom", wordnet.gloss(sense)) is not None
        for sense in wordnet.senses(word, "noun")[:_MAIN_SENSES]
    )


_PLANT = 20


def _heads(sense: Synset, wordnet: WordNet) -> Iterator[Synset]:
    if not sense.is_satellite:
        yield sense
    yield from (
        wordnet.synset(part, offset) for symbol, part, offset in sense.pointers if symbol == "&" and sense.is_satellite
    )


def _told(gloss: str) -> frozenset[str]:
    return frozenset(word for word in _WORD.findall(gloss) if word not in _SAYS_NOTHING and len(word) > 2)


@lru_cache(maxsize=1 << 13)
def lies_in(word: str, other: str, wordnet: WordNet) -> bool:
    """Return whether one place is part of another, as Paris is part of France and of Europe."""
    if word in _DIRECTIONS or other in _DIRECTIONS:
        return False
    there = {(sense.part, sense.offset) for sense in wordnet.senses(other, "noun") if sense.field in _LOCATIONS}
    now = [sense for sense in wordnet.senses(word, "noun")[:_MAIN_SENSES] if sense.field in _LOCATIONS]
    now = [sense for sense in now if any(symbol == "@i" for symbol, *_ in sense.pointers)]
    for _ in range(_MOST_STEPS if there else 0):
        pointed = {(part, offset) for sense in now for symbol, part, offset in sense.pointers if symbol in ("#p", "#m")}
        if pointed & there:
            return True
        now = [wordnet.synset(part, offset) for part, offset in pointed]
    return False


def is_mathematical_kind(right: str, other: str) -> bool:
    """Return whether a shape is a special case of another by definition in geometry: every square is a rectangle."""
    return other in _MATHEMATICAL.get(right, frozenset())


@lru_cache(maxsize=1 << 13)
def is_described_by(word: str, modifiers: tuple[str, ...], wordnet: WordNet) -> bool:
    """Return whether the definitions of a noun's main senses contain each of the words, or words that begin alike."""
    for sense in wordnet.senses(word, "noun")[:_MAIN_SENSES]:
        told = _WORD.findall(wordnet.gloss(sense))
        if all(any(each.startswith(modifier[:6]) for each in told) for modifier in modifiers):
            return True
    return False
