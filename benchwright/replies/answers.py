"""The reader of answer letters: from a model's free reply to one letter, or to none.

The reader returns a letter where it takes the reply to state one. Rules 1 to 4 need a form; rules 5 and 6 read prose,
and on hard prose every second of their letters is wrong (`docs/evaluator.md`):

1. A reply that consists of one option's words names that option. A letter that is itself the words of an option is
   ignored after that option's own label: "D. C" is D.
2. Otherwise the last commitment counts (`stated_answers`): "the answer is B", `\\boxed{B}`, `{"answer": "B"}`, a line
   with nothing but a letter, a label that opens the reply. If that one is a list ("A or B") or a letter that is not
   among the options, the reply gives no letter; an earlier commitment is not used instead.
3. Otherwise a refusal gives none, unless the reply is itself the words of just one option.
4. Otherwise a label counts, such as "(B)" or "option B", if just one stands in the reply, or else in its last
   paragraph, and the reply does not dismiss it.
5. Otherwise the words of an option count, if just one option is mentioned.
6. Where these come to none, the candidates decide (`candidates`, `decision`): every place that names an option, with
   what is said of it there. They decide as well what a reply says after it has taken a commitment back.

Thoughts (`<think>`) are not part of the reply. The error message of a failed program gives no letter.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from benchwright.records import LETTERS

from .candidates import Polarity, Strength, candidates_of
from .cue_languages import DENIED_AFTER, DENIED_BEFORE, HEDGED_BEFORE
from .decision import decided
from .marked_answers import with_labels
from .option_words import (
    LATIN,
    ReadableOption,
    as_called,
    is_particle,
    option_alone,
    option_at_start,
    options_mentioned,
    options_of,
    with_shared_nouns,
    without_own_letters,
)
from .polarity_phrases import LEFT_OPEN, TAKEN_BACK, grammar_of
from .referents import with_referents
from .refusal_phrases import FAILURE, REFUSAL, UNSEEN
from .reply_text import finished, is_foreign, plain
from .stated_answers import stated_answers

_LABEL = re.compile(
    rf"(?<![{LATIN}])[(\[]([A-Z])[)\]]"
    r"|^\s*([A-Z])(?:[).:]|\s+[-])\s"
    r"|(?<![A-Za-z])(?i:option|choice|answer|letter|image|picture|tile|point|patch|candidate|figure|box|labell?ed)\s+"
    rf"[\"']?([A-Z])(?![{LATIN}-]|'[A-Za-z])"
    rf"|(?:选项|選項|选|選)\s*([A-Z])(?![{LATIN}])"
    r"|(?<=[a-z],\s)([A-J])(?=,\s)",
    re.M,
)
_LONE = re.compile(rf"(?<![{LATIN}'])[A-Z](?![{LATIN}'-])")
_AT_END = re.compile(
    r"(?<!\ba)(?<!\ban)(?<!\bthe)(?<!\bplan)(?<!\btype)(?<!\bsize)(?<!\bnote)(?<!\bclass)(?<!\bgrade)(?<!\bgroup)(?<!\bvitamin)"
    r"(?<=[^\W\d_A-Z])\s([A-HJ])[.!]?\Z"
)
_LABEL_AMONG_OTHERS = re.compile(rf"(?<![{LATIN}'.])([A-J])(?![{LATIN}'-]|\.\w)")
"""A capital that stands alone in a text of another script, where no word is one."""

_NEXT_LABEL = re.compile(r"[)\]\"']?\s*(?:,|/|&|and|or)\s*(?:(?:and|or)\s+)?[(\[\"']?([A-Z])(?![A-Za-z'])")
_SEVERAL_NAMED = re.compile(
    r"(?<![A-Za-z])(?i:options|choices|images|pictures|tiles|points|patches|candidates|figures|"
    r"boxes)\s+[(\[]?[A-Z][)\]]?"
    r"(?:,|\s+(?:and|or|&))"
)
_ENTRY = re.compile(r"^[-*\s]*(?:(?i:option|choice|image|picture|point|box|tile)\s+)?[(\[]?([A-Z])[)\].:]", re.M)


class ParsedAnswer(NamedTuple):
    """Result of reading a reply: the letter if it gives one, and the rule that found it."""

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
    text = without_own_letters(plain(reply), choices)
    if not text or FAILURE.match(text):
        return ParsedAnswer("error", None, "failure") if text else ParsedAnswer("miss", None, "empty")
    if (letter := option_alone(text, options)) is not None:
        return ParsedAnswer("answered", letter, "option_words")
    text = with_referents(with_labels(with_shared_nouns(text, options), options), options)
    declines = _declines(text, options)
    if answers := stated_answers(text, options):
        last = answers[-1]
        reading = _only({last.letter} if last.letter else set(), last.rule)
        if last.place == 0 and last.rule == "several" and not declines:  # a list that may come to a conclusion
            reading = _concluded(text, options) or reading
        elif reading.letter is not None:
            reading = _taken_back(text, last.place, reading, options)
    elif declines:
        declining = tuple(option for option in options if REFUSAL.search(option.words))
        reading = _only(options_mentioned(text, declining), "option_words")
    elif LEFT_OPEN.search(text):
        return ParsedAnswer("miss", None, "several")
    elif labels := _labels(text := finished(text), options):
        reading = _only(labels, "label")
        if reading.letter is None:
            reading = _concluded(text, options) or reading
    else:
        mentioned = options_mentioned(text, options)
        reading = _only(mentioned, "option_words") if mentioned else _only(_label_at_end(text, options), "end")
    if reading.letter is None and not declines and (not answers or answers[-1].rule == "several"):
        options = options_of(as_called(choices, text))
        grammar = grammar_of(text)
        letter = decided(candidates_of(text, options, grammar), [option.key for option in options], text, grammar)
        reading = ParsedAnswer("answered", letter, "candidates") if letter else reading
    return ParsedAnswer("refusal", None, "refusal") if declines and reading.letter is None else reading


def _taken_back(text: str, place: int, reading: ParsedAnswer, options: tuple[ReadableOption, ...]) -> ParsedAnswer:
    """Return what a reply says after it has taken its commitment back; the commitment itself where it has not.

    Where the words after it speak for another option, but do not claim it, the reply gives none.
    """
    sentence = _SENTENCE.search(text, place + 1)
    back = TAKEN_BACK.search(text, sentence.start()) if sentence else None
    if back is None:
        return reading
    rest = text[back.start() :]
    if REFUSAL.search(rest) and not _RESTATES.search(rest):
        return ParsedAnswer("miss", None, "taken_back")
    grammar = grammar_of(rest)
    found = candidates_of(rest, options, grammar)
    letter = decided(found, [option.key for option in options], rest, grammar)
    if letter is None or letter == reading.letter:
        return reading
    firm = any(
        c.key == letter and c.polarity is Polarity.STATED and (c.concludes or c.strength >= Strength.CLAIM)
        for c in found
    )
    if any(c.key == reading.letter and c.polarity is Polarity.STATED for c in found):
        return reading
    return ParsedAnswer("answered", letter, "candidates") if firm else ParsedAnswer("miss", None, "taken_back")


_SENTENCE = re.compile(r"[.!?;,]\s|\n|\.\.\.")
_RESTATES = re.compile(r"\b(?:stick|stay|remain|keep)\w*\b", re.I)


def _declines(text: str, options: Sequence[ReadableOption]) -> bool:
    """Return whether a reply declines; after a yes or no, saying that something is not visible is an answer."""
    opened = option_at_start(text, options)
    seen = UNSEEN.sub("", text) if opened is not None and is_particle(opened.words) else text
    return REFUSAL.search(seen) is not None


def _only(keys: set[str], rule: str) -> ParsedAnswer:
    return (
        ParsedAnswer("answered", min(keys), rule)
        if len(keys) == 1
        else ParsedAnswer("miss", None, rule if keys else "nothing")
    )


def _label_at_end(text: str, options: Sequence[ReadableOption]) -> set[str]:
    """Return the label that ends a reply of one sentence, in any language, if it is the only lone capital."""
    match = _AT_END.search(text)
    if match is None or len(_LONE.findall(text)) != 1 or re.search(r"[.!?;\n]\s", text):
        return set()
    before = text[: match.start(1)]
    aside = HEDGED_BEFORE.search(before) or DENIED_BEFORE.search(before)
    return set() if aside else {option.key for option in options if option.key == match[1]}


def _concluded(text: str, options: Sequence[ReadableOption]) -> ParsedAnswer | None:
    """Return the answer in the last of several paragraphs, read by labels; None where it names no single one.

    The last entry of a list of options is no conclusion, nor is a paragraph that mentions several options.
    """
    *before, last = re.split(r"\n\s*\n", text)
    entry = _ENTRY.match(last)
    listed = entry is not None and any(m[1] != entry[1] for m in _ENTRY.finditer("\n\n".join(before)))
    if not before or listed or _SEVERAL_NAMED.search(last):
        return None
    reading = _only(_labels(last, options), "conclusion")
    return reading if reading.letter is not None else None


def _labels(text: str, options: Sequence[ReadableOption]) -> set[str]:
    """Return the labels in a text that are neither dismissed nor hedged.

    If one label is hedged or is not among the options, the result is empty, because the meaning of the others is then
    uncertain.
    """
    keys = {option.key for option in options}
    labels: set[str] = set()
    strangers = False
    pattern = _LABEL_AMONG_OTHERS if is_foreign(text) else _LABEL
    for match in pattern.finditer(text):
        letter = next(group for group in match.groups() if group)
        before, after = text[: match.start()][-80:], text[match.end() : match.end() + 80]
        if after.startswith("?"):
            continue
        if letter not in keys:
            strangers = strangers or letter in LETTERS[:8]
        elif HEDGED_BEFORE.search(before):
            return keys
        elif not DENIED_BEFORE.search(before) and not DENIED_AFTER.match(after):
            labels.add(letter)
            labels |= {another[1] for another in [_NEXT_LABEL.match(after)] if another and another[1] in keys}
    return keys if strangers and labels else labels
