"""Words of an option, with each compound as one word, and relations between the senses of two options' words."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

from ..wording.word_forms import forms_of
from .definitions import (
    are_near_adjectives,
    are_near_verbs,
    is_defined_as,
    is_described_by,
    is_flower,
    is_mathematical_kind,
    is_said_of,
    lies_in,
    name_one_thing,
)
from .wordnet import PARTS, PartOfSpeech, WordNet

Relation = Literal["same", "more_general", "narrower"]

_WORD = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*")
_LONGEST_COMPOUND = 3
_SKIPPED = frozenset([
    "a", "an", "the", "this", "that", "these", "those", "some", "its", "his", "her", "their", "is", "are",
    "was", "were", "be", "being", "it", "there"
])  # fmt: skip
_CLOSED = frozenset([
    "no", "not", "none", "nothing", "never", "nobody", "any", "all", "both", "either", "neither", "each",
    "every", "only", "more", "less", "most", "least", "than", "as", "like", "and", "or", "but", "if", "in",
    "on", "at", "by", "of", "to", "from", "with", "without", "under", "over", "above", "below", "behind",
    "before", "after", "beside", "between", "near", "left", "right", "top", "bottom", "up", "down", "out",
    "off", "into", "onto", "through", "he", "she", "they", "we", "you", "i", "who", "what", "which", "where",
    "when", "why", "how", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "first", "second", "third", "yes", "true", "false", "can", "will", "do", "does", "did", "has", "have",
    "had", "something", "someone", "anything", "everything", "it", "him", "them", "us", "me"
])  # fmt: skip
"""Words whose senses in a WordNet differ from their meaning in an option: `in` is an inch or indium there."""
_PREPOSITIONS = frozenset([
    "of", "in", "on", "at", "with", "by", "for", "from", "to", "under", "over", "near", "behind", "beside",
    "above", "below"
])  # fmt: skip

_SENSES, _MAIN_SENSES, _STEPS = 8, 3, 7
"""Number of a word's most frequent senses in which it may mean the same as a word with that main sense; number of
senses in other comparisons; and number of steps upward to more general senses."""

_PEOPLE = 18
"""Field of people and gods in a WordNet."""
_IN_PART = frozenset(
    ["half", "third", "thirds", "quarter", "quarters", "nearly", "almost", "partly", "partially", "not"]
)
"""Words without which an option means something else: `two thirds full`."""
_DIRECTIONS = frozenset([
    "north", "south", "east", "west", "northern", "southern", "eastern", "western", "upper", "lower", "inner", "outer",
])  # fmt: skip


class Phrase(NamedTuple):
    """The words of an option without articles, with compounds as one word, and the way of comparing each."""

    words: tuple[str, ...]
    lemmas: tuple[str, ...]

    @property
    def head(self) -> int:
        """Return the index of the main word, assuming a noun phrase: the last word before a preposition."""
        ends = [at for at, word in enumerate(self.words) if word in _PREPOSITIONS and at]
        return (ends[0] if ends else len(self.words)) - 1


def phrase_of(text: str, wordnet: WordNet) -> Phrase:
    """Return the words of a text; words that form a compound in the WordNet, the longest possible, become one."""
    plain = [word.casefold().replace("’", "'").removesuffix("'s") for word in _WORD.findall(text)]
    words: list[str] = []
    at = 0
    while at < len(plain):
        size = next(
            (size for size in range(min(_LONGEST_COMPOUND, len(plain) - at), 1, -1)
             if all(word not in _SKIPPED and is_open(word) for word in plain[at : at + size])
             and wordnet.has(" ".join(plain[at : at + size]))),
            1,
        )  # fmt: skip
        joined = "".join(plain[at : at + 2])
        is_one_word = (
            size == 1 and len(plain) > at + 1 and plain[at] not in _SKIPPED and all(map(is_open, plain[at : at + 2]))
        )
        if is_one_word and len(plain[at + 1]) > 2 and wordnet.has(joined):
            words.append(joined)  # `candy floss` is `candyfloss` in the WordNet
            at += 2
            continue
        words.append(" ".join(plain[at : at + size]))
        at += size
    kept = tuple(word for word in words if word not in _SKIPPED) or tuple(words)
    return Phrase(kept, tuple(_lemma(word, wordnet) for word in kept))


def _lemma(word: str, wordnet: WordNet) -> str:
    if word in _CLOSED:
        return word
    for part in PARTS:
        if senses := wordnet.senses(word, part):
            return min(senses[0].words, key=lambda other: (_distance(word, other), other))
    return word


def _distance(word: str, other: str) -> int:
    """Return how many letters differ at the ends of two words that begin alike."""
    shared = next((at for at, (one, two) in enumerate(zip(word, other, strict=False)) if one != two), len(word))
    return len(word) + len(other) - 2 * min(shared, len(other))


def relation(right: Phrase, other: Phrase, wordnet: WordNet) -> tuple[Relation, str, str] | None:
    """Return the relation of another option to the right one, and the words that show it.

    `same`: words of the right option are replaced by words with the same meaning. `more_general`: at least one
    replacement has a more general meaning, so that the other option names whatever the right option names. The other
    option may omit words before the main word, as `a car` does for `a black jeep`, or be the main word alone, as
    `a wall` is for `a brick wall`. The result is None if any other word differs.
    """
    if (special := _whole_relation(right, other, wordnet)) is not None:
        return special
    found: list[tuple[Relation, str, str]] = []
    left_out = False
    for tag, start, stop, other_start, other_stop in SequenceMatcher(
        None, right.lemmas, other.lemmas, autojunk=False
    ).get_opcodes():
        if tag == "equal":
            continue
        mine, theirs = right.words[start:stop], other.words[other_start:other_stop]
        if tag == "insert":
            return None
        if len(mine) > len(theirs):
            left_out = True
            if stop - len(theirs) > right.head or not _IN_PART.isdisjoint(mine):
                return None
            mine = mine[len(mine) - len(theirs) :]
        if len(mine) != len(theirs):
            return None
        for word, instead in zip(mine, theirs, strict=True):
            if (related := words_relation(word, instead, wordnet)) is None:
                return None
            found.append((related, word, instead))
    general = [each for each in found if each[0] == "more_general"]
    if left_out and not found and len(other.words) == 1 and is_open(other.words[0]):
        general = [("more_general", " ".join(right.words), other.words[0])]  # `a wall` when `a brick wall` is right
    same = [] if left_out else found
    return next(iter([*general, *same]), None)


def are_contrasted(right: Phrase, other: Phrase) -> bool:
    """Return whether two options differ in the order of the same words, or only in a direction.

    Examples are `the stem but not the root` and `the root but not the stem`; `Ireland` and `Northern Ireland`.
    """
    mine, theirs = (" ".join(phrase.words).split() for phrase in (right, other))
    is_turned = sorted(mine) == sorted(theirs) and not {"and", "or"} & set(mine)
    differ = set(mine) ^ set(theirs)
    return (is_turned and mine != theirs) or bool(mine and theirs and differ and differ <= _DIRECTIONS)


def _whole_relation(right: Phrase, other: Phrase, wordnet: WordNet) -> tuple[Relation, str, str] | None:
    """Return the relation of two options as wholes: shapes, activities, a kind with a distinguishing feature."""
    mine, theirs = " ".join(right.words), " ".join(other.words)
    if not right.words or not other.words:
        return None
    if is_mathematical_kind(mine.removesuffix("s"), theirs.removesuffix("s")) or _is_deed_of(right, other, wordnet):
        return "more_general", mine, theirs
    if is_said_of(theirs, mine, wordnet) or is_said_of(mine, theirs, wordnet):
        return "same", mine, theirs
    if len(right.words) > 1:
        return None
    if other.words[1:2] == ("and",) and len(other.words) == 3 and mine not in other.words:
        parts = (other.words[0], other.words[2])
        return next((("same", mine, part) for part in parts if words_relation(mine, part, wordnet) == "same"), None)
    return _relation_of_compound(mine, right, other, wordnet)


def _is_deed_of(right: Phrase, other: Phrase, wordnet: WordNet) -> bool:
    """Return whether the other option is the right one's activity without an object: `cooking`, `frying an egg`."""
    first, verb = right.words[0], other.words[0]
    is_deed = len(right.words) > 1 and len(other.words) == 1 and first.endswith("ing") and verb.endswith("ing")
    return is_deed and words_relation(first, verb, wordnet) is not None


def _relation_of_compound(
    mine: str, right: Phrase, other: Phrase, wordnet: WordNet
) -> tuple[Relation, str, str] | None:
    """Return the relation of a word to an option that adds words before a noun: `boots`, `hiking boots`."""
    theirs = " ".join(other.words)
    *modifiers, head = theirs.split()
    is_short = 0 < len(modifiers) < _LONGEST_COMPOUND and other.head == len(other.words) - 1
    if not is_short or not all(map(is_open, (mine, head, *modifiers))):
        return None
    is_known = len(other.words) == 1
    is_adjective = not is_known and all(forms_of(word) <= {"adjective", "adverb"} for word in modifiers)
    is_mine = head == mine if is_known else other.lemmas[-1] == right.lemmas[0] and not mine.endswith("ing")
    if is_mine and not is_adjective and (not is_known or is_kind_of(theirs, mine, wordnet)):
        return "narrower", theirs, mine
    if is_kind_of(mine, head, wordnet) and (is_adjective or is_described_by(mine, tuple(modifiers), wordnet)):
        return "more_general", mine, theirs
    return None


def words_relation(word: str, other: str, wordnet: WordNet) -> Relation | None:
    """Return whether another word has the same or a more general meaning than a word, in frequent senses of both."""
    if not (is_open(word) and is_open(other)):
        return None
    means_same = name_one_thing(word, other) or any(_means_the_same(word, other, part, wordnet) for part in PARTS)
    if means_same:
        return "same"
    if _is_female_form(word, other, wordnet):
        return None
    if any(_is_more_general(word, other, part, wordnet) for part in PARTS):
        return "more_general"
    if are_near_adjectives(word, other, wordnet) or are_near_verbs(word, other, wordnet):
        return "same"
    is_flower_of = other in ("flower", "flowers") and is_flower(word, wordnet)
    is_general = is_defined_as(word, other, wordnet) or lies_in(word, other, wordnet) or is_flower_of
    return "more_general" if is_general else None


def _is_female_form(word: str, other: str, wordnet: WordNet) -> bool:
    """Return whether a word is the female form of another word for a person: `empress`, `emperor`."""
    is_form = word.endswith("ess") and word[:3] == other[:3] and len(word) >= len(other)
    return is_form and any(sense.field == _PEOPLE for sense in wordnet.senses(word, "noun")[:1])


def _is_more_general(word: str, other: str, part: PartOfSpeech, wordnet: WordNet) -> bool:
    mine, theirs = wordnet.senses(word, part)[:_MAIN_SENSES], wordnet.senses(other, part)[:_MAIN_SENSES]
    return any(not set(theirs).isdisjoint(wordnet.more_general(sense, steps=_STEPS)) for sense in mine)


def is_kind_of(word: str, kind: str, wordnet: WordNet) -> bool:
    """Return whether a noun names a kind of what another noun names, in a frequent sense of the first noun."""
    above = {
        general for sense in wordnet.senses(word, "noun")[:_MAIN_SENSES] for general in wordnet.more_general(sense)
    }
    return is_open(word) and not above.isdisjoint(wordnet.senses(kind, "noun"))


def is_open(word: str) -> bool:
    """Return whether a WordNet lists a word by its meaning: it is not a number, pronoun or preposition."""
    return word not in _CLOSED and not any(sign.isdigit() for sign in word)


def _means_the_same(word: str, other: str, part: PartOfSpeech, wordnet: WordNet) -> bool:
    """Return whether two words share a sense that is the main one of either, or frequent for both."""
    senses, others = wordnet.senses(word, part)[:_SENSES], wordnet.senses(other, part)[:_SENSES]
    places = [(at, others.index(sense)) for at, sense in enumerate(senses) if sense in others]
    return any(min(pair) == 0 or max(pair) < _MAIN_SENSES for pair in places)
