"""Faults in the wording of an item: spelling, grammar, length, and questions that name their answer.

Spelling, articles, agreement, doubled words and capitals are checked if question and options are English. In other
languages, only length, end marks and questions that name their answer are checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from benchwright.records import Item

from .grammar import begins_small, grammar_faults
from .spelling import Spelling
from .text_checks import Fault, end_mark_fault, is_english, names_answer
from .word_forms import is_listed

Kind = Literal[
    "too_long", "too_short", "names_answer", "spelling", "article", "agreement", "doubled_word", "capital", "end_mark"
]
KINDS: tuple[Kind, ...] = (
    "too_long", "too_short", "names_answer", "spelling", "article", "agreement", "doubled_word", "capital", "end_mark",
)  # fmt: skip
"""All kinds in order of weight: an item's first fault in this order decides."""
Language = Literal["auto", "en", "any"]
MOST_READ = 5000
"""Largest number of characters of a text that are read to detect its language; longer texts are `too_long`."""
_SHORTEST_WORD = 5
_SHORT_OPTION = 3
"""Largest number of words of an option that may be a term."""
_SHOWN = 80


@dataclass(frozen=True)
class WordingRules:
    """Settings for the check of items' wording.

    Args:
        language: `auto` if an item's words determine whether it is English, or `en` or `any` for all items.
        min_characters: Smallest number of characters of a question.
        max_characters: Largest number of characters of a question, at most `MOST_READ`.
        max_option_characters: Largest number of characters of an option, at most `MOST_READ`.
    """

    language: Language = "auto"
    min_characters: int = 6
    max_characters: int = 600
    max_option_characters: int = 300


def faults_of(item: Item, spelling: Spelling, rules: WordingRules) -> tuple[list[Fault], bool]:
    """Return all faults in an item's texts, and whether they were checked as English.

    Args:
        item: The item.
        spelling: Correctly spelled words.
        rules: Settings of the check.
    """
    texts = [
        item.question[:MOST_READ],
        *(choice.text[:MOST_READ] for choice in item.choices if choice.text is not None),
    ]
    english = rules.language == "en" or (rules.language == "auto" and is_english(texts, spelling))
    english_faults = _faults_of_english(item, spelling) if english else ()
    return [*_faults_of_any_language(item, rules), *english_faults], english


def _faults_of_any_language(item: Item, rules: WordingRules) -> Iterator[Fault]:
    length = len(item.question.strip())
    if length > rules.max_characters:
        yield Fault("too_long", "question", f"{length} characters")
    if length < rules.min_characters:
        yield Fault("too_short", "question", f"{length} characters")
    for choice in item.choices:
        if choice.text is not None and len(choice.text) > rules.max_option_characters:
            yield Fault("too_long", choice.key, f"{len(choice.text)} characters")
    if (answer := names_answer(item)) is not None:
        yield Fault("names_answer", "question", answer[:_SHOWN])
    if (end := end_mark_fault(item.question)) is not None:
        yield Fault("end_mark", "question", end)


def _capital_misspellings(item: Item, spelling: Spelling) -> Iterator[Fault]:
    """Yield misspelled options of one capitalized word, if the other options are dictionary words.

    `Autum` with `Winter` and `Spring` is not a name; `Naan` with `Pita` may be one of many.
    """
    texts = [(choice.key, (choice.text or "").strip(" .")) for choice in item.choices]
    for key, text in texts:
        is_word = text.isascii() and text.isalpha() and len(text) >= _SHORTEST_WORD and text[1:].islower()
        if not is_word or not text[0].isupper() or spelling.is_known(text):
            continue
        others = [word for beside, other in texts if beside != key for word in re.findall(r"[^\W\d_]+", other)]
        correction = spelling.correction(text)
        if correction is None or not is_listed(correction) or not others:
            continue
        if all(spelling.is_known(word) for word in others) and any(is_listed(word) for word in others):
            yield Fault("spelling", key, text[:_SHOWN], correction)


def _terms(item: Item, spelling: Spelling) -> frozenset[str]:
    """Return the unknown words of options that are probably terms that the lists lack, such as `kintsugi`.

    These are words without a correction, and the words of short options if two or more of these have unknown words.
    """
    unknown = {choice.key: spelling.misspellings((choice.text or "")[:MOST_READ]) for choice in item.choices}
    short = {choice.key for choice in item.choices if len((choice.text or "").split()) <= _SHORT_OPTION}
    are_terms = sum(bool(unknown[key]) for key in short) > 1
    return frozenset(
        word
        for key, words in unknown.items()
        for word, correction in words
        if correction is None or (are_terms and key in short)
    )


def _faults_of_english(item: Item, spelling: Spelling) -> Iterator[Fault]:
    yield from _capital_misspellings(item, spelling)
    texts = [("question", item.question), *((choice.key, choice.text) for choice in item.choices)]
    texts.append(("explanation", item.explanation))
    if begins_small(item.question):
        yield Fault("capital", "question", item.question.split()[0][:_SHOWN])
    terms = _terms(item, spelling)
    for place, text in texts:
        for word, correction in spelling.misspellings((text or "")[:MOST_READ]):
            if word in terms:
                continue
            yield Fault("spelling", place, word[:_SHOWN], correction)
        for kind, words in grammar_faults((text or "")[:MOST_READ]):
            yield Fault(kind, place, words[:_SHOWN])
