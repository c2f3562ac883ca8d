"""Where a word begins and ends in scripts with spaces, without them, and in Korean, whose particles cling to words."""

from __future__ import annotations

import re

MARKS = (
    "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0903\u093a-\u094f\u0981-\u0983"
    "\u09bc-\u09cd\u0a01-\u0a4d\u0a81-\u0acd\u0b01-\u0b4d\u0b82\u0bbe-\u0bcd\u0c00-\u0c4d\u0c81-\u0ccd\u0d00-\u0d4d"
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
)
"""Vowel signs, tones and points, which Python does not count as letters."""

WORD = rf"[\w{MARKS}]"
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_HANGUL = re.compile(r"[\uac00-\ud7af]")
_PARTICLE = "(?:입니다|이에요|예요|이다|인|다|가|이|는|은|을|를|의|와|과|로|으로|에서|에|도|만|라고)"
_OTHER_LETTER = re.compile(r"[\u0370-\u1eff\u1f00-\u1fff\u3040-\ud7af]")
_LATIN_WORD = re.compile(r"[A-Za-z]{2,}")


def is_foreign(text: str) -> bool:
    """Say whether a text is in another script than the Latin one, a few words aside."""
    if text.isascii():
        return False
    others = len(_OTHER_LETTER.findall(text))
    return others > 3 * sum(map(len, _LATIN_WORD.findall(text)))


def start_of(words: str) -> str:
    """Return the pattern of what must not go on before these words."""
    return "" if _clings(words[0], words) else rf"(?<!{WORD})(?<!\d[.,])"


def end_of(words: str) -> str:
    """Return the pattern of what must stand, or must not go on, behind these words."""
    if _HANGUL.match(words[-1]):
        return rf"(?={_PARTICLE}?(?!{WORD}))"
    return "" if _clings(words[-1], words) else rf"(?!{WORD})(?![.,]\d)"


def _clings(character: str, words: str) -> bool:
    return len(words) > 1 and _UNSPACED.match(character) is not None
