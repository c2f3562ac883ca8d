"""Options by their words: which one a text starts with, and which ones it mentions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from .cue_phrases import DENIED_AFTER, DENIED_BEFORE
from .reply_text import folded

LATIN = "A-Za-z0-9À-ɏ"

_PARTICLES = frozenset({"yes", "no", "true", "false", "none", "both", "neither", "all", "not"})
"""Words that a sentence says for other reasons; they count only where they open a reply or are its last sentence."""

_EVERYDAY = frozenset({"left", "right", "same", "one", "on", "in"})
"""Words that count only as the last of a reply."""


class Option(NamedTuple):
    """An option as the reader sees it; `words` is empty for a picture and for a bare letter."""

    key: str
    words: str


def options_of(texts: Sequence[tuple[str, str | None]]) -> tuple[Option, ...]:
    """Return options from (key, text) pairs, with their texts folded for comparison.

    Words that two options share, and a lone letter, which reads as a label, tell nothing: those stay empty.
    """
    said = [folded(text or "") for _, text in texts]
    telling = [words if said.count(words) == 1 and not (len(words) == 1 and words.isalpha()) else "" for words in said]
    return tuple(Option(key, words) for (key, _), words in zip(texts, telling, strict=True))


class Start(NamedTuple):
    """The option that a text starts with, and what follows its words, folded."""

    key: str
    rest: str


def option_at_start(content: str, options: Sequence[Option]) -> Start | None:
    """Return the one option whose words the content starts with, an article aside; the longest wins."""
    said = folded(content)
    found: list[Start] = []
    for text in (said, re.sub(r"\A(?:the|an?|is|it's) (?=\w)", "", said)):
        found += [Start(o.key, text[len(o.words) :]) for o in options if o.words and _begins(text, o.words)]
    return min(found, key=lambda start: len(start.rest), default=None)


def option_alone(text: str, options: Sequence[Option]) -> str | None:
    """Return the one option whose words are the whole text."""
    said = folded(text)
    same = [o.key for o in options if o.words and o.words == said]
    return same[0] if len(same) == 1 else None


def options_mentioned(text: str, options: Sequence[Option]) -> set[str]:
    """Return the keys of options that a text names and does not put aside.

    A longer option is looked for first and covers what it matched, so "black cat" does not mention "cat".
    Everyday words count only at the start and the end of the text.
    """
    said = folded(text)
    found: set[str] = set()
    for option in sorted((o for o in options if o.words), key=lambda o: (-len(o.words), o.key)):
        pattern = re.compile(rf"(?<!\w)(?<!\d[.,]){re.escape(option.words)}(?!\w)(?![.,]\d)")
        for match in pattern.finditer(said):
            before, after = said[: match.start()], said[match.end() :]
            denied = DENIED_BEFORE.search(before) or DENIED_AFTER.match(after)
            if not denied and _says_it(option.words, before, after):
                found.add(option.key)
        said = pattern.sub(lambda match: "\0" * len(match[0]), said)
    return found


def _says_it(words: str, before: str, after: str) -> bool:
    if words in _PARTICLES:
        return (not before and _begins(words + after, words)) or (not after and before.endswith((". ", ", ", ": ")))
    return words not in _EVERYDAY or not after or not before


def _begins(text: str, words: str) -> bool:
    """Say whether a text starts with these words, whole; after a particle the clause must end or a new one begin."""
    rest = text[len(words) :]
    if not text.startswith(words) or re.match(r"\w|[.,]\d|-\w|'", rest):
        return False
    if words in _EVERYDAY:
        return re.match(r"\Z|[.,:]|\s(?:because|since)\b", rest) is not None
    return (
        words not in _PARTICLES
        or re.match(r"\Z|[.,:]|\s(?:it|there|they|he|she|this|that|because|since)\b", rest) is not None
    )
