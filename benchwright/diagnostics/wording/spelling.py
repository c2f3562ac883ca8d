"""Spelling of English words against two word lists that ship in wheels, without a network.

The lists are those of symspellpy (82,834 words with their frequencies, mostly in British spelling) and pyspellchecker
(160,572 words, including American spellings), both under the MIT license. Only the lists are read. symspellpy's own
index also finds corrections at a distance of two, but takes seconds and 85 MB to build in every process. Here, a
correction is searched for only for unknown words: a word one edit away (Norvig, "How to Write a Spelling Corrector",
2007), or a word that sounds alike (`brocolli`). Words missing from the lists but formed by rule from listed words are
correct too (`derived_words`).
"""

from __future__ import annotations

import gzip
import json
import re
import string
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from benchwright.errors import PrerequisiteError

from .derived_words import PREFIXES, is_derived

_FREQUENCIES = "frequency_dictionary_en_82_765.txt"
_MORE_WORDS = "resources/en.json.gz"
_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_NOT_PROSE = re.compile(r"https?://\S+|www\.\S+|\S+@\S+|<image \d+>|[\w-]+\.\w{2,4}\b(?=/)", re.IGNORECASE)
_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|‘[^’]*’|`[^`]*`|(?<!\w)'[^']*'(?!\w)")
_NEW_WORDS = frozenset(
    [
        "emoji",
        "emojis",
        "gif",
        "grayscale",
        "hashtag",
        "hashtags",
        "jpeg",
        "photobomb",
        "photoshop",
        "photoshopped",
        "png",
        "selfie",
        "selfies",
        "smartwatch",
        "tshirt",
        "tshirts",
    ]
)
"""Words of questions about pictures that are newer than the lists."""
_PART = 4
"""Smallest number of letters of each half of a compound: `dreamcatcher`."""
_SHORT_PART = 4
"""Largest number of letters of a part of a hyphenated word that is not checked: `dik-dik`, `sumi-e`."""
_LONG, _FREQUENT = 8, 300_000
"""Smallest length and frequency of the correction of a word that may be a name: `Febuary`, `Mediterranian`."""


class Misspelling(NamedTuple):
    """An unknown word, and the most frequent known word one edit away or with the same sound; None if there is none."""

    word: str
    correction: str | None


@lru_cache(maxsize=1)
def _english_words() -> Mapping[str, int]:
    """Return the frequency of each word of symspellpy's list, in lowercase.

    Raises:
        PrerequisiteError: The package with the list is not installed.
    """
    words: dict[str, int] = {}
    with (_folder_of("symspellpy") / _FREQUENCIES).open(encoding="utf-8-sig") as lines:
        for line in lines:
            word, _, frequency = line.rstrip().rpartition(" ")
            words[word] = int(frequency)
    return words


@lru_cache(maxsize=1)
def _more_english_words() -> frozenset[str]:
    """Return the words of pyspellchecker's list, in lowercase; its frequencies come from subtitles, and are not used.

    Raises:
        PrerequisiteError: The package with the list is not installed.
    """
    with gzip.open(_folder_of("spellchecker") / _MORE_WORDS) as packed:
        return frozenset(json.load(packed))


@lru_cache(maxsize=1)
def _words_by_sound() -> Mapping[str, str]:
    """Return the most frequent word of symspellpy's list for each sound."""
    return {_sound(word): word for word, _ in sorted(_english_words().items(), key=lambda pair: pair[1])}


def _sound(word: str) -> str:
    """Return the sound of a word, roughly: single letters for double ones, `i` for `y`, `f` for `ph`."""
    return re.sub(r"(.)\1", r"\1", word.replace("ph", "f").replace("y", "i"))


def _folder_of(package: str) -> Path:
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise PrerequisiteError(
            "checking spelling needs the word lists of symspellpy and pyspellchecker: "
            "pip install 'benchwright[filters]'"
        )
    return Path(spec.origin).parent


class Spelling:
    """Finds misspelled English words.

    Args:
        words: Further correct words, such as names and terms, regardless of case.
    """

    def __init__(self, words: Iterable[str] = ()) -> None:
        self._frequencies = _english_words()
        self._more = _more_english_words() | {word.lower() for word in words} | _NEW_WORDS

    def begins_a_word(self, letters: str) -> bool:
        """Return whether these lowercase letters are the beginning of a longer word."""
        return any(len(word) > len(letters) and word.startswith(letters) for word in self._frequencies)

    def is_known(self, word: str) -> bool:
        """Return whether a word is correct in British or American spelling, derived, possessive or compound."""
        lower = word.lower().replace("’", "'")
        if self._is_listed(lower):
            return True
        stem = lower.removesuffix("'s").removesuffix("'")
        return self._is_listed(stem) or is_derived(stem, self._is_listed) or self._is_compound(stem)

    def _is_compound(self, word: str) -> bool:
        """Return whether a word consists of two listed words and no word is one edit away, unlike `writ` `ting`."""
        ends = range(_PART, len(word) - _PART + 1)
        is_made_up = any(word[:at] in self._frequencies and word[at:] in self._frequencies for at in ends)
        return is_made_up and all(" " in edit for edit in self._near(word))

    def _is_listed(self, word: str) -> bool:
        return word in self._frequencies or word in self._more

    def correction(self, word: str) -> str | None:
        """Return the most frequent known word one edit away, or else with the same sound; None if there is neither.

        Ties go to the first in the alphabet.
        """
        known = sorted(self._near(word.lower()))
        alike = _words_by_sound().get(_sound(word.lower())) if not known and len(word) > _SHORT_PART else None
        return max(known, key=lambda edit: self._frequencies[edit], default=alike)

    def _near(self, word: str) -> set[str]:
        return {edit for edit in _one_edit_away(word) if edit in self._frequencies}

    def misspellings(self, text: str) -> list[Misspelling]:
        """Return the misspelled words of a text, in order.

        The check skips addresses, text in quotation marks (a sign may be misspelled), words with digits or capitals
        inside, words of other alphabets, single letters, prefixes before a hyphen (`socio-economic`), short parts of
        hyphenated words, and names: words with a capital inside a sentence, and at its beginning if they have no
        correction or all words have capitals. A long word with a capital, such as `Febuary`, is misspelled if it
        differs from a long and frequent word in one letter within it, and all other words are known.
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
            is_part = "-" in (prose[match.start() - 1 : match.start()], prose[match.end() : match.end() + 1])
            if is_part and len(word) <= _SHORT_PART:
                continue
            if word.lower() in PREFIXES and prose[match.end() : match.end() + 1] == "-":
                continue
            correction = self.correction(word)
            may_be_name = is_title or correction is None or not _begins(prose, matches, place)
            if word[0].isupper() and may_be_name and not self._is_near_long_word(word, correction, matches):
                continue
            misspelled.append(Misspelling(word, correction))
        return misspelled

    def _is_near_long_word(self, word: str, correction: str | None, matches: Sequence[re.Match[str]]) -> bool:
        """Return whether a word differs from a long, frequent word only in a letter within it, among known words."""
        if correction is None or len(correction) < _LONG or self._frequencies[correction] < _FREQUENT:
            return False
        ends_alike = word[-1] == correction[-1] and word[0].lower() == correction[0] and " " not in correction
        others = (match.group() for match in matches if match.group() != word)
        return ends_alike and all(self.is_known(other) for other in others)


def _begins(text: str, matches: list[re.Match[str]], place: int) -> bool:
    """Return whether a word is the first word of a sentence."""
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
