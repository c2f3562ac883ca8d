"""Options that a reply names by reference to earlier text: "the former", "the latter", "the other one"."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from .option_places import named_options, sentence_ends
from .option_words import ReadableOption

_FORMER = r"(?:the\s+former|erstere[rsn]?|前者|전자)"
_LATTER = r"(?:the\s+latter|letztere[rsn]?|ce\s+dernier|cette\s+dernière|est[ae]\s+últim[ao]|后者|後者|후자)"
_PRONOUN = re.compile(
    rf"(?<![^\W\d_])(?i:(?P<former>{_FORMER})|(?P<latter>{_LATTER})|(?P<other>the\s+other\s+(?:one|image|"
    rf"picture|photo|option|choice|candidate|point|box|tile)))"
    r"(?i:\s+(?:one|option|choice|image|picture|candidate))?(?![a-z])(?!\s*[,(-]{1,2}\s*\(?[A-Z](?![A-Za-z]))"
)
_BACK = 400
"""Number of characters before a pronoun in which its referent is searched for."""


def with_referents(text: str, options: tuple[ReadableOption, ...]) -> str:
    """Return a text in which the referent's label replaces "the latter" and similar words.

    A pronoun is not replaced if its pair is unclear because more than two options are possible.
    """
    text = _with_subjects(text, options)
    if _PRONOUN.search(text) is None:
        return text
    named = [(place.start, place.keys[0]) for place in named_options(text, options)]
    ends = sentence_ends(text)

    def label(match: re.Match[str]) -> str:
        before = [(place, key) for place, key in named if match.start() - _BACK < place < match.start()]
        key = (
            _other(before, options, ends)
            if match["other"]
            else _of_pair(before, ends, latter=match["latter"] is not None)
        )
        return match[0] if key is None else f"option {key}"

    return _PRONOUN.sub(label, text)


_IT = re.compile(
    r"(?<![^\W\d_])(?P<so>(?:so|therefore|thus|hence|and\s+so|which\s+means|making)[\s,]+)(?P<it>it|he|she|this\s+one|that\s+one)(?=\s+"
    r"(?:is|must\s+be|has\s+to\s+be|fits|matches|appears|seems|looks)\b)|(?P<so_>c'est\s+donc\s+)(?P<it_>elle|lui|celle-ci|celui-ci)(?=\s+qui)|"
    r"(?P<so___>(?:choose|pick|select|go\s+with|opt\s+for|vote\s+for)\s+)(?P<it___>that\s+one|this\s+one|it)(?=\s*[.!]|\s*\Z)|"
    r"(?P<so__>(?:因此|所以|故)[,，]?)(?P<it__>他|她|它)(?=[\u4e00-\u9fff])",
    re.I,
)
"""A conclusion whose subject was named before: "so it is the closest"."""
_SINCE = 160
"""Number of characters before such a conclusion in which its subject is searched for."""


def _with_subjects(text: str, options: tuple[ReadableOption, ...]) -> str:
    """Return a text in which the option named last becomes the subject of each conclusion that names no option."""
    found = list(_IT.finditer(text))
    if not found:
        return text
    named = [(place.start, place.keys[0]) for place in named_options(text, options)]
    ends = [0, *sentence_ends(text), len(text)]
    for match in reversed(found):
        place = match.start()
        end = next(end for end in ends if end > place)
        start = max(end for end in ends if end <= place)
        before = [(at, key) for at, key in named if max(start, place - _SINCE) <= at < place]
        if not before or any(place < at < end for at, _ in named):
            continue
        clause = max(text.rfind(mark, 0, before[-1][0]) for mark in ",;.\n,:")
        if {key for at, key in before if at > clause} == {before[-1][1]}:
            it = next(name for name in ("it", "it_", "it__", "it___") if match[name])
            text = f"{text[: match.start(it)]} option {before[-1][1]} {text[match.end(it) :]}"
    return text


def _of_pair(named: Sequence[tuple[int, str]], ends: Sequence[int], *, latter: bool) -> str | None:
    """Return the first or the second option of the last pair: two options in one sentence, or the only two so far."""
    sentences: dict[int, list[str]] = {}
    for place, key in named:
        sentences.setdefault(bisect_right(ends, place), []).append(key)
    for keys in (list(dict.fromkeys(sentences[number])) for number in sorted(sentences, reverse=True)):
        if len(keys) > 1:
            return (keys[1] if latter else keys[0]) if len(keys) == 2 else None
    keys = list(dict.fromkeys(key for _, key in named))
    if keys != sorted(keys):  # the order of the options and that of their mentions differ
        return None
    return (keys[1] if latter else keys[0]) if len(keys) == len(named) == 2 else None


def _other(named: Sequence[tuple[int, str]], options: Sequence[ReadableOption], ends: Sequence[int]) -> str | None:
    """Return the one of two options that is missing from the last sentence that names any option."""
    if len(options) != 2 or not named:
        return None
    last = bisect_right(ends, named[-1][0])
    keys = {key for place, key in named if bisect_right(ends, place) == last}
    return next(option.key for option in options if option.key not in keys) if len(keys) == 1 else None
