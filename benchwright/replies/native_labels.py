"""Labels in the letters of other scripts: an Arabic reply may call option B "ب", and a Russian one option C "В"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from .option_words import ReadableOption, option_at_start

_ALPHABETS = ("АБВГДЕ", "أبجدهو", "कखगघङच", "ΑΒΓΔΕΖ", "가나다라마바", "甲乙丙丁戊己", "アイウエオカ")
_LATIN_SHAPES = frozenset("АВЕΑΒΕ")
"""Letters that a reply may use instead of Latin letters of the same shape."""
_NOUN = (
    r"(?:الخيار|الإجابة|الجواب|هي|هو|вариант|ответ|विकल्प|उत्तर|επιλογή|απάντηση|보기|정답은|选项|選項|答案是|選択肢|"
    r"答えは)"
)


def _pattern(alphabet: str) -> re.Pattern[str]:
    letter = f"([{alphabet}])"
    return re.compile(
        rf"(?<=[(\[]){letter}(?=[)\]])|(?:^|(?<=\s)){letter}(?=[).:](?:\s|$))"
        rf"|(?i:(?<!\w){_NOUN}[:\s]\s*){letter}(?=\W*$|[.,،。]|\s-)",
        re.M,
    )


_AHEAD = 300
"""Number of characters after a label in which its words are searched for."""
_PATTERNS = tuple((alphabet, _pattern(alphabet)) for alphabet in _ALPHABETS)
_ANY = re.compile(f"[{''.join(_ALPHABETS)}]")


def with_latin_labels(reply: str, options: Sequence[ReadableOption]) -> str:
    """Return a reply in which Latin labels replace those of another alphabet.

    If all labels look like Latin letters, the words after them determine whether they belong to the other alphabet.
    """
    if reply.isascii() or _ANY.search(reply) is None:
        return reply
    for alphabet, pattern in _PATTERNS:
        labels = [(_letter(match), match) for match in pattern.finditer(reply)]
        keys = {letter: option.key for letter, option in zip(alphabet, options, strict=False)}
        if any(letter not in _LATIN_SHAPES for letter, _ in labels) or any(
            (own := option_at_start(reply[match.end() : match.end() + _AHEAD].lstrip(" ).:"), options))
            and own.key == keys.get(letter)
            for letter, match in labels
        ):
            reply = _replaced(reply, pattern, keys)
    return reply


def _replaced(reply: str, pattern: re.Pattern[str], keys: Mapping[str, str]) -> str:
    def latin(match: re.Match[str]) -> str:
        letter = _letter(match)
        return match[0].replace(letter, keys.get(letter, letter))

    return pattern.sub(latin, reply)


def _letter(match: re.Match[str]) -> str:
    return next(group for group in match.groups() if group)
