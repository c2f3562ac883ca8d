"""Comparison of a card's statements with the other files of its release.

Everything on a card except the curator's words is generated from other files, so this module regenerates it and
compares. The curator's words are free text: the only check is that they do not attribute simulated work to people.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from benchwright.release.card.card import CARD_VERSION, EARLIER_USE, card_head, card_sections
from benchwright.release.card.card_facts import CardFacts
from benchwright.release.format.agreement import is_simulated
from benchwright.release.format.manifest import CARD

AGREES = "the card agrees with the other files on counts, funnel, people, sources, license and marks"

_MARK = re.compile(r"<!-- benchwright/card ([0-9]{1,6}) -->")
_EARLIER = {"Funnel": "How it was made"}
"""Sections that have another heading and other figures on cards of earlier versions."""

_WHO = r"(?:people|persons?|humans?|annotators?|experts?|reviewers?|raters?|curators?|volunteers?|students?)"
_DID = (
    r"(?:accepted|agreed|annotated|answered|approved|checked|confirmed|decided|judged|labell?ed|looked|rated|reviewed|"
    r"screened|selected|taken out|validated|verified|vetted|written|wrote)"
)
_PEOPLE_DID = (
    rf"\b{_DID}\b[^.!?]{{0,60}}?\bby(?: [\w-]+){{0,4}} {_WHO}\b|"
    rf"\b{_WHO}\b(?: [\w-]+){{0,3}} {_DID}\b|\bhuman[- ]{_DID}\b"
)
"""Not compiled in advance: that takes longer than reading a small release, and few cards need the search."""
_DENIED = re.compile(r"\b(?:simulat\w*|no|not|none|nobody|never|without)\b", re.IGNORECASE)
_BETWEEN_SENTENCES = re.compile(r"(?<=[.!?])\s+|\n\s*\n")


@dataclass(frozen=True)
class CardCheck:
    """Result of comparing a card.

    Attributes:
        problems: Problems, one line each, beginning with the file.
        proven: What the comparison proves if it finds no problems.
        not_proven: Parts of the card for which there is nothing to compare.
    """

    problems: tuple[str, ...] = ()
    proven: tuple[str, ...] = ()
    not_proven: tuple[str, ...] = ()


def people_claimed(prose: str, agreement: Mapping[str, Mapping[str, Any]]) -> str | None:
    """Return the words by which a text attributes work to people although all campaigns were simulated.

    Only English text is examined, sentence by sentence; sentences that deny work by people or mention simulation are
    skipped. The text of a release without campaigns is also skipped, since it may repeat statements of its source about
    people.
    """
    if not agreement or not all(is_simulated(summary) for summary in agreement.values()):
        return None
    people_did = re.compile(_PEOPLE_DID, re.IGNORECASE)
    for sentence in _BETWEEN_SENTENCES.split(prose):
        words = " ".join(sentence.split())
        if (claim := people_did.search(words)) and not _DENIED.search(words):
            return claim.group()
    return None


def check_card(text: str, facts: CardFacts) -> CardCheck:
    """Return the result of comparing a card's text with the facts in the release's other files.

    Cards of earlier versions are compared where their content is the same; cards of later versions are not.
    """
    try:
        version = next(iter(_MARK.findall(text[-200:])), None)
        expected = _Expected(facts, min(int(version or _unmarked_version(text, facts)), CARD_VERSION))
    except (ArithmeticError, AttributeError, KeyError, RecursionError, TypeError, ValueError):
        return CardCheck((f"{CARD}: cannot be compared; stages or campaigns do not have Benchwright's layout",))
    if version is not None and int(version) > CARD_VERSION:
        unknown = (
            f"what {CARD} states: its layout is version {version}, but this Benchwright knows up to {CARD_VERSION}"
        )
        return CardCheck(not_proven=(unknown,))
    return expected.compare(text)


def _unmarked_version(text: str, facts: CardFacts) -> int:
    """Return the layout version of a card without a version mark, judged by its head; cards of the first layout have no
    mark.
    """
    return CARD_VERSION if text.startswith(card_head(facts)) else 1


class _Expected:
    """The expected content of a card."""

    def __init__(self, facts: CardFacts, version: int) -> None:
        self._agreement = facts.agreement
        self._head = card_head(facts, version=version).split("\n")
        self._sections = {section.heading: section for section in card_sections(facts, version=version)}

    def compare(self, text: str) -> CardCheck:
        lines = text.split("\n")
        # The curator's words come first and may use the same headings.
        starts = {line[3:]: number for number, line in enumerate(lines) if line.startswith("## ")}
        items = starts.get("Items", len(lines))
        prose = lines[len(self._head) : items]
        problems = [_difference(lines[: len(self._head)], self._head, first_line=1, source="manifest.json")]
        if claim := people_claimed("\n".join(prose), self._agreement):
            problems.append(f"{CARD}: says {_cut(claim)}, but agreement.json says that every campaign was simulated")
        not_proven = []
        if own_words := [number for number, line in enumerate(prose, start=len(self._head) + 1) if line.strip()]:
            place = f"{CARD}, lines {own_words[0]} to {own_words[-1]}"
            not_proven.append(f"what the curator's own words say ({place})")
        is_whole = True
        after = sorted((number, heading) for heading, number in starts.items() if number >= items)
        ends = [number for number, _ in after[1:]] + [len(lines)]
        for (number, heading), end in zip(after, ends, strict=True):
            body = _without_mark(lines[number + 1 : end])
            if heading in _EARLIER.values() or (heading == "Use" and "\n".join(body) == EARLIER_USE):
                is_whole = False
                not_proven.append(f"what the section {heading!r} of {CARD} says, which an earlier Benchwright wrote")
            elif heading not in self._sections:
                problems.append(f"{CARD}, line {number + 1}: a section {_cut(heading)}, which no card has here")
            else:
                section = self._sections[heading]
                expected = section.body.split("\n")
                problems.append(_difference(body, expected, first_line=number + 3, source=section.source))
        headings = {heading for _, heading in after}
        missing = [name for name in self._sections if name not in headings and _EARLIER.get(name) not in headings]
        problems += [f"{CARD}: has no section {name!r}" for name in missing]
        proven = (AGREES,) if is_whole else ()
        return CardCheck(tuple(problem for problem in problems if problem), proven, tuple(not_proven))


def _without_mark(lines: Sequence[str]) -> list[str]:
    """Return a section's lines without leading and trailing empty lines and without the card's version mark."""
    kept = re.sub(rf"{_MARK.pattern}\Z", "", "\n".join(lines).strip()).rstrip()
    return kept.split("\n") if kept else []


def _difference(stated: Sequence[str], expected: Sequence[str], *, first_line: int, source: str) -> str | None:
    """Return a problem for the first line that differs from the expected one, or None if all lines are equal."""
    for line, (says, gives) in enumerate(zip_longest(stated, expected), start=first_line):
        if says is None:
            return f"{CARD}: does not say {_cut(gives)}, which {source} gives"
        if gives is None:
            return f"{CARD}, line {line}: says {_cut(says)}, which {source} does not give"
        if says != gives:
            return f"{CARD}, line {line}: says {_cut(says)}, where {source} gives {_cut(gives)}"
    return None


def _cut(words: str) -> str:
    return repr(words if len(words) <= 120 else f"{words[:117]}...") if words.isprintable() else ascii(words[:120])
