"""Where a reply commits itself to an answer, in order of place.

A commitment is a place where a reply says "this is my answer": a boxed or tagged value, a JSON field, a phrase such
as "the answer is", a line that is nothing but a letter, or a label that the whole reply opens with. Its letter is
None where it commits to no single option: a list, a choice between two, a letter that is not among the options.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from .cue_phrases import CONDITION, DENIED_AFTER, DENIED_BEFORE, FIRM, HEDGED_BEFORE, REFUSAL, SOFT
from .option_words import LATIN, Option, option_at_start

_FILLER = (
    r"(?:(?:the|my|our|its|it's|it|is|be|to|as|definitely|clearly|certainly|obviously|probably|most|likely|thus|therefore|"
    r"hence|indeed|actually|simply|just|correct|right|best|final|answer|option|choice|letter|label|image|picture|tile|point|"
    r"patch|candidate|opci[óo]n|lettre|buchstabe|вариант|选项|選項)(?![A-Za-z])[\s:,=-]*)*"
)
_OPEN = r"[\s\"'(\[{<:=>-]*"
_HEAD = re.compile(rf"{_OPEN}{_FILLER}{_OPEN}([A-Za-z])(?![{LATIN}/]|'[A-Za-z])", re.I)
_LABELLED = re.compile(rf"{_OPEN}{_FILLER}(?:[(\[<][A-Za-z][)\]>]|[A-Z](?:[):]|\.(?=\s|\Z)))")
_SEVERAL = re.compile(
    rf"{_OPEN}(?:(?:either|both|all|none|neither|between|unknown|n/a)(?![A-Za-z])|{_FILLER}[A-Z](?:/[A-Z])+(?![{LATIN}]))",
    re.I,
)
_ANOTHER = re.compile(
    r"[\s)\]\"'.]{0,3}(?:,|/|&|\+|\b(?:or|and|und|oder|ou|et|y|o)\b|和|或|と)\s*"
    r"(?:(?:maybe|possibly|perhaps|even|also|or|and|option|choice|else)\s+)*"
    rf"[(\[\"']?([A-Z])(?![{LATIN}]|'[A-Za-z])[)\]\"']?(?!\s+(?:is|are|was|does|do|has|looks?|seems?|shows?|can|cannot|would|fails)\b)"
)
_ANOTHER_LATER = re.compile(r"[^.;\n]{0,60}?\b(?:or|and)\s+[(\[][A-Z][)\]]")
_VERDICT = re.compile(
    rf"(?<![{LATIN}'/-])[(\[]?([A-Z])[)\]]?\s+(?:is|must\s+be|would\s+be|should\s+be|(?:seems|appears)(?:\s+to\s+be)?)\s+"
    r"(?:(?:indeed|clearly|definitely|therefore|thus|the|most|likely|probably|my|a|only|final)\s+)*"
    r"(?:correct|right|true|best|answer|match|winner|missing|closest|"
    r"(?<=most\s)(?:possible|probable|plausible|suitable|appropriate|accurate|fitting|reasonable)|"
    r"(?<=most\slikely\s)(?:choice|option|one|candidate|scenario|behaviou?r|role|emotion|explanation))(?![A-Za-z])"
)
_TAG = re.compile(
    r"<(answer|final_answer|final|choice|option|response)>(.{0,400}?)(?:</\1>|\Z)"
    r"|\\boxed\s*\{([^{}]{0,200}(?:\{[^{}]{0,200}\}[^{}]{0,200})?)\}"
    r"|[\"'](?:final_?answer|answer|correct_?answer|choice|option|letter|label|prediction|selection|selected|output)[\"']"
    r"\s*:\s*(\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'|\[[^\]\n]{0,300}\]|[^\s,{}\n]{1,40})",
    re.I | re.S,
)
_LEAD = re.compile(
    r"\A[\s\"']*(?:[(\[]([A-Za-z])[)\]]|([A-Z])(?:[).:,;!]|\s*\n|\s+[-]\s|\s+(?:because|since)\b)|([a-z])[).](?=\s|\Z))"
)
_END = re.compile(r"(?:[.?!:;]\s+|(?<=[a-z]{2}),\s+)[(\[]?([A-Z])[)\]]?[.!]?\Z")
_END_IS = re.compile(r"(?<=[a-z]{2})\s+is\s+[(\[]?([A-Z])[)\]]?\.?\Z")
_NAMES_ANOTHER = re.compile(r"\bis\s+[(\[]?[A-Z](?![A-Za-z])[^.!?\n]*\Z")
_NUMBERED = re.compile(r"\A\s*\d{1,2}[.)]\s+")
_NUMBER = re.compile(r"(?:\A|\n)\s*\d{1,2}\Z")
_LIST_LINE = re.compile(r"\A[-*\s]*[(\[]?([A-Z])[)\].:]")
_LED_UP_TO = re.compile(r":[ \t]*\n\s*[(\[]?([A-Z])[)\].](?=\s|\Z)")
_OF_THE_REST = re.compile(r"\b(?:others?|less|not|unlikely|incorrect|wrong)\b", re.I)
_ENTRY = re.compile(r"^[-*\s]*[(\[]?([A-Z])[)\].:]", re.M)
_SENTENCE_END = re.compile(r"(?<=[^\W_]{2})[.!?;](?=\s)|\n")
_THING = r"(?:box|point|option|choice|image|picture|tile|patch|candidate|figure|region|circle|object)"
_CLAIM = re.compile(
    rf"\A(?i:(?:(?:it|this)\s+(?:appears|seems)\s+(?:that\s+)?)?(?:the\s+)?(?:{_THING}\s+)?)[(\[]?([A-Z])[)\]]?"
    r"(?:,|(?=\s+(?:is|was|has|fits|\w+ly|more|better)\b))"
)
_NAMED = re.compile(rf"(?i:{_THING})\s+([A-Z])(?![{LATIN}])|[(\[]([A-Z])[)\]]")
_NAMED_LINE = re.compile(rf"^[-*\s]*(?i:{_THING})\s+([A-Z])(?![{LATIN}])", re.M)
_ABOVE = re.compile(
    r"\b(?:more|most|better|best|closer|closest|nearer|nearest|darker|darkest|lighter|brighter|tighter)\b", re.I
)
_LISTED = re.compile(r"(?:\A|\n|[.,;!?]\s)\s*[(\[]?([A-Z])(?:[)\]]|[.:]\s)|\s([A-Z])[.)]\s")


class Commitment(NamedTuple):
    """Where in the text, to which option (None: to no single one), and by which rule."""

    place: int
    letter: str | None
    rule: str


class Value(NamedTuple):
    """What stands after a phrase or in a tag: the letter it names, if just one, and what follows it."""

    letter: str | None
    rest: str


def commitments(text: str, options: Sequence[Option]) -> list[Commitment]:
    """Return every commitment of a plain text, by place."""
    found = [
        *_tagged(text, options), *_after_phrases(text, options), *_verdicts(text, options), *_lone_lines(text, options),
        *_lead(text, options), *_claim(text, options), *_end(text, options), *_led_up_to(text, options),
    ]  # fmt: skip
    return sorted(found, key=lambda c: c.place)


def _tagged(text: str, options: Sequence[Option]) -> Iterator[Commitment]:
    for match in _TAG.finditer(text):
        content = next(group for group in match.groups()[1:] if group is not None)
        value = value_of(content, options, whole=True)
        rule = "tag" if match[2] is not None else "boxed" if match[3] is not None else "json"
        yield Commitment(match.start(), value.letter if value else None, rule)


def _after_phrases(text: str, options: Sequence[Option]) -> Iterator[Commitment]:
    for firm, phrases in ((True, FIRM), (False, SOFT)):
        for match in phrases.finditer(text):
            if match.end() == match.start() or CONDITION.search(text[max(0, match.start() - 60) : match.start()]):
                continue
            ahead = text[match.end() : match.end() + 400].lstrip()
            sentence = re.split(r"\n\s*\n|(?<=[^\W_]{2})[.!?;](?=\s)", ahead, maxsplit=1)[0]
            value = value_of(sentence, options, whole=False)
            if value is None or DENIED_AFTER.match(value.rest) or _opens_list(ahead):
                continue
            if firm or (value.letter and re.match(r"[)\]\"']*\s*(?:[.,;:!]|\Z|\n|because\b|since\b)", value.rest)):
                yield Commitment(match.end(), value.letter, "phrase")


def _verdicts(text: str, options: Sequence[Option]) -> Iterator[Commitment]:
    """Yield places such as "(B) is the right one"; with a second letter before it, it is about several."""
    for match in _VERDICT.finditer(text):
        before = text[max(0, match.start() - 60) : match.start()]
        if re.search(rf"(?<![{LATIN}])[(\[]?[A-Z][)\]]?,?\s+(?:and|or|nor|&)\s+\Z|[A-Z][)\]]?\s*[,/]\s*\Z", before):
            yield Commitment(match.start(), None, "several")
        elif not CONDITION.search(before):
            yield Commitment(match.start(), _known(match[1], options), "verdict")


def _lone_lines(text: str, options: Sequence[Option]) -> Iterator[Commitment]:
    """Yield lines that are nothing but a letter; different letters in neighbouring lines are a list."""
    lines: list[tuple[int, str]] = []
    place = 0
    for line in text.split("\n"):
        if bare := _NUMBERED.sub("", line).strip(" \t\"'()[]{}<>.:,;!-"):
            lines.append((place, bare.upper() if len(bare) == 1 and bare.isascii() and bare.isalpha() else ""))
        place += len(line) + 1
    for lone, group in groupby(lines, key=lambda line: line[1] != ""):
        if lone:
            run = list(group)
            letters = {letter for _, letter in run}
            yield Commitment(run[-1][0], _known(letters.pop(), options) if len(letters) == 1 else None, "line")


def _lead(text: str, options: Sequence[Option]) -> Iterator[Commitment]:
    """Yield the label that the reply opens with; if it opens a list of the options, that is no single one."""
    match = _LEAD.match(text)
    if match is None:
        return
    letter = next(group for group in match.groups() if group).upper()
    rest = text[match.end() :]
    if DENIED_AFTER.match(rest):
        return
    lists = _opens_list(text) or (letter == "A" and any((m[1] or m[2]) != "A" for m in _LISTED.finditer(rest)))
    if lists or _ANOTHER.match(text[match.end() - 1 :]) or _ANOTHER.match(rest):
        yield Commitment(0, None, "several")
    else:
        yield Commitment(0, _known(letter, options), "lead")


def _end(text: str, options: Sequence[Option]) -> Iterator[Commitment]:
    """Yield a letter that is the reply's last sentence or clause."""
    tail = text[-80:]
    match = _END.search(tail)
    if match is None and (match := _END_IS.search(tail)) is not None:
        before = tail[: match.start()]
        put_aside = HEDGED_BEFORE.search(before) or DENIED_BEFORE.search(before) or _NAMES_ANOTHER.search(before)
        match = None if put_aside else match
    if match is not None and not REFUSAL.search(text) and not _NUMBER.search(tail[: match.start()]):
        yield Commitment(max(0, len(text) - 80) + match.start(1), _known(match[1], options), "end")


def _led_up_to(text: str, options: Sequence[Option]) -> Iterator[Commitment]:
    """Yield labels that open a line after one that ends in a colon, unless a later line makes it a list."""
    last_with = {entry[1]: entry.start() for entry in _ENTRY.finditer(text)}
    for match in _LED_UP_TO.finditer(text):
        listed = any(place > match.end() for letter, place in last_with.items() if letter != match[1])
        leading = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if not listed and not _OF_THE_REST.search(leading):
            yield Commitment(match.start(1), _known(match[1], options), "led_up_to")


def _claim(text: str, options: Sequence[Option]) -> Iterator[Commitment]:
    """Yield the one option that the first sentence puts above the others: "Box B fits more closely."."""
    first = re.split(r"\bthan\b", _SENTENCE_END.split(text, maxsplit=1)[0], maxsplit=1)[0]
    match = _CLAIM.match(first)
    if match is None or not _ABOVE.search(first) or {m[1] for m in _NAMED.finditer(first)} - {match[1]}:
        return
    lists = any(m[1] != match[1] for m in _NAMED_LINE.finditer(text))
    if not lists and not CONDITION.search(first) and not DENIED_AFTER.match(first[match.end(1) :]):
        yield Commitment(0, _known(match[1], options), "claim")


def _opens_list(ahead: str) -> bool:
    """Say whether a text starts with one label and has another at the start of its next line."""
    first = _LIST_LINE.match(ahead)
    following = _LIST_LINE.match(ahead.partition("\n")[2].lstrip())
    return first is not None and following is not None and first[1] != following[1]


def value_of(content: str, options: Sequence[Option], *, whole: bool) -> Value | None:
    """Read what follows a phrase or fills a tag; None where it is no value at all.

    Args:
        content: Text that starts with the value.
        options: The item's options.
        whole: The content is the value and nothing else, so that a lower-case letter needs no stop after it.
    """
    named = None if _LABELLED.match(content) else option_at_start(content, options)
    if named is not None:
        label = re.match(r"\W*\w[^(\n]{0,200}\(([A-Z])\)", content)
        return Value((label and _known(label[1], options)) or named.key, named.rest)
    if _SEVERAL.match(content):
        return Value(None, "")
    head = _HEAD.match(content)
    return None if head is None else _letter_value(head[1], content[head.end() :], options, whole=whole)


def _letter_value(letter: str, rest: str, options: Sequence[Option], *, whole: bool) -> Value | None:
    """Return the value that a letter and what follows it make."""
    if _is_word(letter, rest):
        named = option_at_start(rest, options)
        return Value(named.key, named.rest) if named else None
    stops = re.match(r"\s*(?:[.)\],;:!]|\Z|\n)", rest) is not None
    if (letter.islower() and not whole and not stops) or re.match(r"[)\]\"']*\s*\?", rest):
        return None
    several = _ANOTHER.match(rest) or _ANOTHER_LATER.match(rest)
    return Value(None if several else _known(letter.upper(), options), rest)


def _known(letter: str, options: Sequence[Option]) -> str | None:
    return letter if any(option.key == letter for option in options) else None


def _is_word(letter: str, rest: str) -> bool:
    """Say whether "A" or "I" is an English word here: followed, on its line, by a word that opens no reason."""
    follows = re.match(r"[ \t]+([A-Za-z']+)", rest)
    return (
        letter in "AaIi"
        and follows is not None
        and follows[1].lower()
        not in {
            "and", "as", "because", "but", "by", "can", "does", "due", "fits", "for", "given", "has", "in", "is", "it",
            "matches", "not", "or", "rather", "since", "the", "this", "though", "which", "with",
        }
    )  # fmt: skip
