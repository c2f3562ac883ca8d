"""Stems of words, through which "swims" identifies the option "swimming" and "rote" the option "rot"."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from .reply_text import WORD

_WORDS = """
a an the of in on at to for with by from and or is are was were be been being it its it's this that these
those there as into onto than his her their our your my some any has have had do does did very he she they we
el la los las un una unos unas de del al en y es con que su se o os as um uma do da dos das no na nos nas em e
com le les une des du au aux et est dans l d der die das den dem des ein eine einen einem einer und ist im am
zu mit в на и с у к по из от это है हैं का की के को में पर से रहा रही रहे हो एक في من على إلى مع
"""
_EMPTY = frozenset(_WORDS.split())
"""Words that distinguish no options."""

_IRREGULAR = {
    "angry": "anger", "angrily": "anger", "afraid": "fear", "scared": "scar", "ran": "run", "swam": "swim",
    "drove": "drive", "driven": "drive", "rode": "ride", "ridden": "ride", "sat": "sit", "stood": "stand",
    "lying": "lie", "laid": "lie", "ate": "eat", "slept": "sleep", "flew": "fly", "held": "hold",
    "wrote": "write", "fell": "fall", "men": "man", "women": "woman", "children": "child", "people": "person",
    "mice": "mouse", "geese": "goose", "feet": "foot", "teeth": "tooth", "knives": "knife", "leaves": "leaf",
    "wolves": "wolf", "shelves": "shelf", "snowy": "snow", "rainy": "rain", "cloudy": "cloud", "sunny": "sun",
    "windy": "wind", "foggy": "fog", "wooden": "wood", "metallic": "metal", "metals": "metal",
    "underneath": "under", "beneath": "under", "beside": "next", "adjacent": "next", "golden": "gold",
    "joyful": "joy", "cheerful": "cheer", "fearful": "fear", "disgusted": "disgust", "surprised": "surprise",
}  # fmt: skip

_NUMBERS = {
    number: words.split()
    for number, words in {
        "0": "zero cero null ноль صفر",
        "1": "one uno eins",
        "2": "two dos deux zwei dois duas два две двое اثنان اثنين दो 둘 두 二 两",
        "3": "three tres trois drei três три трое ثلاثة ثلاث तीन 셋 세 三",
        "4": "four cuatro quatre vier quatro четыре четверо أربعة أربع चार 넷 네 四",
        "5": "five cinco cinq fünf пять пятеро خمسة خمس पांच पाँच 다섯 五",
        "6": "six seis sechs шесть ستة ست छह छः 여섯 六",
        "7": "seven siete sept sieben sete семь سبعة سبع सात 일곱 七",
        "8": "eight ocho huit acht oito восемь ثمانية ثمان आठ 여덟 八",
        "9": "nine nueve neuf neun nove девять تسعة تسع नौ 아홉 九",
        "10": "ten diez dix zehn dez десять عشرة عشر दस 열 十",
        "11": "eleven once onze elf одиннадцать",
        "12": "twelve dozen doce douze zwölf doze двенадцать",
    }.items()
}
_NUMBER_OF = {word: number for number, words in _NUMBERS.items() for word in words}

_SUFFIX = re.compile(
    r"(?<=\w{3})(?:istic(?:ally)?|(?<=\w{4})ic(?:al(?:ly)?)?|"
    r"isms?|ists?|ismus|istisch\w*|isme|ismo|istas?|istes?|"  # styles
    r"ings?|edly|ed|ers?|est|iness|ness|fully|ful|ly|ies|es|s|y|en|em|er|"  # English, German
    r"ar|ir|ando|endo|iendo|indo|ant|antes?|mente|ment|ados?|adas?|idos?|idas?|"  # Spanish, Portuguese, French
    r"ый|ий|ой|ая|яя|ое|ее|ые|ие|ого|его|ому|ему|ыми|ими|ым|им|ых|их|ую|юю|ами|ями|ах|ях|ам|ям|ом|ем|ов|ев|ей|"
    # Russian, above and below
    r"ать|ять|ить|еть|ает|яет|ит|ет|ют|ут|ат|ят|[аяоеыиуюьй]|"
    r"[ािीुूेैोौं]+)\Z"  # Hindi
)
_BRITISH = re.compile(r"(?<=[a-z]{3})our(?=s?\Z)")
_FINAL = re.compile(r"(?<=\w{2}\w)[aeoiu]{1,2}\Z")
_DOUBLE = re.compile(r"([bdfglmnprst])\1\Z")
_ARABIC = re.compile(r"\A(?:وال|بال|كال|فال|لل|ال|و(?=\w{3})|ب(?=\w{3})|ل(?=\w{3}))(?=\w{2})")
_ARABIC_END = re.compile(r"(?<=\w{3})(?:ًا|ا|ة|ه|ات|ين|ون)\Z")
_IS_ARABIC = re.compile("[\u0600-\u06ff]")
_SOUNDS = re.compile("[\u064b-\u065f\u0670]")
_TOKEN = re.compile(rf"{WORD}+(?:\.\d+)?")
_HINDI = re.compile("[\u0900-\u097f]")


class StemmedWord(NamedTuple):
    """A word in a text with its position and its stem."""

    start: int
    end: int
    stem: str


def tokens_of(text: str) -> list[StemmedWord]:
    """Return the words of a text that distinguish options."""
    found = ((match.start(), match.end(), stem_of(match[0])) for match in _TOKEN.finditer(text))
    return [StemmedWord(start, end, stem) for start, end, stem in found if stem]


def stems_of(words: str) -> tuple[str, ...]:
    """Return the stems of the words that distinguish options."""
    return tuple(token.stem for token in tokens_of(words))


_UNSPACED_RUN = re.compile("[\u3040-\u30ff\u3400-\u9fff]{2,}")


def pieces_of(text: str) -> frozenset[str]:
    """Return the stems in a text; for scripts without spaces, its pairs of adjacent characters."""
    pairs = (run[0][n : n + 2] for run in _UNSPACED_RUN.finditer(text) for n in range(len(run[0]) - 1))
    return frozenset({*pairs, *(stem for stem in stems_of(_UNSPACED_RUN.sub(" ", text)) if len(stem) > 1)})


@lru_cache(maxsize=1 << 14)
def stem_of(word: str) -> str:
    """Return the stem of a word; empty for a word that carries no information."""
    word = word.lower().replace("ß", "ss")
    if word in _EMPTY:
        return ""
    word = _NUMBER_OF.get(word, _IRREGULAR.get(word, word))
    if word.isdigit():
        return word
    if _IS_ARABIC.search(word):
        return _ARABIC_END.sub("", _ARABIC.sub("", _SOUNDS.sub("", word))).replace("أ", "ا").replace("إ", "ا")
    word = word if _HINDI.search(word) else _without_accents(word)
    word = _BRITISH.sub("or", word)
    stem = _SUFFIX.sub("", word)
    if word.endswith(("ing", "ed", "s")) and stem.endswith(
        ("ar", "ir", "er", "en", "em")
    ):  # "repairing" as "repair", whose end looks like another suffix
        stem = _SUFFIX.sub("", stem)
    bare = stem[:-1] if stem.endswith(("i", "y")) and len(stem) > 3 else stem  # "happi" of "happiness" is "happy"
    return _FINAL.sub("", _DOUBLE.sub(r"\1", bare))


def _without_accents(word: str) -> str:
    if word.isascii():
        return word
    decomposed = unicodedata.normalize("NFD", word)
    return unicodedata.normalize(
        "NFC", "".join(c for c in decomposed if not "\u0300" <= c <= "\u036f" or c == "\u0306")
    )


def number_words(number: str) -> Sequence[str]:
    """Return the words for a number in several languages."""
    return _NUMBERS.get(number, ())
