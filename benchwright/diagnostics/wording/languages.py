"""The language of a question, by its script and by lists of frequent words that ship in a wheel, without a network.

The lists are those of pyspellchecker (MIT license): words from subtitles with their frequencies, for nine languages in
Latin letters and for Arabic and Persian. A text is assigned to the language in which its words are most likely.
"""

from __future__ import annotations

import gzip
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from importlib.util import find_spec
from itertools import islice
from operator import itemgetter
from pathlib import Path

from pydantic_core import from_json

from benchwright.errors import PrerequisiteError

from .spelling import Spelling

_BY_LIST: Mapping[str, tuple[str, ...]] = {
    "LATIN": ("en", "de", "es", "fr", "it", "nl", "pt", "lv", "eu"),
    "ARABIC": ("ar", "fa"),
}
"""Languages with a list, by script."""
_BY_SCRIPT = {"CJK": "zh", "HIRAGANA": "ja", "KATAKANA": "ja", "HANGUL": "ko", "CYRILLIC": "ru", "GREEK": "el",
              "HEBREW": "he", "DEVANAGARI": "hi", "THAI": "th", "BENGALI": "bn", "TAMIL": "ta", "GEORGIAN": "ka",
              "ARMENIAN": "hy"}  # fmt: skip
"""Most frequent language written in each script."""
_WORD = re.compile(r"[^\W\d_]+")
_MOST_WORDS = 20_000
"""Number of words to read from a list, starting with the most frequent, because function words decide."""
_OF_ITEMS = ("en", "de", "es", "fr", "it", "nl", "pt")
_SHORTEST = 2
_FUNCTION_WORDS, _RARE = 300, 5_000
"""Ranks up to which a word is a function word, and above which it is a rare word."""
_UNKNOWN = math.log(1e-8)
_SURE = 2.0
"""Smallest lead of the likeliest language over the next, in natural logarithms."""
_LEAST_KNOWN = 0.6
_LIKELY, _FAR = -12.0, 3.5
"""Smallest average log-likelihood of a phrase's word in its language, and smallest distance from that in another
language, in natural logarithms."""
_FEWEST_OF_PHRASE = 2
_SYMBOLS = re.compile(r"[\\^=<>{}$_*/·+()\d]")
"""Signs of formulas and markup, whose letters are not words."""
_FEWEST_WORDS = 3
"""Number of words below which a text may be of any language, like a name."""


def language_of(text: str) -> str | None:
    """Return the code (ISO 639-1) of the language of a text; None if its words do not determine one language.

    Raises:
        PrerequisiteError: The package with the lists is not installed.

    Example:
        >>> language_of("Wie viele Hunde sind zu sehen?"), language_of("How many dogs are there?"), language_of("Rome?")
        ('de', 'en', None)
    """
    scripts = Counter(_script(sign) for sign in text if sign.isalpha())
    if not scripts:
        return None
    if scripts["HIRAGANA"] or scripts["KATAKANA"]:
        return "ja"
    script = scripts.most_common(1)[0][0]
    if script not in _BY_LIST:
        return _BY_SCRIPT.get(script)
    words = [word.casefold() for word in _WORD.findall(text)]
    if len(words) < _FEWEST_WORDS:
        return None
    scores = sorted(((_likelihood(words, language), language) for language in _BY_LIST[script]), reverse=True)
    best, language = scores[0]
    if sum(word in _list(language) for word in words) < _LEAST_KNOWN * len(words):
        return None
    return language if best - scores[1][0] >= _SURE else None


def odd_language(text: str, language: str) -> str | None:
    """Return the language of a text of two or more words that cannot be in a given language; None if it can be.

    At least half of its words are frequent in the other language, the rest are frequent in neither, and on average the
    words are far more likely there. The lists contain no names.

    Args:
        text: A short text, such as an option.
        language: The expected language, one of those with a list.

    Raises:
        PrerequisiteError: The package with the lists is not installed.

    Example:
        >>> odd_language("ein kleiner Hund", "en"), odd_language("a small dog", "en"), odd_language("Rio Grande", "en")
        ('de', None, None)
    """
    words = [word.casefold() for word in _WORD.findall(text)]
    is_phrase = sum(len(word) > 1 for word in words) >= _FEWEST_OF_PHRASE and _SYMBOLS.search(text) is None
    if not is_phrase or language not in _BY_LIST["LATIN"]:
        return None
    if any(_script(sign) != "LATIN" for word in words for sign in word):
        return None
    there = _likelihood(words, language) / len(words)
    for other in _BY_LIST["LATIN"]:
        known = _list(other)
        are_known = sum(word in known for word in words)
        is_mixed = any(word not in known and word in _list(language) for word in words)
        if other != language and 2 * are_known >= len(words) and are_known >= _FEWEST_OF_PHRASE and not is_mixed:
            likely = _likelihood(words, other) / len(words)
            if likely >= _LIKELY and likely - there >= _FAR:
                return max(_BY_LIST["LATIN"], key=lambda each: _likelihood(words, each))
    return None


def is_known_in(text: str, language: str) -> bool:
    """Return whether half of a text's words are frequent in a language, or the text has no words.

    Raises:
        PrerequisiteError: The package with the lists is not installed.
    """
    words = [word.casefold() for word in _WORD.findall(text) if len(word) > 1]
    return 2 * sum(word in _list(language) for word in words) >= len(words)


def foreign_words(text: str, language: str) -> tuple[str, list[str]] | None:
    """Return another language, and a text's words that belong only to it and not to the given one; None without such
    words.

    A word is foreign if no list of the given language has it and it is frequent in the other language, or if it is a
    function word in the other and rare in the given language (`dem`). No word of the text may belong to the given
    language alone.

    Args:
        text: A text in Latin letters, such as an option, or a run of words of a question.
        language: The expected language, one of those with a list.

    Raises:
        PrerequisiteError: The package with the lists is not installed.

    Example:
        >>> foreign_words("ein Hund", "en"), foreign_words("a helmet", "es"), foreign_words("grey", "en")
        (('de', ['ein', 'hund']), ('en', ['helmet']), None)
    """
    words = [word.casefold() for word in _WORD.findall(text)]
    if language not in _BY_LIST["LATIN"] or not words or _SYMBOLS.search(text) is not None:
        return None
    if all(_is_native(word, language) and word not in _function_words(language) for word in words):
        return None
    best: tuple[str, list[str]] | None = None
    for other in _OF_ITEMS:
        if other == language:
            continue
        foreign = [word for word in words if _is_foreign(word, language, other)]
        are_native = any(_is_native(word, language) and not _has(other, word) for word in words if len(word) > 1)
        if foreign and not are_native and (best is None or len(foreign) > len(best[1])):
            best = other, foreign
    return best


def _is_foreign(word: str, language: str, other: str) -> bool:
    if len(word) < _SHORTEST:
        return False
    if not _is_native(word, language):
        return _has(other, word)
    return word in _most_frequent(other, _FUNCTION_WORDS) and word not in _most_frequent(language, _RARE)


@lru_cache(maxsize=1 << 12)
def _script(sign: str) -> str:
    return unicodedata.name(sign, "").split(" ")[0]


def _likelihood(words: list[str], language: str) -> float:
    known = _list(language)
    return sum(known.get(word, _UNKNOWN) for word in words)


@lru_cache(maxsize=16)
def _list(language: str) -> Mapping[str, float]:
    """Return the logarithm of each frequent word's proportion in a language, most frequent word first."""
    counts = _counts(language)
    least = sorted(counts.values(), reverse=True)[:_MOST_WORDS][-1]  # numbers alone are sorted in a tenth of the time
    likely = [pair for pair in counts.items() if pair[1] >= least]
    frequent = sorted(likely, key=itemgetter(1), reverse=True)[:_MOST_WORDS]
    total = sum(count for _, count in frequent)
    return {word: math.log(count / total) for word, count in frequent}


@lru_cache(maxsize=16)
def _most_frequent(language: str, count: int) -> frozenset[str]:
    """Return the most frequent words of a language."""
    return frozenset(islice(_list(language), count))


@lru_cache(maxsize=1 << 14)
def _has(language: str, word: str) -> bool:
    """Return whether the list of a language has a word."""
    return f"\n{word}\n".encode() in _all_words(language)


@lru_cache(maxsize=16)
def _all_words(language: str) -> bytes:
    """Return all words of a list, for words rarely looked up, in a tenth of the memory that a set takes."""
    return ("\n" + "\n".join(_counts(language)) + "\n").encode()


@lru_cache(maxsize=8)
def _function_words(language: str) -> frozenset[str]:
    """Return the words of a text that are function words in another language and rare in this one."""
    others = (_most_frequent(other, _FUNCTION_WORDS) for other in _OF_ITEMS if other != language)
    return frozenset[str]().union(*others) - _most_frequent(language, _RARE)


@lru_cache(maxsize=1 << 15)
def _is_native(word: str, language: str) -> bool:
    """Return whether a word belongs to a language according to its list or, for English, the spelling lists."""
    return _spelling().is_known(word) if language == "en" else word in _every(language)


@lru_cache(maxsize=1)
def _spelling() -> Spelling:
    return Spelling()


@lru_cache(maxsize=4)
def _every(language: str) -> frozenset[str]:
    """Return all words in the list of a language."""
    return frozenset(_counts(language))


def _counts(language: str) -> dict[str, int]:
    spec = find_spec("spellchecker")
    if spec is None or spec.origin is None:
        raise PrerequisiteError(
            "detecting languages needs the word lists of pyspellchecker: pip install 'benchwright[filters]'"
        )
    packed = (Path(spec.origin).parent / "resources" / f"{language}.json.gz").read_bytes()
    counts: dict[str, int] = from_json(gzip.decompress(packed), cache_strings=False)  # in half the time of `json`
    return counts


def has_word(language: str, word: str) -> bool:
    """Return whether the list of a language contains a word in lowercase."""
    return _has(language, word)


def is_frequent(language: str, word: str) -> bool:
    """Return whether a word in lowercase is frequent in a language."""
    return word in _list(language)


def is_english(word: str) -> bool:
    """Return whether a word is correct English according to the spelling lists."""
    return _spelling().is_known(word)


def is_function_word(word: str) -> bool:
    """Return whether a word in lowercase is a function word of one of the languages other than English."""
    return word in _function_words("en")


def english_correction(word: str) -> str | None:
    """Return the English word one edit away from a word; None if there is none."""
    return _spelling().correction(word)
