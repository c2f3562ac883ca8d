"""The reader of answer letters: it turns a model's free reply into one letter, or none.

A letter needs a statement. The reader does not guess from what a reply merely talks about:

1. A reply that consists of one option's words names that option. If the words of an option are a letter, that letter is
   ignored after the option's label: "D. C" is D.
2. Otherwise the last commitment in a fixed form decides (`stated_answers`): "the answer is B", `\\boxed{B}`,
   `{"answer": "B"}`, a line with only a letter, a label or a yes that opens the reply, a list of verdicts. If that
   commitment is a list ("A or B") or a letter not among the options, the reply gives no letter, whatever its earlier
   commitments. If the reply retracts the commitment, the text after the retraction takes precedence.
3. Otherwise a refusal gives no letter, unless one option itself declines and the reply names no other.
4. Otherwise the sentences decide (`candidates`, `decision`): every passage that names an option, with the reply's
   statement about it there. A conclusion, a closing line or a claim is needed, or a reply of a sentence or two that
   names one option.

Thoughts (`<think>`) are not part of the reply. The error message of a failed program yields no letter.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from .candidates import NamedPlace, Polarity, Sentences, Strength, candidates_of, prose_of, sentences_of
from .counted_pictures import with_pictures_labelled
from .decision import NOT_OFFERED, decided
from .marked_answers import with_labels
from .native_labels import with_latin_labels
from .option_places import sentence_ends
from .option_words import (
    ReadableOption,
    as_called,
    is_particle,
    option_alone,
    option_at_start,
    options_of,
    without_own_letters,
)
from .polarity_phrases import LEFT_OPEN, TAKEN_BACK, UNDECIDED, WITHDRAWN, Grammar, grammar_of
from .referents import with_referents
from .refusal_phrases import FAILURE, REFUSAL, UNSEEN
from .reply_text import bounded, folded, plain, without_closing_aside
from .stated_answers import stated_answers
from .telling_words import told_by_words


class ParsedAnswer(NamedTuple):
    """Result of reading a reply: the letter, if any, and the rule that found it."""

    state: Literal["answered", "miss", "refusal", "error"]
    letter: str | None
    rule: str


def read_answer(reply: str, choices: Sequence[tuple[str, str | None]]) -> ParsedAnswer:
    """Read a free reply.

    Args:
        reply: Text of the model's reply, of any length and in any state.
        choices: Key and text of each option, in order; the text is None for a picture.

    Example:
        >>> read_answer("I think (B) fits best.", [("A", None), ("B", None)]).letter
        'B'
    """
    options = options_of(choices)
    text = without_own_letters(plain(with_latin_labels(bounded(reply), options)), choices)
    if not text or FAILURE.match(text):
        return ParsedAnswer("error", None, "failure") if text else ParsedAnswer("miss", None, "empty")
    if (letter := option_alone(text, options)) is not None:
        return ParsedAnswer("answered", letter, "option_words")
    text = with_referents(with_labels(with_pictures_labelled(text, options), options), options)
    declines = _declines(text, options)
    stated = stated_answers(text, options)
    if stated and stated[-1].letter is not None:
        reading = _read(stated[-1].letter, stated[-1].rule)
        says_sorry = any(o.key == reading.letter and TAKEN_BACK.search(o.words) for o in options)
        return reading if says_sorry else _unless_taken_back(text, stated[-1].place, reading, options)
    if declines:
        letter = _declining_option(text, options) or _answered_all_the_same(text, options)
        return _read(letter, "declines") if letter else ParsedAnswer("refusal", None, "refusal")
    if (
        (stated and stated[-1].rule != "several")
        or LEFT_OPEN.search(text)
        or UNDECIDED.search(text, len(text) - _CLOSE)
    ):
        return ParsedAnswer("miss", None, "several")
    letter = _prose(text, options_of(as_called(choices, text)))
    return _read(letter, "candidates") if letter else ParsedAnswer("miss", None, "nothing")


def _read(letter: str, rule: str) -> ParsedAnswer:
    return ParsedAnswer("answered", letter, rule)


def _prose(text: str, options: tuple[ReadableOption, ...]) -> str | None:
    """Return the option supported by the sentences of a text."""
    grammar = grammar_of(text)
    prose = prose_of(text, grammar)
    keys = [option.key for option in options]
    sentences = sentences_of(prose, grammar)._replace(
        breaks_off=not without_closing_aside(text).rstrip().endswith((prose[-_FEW:].split() or [""])[-1])
    )
    found = candidates_of(prose, options, grammar)
    return decided(found, keys, sentences, prose, grammar) or _told(found, options, sentences, prose, grammar)


def _told(
    candidates: Sequence[NamedPlace],
    options: tuple[ReadableOption, ...],
    sentences: Sentences,
    prose: str,
    grammar: Grammar,
) -> str | None:
    """Return the option that the last sentence implies without naming it, if no earlier sentence claims another."""
    if sentences.breaks_off or any(c.sentence == sentences.last for c in candidates) or NOT_OFFERED.search(prose):
        return None
    ends = [end for end in sentence_ends(prose) if end < len(prose)]
    key = told_by_words(prose[ends[-1] if ends else 0 :], options, grammar)
    rivals = [c for c in candidates if c.key != key and c.polarity is Polarity.STATED and c.strength >= Strength.CLAIM]
    return None if rivals else key


_CLOSE = 240
"""Length, in characters, of the part at the end of a reply in which it may express indecision."""


_FEW = 12
"""Length, in characters, of the part at the end of a reply by which a truncated reply is recognized."""


def _unless_taken_back(
    text: str, place: int, reading: ParsedAnswer, options: tuple[ReadableOption, ...]
) -> ParsedAnswer:
    """Return the option named after a retracted commitment, or the commitment if it is not retracted.

    If the text after the commitment favors another option without claiming it, the reply gives none.
    """
    sentence = _SENTENCE.search(text, place + 1)
    back = TAKEN_BACK.search(text, sentence.start()) if sentence else None
    if back is None:
        return reading
    rest = text[back.start() :]
    if REFUSAL.search(rest) and not _RESTATES.search(rest):
        return ParsedAnswer("miss", None, "taken_back")
    letter = _prose(rest, options)
    if letter is None:
        return ParsedAnswer("miss", None, "taken_back") if WITHDRAWN.search(rest) else reading
    if letter == reading.letter:
        return reading
    grammar = grammar_of(rest)
    found = candidates_of(rest, options, grammar)
    if any(c.key == reading.letter and c.polarity is Polarity.STATED for c in found):
        return reading
    return _read(letter, "candidates") if _is_firm(letter, rest, options) else ParsedAnswer("miss", None, "taken_back")


_SENTENCE = re.compile(r"[.!?;,]\s|\n|\.\.\.")
_RESTATES = re.compile(r"\b(?:stick|stay|remain|keep)\w*\b", re.I)


def _declines(text: str, options: Sequence[ReadableOption]) -> bool:
    """Return whether a reply declines; after a yes or no, a statement that something is not visible is an answer."""
    opened = option_at_start(text, options)
    seen = UNSEEN.sub("", text) if opened is not None and is_particle(opened.words) else text
    return REFUSAL.search(seen) is not None


def _answered_all_the_same(text: str, options: tuple[ReadableOption, ...]) -> str | None:
    """Return the option with which a reply concludes after its refusal."""
    *_, last = REFUSAL.finditer(text)
    rest = text[next((end for end in sentence_ends(text) if end > last.end()), len(text)) :].strip()
    letter = _prose(rest, options)
    return letter if letter and _is_firm(letter, rest, options) else None


def _is_firm(letter: str, text: str, options: tuple[ReadableOption, ...]) -> bool:
    """Return whether a text concludes or claims an option."""
    return any(
        c.key == letter and c.polarity is Polarity.STATED and (c.concludes or c.strength >= Strength.CLAIM)
        for c in candidates_of(text, options, grammar_of(text))
    )


def _declining_option(text: str, options: tuple[ReadableOption, ...]) -> str | None:
    """Return the only option that declines to answer, if the last sentence of a declining reply uses its words.

    A model that declines in other words has not chosen an option: it refuses.
    """
    sentences = sentence_ends(text.rstrip(" .!?"))
    last = _bare(text[sentences[-1] :] if sentences else text)
    grammar = grammar_of(text)
    found = [c for c in candidates_of(text, options, grammar) if c.polarity is Polarity.STATED]
    at_end = {c.key for c in found if c.place >= len(text) - len(last) - 4}
    declining = [
        o.key
        for o in options
        if REFUSAL.search(o.words)
        and (_bare(o.words) in last or o.key in at_end or o.words in folded(text[-len(o.words) - _CLOSE // 4 :]))
    ]
    named_last = {c.key for c in found if c.key in at_end}
    others = {c.key for c in found if not named_last or c.strength >= Strength.CLAIM} - {*declining}
    return declining[0] if len(declining) == 1 and not others else None


def _bare(text: str) -> str:
    return _CANNOT.sub("cannot", text.casefold()).replace("'s ", " is ").strip(" .!?;,()")


_CANNOT = re.compile(r"\b(?:can't|can\s+not)\b")
