"""Options that differ from all others in kind or script, judged by their form alone."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from benchwright.texts.normalization import normal

from .number_words import NUMERALS

_NUMBER = re.compile(r"\W{0,2}\d[\d.,:/]*\s*(?:[^\W\d_]{1,4}[²³]?|[%°€$]\S?)?")
_FORMULA = re.compile(r"[\\$^=<>{}|]|\d")
_SENTENCE = re.compile(
    r"(?=(?:\S+\s+){3,}\S+$).*\b(?:is|are|was|were|has|have|had|does|do|did|can|will|must|should|[a-z]{2,}(?:ed|s))\b.*[.!]",
    re.IGNORECASE | re.DOTALL,
)
_REASON = re.compile(
    r"(?:because|since it|weil|da es|parce qu[e'’]|car il|porque|perché|因为|因為|由于)", re.IGNORECASE
)
_PURPOSE = re.compile(
    r"(?:in order )?to (?!the\b|a\b|an\b|his\b|her\b|its\b)[a-z]{2,}\b(?: \S+){0,6}|um .+ zu [a-zäöü]+en", re.IGNORECASE
)
_MANNER = re.compile(
    r"(?!(?:family|jelly|lily|belly|fly|italy|ally|bully|butterfly|dragonfly|firefly|early|ugly|only|daily|weekly|"
    r"monthly|yearly|lovely|friendly|lonely|holy|silly|assembly|supply|reply|anomaly|monopoly|melancholy|curly|"
    r"woolly|wooly|bubbly|wrinkly|elderly|lively|deadly|likely|poly|july|hourly|chilly|hilly|smelly|jolly|mostly|"
    r"sally|emily|molly|billy|kelly|homely|costly|orderly|gully|potbelly|doily|clemente|mente|simente)$)"
    r"[a-z]{3,}(?:ly|mente)",
    re.IGNORECASE,
)
_ELEMENT = (
    r"(?:A[cglrstu]|B[aeir]?|C[adelorsu]?|D|F[er]?|G[ade]|H[efg]?|I[nr]?|K[r]?|L[aiu]|M[gno]|N[aeip]?|O[s]?|P[bdtu]?|R[abn]|S[bcein"
    r"r]?|T[hil]|U|V|W|Xe|Y|Z[nr])"
)
_SUBSTANCE = re.compile(rf"(?=.*\d)(?:{_ELEMENT}\d{{0,2}}){{2,8}}")
_TIME_OF_DAY = re.compile(r"\d{1,2}:\d\d(?: ?[ap]\.?m\.?)?(?: uhr)?", re.IGNORECASE)
_PLACES = re.compile(
    r"(?:(?:to|on|at) the )?(?:left|right|top|bottom)(?: (?:left|right))?(?: (?:side )?of)?|above|below|beside|behind|"
    r"under(?:neath)?|in front of|next to|between|on top of|inside|outside|near",
    re.IGNORECASE,
)
_NOT_WORDS = ("reason", "purpose", "manner")
"""Kinds of options in words that cannot be things, colors, places or numbers."""
_LEAST_OTHERS = 2
_SAYS_NOTHING_ELSE = re.compile(
    r"\b(?:none?|nothing|nobody|no|not|all|any|both|neither|cannot|can't|unknown|unclear|undefined|other|others|equal|same|infinit\w*|"
    r"more|less|fewer|over|under|about|half|once|twice|answers?|options?|enough|impossible|above|below|many|few|several|"
    r"zero|dozens?|hundreds?|thousands?|millions?|keine?r?s?|nichts|aucune?|rien|ningun[ao]|nada|nessun[ao]?|nenhum[a]?)\b"
    r"|没|無|无|不|都|以上",
    re.IGNORECASE,
)


def option_of_another_kind(texts: Sequence[str]) -> int | None:
    """Return the index of the only option of a kind other than that of all others; None if there is none.

    The kinds are numbers and times of day, words, and, if all other options are words of another kind: reasons
    (`because …`), purposes (`to read`), manners (`quickly`), sentences, places, and formulas of substances.

    Example:
        >>> option_of_another_kind(["4", "a bicycle", "7", "9"]), option_of_another_kind(["4", "None", "7"])
        (1, None)
    """
    kinds = [_kind(text) for text in texts]
    if None not in kinds and (odd := _odd_one([kind or "" for kind in kinds])) is not None:
        return odd
    finer = [_finer_kind(text) for text in texts]
    if "" in finer or (odd := _odd_one(finer)) is None:
        return None
    others = next(kind for n, kind in enumerate(finer) if n != odd)
    return odd if finer[odd] in _TELLS_FROM[others] else None


def option_in_another_script(texts: Sequence[str]) -> int | None:
    """Return the index of the only option of words in a script other than that of all others; None if there is none.

    Example:
        >>> option_in_another_script(["bell", "颜色", "anchor"]), option_in_another_script(["bell", "3", "anchor"])
        (1, None)
    """
    scripts = [main_script(text) for text in texts]
    return None if "" in scripts else _odd_one(scripts)


def says_nothing_else(text: str) -> bool:
    """Return whether an option refers to the others or to no answer: `none of these`, `it cannot be told`."""
    return _SAYS_NOTHING_ELSE.search(text) is not None


def gives_no_answer(text: str) -> bool:
    """Return whether an option refers to the others or to no answer: `none of these`, `cannot be told`, `both`.

    `both knees`, `no entry` and `under the table` have another meaning.
    """
    if not says_nothing_else(text) or text.strip(" .").casefold() == "no":
        return False
    return len(text.split()) == 1 or _SPEAKS_OF_OTHERS.search(text) is not None


_SPEAKS_OF_OTHERS = re.compile(
    r"\b(?:none|neither|nor|nothing|not|cannot|can't|unknown|unclear|undefined|others?|equal|same|infinit\w*|answers?|"
    r"options?|impossible|enough|any|more|less|fewer|as \w+ as)\b|\b(?:all|both|no|half|once|twice|many|few|several)"
    r"(?: of)?(?: (?:these|those|them|it|the))?\W*$|\b(?:over|under|about|above|below) \d|\b(?:the|of) (?:above|"
    r"below)\b"
    r"|没|無|无|不|都|以上|\b(?:keine?r?s?|nichts|aucune?|rien|ningun[ao]|nada|nessun[ao]?|nenhum[a]?)\b",
    re.IGNORECASE,
)


def _odd_one(kinds: Sequence[str]) -> int | None:
    counts = Counter(kinds)
    if len(counts) != 2 or len(kinds) <= _LEAST_OTHERS:
        return None
    (_, most), (odd, few) = counts.most_common()
    return kinds.index(odd) if few == 1 and most >= _LEAST_OTHERS else None


def _kind(text: str) -> str | None:
    words = normal(text).split()
    if _NUMBER.fullmatch(text.strip()) or (
        words and all(each in NUMERALS for word in words for each in word.split("-"))
    ):
        return "number"
    is_plain = _FORMULA.search(text) is None and any(len(word) > 2 for word in words)
    return (
        "words" if is_plain and not (says_nothing_else(text) and (len(words) == 1 or gives_no_answer(text))) else None
    )


def _finer_kind(text: str) -> str:
    """Return the kind of an option, in finer categories than `number` and `words`; empty if it has none."""
    text = text.strip()
    plain = text.rstrip(".")
    for kind, pattern in (
        ("number", _NUMBER), ("place", _PLACES), ("substance", _SUBSTANCE), ("manner", _MANNER), ("purpose", _PURPOSE),
    ):  # fmt: skip
        if pattern.fullmatch(plain):
            return kind
    if _REASON.match(text):
        return "reason"
    if _SENTENCE.fullmatch(text):
        return "sentence"
    has_words = any(len(word) > 2 or not word.isascii() for word in normal(text).split())
    return "words" if has_words and not _FORMULA.search(text) and not says_nothing_else(text) else ""


_TELLS_FROM = {
    "number": frozenset([*_NOT_WORDS, "place", "substance", "sentence"]),
    "words": frozenset([*_NOT_WORDS, "substance"]),
    "sentence": frozenset(["number", "manner", "purpose", "substance"]),
    "place": frozenset([*_NOT_WORDS, "number", "substance"]),
    "manner": frozenset(["reason", "purpose", "number", "substance"]),
    "purpose": frozenset(["manner", "number", "substance"]),
    "reason": frozenset(["manner", "number", "substance"]),
    "substance": frozenset(["manner", "reason", "purpose"]),
}
"""Kinds that differ clearly from the kind of all other options, by that kind."""


_OF_WORDS = frozenset(["CJK", "HIRAGANA", "KATAKANA", "HANGUL"])
"""Scripts in which a single character may be a word."""


def main_script(text: str) -> str:
    """Return the script of words (`LATIN`, `CJK`); empty for numbers, formulas and Greek letters, which are symbols."""
    script = "" if _FORMULA.search(text) else script_of_words(text)
    return script if sum(map(str.isalpha, text)) > 1 or script in _OF_WORDS else ""


def script_of_words(text: str) -> str:
    """Return the script of most letters of a text; empty if it has none, or if they are Greek, which are symbols."""
    scripts = Counter(unicodedata.name(sign, "?").split()[0] for sign in text if sign.isalpha())
    return "" if not scripts or "GREEK" in scripts else scripts.most_common(1)[0][0]
