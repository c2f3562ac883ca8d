"""Whether two questions perhaps ask the same thing in other words, by the kind they ask for, their subjects and keys.

Both are reduced to their subject words: instructions, words for the picture itself and the question word are removed,
and phrasings of one request are unified (`how tall is`, `what is the height of`). They perhaps ask the same thing if
their right options mean the same, they share at least one such word, and no difference separates them: a number, a
letter, a negation, opposites (`highest`, `lowest`), or things that each names and the other does not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from benchwright.records import Item
from benchwright.texts.normalization import normal

from ..wording.formula_values import have_equal_values
from ..wording.formulas import formula_key
from ..wording.number_words import NUMERALS
from ..wording.quantities import quantity
from ..wording.word_forms import forms_of
from .definitions import are_antonyms
from .phrases import words_relation
from .wordnet import PARTS, Synset, WordNet

_INSTRUCTION = re.compile(
    r"^(?:look(?:ing)? (?:closely )?at|according to|based on|judging (?:by|from)|going by|from|in|using|use|"
    r"consider|study|"
    r"compare|see|given|as (?:shown|seen) in)\b[^,:;]*[,:;]\s*(?=\w)|[,;]? (?:according to|going by|judging (?:by|"
    r"from)|"
    r"based on|as shown (?:in|by)|as seen in|to judge by)\b[^,?]*(?=\?|$)"
)
_NUMERAL = rf"(?:\d+|{'|'.join(NUMERALS)})"
_ASKED = tuple(
    (re.compile(pattern), f" {instead} ")
    for pattern, instead in (
        (r"\bii\b", "second"),  # World War II, Elizabeth II
        (r"\biii\b", "third"),
        (r"\biv\b", "fourth"),
        (r"\bover(?=\s*(?:\?|$))", "end"),
        (rf"\b(?:times|multiplied by)\s+(?={_NUMERAL}\b)", "~product"),
        (rf"\b(?:plus|added to)\s+(?={_NUMERAL}\b)", "~sum"),
        (rf"\bdivided by\s+(?={_NUMERAL}\b)", "~quotient"),
        (r"\bhow many square [a-z]+\b", "~area"),
        (r"\bhow many (?:degrees)\b", "~degrees"),
        (r"\bhow (?:many|much)\b|\b(?:the )?(?:total )?(?:number|count|quantity|amount) of\b|\bcount\b", "~number"),
        (r"\b(?:what|which) time of (?:the )?year\b", "~season season"),
        (r"\bwhere\b|\b(?:at|in|on|to|from) (?:what|which) (?:place|location|position|spot)\b|\blocation of\b|"
            r"\bposition of\b",
         "~place"),
        (r"\bwhen\b|\b(?:at )?(?:what|which) (?:time|hour|moment)(?: and minute)?\b|\b(?:in )?(?:what|which) "
            r"(?:year|month|day)\b|"
         r"\bthe (?:year|date|time) of\b", "~time"),
        (r"\bwho(?:m|se)?\b|\b(?:what|which) (?:person|people|individual)\b|\bpersons?\b|\bpeople\b", "~person"),
        (r"\bwhy\b|\b(?:what is |for )?(?:the |what )?(?:reason|cause) (?:for|of|that|why)?\b|\bwhat (?:made|makes|"
            r"caused|causes)\b|"
         r"\bhow come\b", "~reason"),
        (r"\bhow old\b|\bage\b", "~age"),
        (r"\bhow far\b|\bdistance\b", "~distance"),
        (r"\bhow (?:tall|high)\b|\bheight\b", "~height"),
        (r"\bhow long\b|\blength\b|\bduration\b", "~length"),
        (r"\bhow (?:heavy)\b|\b(?:weight|mass|weigh)\b", "~weight"),
        (r"\bhow wide\b|\bwidth\b", "~width"),
        (r"\bhow deep\b|\bdepth\b", "~depth"),
        (r"\bhow fast\b|\bspeed\b", "~speed"),
        (r"\bhow often\b|\bfrequency\b", "~often"),
        (r"\b(?:how (?:hot|cold|warm)|temperature)\b", "~temperature"),
        (r"\barea\b", "~area"),
        (r"\bperimeter\b|\bcircumference\b", "~perimeter"),
        (r"\bdiameter\b", "~diameter"),
        (r"\bradius\b", "~radius"),
        (r"\bvolume\b", "~volume"),
        (r"\bcolou?r\b|\bhue\b|\bshade\b", "~color"),
        (r"\b(?:most|maximum|max|peak|highest|tallest|largest|biggest|greatest|top)\b", "~most"),
        (r"\b(?:least|minimum|min|lowest|smallest|fewest|bottom)\b", "~least"),
        (r"\b(?:not|never|without|missing|absent|lacks?|lacking|except)\b|n't\b", "~not"),
    )
)  # fmt: skip
_KIND_ASKED = re.compile(
    r"\bwhat(?:'s| is| are| was| were) the (?:name of the |kind of |type of )?([a-z]+) of\b"
    r"|\b(?:what|which)(?: (?:kind|type|sort|brand|breed|name|part)s?(?: of)?)? ([a-z]+)|\b(?:name|identify|state|"
    r"give|find|"
    r"determine|tell) (?:us )?the (?:[a-z]+est )?([a-z]+)"
)
_SUPERLATIVE = re.compile(
    r"(?!forest|interest|guest|chest|nest|vest|west|harvest|request|contest|priest|rest|test|best|most|"
    r"least|protest|arrest|breast|crest|quest|pest|dest|southwest|northwest|biggest|largest|highest|tallest|"
    r"smallest|lowest|fewest)[a-z]{2,}est"
)
_NEUTRAL = frozenset(["on", "from", "between", "to", "next", "over"])
_PERSON = 18
"""The WordNet field of nouns for people."""
_TYPES = frozenset(["~number", "~place", "~time", "~person", "~reason", "~age", "~distance", "~height", "~length",
                    "~weight", "~width", "~depth", "~speed", "~often", "~temperature", "~color", "~area", "~perimeter",
                    "~diameter", "~radius", "~volume", "~product", "~sum", "~quotient"])  # fmt: skip
_LOOSE = frozenset(["~person", "~place", "~time", "~season"])
"""Requests that can also be expressed by another word: `which city`, `where`."""
_LITTLE = frozenset([
    "what", "which", "how", "do", "doing", "does", "did", "done", "is", "are", "was", "were", "be", "been", "being",
    "have", "has", "had", "can", "could", "will", "would", "there", "it", "this", "that", "these", "those", "a", "an",
    "the", "in", "on", "at", "of", "to", "for", "with", "from", "by", "into", "onto", "and", "or", "you", "we", "they",
    "he", "she", "his", "her", "its", "their", "him", "them", "picture", "image", "photo", "photograph", "figure",
    "scene",
    "see", "seen", "show", "shown", "shows", "depict", "depicted", "visible", "thing", "object", "item", "something",
    "find", "found", "present", "appear", "following", "please", "given", "like", "best", "describe", "describes",
    "diagram", "chart", "graph", "map", "drawing", "illustration", "painting", "name", "identify", "tell",
    "state", "give",
    "determine", "value", "here", "one", "s", "us", "just", "most", "likely", "exactly", "correct", "currently", "now",
    "moment", "other", "some", "any", "also", "as", "about", "kind", "type", "sort", "work", "artwork", "canvas",
    "word",
    "label", "mark", "marked", "labeled", "labelled", "letter", "point", "points", "if", "then", "more", "main", "main",
    "current", "condition", "use", "used", "using", "total", "all", "many", "much", "belong", "located", "situated",
    "hand", "up", "down", "through", "around", "along", "across", "during", "toward", "towards", "throughout",
    "call", "called",
])  # fmt: skip
"""Words that reveal little about the subject of a question."""
_OPPOSITE_PAIRS = """
in/out into/out before/after first/last first/second second/third left/right front/back top/bottom high/low
above/below to/from over/under inside/outside open/closed open/shut begin/finish start/end old/new old/young
increase/decrease rise/fall upper/lower inner/outer win/lose buy/sell day/night morning/evening man/woman
boy/girl on/off up/down full/empty hot/cold long/short tall/short large/small big/small more/less near/far
maximum/minimum north/south east/west ~most/~least light/dark wet/dry on/under on/below on/behind on/beside
on/above on/inside empty/full same/different
"""
_OPPOSITES = frozenset(frozenset(pair.split("/")) for pair in _OPPOSITE_PAIRS.split())
_RELATIONS = ("on", "in", "out", "into", "before", "after", "left", "right", "above", "below", "behind", "under",
"over",
              "inside", "outside", "front", "back", "to", "from", "next", "second", "third", "fourth", "first", "last",
              "between")  # fmt: skip
_TELLING = frozenset(_RELATIONS) - {"in", "to", "into"}
_ALIKE = frozenset([frozenset(["tall", "high"]), frozenset(["taller", "higher"]), frozenset(["leave", "depart"])])
_WORD = re.compile(r"~?[^\W_]+(?:['’][^\W_]+)?")
_ORDINALS = frozenset(["second", "third", "fourth"])
_SAME_BEGINNING, _SHARE = 4, 0.55
_LEAST_SHARED = 0.5
_SENSES = 4
_VERDICTS = frozenset(["yes", "no", "true", "false"])


class AskedWords(NamedTuple):
    """The subject of a question.

    Args:
        things: Nouns, names and adjectives, as lemmas.
        deeds: Verbs, as lemmas.
        types: The types for which the question asks: `~number`, `~place`.
        kind: The noun for which the question asks, such as `city` in `which city`; empty if it names none.
        signs: Numbers and single letters, which must be equal.
        telling: Relations such as `before`, negation and superlatives, which must agree.
    """

    things: frozenset[str]
    deeds: frozenset[str]
    types: frozenset[str]
    kind: str
    signs: frozenset[str]
    telling: frozenset[str]


@lru_cache(maxsize=1 << 14)
def question_of(text: str) -> AskedWords:
    """Return the subject of an English question."""
    plain = " ".join(text.casefold().replace("’", "'").split())
    bare = _INSTRUCTION.sub(" ", plain).strip()
    asked = bare if len([word for word in _WORD.findall(bare) if word not in _LITTLE]) > 1 else plain
    sentences = re.split(r"(?<=[.;!])\s+", asked)
    last = sentences[-1]
    named = (next(filter(None, match.groups())) for match in _KIND_ASKED.finditer(last))
    kind = next((word for word in named if word not in _LITTLE), "")
    for pattern, instead in _ASKED:
        asked, last = pattern.sub(instead, asked), pattern.sub(instead, last)
    words = _WORD.findall(asked)
    of_last = set(_WORD.findall(last))
    types = frozenset(word for word in words if word in _TYPES)
    telling = frozenset(
        word
        for word in words
        if word in _TELLING or word in ("~most", "~least", "~not") or _SUPERLATIVE.fullmatch(word)
    )
    signs = frozenset(
        str(NUMERALS.get(word, word)) for word in of_last
        if word[0].isdigit() or (word in NUMERALS and word != "one") or (len(word) == 1 and word not in "aisx'")
    )  # fmt: skip
    things: set[str] = set()
    deeds: set[str] = set()
    for word in words:
        if (
            word[0] == "~"
            or word in _LITTLE
            or word in _TELLING
            or word in NUMERALS
            or len(word) < 2
            or word[0].isdigit()
        ):
            continue
        lemma = _lemma(word.removesuffix("'s"))
        if lemma in _LITTLE or lemma == _lemma(kind):
            continue
        (deeds if _is_deed(word) else things).add(lemma)
    if "x" in words:
        things.add("x")
    return AskedWords(frozenset(things), frozenset(deeds), types, _lemma(kind) if kind else "", signs, telling)


@lru_cache(maxsize=1 << 14)
def _lemma(word: str) -> str:
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("xes", "x"), ("s", "")):
        if word.endswith(ending) and len(word) > len(ending) + 2 and not word.endswith(("ss", "us", "is")):
            return word.removesuffix(ending) + instead
    return word


def _is_deed(word: str) -> bool:
    forms = forms_of(word)
    is_form = bool(forms & {"past", "participle", "ing"}) and not forms & {"singular", "plural"} and "base" not in forms
    return is_form or word.endswith("ing") or word in _DEEDS or (
        bool(forms & {"base", "third", "past"}) and not forms & {"singular", "plural", "adjective"}
    )  # fmt: skip


_DEEDS = frozenset(["hold", "wear", "eat", "drink", "drive", "ride", "carry", "sit", "stand", "leave", "win",
                    "run", "walk",
                    "play", "read", "write", "open", "cut", "pull", "push", "throw", "catch", "cross", "set",
                    "cover", "cook",
                    "stop", "cause", "build", "make", "grow", "equal", "travel", "seated", "seat", "dress",
                    "dressed"])  # fmt: skip


def ask_the_same(first: Item, second: Item, wordnet: WordNet) -> float | None:
    """Return the proportion of subject words that two questions share if they perhaps ask the same; otherwise None.

    Args:
        first: An item with a key.
        second: Another item with a key.
        wordnet: A WordNet.
    """
    key, other_key = _right_text(first), _right_text(second)
    one, two = question_of(first.question), question_of(second.question)
    is_verdict = normal(key) in _VERDICTS and normal(other_key) in _VERDICTS
    if one.signs != two.signs and not _signs_may_differ(one, two):
        return None
    opposite = _opposed(one, two, wordnet)
    if is_verdict:
        differs = normal(key) != normal(other_key)
        if differs != opposite:
            return None
    elif opposite or not keys_agree(key, other_key, wordnet):
        return None
    if one.telling != two.telling and not _telling_may_differ(one, two, wordnet):
        return None
    if not _types_agree(one, two):
        return None
    return _likeness(one, two, (first, second), wordnet, is_verdict=is_verdict, may_differ=opposite)


def _signs_may_differ(one: AskedWords, two: AskedWords) -> bool:
    return not (one.signs and two.signs) and all(sign.isdigit() for sign in one.signs | two.signs)


def _telling_may_differ(one: AskedWords, two: AskedWords, wordnet: WordNet) -> bool:
    """Return whether relations occur in one question only, or mean the same; negation must be the same."""
    mine, theirs = set(one.telling - two.telling - _NEUTRAL), set(two.telling - one.telling - _NEUTRAL)
    for word, other in list(_matched(frozenset(mine), frozenset(theirs), wordnet, is_one=_same_superlative)):
        mine.discard(word)
        theirs.discard(other)
    return "~not" not in mine | theirs and not (mine and theirs) and (mine | theirs).isdisjoint(_ORDINALS)


def _same_superlative(word: str, other: str, wordnet: WordNet) -> bool:
    """Return whether two superlatives are synonyms: `nearest`, `closest`."""
    if not (_SUPERLATIVE.fullmatch(word) and _SUPERLATIVE.fullmatch(other)):
        return False
    return any(
        set(wordnet.senses(base, "adj")) & set(wordnet.senses(beside, "adj"))
        for base in _bases(word)
        for beside in _bases(other)
    )


def _bases(superlative: str) -> tuple[str, ...]:
    """Return the adjectives of which a word may be the superlative."""
    stem = superlative.removesuffix("est")
    return stem, f"{stem}e", stem[:-1], f"{stem[:-1]}y"


def _types_agree(one: AskedWords, two: AskedWords) -> bool:
    strict, beside = one.types - _LOOSE, two.types - _LOOSE
    return strict == beside or not strict or not beside or bool(strict & beside)


def _likeness(
    one: AskedWords, two: AskedWords, items: tuple[Item, Item], wordnet: WordNet, *, is_verdict: bool, may_differ: bool
) -> float | None:
    mine, theirs = set(one.things), set(two.things)
    pairs = list(_matched(one.things, two.things | two.deeds, wordnet, is_one=same_word))
    pairs += [
        (word, other)
        for other, word in _matched(two.things - {b for _, b in pairs}, one.deeds, wordnet, is_one=same_word)
    ]
    for word, other in pairs:
        mine.discard(word)
        theirs.discard(other)
    deeds = list(_matched(one.deeds, two.deeds, wordnet, is_one=same_word))
    left, other_left = one.deeds - {a for a, _ in deeds}, two.deeds - {b for _, b in deeds}
    if may_differ:
        mine, theirs = set(), set()
    for word in (one.kind, two.kind):
        mine.discard(word)
        theirs.discard(word)
    if mine and theirs:
        return None
    if is_verdict and (mine or theirs or (left and other_left and not may_differ)):
        return None
    of_kind = one.kind != "" and (one.kind == two.kind or one.kind in two.things or two.kind in one.things)
    same_type = of_kind or bool(_with_person(one, wordnet) & _with_person(two, wordnet))
    shared = len(pairs) + len(deeds) + of_kind
    in_common = shared_distractors(*items)
    if not pairs:
        is_bare = not one.things - {two.kind} and not two.things - {one.kind}
        if is_verdict or one.telling != two.telling or not (is_bare or deeds):
            return None
        return _LEAST_SHARED if in_common >= (1 if deeds or same_type else 2) and (deeds or same_type) else None
    if left and other_left and not is_verdict and shared < 3 and not _says_much(_right_text(items[0])):
        return None  # `what is the man holding`, `what is the man eating`
    smaller = min(len(one.things | one.deeds), len(two.things | two.deeds))
    share = shared / max(1, smaller)
    return min(1.0, share) if share >= _LEAST_SHARED else None


def _with_person(question: AskedWords, wordnet: WordNet) -> frozenset[str]:
    """Return what a question asks for, including `~person` if its noun names a person, such as `artist`."""
    senses = wordnet.senses(question.kind, "noun")[:1] if question.kind else ()
    return question.types | {"~person" for sense in senses if sense.field == _PERSON}


def _says_much(key: str) -> bool:
    """Return whether a right option is distinctive among questions: a long number, or several words."""
    return sum(map(str.isdigit, key)) > 2 or len(_key_words(key)) > 1


def _matched(
    words: frozenset[str], others: frozenset[str], wordnet: WordNet, *, is_one: Callable[[str, str, WordNet], bool]
) -> Iterator[tuple[str, str]]:
    left = set(others)
    for word in sorted(words):
        match = next((other for other in sorted(left) if is_one(word, other, wordnet)), None)
        if match is not None:
            left.discard(match)
            yield word, match


def _means_one(word: str, other: str, wordnet: WordNet) -> bool:
    """Return whether two words of right options are equal, have one stem, or are synonyms."""
    return word == other or _same_stem(word, other) or words_relation(word, other, wordnet) == "same"


@lru_cache(maxsize=1 << 15)
def same_word(word: str, other: str, wordnet: WordNet) -> bool:
    """Return whether two words are equal, have one stem, are synonyms, or one is the next more general of the other."""
    if word == other or _same_stem(word, other) or frozenset((word, other)) in _ALIKE:
        return True
    if _same_superlative(word, other, wordnet):
        return True
    for part in PARTS:
        mine, theirs = wordnet.senses(word, part)[:_SENSES], wordnet.senses(other, part)[:_SENSES]
        if not mine or not theirs:
            continue
        if set(mine) & set(theirs) or _above(mine[:2], theirs[:2], wordnet) or _above(theirs[:2], mine[:2], wordnet):
            return True
    return False


def _above(senses: Sequence[Synset], others: Sequence[Synset], wordnet: WordNet) -> bool:
    return any(not set(wordnet.more_general(sense, steps=3)).isdisjoint(others) for sense in senses)


def _same_stem(word: str, other: str) -> bool:
    shared = next(
        (at for at, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), min(len(word), len(other))
    )
    longest = max(len(word), len(other))
    return shared >= _SAME_BEGINNING and shared >= _SHARE * longest and min(len(word), len(other)) - shared <= 2


def _opposed(one: AskedWords, two: AskedWords, wordnet: WordNet) -> bool:
    words = (one.things | one.deeds | one.telling) - (two.things | two.deeds | two.telling)
    others = (two.things | two.deeds | two.telling) - (one.things | one.deeds | one.telling)
    if ("~not" in words) != ("~not" in others):
        return True
    return any(
        frozenset((word, other)) in _OPPOSITES or are_antonyms(word, other, wordnet)
        for word in words
        for other in others
    )


_LONE = re.compile(r"(?<=\s)[A-Z]\b")
_IN_KEY = frozenset(["a", "an", "the", "in", "on", "at", "of", "to", "by", "with", "it", "is", "are", "was",
                     "there", "she",
                     "he", "they", "her", "his", "its", "their", "one", "hand", "under", "from", "s"])  # fmt: skip


def keys_agree(key: str, other: str, wordnet: WordNet) -> bool:
    """Return whether two right options state the same thing: equal values, or words with the same meaning.

    One of them may have no unit: `24 cm²` and `24`.
    """
    if normal(key) == normal(other):
        return True
    value, beside = quantity(key), quantity(other)
    if value is not None and beside is not None:
        return value.value == beside.value or _first_number(key) == _first_number(other) != ""
    numbers = _first_number(key), _first_number(other)
    if any(numbers) or _LONE.findall(key) != _LONE.findall(other):
        return any(numbers) and numbers[0] == numbers[1]
    if formula_key(key) is not None or formula_key(other) is not None:
        return have_equal_values(key, other)
    return _words_agree(_key_words(key), _key_words(other), wordnet)


def _words_agree(words: frozenset[str], others: frozenset[str], wordnet: WordNet) -> bool:
    """Return whether the words of two right options agree except for at most one, or at least two of them agree."""
    if not words or not others:
        return False
    matched = len(list(_matched(words, others, wordnet, is_one=_means_one)))
    is_whole = matched == min(len(words), len(others)) and abs(len(words) - len(others)) < _FEW
    return is_whole or matched >= _FEW


_FEW = 2


def _key_words(text: str) -> frozenset[str]:
    words = [
        _lemma(word.casefold().removesuffix("'s")) for word in _WORD.findall(text.replace("’", "'").replace("-", " "))
    ]
    return frozenset(word for word in words if word not in _IN_KEY) or frozenset(words)


def _first_number(text: str) -> str:
    match = re.search(r"\d+(?:[.,:/]\d+)*", text)
    return match.group() if match else ""


def shared_distractors(first: Item, second: Item) -> int:
    """Return how many wrong options two items share."""
    wrong, others = (
        {_option_key(choice.text or "") for choice in item.choices if choice.key != item.right_key}
        for item in (first, second)
    )
    return len(wrong & others)


def _option_key(text: str) -> str:
    value = quantity(text)
    return f"{value.value}" if value is not None else _first_number(text) or " ".join(sorted(_key_words(text)))


def _right_text(item: Item) -> str:
    return next((choice.text or "" for choice in item.choices if choice.key == item.right_key), "")
