"""Possible forms of an English word: a verb's base, past or `-ing`, a noun's singular or plural, an adjective.

The table of forms is that of lemminflect (MIT license, 0.8 MB, no model and no network), derived from the NIH's
SPECIALIST lexicon. The forms of unlisted words are inferred from their endings.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib.util import find_spec
from types import ModuleType

_OF_TAG = {"VB": "base", "VBP": "base", "VBZ": "third", "VBD": "past", "VBN": "participle", "VBG": "ing",
           "NN": "singular", "NNS": "plural"}  # fmt: skip
_SHORTEST = 3
_OF_ENDING: tuple[tuple[str, frozenset[str]], ...] = (
    ("ing", frozenset(["ing"])),
    ("ed", frozenset(["past", "participle"])),
    ("ly", frozenset(["adverb"])),
    ("ness", frozenset(["singular"])),
    ("ism", frozenset(["singular"])),
    ("ous", frozenset(["adjective"])),
    ("ss", frozenset(["singular"])),
    ("us", frozenset(["singular"])),
    ("is", frozenset(["singular"])),
    ("s", frozenset(["plural", "third"])),
)
_BOTH_NUMBERS = frozenset(["sheep", "deer", "fish", "aircraft", "species", "series", "spacecraft", "salmon", "squid"])
_PLURAL_ONLY = frozenset([
    "people", "police", "cattle", "scissors", "pliers", "trousers", "pants", "jeans", "shorts", "glasses", "goggles",
    "binoculars", "tweezers", "clothes", "pajamas", "tongs", "stairs", "sunglasses",
])  # fmt: skip
_SINGULAR_ONLY = frozenset(["news", "physics", "mathematics", "economics", "gymnastics", "measles", "mumps", "rabies"])
_NO_NOUNS = frozenset(["ran", "were", "had", "did", "ate", "red"])


def forms_are_known() -> bool:
    """Return whether the table of forms is installed."""
    return find_spec("lemminflect") is not None


@lru_cache(maxsize=1)
def _table() -> ModuleType | None:
    try:
        import lemminflect
    except ImportError:
        return None
    return lemminflect  # type: ignore[no-any-return]


@lru_cache(maxsize=1 << 14)
def forms_of(word: str) -> frozenset[str]:
    """Return all possible forms of a word.

    The forms are `base`, `third`, `past`, `participle` and `ing` of verbs, `singular` and `plural` of nouns,
    `adjective`, and `adverb`.

    Args:
        word: One word, in any case.

    Example:
        >>> sorted(forms_of("halved")), sorted(forms_of("geese"))
        (['past', 'participle'], ['plural'])
    """
    word = word.casefold()
    table = _table()
    forms: set[str] = set()
    if table is not None and word.isascii() and word.isalpha():
        lemmas: Mapping[str, tuple[str, ...]] = table.getAllLemmas(word)
        for part, of_part in lemmas.items():
            if part in ("VERB", "NOUN"):
                for lemma in of_part:
                    forms |= _inflected(word, table.getAllInflections(lemma, part))
            elif part in ("ADJ", "ADV"):
                forms.add({"ADJ": "adjective", "ADV": "adverb"}[part])
    if {"singular", "plural"} <= forms and word not in _BOTH_NUMBERS:
        forms.discard("plural")  # `photosynthesis` is in both rows of the table
    if word in _BOTH_NUMBERS:
        forms |= {"singular", "plural"}
    elif word in _PLURAL_ONLY:
        forms = (forms - {"singular"}) | {"plural"}
    elif word in _SINGULAR_ONLY:
        forms = (forms - {"plural"}) | {"singular"}
    if not forms and len(word) > _SHORTEST:
        forms = set(next((found for ending, found in _OF_ENDING if word.endswith(ending)), frozenset(["singular"])))
    return frozenset(forms - ({"singular"} if word in _NO_NOUNS else set()))


def _inflected(word: str, inflected: Mapping[str, tuple[str, ...]]) -> set[str]:
    found = {_OF_TAG[tag] for tag, words in inflected.items() if word in words and tag in _OF_TAG}
    return found | {"participle"} if "past" in found and "VBN" not in inflected else found


@lru_cache(maxsize=1 << 14)
def is_listed(word: str) -> bool:
    """Return whether the table of forms has a word as a noun, a verb, an adjective or an adverb; names are excluded."""
    table = _table()
    if table is None or not word.isascii():
        return False
    return any(part in ("NOUN", "VERB", "ADJ", "ADV") for part in table.getAllLemmas(word.casefold()))
