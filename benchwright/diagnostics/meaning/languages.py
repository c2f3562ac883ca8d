"""The language of a question, by its script and by lists of frequent words that ship in a wheel, without a network.

The lists are those of pyspellchecker (MIT licence): words of subtitles with their frequencies, of nine languages in
Latin letters and of Arabic and Persian. A text belongs to the language in which its words are likeliest.
"""

from __future__ import annotations

import gzip
import json
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from benchwright.errors import PrerequisiteError

_BY_LIST: Mapping[str, tuple[str, ...]] = {
    "LATIN": ("en", "de", "es", "fr", "it", "nl", "pt", "lv", "eu"),
    "ARABIC": ("ar", "fa"),
}
"""Languages with a list, by script."""
_BY_SCRIPT = {"CJK": "zh", "HIRAGANA": "ja", "KATAKANA": "ja", "HANGUL": "ko", "CYRILLIC": "ru", "GREEK": "el",
              "HEBREW": "he", "DEVANAGARI": "hi", "THAI": "th", "BENGALI": "bn", "TAMIL": "ta", "GEORGIAN": "ka",
              "ARMENIAN": "hy"}  # fmt: skip
"""Languages that a script says, taken for the most frequent one that is written in it."""
_WORD = re.compile(r"[^\W\d_]+")
_MOST_WORDS = 20_000
"""Words of a list that are read, the most frequent ones: function words decide."""
_UNKNOWN = math.log(1e-8)
_SURE = 2.0
"""Least distance of the likeliest language from the next, in natural logarithms."""
_LEAST_KNOWN = 0.6
_FEWEST_WORDS = 3
"""Words below which a text may be of any language, as a name is."""


def language_of(text: str) -> str | None:
    """Return the code (ISO 639-1) of the language of a text; None where its words do not tell.

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


@lru_cache(maxsize=1 << 12)
def _script(sign: str) -> str:
    return unicodedata.name(sign, "").split(" ")[0]


def _likelihood(words: list[str], language: str) -> float:
    known = _list(language)
    return sum(known.get(word, _UNKNOWN) for word in words)


@lru_cache(maxsize=16)
def _list(language: str) -> Mapping[str, float]:
    """Return the logarithm of the share of each frequent word of a language."""
    spec = find_spec("spellchecker")
    if spec is None or spec.origin is None:
        raise PrerequisiteError(
            "telling languages needs the word lists of pyspellchecker: pip install 'benchwright[filters]'"
        )
    with gzip.open(Path(spec.origin).parent / "resources" / f"{language}.json.gz") as packed:
        counts = Counter({word: int(count) for word, count in json.load(packed).items()})
    frequent = counts.most_common(_MOST_WORDS)
    total = sum(count for _, count in frequent)
    return {word: math.log(count / total) for word, count in frequent}
