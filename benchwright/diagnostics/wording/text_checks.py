"""Checks of texts that apply in any language, and a check of whether a text is English."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from benchwright.records import Item
from benchwright.texts.normalization import normal

from .spelling import Spelling

_FUNCTION_WORDS = frozenset(
    [
        "the",
        "what",
        "which",
        "how",
        "this",
        "that",
        "these",
        "those",
        "are",
        "does",
        "did",
        "who",
        "where",
        "why",
        "and",
        "of",
        "with",
        "is",
        "from",
        "there",
        "their",
        "can",
    ]
)
_LEAST_KNOWN = 0.6
"""Smallest proportion of listed words in a text that counts as English, even with a misspelling or two."""
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_END_MARKS = frozenset("?!.:;…_؟。！？：；।՞።፧‽)")
_CLOSING = "\"'”’»」』)]}`*"
_SMALL = frozenset({"a", "an", "the", "it", "yes", "no", "none", "both", "all", "and", "or"})
_LEAST_NAMED = 3
"""Smallest number of characters of an answer in letters that a question may name; two in scripts without spaces."""


class Fault(NamedTuple):
    """A fault in a text of an item.

    Args:
        kind: Reason code.
        place: The text concerned: `question`, `explanation`, or the letter of an option.
        words: A description of the fault, at most 80 characters.
        correction: Word that may be intended; None if none is known.
    """

    kind: str
    place: str
    words: str
    correction: str | None = None


def is_english(texts: Sequence[str], spelling: Spelling) -> bool:
    """Return whether texts are English: most words are in the list, and one is a function word.

    Texts of a few words that could be of any language, such as names, are not considered English.
    """
    words = [word.lower().replace("’", "'") for text in texts for word in _WORD.findall(text)]
    if not words or not _FUNCTION_WORDS.intersection(words):
        return False
    known = sum(word.isascii() and spelling.is_known(word) for word in words)
    return bool(known >= _LEAST_KNOWN * len(words))


_ASKS = re.compile(
    r"\b(?:what|which|who|whom|whose|when|where|why|how)\b"
    r"|^\W*(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|shall|should|may|might|must|choose|select"
    r"|pick|identify|name|find|describe|give|state|tell|mark|point|count|decide|match|compare)\b",
    re.IGNORECASE,
)
"""Words by which an English sentence asks or instructs; options complete one without them."""


def end_mark_fault(question: str) -> str | None:
    """Return the last word of a question that lacks an end mark, or None if it ends with a mark of any script.

    An English sentence that the options complete, such as "The pirates are", needs no end mark.
    """
    end = question.strip()
    bare = end.rstrip(_CLOSING + " ")
    if not bare or bare[-1] in _END_MARKS or end[-1] in "_)":
        return None
    if not _ASKS.search(bare) and _FUNCTION_WORDS.intersection(word.lower() for word in _WORD.findall(bare)):
        return None
    return bare.split()[-1][-40:]


MISSING_VALUES = frozenset(
    ["nan", "NaN", "NAN", "null", "NULL", "<NA>", "NaT", "#N/A", "#REF!", "#VALUE!", "#NAME?", "#DIV/0!"]
)
"""Texts that programs write for a missing value, in their exact spelling; `None` and `NA`, which authors also write,
are not included."""
_PERHAPS_MISSING = frozenset(["undefined", "nil"])
"""The same, for questions in which nothing is counted or calculated: a slope may be undefined, and a score nil."""
_CALCULATES = re.compile(
    r"\d|[=+^√/<>]|\b(?:slope|limit|function|value|expression|score|zero|equation)\b", re.IGNORECASE
)


def missing_values(item: Item) -> list[str]:
    """Return the keys of options whose text is a program's representation of a missing value, in option order."""
    texts = {choice.key: choice.text.strip() for choice in item.choices if choice.text is not None}
    calculates = any(_CALCULATES.search(text) for text in (item.question, *texts.values()))
    return [
        key for key, text in texts.items() if text in MISSING_VALUES or (text in _PERHAPS_MISSING and not calculates)
    ]


def names_answer(item: Item) -> str | None:
    """Return the right option if the question contains it word for word and contains no wrong option; otherwise None.

    `Is the cat or the dog larger?` names both options, which is not a fault. Numbers, yes and no, and texts of one or
    two letters are ignored, because they occur in questions for other reasons.
    """
    return right_named_in(item, item.question)


def right_named_in(item: Item, text: str) -> str | None:
    """Return the right option if a text contains it as consecutive whole words but no wrong option; otherwise None."""
    key = item.answered_key or ""
    stated = next((choice.text for choice in item.choices if choice.key == key), None)
    right = None if stated is None else normal(stated)
    if right is None or not _says_something(right) or not _stands_in(right, words := normal(text)):
        return None
    wrong = [normal(choice.text) for choice in item.choices if choice.text is not None and choice.key != item.answer]
    if any(_stands_in(text, words) or _stands_in(right, text) for text in wrong):
        return None  # of `equal` and `not equal`, a question may name one without giving it away
    return right


def _says_something(text: str) -> bool:
    letters = [character for character in text if character.isalpha()]
    least = 2 if letters and _has_no_spaces(letters[0]) else _LEAST_NAMED
    words = {word for word in text.split() if not word.isdigit()}
    return len(letters) >= least and not words <= _SMALL


_ARTICLE = re.compile(
    r"^(?:(?:a|an|the) |(?:der|die|das|den|dem|ein|eine|einen|einem|einer|les?|la|l|une?|des|du|el|los|las|un[oa]s?|il|"
    r"lo|gli|uma?s?|het|een) (?=\w{4}))"
)
"""Articles; in languages other than English, those that precede words of four letters or more."""


def _stands_in(text: str, question: str) -> bool:
    core = _ARTICLE.sub("", text)
    if not core:
        return False
    if not core.isascii() and any(_has_no_spaces(character) for character in core):
        return core.replace(" ", "") in question.replace(" ", "")
    return f" {core} " in f" {question} "


def _has_no_spaces(character: str) -> bool:
    """Return whether a character belongs to a script without spaces between words."""
    return unicodedata.name(character, "").startswith(
        ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")
    )
