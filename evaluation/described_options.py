"""Options that a sentence describes in other order or with words between: "on the left side of the car"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .option_words import Option
from .reply_text import folded

_WORDS = """
a an the of in on at to for with by from and or is are was were be it its this that these those there as into onto than
his her their our your my some any has have had do does did very
"""
_EMPTY = frozenset(_WORDS.split())
"""Words that tell no option from another."""

_AGAINST = re.compile(
    r"\b(?:not|never|no|neither|nor|or|either|maybe|perhaps|possibly|might|may|could|unlike|"
    r"instead|rather|wrong|incorrect|if|whether)\b|n't\b"
)
"""In such a sentence a description is no claim."""

_WORD = re.compile(r"[^\W\d_]{2,}|\d+")
_ENDING = re.compile(r"(?<=\w{3})(?:ing|ed|es|s|en|er|est|ly)\Z")


def options_described(text: str, options: Sequence[Option]) -> set[str]:
    """Return the keys of options all of whose telling words, two or more, stand close together in one sentence.

    Where one option's words hold all of another's, only the longer one counts. Sentences that deny or doubt count for
    none; if another option is described elsewhere, its key is returned as well.
    """
    wanted = {option.key: _stems(option.words) for option in options if option.words}
    wanted = {key: stems for key, stems in wanted.items() if len(set(stems)) > 1}
    found: set[str] = set()
    for sentence in re.split(r"[.!?;\n]+", text if wanted else ""):
        said = folded(sentence)
        if not _AGAINST.search(said):
            stems = _stems(said)
            here = {key for key, needed in wanted.items() if _close(stems, needed)}
            found |= {key for key in here if not any(set(wanted[key]) < set(wanted[other]) for other in here)}
    return found


def _stems(words: str) -> list[str]:
    return [_ENDING.sub("", word) for word in _WORD.findall(words) if word not in _EMPTY]


def _close(said: list[str], needed: list[str]) -> bool:
    """Say whether all needed stems stand within a stretch of twice their number and two."""
    if not set(needed) <= set(said):
        return False
    width = 2 * len(needed) + 2
    return any(set(needed) <= set(said[start : start + width]) for start in range(max(1, len(said) - width + 1)))
