"""Spelling of English words against a word list that ships in a wheel, without a network.

The list is the one of symspellpy (MIT): 82,834 words in British and American spelling, with their frequencies. Only the
list is read. The package's own index finds corrections at a distance of two as well, but takes seconds and 85 MB to
build in every process; here a correction is looked for only where a word is unknown, one edit away (Norvig, "How to
Write a Spelling Corrector", 2007).
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from benchwright.errors import PrerequisiteError

_FILE = "frequency_dictionary_en_82_765.txt"
_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_NOT_PROSE = re.compile(r"https?://\S+|www\.\S+|\S+@\S+|<image \d+>|[\w-]+\.\w{2,4}\b(?=/)", re.IGNORECASE)
_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|‘[^’]*’|`[^`]*`|(?<!\w)'[^']*'(?!\w)")
_NEW_WORDS = frozenset(
    [
        "app",
        "apps",
        "blog",
        "blogs",
        "emoji",
        "emojis",
        "grayscale",
        "gif",
        "jpeg",
        "meme",
        "memes",
        "photobomb",
        "photoshop",
        "photoshopped",
        "png",
        "selfie",
        "selfies",
        "smartwatch",
        "thumbnail",
        "tshirt",
        "tshirts",
        "wifi",
        "hashtag",
        "hashtags",
        "drone",
        "drones",
        "tattooed",
        "tuxedo",
        "sudoku",
    ]
)
"""Words of questions about pictures that are newer than the list."""
_SHORTENED = frozenset(
    [
        "aren't",
        "can't",
        "couldn't",
        "didn't",
        "doesn't",
        "don't",
        "hadn't",
        "hasn't",
        "haven't",
        "he'll",
        "he's",
        "i'd",
        "i'll",
        "i'm",
        "i've",
        "isn't",
        "it's",
        "let's",
        "mustn't",
        "shan't",
        "she'll",
        "she's",
        "shouldn't",
        "that's",
        "there's",
        "they'll",
        "they're",
        "they've",
        "wasn't",
        "we'll",
        "we're",
        "we've",
        "weren't",
        "what's",
        "where's",
        "who's",
        "won't",
        "wouldn't",
        "you'll",
        "you're",
        "you've",
    ]
)
_PART = 4
"""Fewest letters of each half of a compound: `dreamcatcher`."""


class Misspelling(NamedTuple):
    """A word that is not known, and the most frequent known word one edit away; None where there is none."""

    word: str
    correction: str | None


@lru_cache(maxsize=1)
def english_words() -> Mapping[str, int]:
    """Return the frequency of each word of the list, in lower case.

    Raises:
        PrerequisiteError: The package with the list is not installed.
    """
    spec = find_spec("symspellpy")
    if spec is None or spec.origin is None:
        raise PrerequisiteError(
            "checking spelling needs the word list of symspellpy: pip install 'benchwright[filters]'"
        )
    words: dict[str, int] = {}
    with (Path(spec.origin).parent / _FILE).open(encoding="utf-8-sig") as lines:
        for line in lines:
            word, _, frequency = line.rstrip().rpartition(" ")
            words[word] = int(frequency)
    return words


class Spelling:
    """Finds English words that are spelled wrongly.

    Args:
        words: Further words that are right, such as names and terms; case makes no difference.
    """

    def __init__(self, words: Iterable[str] = ()) -> None:
        self._frequencies = english_words()
        self._more = frozenset(word.lower() for word in words) | _NEW_WORDS | _SHORTENED

    def is_known(self, word: str) -> bool:
        """Return whether a word is right, alone, as a possessive or as a compound of two words."""
        lower = word.lower().replace("’", "'")
        if lower in self._frequencies or lower in self._more:
            return True
        stem = lower.removesuffix("'s").removesuffix("'")
        if stem != lower:
            return stem in self._frequencies or stem in self._more
        return any(
            lower[:at] in self._frequencies and lower[at:] in self._frequencies
            for at in range(_PART, len(lower) - _PART + 1)
        )

    def correction(self, word: str) -> str | None:
        """Return the most frequent known word one edit away; of equal ones the first by the alphabet."""
        known = sorted({edit for edit in _one_edit_away(word.lower()) if edit in self._frequencies})
        return max(known, key=lambda edit: self._frequencies[edit], default=None)

    def misspellings(self, text: str) -> list[Misspelling]:
        """Return the words of a text that are spelled wrongly, in order.

        Passed over are addresses, what stands in quotation marks (a sign may be misspelled), words with digits or
        capitals inside, words of other alphabets, single letters, and names: words with a capital inside a sentence,
        and at its beginning where no known word lies one edit away or all words have capitals.
        """
        prose = _QUOTED.sub(lambda match: " , " + "," * max(0, len(match.group()) - 3), _NOT_PROSE.sub(" , ", text))
        matches = list(_TOKEN.finditer(prose))
        is_title = all(match.group()[:1].isupper() or len(match.group()) <= 3 for match in matches)
        misspelled: list[Misspelling] = []
        for place, match in enumerate(matches):
            word = match.group()
            if len(word) < 2 or not word.isascii() or any(letter.isdigit() for letter in word):
                continue
            if not word[1:].replace("'", "").islower() or self.is_known(word):
                continue
            correction = self.correction(word)
            if word[0].isupper() and (is_title or correction is None or not _begins(prose, matches, place)):
                continue
            misspelled.append(Misspelling(word, correction))
        return misspelled


def _begins(text: str, matches: list[re.Match[str]], place: int) -> bool:
    """Return whether a word begins a sentence."""
    if place == 0:
        return True
    return re.search(r"[.?!:]\s", text[matches[place - 1].end() : matches[place].start()]) is not None


def _one_edit_away(word: str) -> Iterator[str]:
    letters = string.ascii_lowercase
    for at in range(len(word) + 1):
        head, tail = word[:at], word[at:]
        for letter in letters:
            yield head + letter + tail
        if tail:
            yield head + tail[1:]
            for letter in letters:
                yield head + letter + tail[1:]
        if len(tail) > 1:
            yield head + tail[1] + tail[0] + tail[2:]
    for at in range(2, len(word) - 1):  # two words written as one: `alot`, `infront`
        yield f"{word[:at]} {word[at:]}"
