"""The value after a phrase, in a tag or in a table cell: the only option that it names, if any."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from .cue_languages import JOINING
from .option_words import LATIN, ReadableOption, is_particle, option_at_start

_FILLER = (
    r"(?:(?:the|my|our|its|it's|it|is|be|to|as|definitely|clearly|certainly|obviously|probably|most|likely|thus|therefore|"
    r"hence|indeed|actually|simply|just|correct|right|best|final|answer|option|choice|letter|label|image|picture|tile|point|"
    r"patch|candidate|opci[óo]n|lettre|buchstabe|вариант|选项|選項)(?![A-Za-z])[\s:,=-]*)*"
)
_OPEN = r"[\s\"'(\[{<:=>-]*"
_HEAD = re.compile(rf"{_OPEN}{_FILLER}{_OPEN}([A-Za-z])(?![{LATIN}/]|'(?![dt][iıuü]r)[A-Za-z])", re.I)
_LABELLED = re.compile(rf"{_OPEN}{_FILLER}(?:[(\[<][A-Za-z][)\]>]|[A-Z](?:[):]|\.(?=\s|\Z)))")
_SEVERAL = re.compile(
    rf"{_OPEN}(?:(?:either|both|all|none|neither|between|unknown|n/a)(?![A-Za-z])|{_FILLER}[A-Z](?:/[A-Z])+(?![{LATIN}]))",
    re.I,
)
ANOTHER = re.compile(
    rf"[\s)\]\"'.]{{0,3}}(?:,|/|&|\+|(?<![^\W\d_])(?:or|and)(?![^\W\d_])|(?:{JOINING}))\s*"
    r"(?:(?:maybe|possibly|perhaps|even|also|or|and|option|choice|else)\s+)*"
    rf"[(\[\"']?([A-Z])(?![{LATIN}]|'[A-Za-z])[)\]\"']?(?!\s+(?:is|are|was|does|do|has|looks?|seems?|shows?|can|cannot|would|fails)\b)"
)
_ANOTHER_LATER = re.compile(r"[^.;\n]{0,60}?\b(?:or|and)\s+[(\[][A-Z][)\]]")


_GLOSS = re.compile(r"[\s\"']*[^\W\d_]{1,20}[\"']?\s?\(([^()]{1,60})\)")
"""The words of an option in parentheses that follow those of another language."""


class AnswerValue(NamedTuple):
    """Value after a phrase or in a tag: the letter if the value names exactly one, and the text after it.

    `words` are the option's words, if the value names it by them.
    """

    letter: str | None
    rest: str
    words: str = ""


def value_of(content: str, options: Sequence[ReadableOption], *, whole: bool) -> AnswerValue | None:
    """Read the text after a phrase or in a tag; None if it is not a value.

    Args:
        content: Text that starts with the value.
        options: Options of the item.
        whole: Whether the content is the value alone, so that a lower-case letter needs no stop after it.
    """
    named = None if _LABELLED.match(content) else option_at_start(content, options)
    if named is not None:
        label = re.match(r"\W*\w[^(\n]{0,200}\(([A-Z])\)", content)
        rest = "" if is_particle(named.words) else named.rest
        return AnswerValue((label and known(label[1], options)) or named.key, rest, named.words)
    if _SEVERAL.match(content):
        return AnswerValue(None, "")
    if not content.isascii() and (gloss := _GLOSS.match(content)) and (named := option_at_start(gloss[1], options)):
        return AnswerValue(named.key, "", named.words)
    head = _HEAD.match(content)
    return None if head is None else _letter_value(head[1], content[head.end() :], options, whole=whole)


def _letter_value(letter: str, rest: str, options: Sequence[ReadableOption], *, whole: bool) -> AnswerValue | None:
    """Return the value of a letter, and the text that follows the letter."""
    if _is_word(letter, rest):
        named = option_at_start(rest, options)
        return AnswerValue(named.key, named.rest) if named else None
    stops = re.match(r"\s*(?:[.)\],;:!]|\Z|\n)", rest) is not None
    if (letter.islower() and not whole and not stops) or re.match(r"[)\]\"']*\s*\?", rest):
        return None
    several = ANOTHER.match(rest) or _ANOTHER_LATER.match(rest)
    return AnswerValue(None if several else known(letter.upper(), options), rest)


def known(letter: str, options: Sequence[ReadableOption]) -> str | None:
    """Return the letter if it belongs to one of the options, otherwise None."""
    return letter if any(option.key == letter for option in options) else None


def _is_word(letter: str, rest: str) -> bool:
    """Return whether "A" or "I" at this position is an English word, by whether the next word begins a reason."""
    follows = re.match(r"[ \t]+([A-Za-z']+)", rest)
    return (
        letter in "AaIi"
        and follows is not None
        and follows[1].lower()
        not in {
            "and",
            "as",
            "because",
            "but",
            "by",
            "can",
            "does",
            "due",
            "fits",
            "for",
            "given",
            "has",
            "in",
            "is",
            "it",
            "matches",
            "not",
            "or",
            "rather",
            "since",
            "the",
            "this",
            "though",
            "which",
            "with",
        }
    )
