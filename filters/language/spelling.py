"""Spelling of English words against a word list that ships in a wheel, without a network.

The list is the one of symspellpy (MIT): 82,834 words with their frequencies, of which many stand there in British
spelling alone (`humour`, `travelled`, `sceptic`); an American one is known where its British counterpart is. Only the
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
_ENDINGS_OF_EL = "ed|ing|ings|er|ers|or|ors|ous|ously|ist|ists|able"
_AMERICAN = tuple(
    (re.compile(pattern), british)
    for pattern, british in (
        (
            r"^(be|dis|mis|un|water)?(arb|ard|arm|behavi|cand|clam|col|demean|enam|endeav|fav|ferv|flav|glam|harb|hon|hum"
            r"|lab|mean|neighb|od|parl|ranc|rig|rum|savi|sav|splend|succ|tum|val|vap|vig)or",
            r"\1\2our",
        ),
        (
            r"^(be|dis|re|un)?(bevel|cancel|channel|chisel|counsel|dial|duel|enamel|equal|fuel|funnel|grovel|hovel|initial"
            r"|jewel|kennel|label|level|libel|marshal|marvel|model|panel|parcel|pedal|pencil|pummel|quarrel|ravel|revel"
            rf"|rival|shovel|shrivel|signal|spiral|stencil|swivel|total|towel|travel|tunnel|yodel)({_ENDINGS_OF_EL})$",
            r"\1\2l\3",
        ),
        (r"^(appal|distil|enrol|enthral|fulfil|instal|instil|skil|wil)l(ful|fully|fulness|ment|ments|s|)$", r"\1\2"),
        (r"^(anal|catal|dial|epil|monol|prol)og(?=ed$|er$|ing$)", r"\1ogu"),
        (r"^(anal|catal|dial|epil|monol|prol)og(s?)$", r"\1ogue\2"),
        (
            r"^(calib|cent|centimet|epicent|fib|kilomet|lit|lust|meag|met|millilit|millimet|och|sab|scept|somb|spect"
            r"|theat)er(s?)$",
            r"\1re\2",
        ),
        (r"^(cent)er(ed|ing)$", r"\1r\2"),
        (r"^(def|off|pret)ens(e|es|eless)$", r"\1enc\2"),
        (r"^practic(?=ed$|es$|ing$)", "practis"),
        (r"^skeptic", "sceptic"),
        (r"yz(?=e$|ed$|er$|ers$|es$|ing$)", "ys"),
        (r"^(an|arch|gyn|hem|orthop|p)e(?=c|d|m|o|s)", r"\1ae"),
        (r"^(leuk|an|ur)em", r"\1aem"),
        (r"^esthet", "aesthet"),
        (r"^es(?=oph|tr)", "oes"),
        (r"rrhe", "rrhoe"),
        (r"^gray", "grey"),
        (r"^maneuver(s?)$", r"manoeuvre\1"),
        (r"^maneuver(?=ed$|ing$|able$)", "manoeuvr"),
        (r"^aluminum$", "aluminium"),
        (r"^artifact", "artefact"),
        (r"^ax$", "axe"),
        (r"^coz(?=y$|i)", "cos"),
        (r"^donut", "doughnut"),
        (r"^jewelry$", "jewellery"),
        (r"^mom(?=s?$|my$|mies$)", "mum"),
        (r"^mustache", "moustache"),
        (r"^pajama", "pyjama"),
        (r"^plow", "plough"),
        (r"^sulf", "sulph"),
    )
)
"""American spellings, each with what it is in British spelling. Where an ending is spelled in two ways, such as
`-eled`, the words are listed: to double the letter in any word would take `controled` for right."""
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
        """Return whether a word is right in British or American spelling: alone, as a possessive, or as a compound."""
        lower = word.lower().replace("’", "'")
        if self._is_listed(lower):
            return True
        stem = lower.removesuffix("'s").removesuffix("'")
        if stem != lower:
            return self._is_listed(stem)
        return any(
            lower[:at] in self._frequencies and lower[at:] in self._frequencies
            for at in range(_PART, len(lower) - _PART + 1)
        )

    def _is_listed(self, word: str) -> bool:
        if word in self._frequencies or word in self._more:
            return True
        return any(
            pattern.search(word) is not None and pattern.sub(british, word) in self._frequencies
            for pattern, british in _AMERICAN
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
