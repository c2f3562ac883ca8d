"""The answers that a reply states, in order of place.

A commitment is a place where a reply says "this is my answer": a boxed or tagged value, a JSON field, a phrase such
as "the answer is", a line that is nothing but a letter, or a label that opens the whole reply. Its letter is None where
it names no single option: a list, a choice between two, a letter that is not among the options.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from .answer_values import ANOTHER, AnswerValue, known, value_of
from .cue_languages import (
    CONDITION,
    DENIED_AFTER,
    DENIED_BEFORE,
    FIRM,
    HEDGED_BEFORE,
    SOFT,
    copulas,
    cues_in,
    verdicts_elsewhere,
)
from .marked_answers import marked
from .option_words import LATIN, ReadableOption, is_particle, option_at_start
from .refusal_phrases import REFUSAL
from .verdict_lists import listed

_VERDICT = re.compile(
    rf"(?<![{LATIN}'/-])[(\[]?([A-Z])[)\]]?\s+(?:is|must\s+be|would\s+be|should\s+be|(?:seems|"
    rf"appears)(?:\s+to\s+be)?)\s+"
    r"(?:(?:indeed|clearly|definitely|therefore|thus|the|most|likely|probably|my|a|only|final)\s+)*"
    r"(?:correct|right|true|best|answer|match|winner|missing|closest|"
    r"(?<=most\s)(?:possible|probable|plausible|suitable|appropriate|accurate|fitting|reasonable)|"
    r"(?<=most\slikely\s)(?:choice|option|one|candidate|scenario|behaviou?r|role|emotion|explanation))(?![A-Za-z])"
)
_IT_IS = re.compile(rf"(?<![{LATIN}'/-])[(\[]?([A-Z])[)\]]?\s+it\s+is(?![A-Za-z])")
_ELSEWHERE = verdicts_elsewhere()
_TAG = re.compile(
    r"[<\[](answer|final_answer|final|choice|option|response|result|output|solution|"
    r"ans)[>\]](.{0,400}?)(?:[<\[]/\1[>\]]|\Z)"
    r"|\\boxed\s*\{([^{}]{0,200}(?:\{[^{}]{0,200}\}[^{}]{0,200})?)\}"
    r"|[\"'](?:final_?answer|answer|correct_?answer|choice|option|letter|label|prediction|selection|selected|"
    r"output)[\"']"
    r"\s*:\s*(\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'|\[[^\]\n]{0,300}\]|[^\s,{}\n]{1,40})",
    re.I | re.S,
)
_LEAD = re.compile(
    r"\A[\s\"']*(?:[(\[]([A-Za-z])[)\]]|([A-Z])(?:[).:,;!]|\s*\n|\s+[-]\s|\s+(?:because|since)\b)|"
    r"([a-z])[).](?=\s|\Z))"
)
_END = re.compile(r"(?:[.?!:;][ \t]+|(?:→|->|=>|⇒)[ \t]*|(?<=[a-z]{2}),\s+)[(\[]?([A-Z])[)\]]?[.!]?\Z")
_LABEL_ALONE = re.compile(r"\s*[(\[]?[A-Z][)\]]?\.\s+")
_END_IS = re.compile(rf"(?<=[^\W\d_A-Z]{{2}})\s+(?:is|{copulas()})\s+[(\[]?([A-Z])[)\]]?\.?\Z")
_BRACKETED = re.compile(r"[(\[](?:(?i:option|choice|answer)\s+)?[A-Z][)\]]")
_BRACKETED_END = re.compile(r"[(\[](?:(?i:option|choice|answer)\s+)?([A-Z])[)\]][.!]?\Z")
_CONCLUDES = re.compile(r"\b(?:therefore|thus|so|hence|overall|consequently|in\s+conclusion)\b", re.I)
_NAMES_ANOTHER = re.compile(r"\bis\s+[(\[]?[A-Z](?![A-Za-z])[^.!?\n]*\Z")
_NUMBERED = re.compile(r"\A\s*\d{1,2}[.)]\s+")
_NUMBER = re.compile(r"(?:\A|\n)\s*\d{1,2}\Z")
_UNTICKED = re.compile(r"\[ \]|[☐⬜□○]")
_LIST_LINE = re.compile(r"\A[-*\s]*[(\[]?([A-Z])[)\].:]")
_LED_UP_TO = re.compile(r":[ \t]*\n\s*[(\[]?([A-Z])[)\].](?=\s|\Z)")
_OF_THE_REST = re.compile(r"\b(?:others?|less|not|unlikely|incorrect|wrong|options|choices|candidates|each)\b", re.I)
_OF_THE_BEST = re.compile(
    r"\b(?:most(?!\s+un)|best|closest|lean\s+towards?|would\s+choose|correct\s+(?:answer|option|"
    r"choice)\s+is)\b(?!.*\b(?:less|others?|incorrect)\b)",
    re.I,
)
_ENTRY = re.compile(r"^[-*\s]*[(\[]?([A-Z])[)\].:]", re.M)
_SENTENCE_END = re.compile(r"(?<=[^\W_]{2})[.!?;](?=\s)|\n")
_THING = r"(?:box|point|option|choice|image|picture|tile|patch|candidate|figure|region|circle|object)"
_CLAIM = re.compile(
    rf"\A(?i:(?:(?:among|of|out\s+of|between)\s[^.,;\n]{{3,60}},\s+|(?:it|this)\s+(?:appears|seems)\s+(?:that\s+)?)?"
    rf"(?:the\s+)?(?:{_THING}\s+)?)[(\[]?([A-Z])[)\]]?"
    r"(?:,|(?=\s+(?:is|was|has|fits|match(?:es)?|suits|lines\s+up|\w+ly|more|better)\b))"
)
_NAMED = re.compile(rf"(?i:{_THING})\s+([A-Z])(?![{LATIN}])|[(\[]([A-Z])[)\]]")
_NAMED_LINE = re.compile(rf"^[-*\s]*(?i:{_THING})\s+([A-Z])(?![{LATIN}])", re.M)
_ABOVE = re.compile(
    r"\b(?:more|most|better|best|closer|closest|nearer|nearest|darker|darkest|lighter|brighter|tighter)\b", re.I
)
_LISTED = re.compile(r"(?:\A|\n|[.,;!?]\s)\s*[(\[]?([A-Z])(?:[)\]]|[.:]\s)|\s([A-Z])[.)]\s")


_WOULD = re.compile(r"\bwould\b", re.I)
_IF = re.compile(r"\b(?:if|in\s+case|assuming|provided\s+that|had)\b[^.!?\n]*\Z", re.I)
_STATEMENT = re.compile(
    r"\b(?:statement|claim|description|sentence|caption|assertion|proposition|hypothesis|it|this|that|"
    r"which)\s+(?:is|must\s+be|would\s+be|appears\s+to\s+be)\s+"
    r"(?:(?:therefore|thus|indeed|clearly|actually|definitely|hence)\s+)?(?P<no>not\s+)?(?:(?P<true>true|"
    r"correct|right|accurate)|(?P<false>false|incorrect|wrong|inaccurate|untrue))\b(?!\s*\?)",
    re.I,
)

_TAIL = 240
"""Characters at the end of a reply that may hold its last sentence."""


class StatedAnswer(NamedTuple):
    """Place in the text, option (None for no single one), and rule that found it."""

    place: int
    letter: str | None
    rule: str


def stated_answers(text: str, options: Sequence[ReadableOption]) -> list[StatedAnswer]:
    """Return every commitment of a plain text, by place."""
    answers = [
        *_tagged(text, options),
        *_after_phrases(text, options),
        *_verdicts(text, options),
        *_lone_lines(text, options),
        *_lead(text, options),
        *_claim(text, options),
        *_end(text, options),
        *_led_up_to(text, options),
        *_held_true(text, options),
        *(StatedAnswer(*marking) for marking in marked(text, options)),
        *(StatedAnswer(*marking) for marking in listed(text, options)),
    ]
    return sorted(answers, key=lambda c: c.place)


def _tagged(text: str, options: Sequence[ReadableOption]) -> Iterator[StatedAnswer]:
    for match in _TAG.finditer(text):
        content = next(group for group in match.groups()[1:] if group is not None)
        value = value_of(content, options, whole=True)
        rule = "tag" if match[2] is not None else "boxed" if match[3] is not None else "json"
        yield StatedAnswer(match.start(), value.letter if value else None, rule)


def _after_phrases(text: str, options: Sequence[ReadableOption]) -> Iterator[StatedAnswer]:
    for firm, phrases in ((True, FIRM), *((True, cues) for cues in cues_in(text)), (False, SOFT)):
        for match in phrases.finditer(text):
            if match.end() == match.start() or CONDITION.search(text[max(0, match.start() - 60) : match.start()]):
                continue
            if _WOULD.search(match[0]) and _IF.search(text[max(0, match.start() - 160) : match.start()]):
                continue
            ahead = text[match.end() : match.end() + 400].lstrip()
            sentence = re.split(r"\n\s*\n|(?<=[^\W_]{2})[.!?;](?=\s)", ahead, maxsplit=1)[0]
            value = None if ahead[len(sentence) :].startswith("?") else value_of(sentence, options, whole=False)
            if value is None or _denied(value.rest) or _opens_list(ahead):
                continue
            if firm or (value.letter and _is_all(value, options)):
                yield StatedAnswer(match.end(), value.letter, "phrase")


def _denied(rest: str) -> bool:
    """Return whether the text after a label denies it; a new sentence after the label is about other options."""
    return DENIED_AFTER.match(rest) is not None and not re.match(r"[)\]\"']*\.\s+Not\b", rest)


def _is_all(value: AnswerValue, options: Sequence[ReadableOption]) -> bool:
    """Return whether a value is several words, ends its clause, or is followed by a reason or the option's words."""
    if " " in value.words or re.match(r"[)\]\"']*\s*(?:[.,;:!]|\Z|\n|because\b|since\b)", value.rest):
        return True
    named = option_at_start(value.rest.lstrip(")]\"'.:- "), options)
    return named is not None and named.key == value.letter


def _verdicts(text: str, options: Sequence[ReadableOption]) -> Iterator[StatedAnswer]:
    """Yield places such as "(B) is the right one"; after another letter, the verdict is about several options."""
    for match in (*_VERDICT.finditer(text), *_IT_IS.finditer(text), *_ELSEWHERE.finditer(text)):
        letter = next(group for group in match.groups() if group)
        before = text[max(0, match.start() - 60) : match.start()]
        if re.search(rf"(?<![{LATIN}])[(\[]?[A-Z][)\]]?,?\s+(?:and|or|nor|&)\s+\Z|[A-Z][)\]]?\s*[,/]\s*\Z", before):
            yield StatedAnswer(match.start(), None, "several")
        elif not CONDITION.search(before) and not DENIED_AFTER.match(text[match.end() :]):
            yield StatedAnswer(match.start(), known(letter, options), "verdict")


def _lone_lines(text: str, options: Sequence[ReadableOption]) -> Iterator[StatedAnswer]:
    """Yield lines that consist of a letter; different letters in neighbouring lines are a list."""
    lines: list[tuple[int, str]] = []
    place = 0
    for line in text.split("\n"):
        if not _UNTICKED.search(line) and (bare := _NUMBERED.sub("", line).strip(" \t\"'()[]{}<>.:,;!=→⇒➡-")):
            lines.append((place, bare.upper() if len(bare) == 1 and bare.isascii() and bare.isalpha() else ""))
        place += len(line) + 1
    for lone, group in groupby(lines, key=lambda line: line[1] != ""):
        if lone:
            run = list(group)
            letters = {letter for _, letter in run}
            yield StatedAnswer(run[-1][0], known(letters.pop(), options) if len(letters) == 1 else None, "line")


def _lead(text: str, options: Sequence[ReadableOption]) -> Iterator[StatedAnswer]:
    """Yield the label that the reply opens with; a label that opens a list of the options names no single one."""
    match = _LEAD.match(text)
    if match is None:
        return
    letter = next(group for group in match.groups() if group).upper()
    rest = text[match.end() :]
    if DENIED_AFTER.match(rest):
        return
    lists = _opens_list(text) or (letter == "A" and any((m[1] or m[2]) != "A" for m in _LISTED.finditer(rest)))
    if lists or ANOTHER.match(text[match.end() - 1 :]) or ANOTHER.match(rest):
        yield StatedAnswer(0, None, "several")
    else:
        yield StatedAnswer(0, known(letter, options), "lead")


def _end(text: str, options: Sequence[ReadableOption]) -> Iterator[StatedAnswer]:
    """Yield a letter that is the last sentence or clause; text after a lone label is that option's words."""
    tail = text[-_TAIL:]
    match = _END.search(tail)
    if match is not None and _LABEL_ALONE.fullmatch(text[: len(text) - len(tail) + match.start(1)].rstrip("([")):
        return
    if match is None and (match := _END_IS.search(tail)) is not None:
        before = tail[: match.start()]
        put_aside = HEDGED_BEFORE.search(before) or DENIED_BEFORE.search(before) or _NAMES_ANOTHER.search(before)
        match = None if put_aside else match
    if match is None:
        match = _concluding_label(tail)
    if match is not None and not REFUSAL.search(text) and not _NUMBER.search(tail[: match.start()]):
        yield StatedAnswer(max(0, len(text) - _TAIL) + match.start(1), known(match[1], options), "end")


def _concluding_label(tail: str) -> re.Match[str] | None:
    """Return the label in brackets at the end of a sentence that draws a conclusion and names no other label."""
    last = tail[max((m.end() for m in _SENTENCE_END.finditer(tail)), default=0) :]
    if not _CONCLUDES.search(last) or len(_BRACKETED.findall(last)) != 1:
        return None
    return _BRACKETED_END.search(tail)


def _led_up_to(text: str, options: Sequence[ReadableOption]) -> Iterator[StatedAnswer]:
    """Yield labels that open a line after a line that ends in a colon, unless a later line makes them a list."""
    last_with = {entry[1]: entry.start() for entry in _ENTRY.finditer(text)}
    for match in _LED_UP_TO.finditer(text):
        listed = any(place > match.end() for letter, place in last_with.items() if letter != match[1])
        leading = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        leading = _SENTENCE_END.split(leading)[-1]
        if not listed and (_OF_THE_BEST.search(leading) or not _OF_THE_REST.search(leading)):
            yield StatedAnswer(match.start(1), known(match[1], options), "led_up_to")


def _claim(text: str, options: Sequence[ReadableOption]) -> Iterator[StatedAnswer]:
    """Yield the one option that the first sentence ranks above the others: "Box B fits more closely."."""
    first = re.split(r"\bthan\b", _SENTENCE_END.split(text, maxsplit=1)[0], maxsplit=1)[0]
    match = _CLAIM.match(first)
    if match is None or not _ABOVE.search(first) or {m[1] for m in _NAMED.finditer(first)} - {match[1]}:
        return
    lists = any(m[1] != match[1] for m in _NAMED_LINE.finditer(text))
    if not lists and not CONDITION.search(first) and not DENIED_AFTER.match(first[match.end(1) :]):
        yield StatedAnswer(0, known(match[1], options), "claim")


def _held_true(text: str, options: Sequence[ReadableOption]) -> Iterator[StatedAnswer]:
    """Yield yes or no where these are the options and the reply says that the statement is true or false."""
    if len(options) != 2 or not all(is_particle(option.words) and option.words for option in options):
        return
    by_words = {word: option.key for option in options for word in option.forms}
    yes, no = by_words.get("true"), by_words.get("false")
    for match in _STATEMENT.finditer(text):
        if yes and no and not CONDITION.search(text[max(0, match.start() - 60) : match.start()]):
            yield StatedAnswer(
                match.start(), no if (match["no"] is None) == (match["true"] is None) else yes, "held_true"
            )

    for match in _YES_OR_NO.finditer(text):
        if key := by_words.get(match[1].lower()):
            yield StatedAnswer(match.start(), key, "held_true")


_YES_OR_NO = re.compile(r"[:.]\s+(yes|no)(?=[,.!]|\s*\Z)", re.I)


def _opens_list(ahead: str) -> bool:
    """Return whether a text starts with one label and has another label at the start of its next line."""
    first = _LIST_LINE.match(ahead)
    following = _LIST_LINE.match(ahead.partition("\n")[2].lstrip())
    return first is not None and following is not None and first[1] != following[1]
