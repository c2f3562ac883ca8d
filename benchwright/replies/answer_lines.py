"""Answers on separate lines: a letter, an option with its label, or a label after a line that ends in a colon."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from .answer_values import known
from .option_words import ReadableOption, option_at_start
from .verdict_lists import Marking

_NUMBERED = re.compile(r"\A\s*\d{1,2}[.)]\s+")
_UNTICKED = re.compile(r"\[ \]|[☐⬜□○]")
_LABELLED = re.compile(r"[-*\s]*(?i:(?:option|choice|answer)\s+)?[(\[]?([A-Z])(?:[)\].:]|\s-)+\s*")
_ENTRY = re.compile(r"^[-*\s]*[(\[]?([A-Z])[)\].:]", re.M)
_LED_UP_TO = re.compile(r":[ \t]*\n\s*[(\[]?([A-Z])[)\].](?=\s|\Z)")
_OF_THE_REST = re.compile(r"\b(?:others?|less|not|unlikely|incorrect|wrong|options|choices|candidates|each)\b", re.I)
_OF_THE_BEST = re.compile(
    r"\b(?:most(?!\s+un)|best|closest|lean\s+towards?|would\s+choose|correct\s+(?:answer|option|"
    r"choice)\s+is)\b(?!.*\b(?:less|others?|incorrect)\b)",
    re.I,
)
_SENTENCE_END = re.compile(r"(?<=[^\W_]{2})[.!?;](?=\s)|\n")
_SHORT_LINE = 80
"""Largest length, in characters, of a last line that begins with a label and adds nothing to the option."""


def answer_lines(text: str, options: Sequence[ReadableOption]) -> Iterator[Marking]:
    """Yield the answers on separate lines."""
    yield from _letters(text, options)
    yield from _options(text, options)
    yield from _led_up_to(text, options)
    last = text[text.rfind("\n") + 1 :]
    label = _LABELLED.match(last)
    labels = {found[1] for _, line in _lines(text) if (found := _LABELLED.match(line))}
    if label and len(labels) == 1 and text.endswith("\n\n" + last) and len(last) < _SHORT_LINE:
        yield Marking(len(text) - len(last), known(label[1], options), "line")


def opens_list(text: str) -> bool:
    """Return whether a text starts with a label and has another label at the start of its next line."""
    first, following = _ENTRY.match(text), _ENTRY.match(text.partition("\n")[2].lstrip())
    return first is not None and following is not None and first[1] != following[1]


def _lines(text: str) -> Iterator[tuple[int, str]]:
    place = 0
    for line in text.split("\n"):
        yield place, line
        place += len(line) + 1


def _letters(text: str, options: Sequence[ReadableOption]) -> Iterator[Marking]:
    """Yield lines that consist of one letter; different letters on adjacent lines form a list."""
    lines: list[tuple[int, str]] = []
    for place, line in _lines(text):
        if not _UNTICKED.search(line) and (bare := _NUMBERED.sub("", line).strip(" \t\"'()[]{}<>.:,;!=→⇒➡-")):
            lines.append((place, bare.upper() if len(bare) == 1 and bare.isascii() and bare.isalpha() else ""))
    for lone, group in groupby(lines, key=lambda line: line[1] != ""):
        if lone:
            run = list(group)
            letters = {letter for _, letter in run}
            yield Marking(run[-1][0], known(letters.pop(), options) if len(letters) == 1 else None, "line")


def _options(text: str, options: Sequence[ReadableOption]) -> Iterator[Marking]:
    """Yield an option that is alone on a separate line, with or without its label."""
    found: set[str] = set()
    said: Marking | None = None
    for place, line in _lines(text):
        label = _LABELLED.match(line)
        found.update(label[1] if label else "")
        named = option_at_start(line[label.end() if label else 0 :][:300], options)
        if named is not None and not named.rest.strip(" .") and (label is None or label[1] == named.key):
            found.add(named.key)
            said = Marking(place, named.key, "line")
    if len(found) == 1 and said:
        yield said


def _led_up_to(text: str, options: Sequence[ReadableOption]) -> Iterator[Marking]:
    """Yield labels that open a line after a line that ends in a colon, unless a later line makes the labels a list."""
    last_with = {entry[1]: entry.start() for entry in _ENTRY.finditer(text)}
    for match in _LED_UP_TO.finditer(text):
        listed = any(place > match.end() for letter, place in last_with.items() if letter != match[1])
        leading = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        leading = _SENTENCE_END.split(leading)[-1]
        if not listed and (_OF_THE_BEST.search(leading) or not _OF_THE_REST.search(leading)):
            yield Marking(match.start(1), known(match[1], options), "led_up_to")
