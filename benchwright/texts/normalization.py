"""Text normalization for comparison and for display on one line of a terminal or page.

Comparisons ignore case, width, white space and punctuation. Two texts that read the same to a person should be equal
after normalization, and two with different meanings should not: normalization keeps numbers, their signs and all words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import lru_cache

from benchwright.texts.hidden_characters import escaped, may_hide

_WORD = re.compile(r"(?:(?<!\d)[-+])?\d+(?:[.,:/]\d+)*|\w+|\S")
_MEANT = frozenset("#%&@*/\\")
"""Punctuation that distinguishes options: `C` and `C#`, `5` and `5 %`."""
_NUMBER = re.compile(r"\d")
_SMALL_WORDS = frozenset({"a", "an", "the", "of", "to", "in", "on", "at", "is", "are", "it", "that", "this"})
"""Words that do not change the meaning of a text: texts that differ only in these are considered equal in meaning."""

_ALIKE_WORD = 0.8
"""Smallest similarity at which two words are considered spellings of the same word.

`gear` and `gears` (0.89) reach it, as do `color` and `colour` (0.91), but `increase` and `decrease` (0.75) do not.
"""


def counted(number: float, one: str, several: str | None = None) -> str:
    """Return a number with its noun in the singular or plural; whole numbers have thousands separators.

    Args:
        number: The number.
        one: Noun in the singular.
        several: Noun in the plural; by default `one` with an s.

    Example:
        >>> counted(1, "decision"), counted(0, "entry", "entries"), counted(1200, "item is", "items are")
        ('1 decision', '0 entries', '1,200 items are')
    """
    digits = f"{number:g}" if isinstance(number, float) else f"{number:,}"
    return f"{digits} {one if number == 1 else several or one + 's'}"


@lru_cache(maxsize=1 << 16)
def normal(text: str) -> str:
    """Return a text normalized for comparison: its words in lower case, one space between them.

    Signs such as `€`, `<` or a smiley count as words; punctuation does not. A text of punctuation alone keeps its
    characters and loses its white space.

    Example:
        >>> normal("  The ＣＡＴ’s  hat, -2.50 €. ")
        "the cat s hat -2.50 €"
    """
    lifted = "".join(f"^{sign}" if unicodedata.decomposition(sign).startswith("<super>") else sign for sign in text)
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", lifted).casefold())
    spelled = folded.replace("\u2212", "-").replace("\u2044", "/")  # minus sign, fraction slash
    words = [word for word in _words(spelled) if not _is_punctuation(word)]
    return " ".join(words) if words else "".join(folded.split())


def _words(text: str) -> list[str]:
    """Split a text into words; combining marks, such as vowels of Devanagari, stay with their letter."""
    words: list[str] = []
    end = -1
    for match in _WORD.finditer(text):
        word = match.group()
        joins = words and match.start() == end and (_is_mark(word) or (_is_mark(words[-1][-1]) and word.isalpha()))
        if joins:
            words[-1] += word
        else:
            words.append(word)
        end = match.end()
    return words


def _is_mark(word: str) -> bool:
    return len(word) == 1 and unicodedata.category(word).startswith("M")


def _is_punctuation(word: str) -> bool:
    return len(word) == 1 and word not in _MEANT and unicodedata.category(word)[0] in "PCZ"


def likeness(first: str, second: str) -> float:
    """Return the similarity of two different normalized texts, 0 to 1; 0 if they differ in a word or number.

    For texts that differ only in small words and spelling, it is the proportion of characters that both have in the
    same order (Ratcliff and Obershelp).
    """
    if first == second:
        return 1.0
    words, second_words = first.split(), second.split()
    if not all(_same_in_effect(left, right) for left, right in _differences(words, second_words)):
        return 0.0
    return _shared_characters(first, second)


def _shared_characters(one: str, other: str) -> float:
    first, second = sorted((one, other))  # the measure depends on the order of its arguments
    return SequenceMatcher(None, first, second, autojunk=False).ratio()


def _differences(words: list[str], second_words: list[str]) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the runs of words in which two texts differ."""
    for tag, start, stop, first, last in SequenceMatcher(None, words, second_words, autojunk=False).get_opcodes():
        if tag != "equal":
            yield words[start:stop], second_words[first:last]


def _same_in_effect(left: list[str], right: list[str]) -> bool:
    left, right = ([word for word in words if word not in _SMALL_WORDS] for words in (left, right))
    if not left and not right:
        return True
    first, second = "".join(left), "".join(right)
    if not first or not second or _NUMBER.search(first + second):
        return False
    return _shared_characters(first, second) >= _ALIKE_WORD


def printable(text: str) -> str:
    """Return a name with control, hidden and undecodable characters escaped, so that it fits on one line of a terminal.

    Characters that scripts and emoji need, such as Persian joiners, are kept (`benchwright.texts.hidden_characters`).
    """
    if text.isprintable() and text.isascii():  # fast path: pages hold pictures as texts of 20,000 characters and more
        return text
    text = escaped(text, keep="")
    return "".join(
        c if c.isprintable() or may_hide(c) else c.encode("unicode_escape", "surrogatepass").decode("ascii")
        for c in text
    )
