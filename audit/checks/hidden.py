"""Characters of questions and options that nobody sees, and that models and programs read all the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from benchwright.texts.hidden_characters import Kind, escaped, hidden_characters

from ..check import AuditContext, needs_words
from ..findings.finding import Finding, Severity
from ..source.audited_items import AuditedItems

if TYPE_CHECKING:
    from benchwright.records import Item

_SHOWN = 200
_FINDINGS: dict[Kind, tuple[str, Severity, str]] = {
    "direction": ("bidirectional_control", "medium", "people may read another order than models do"),
    "control": ("control_character", "medium", "terminals obey them, and models may read them as something else"),
    "undecodable": ("undecodable_character", "medium", "most programs refuse to write them"),
    "zero_width": ("zero_width_character", "low", "texts that look the same differ, and replies do not match them"),
}  # fmt: skip
"""Kind of finding, severity, and what the characters do, by kind of character."""


class HiddenCharacters:
    """Controls, bidirectional controls and zero-width characters in texts, but for those that writing needs."""

    name: ClassVar[str] = "hidden_characters"
    title: ClassVar[str] = "Characters that nobody sees"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return a finding for each kind of hidden character, with the texts spelled out."""
        needs_words(audited)
        items: defaultdict[Kind, dict[str, None]] = defaultdict(dict)
        texts: defaultdict[Kind, dict[str, str]] = defaultdict(dict)
        for each, found in context.look_at_each(audited.items, lambda each: _hidden_in(each.item)):
            for kind, place, text in found:
                items[kind][each.item_id] = None
                if len(texts[kind]) < _SHOWN:
                    texts[kind][f"{each.item_id}, {place}"] = escaped(text)
        for kind, (finding, severity, effect) in _FINDINGS.items():
            if ids := tuple(items[kind]):
                where = f"{len(ids):,} {'item has' if len(ids) == 1 else 'items have'}"
                name = finding.replace("_", " ")
                yield Finding(
                    finding, severity, ids, f"{where} a {name} in question, options or explanation: {effect}.",
                    {"texts": texts[kind]}, "certain",
                )  # fmt: skip


def _hidden_in(item: Item) -> list[tuple[Kind, str, str]]:
    """Return the kinds of hidden characters of an item, each with the place and the text that has it."""
    return [
        (kind, place, text)
        for place, text in _texts(item)
        for kind in {hidden.kind: None for hidden in hidden_characters(text)}
    ]


def _texts(item: Item) -> Iterator[tuple[str, str]]:
    yield "question", item.question
    for choice in item.choices:
        yield f"option {choice.key}", choice.text or ""
    yield "explanation", item.explanation or ""
