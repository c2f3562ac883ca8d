"""Adjectives and nouns of captions, by word lists, endings and place in the phrase.

Captions are short and plain: what stands between a determiner and the next small word is a noun phrase, its last word
is a noun, and those before it are adjectives if a list or an ending says so, else nouns. No tagger is needed, none is
fetched, and the same caption gives the same words everywhere. It errs where one word is of several kinds.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from .word_lists import ADJECTIVE_ENDINGS, ADJECTIVES, NOUN_ENDINGS, NOUNS_IN_ING, OPENS_A_PHRASE, PLURALS, STOP, VERBS

Kind = Literal["adjective", "noun"]
_TOKEN = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*|[^\w\s]|\d+", re.UNICODE)
_POSSESSIVE = re.compile(r"['’]s\b")
_SHORTEST = 2


class Words(NamedTuple):
    """How many captions hold a word, by kind."""

    adjectives: Counter[str]
    nouns: Counter[str]

    def top(self, kind: Kind, most: int) -> list[tuple[str, int]]:
        """Return the most frequent words with their counts; ties by alphabet."""
        counts = self.adjectives if kind == "adjective" else self.nouns
        return sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:most]


def count_words(captions: Iterable[str]) -> Words:
    """Count the adjectives and nouns of captions; one that stands twice in a caption counts once."""
    found = Words(Counter(), Counter())
    for caption in captions:
        for kind, word in set(words_of(caption)):
            (found.adjectives if kind == "adjective" else found.nouns)[word] += 1
    return found


def words_of(caption: str) -> Iterator[tuple[Kind, str]]:
    """Yield the adjectives and nouns of a caption in order, in lower case, nouns in the singular.

    Example:
        >>> list(words_of("An angry man holds two red flags in front of the old station."))
        [('adjective', 'angry'), ('noun', 'man'), ('adjective', 'red'), ('noun', 'flag'), ('adjective', 'old'),
         ('noun', 'station')]
    """
    for words in _phrases(caption):
        for place, word in enumerate(words):
            is_head = place == len(words) - 1 and len(words) > 1
            if word in ADJECTIVES or (not is_head and _describes(word)):
                yield "adjective", word
            elif len(word) >= _SHORTEST and (is_head or not word.endswith("ly")):  # else an adverb
                yield "noun", singular(word)


def _phrases(caption: str) -> Iterator[list[str]]:
    """Yield runs of content words; verbs, small words, numbers and punctuation end one."""
    words: list[str] = []
    is_opened = False
    for token in (*_TOKEN.findall(_POSSESSIVE.sub("", caption).lower()), "."):
        if token in STOP or not token[0].isalpha() or _is_verb(token, words, is_opened):
            if words:
                yield words
            words, is_opened = [], token in OPENS_A_PHRASE
        else:
            words.append(token)


def _is_verb(word: str, before: list[str], is_opened: bool) -> bool:
    """Return whether a word tells what happens, rather than naming or describing."""
    if is_opened and not before:
        return False
    if word in ADJECTIVES:
        return False
    if word in VERBS:
        return True
    return word.endswith("ing") and len(word) > 5 and word not in NOUNS_IN_ING


def _describes(word: str) -> bool:
    """Return whether a word's ending is one of adjectives; the last word of a phrase is a noun all the same."""
    return len(word) > 5 and word.endswith(ADJECTIVE_ENDINGS) and not word.endswith(NOUN_ENDINGS)


def singular(noun: str) -> str:
    """Return a noun's singular, as far as its ending shows it."""
    if noun in PLURALS:
        return PLURALS[noun]
    if noun.endswith("ies") and len(noun) > 4:
        return f"{noun[:-3]}y"
    if noun.endswith(("ches", "shes", "sses", "xes")):
        return noun[:-2]
    if noun.endswith("s") and not noun.endswith(("ss", "us", "is")) and len(noun) > 3:
        return noun[:-1]
    return noun
