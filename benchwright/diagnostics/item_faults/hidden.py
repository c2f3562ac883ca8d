"""Invisible characters in questions and options, which models and programs nevertheless read."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from benchwright.texts.hidden_characters import Kind, escaped, hidden_characters

from .fault_rules import FaultRule, ItemFacts, ItemFault, Severity

_KINDS: dict[Kind, tuple[str, Severity, str]] = {
    "direction": ("bidirectional_control", "medium", "people may read another order than models"),
    "control": ("control_character", "medium", "terminals obey them, and models may read them as something else"),
    "undecodable": ("undecodable_character", "medium", "most programs refuse to write them"),
    "zero_width": ("zero_width_character", "low", "texts that look equal differ, and replies do not match them"),
}  # fmt: skip
"""Kind of finding, severity, and effect, for each kind of character."""


def _hidden(facts: ItemFacts, *, kind: Kind) -> Iterator[ItemFault]:
    name, _, effect = _KINDS[kind]
    texts = {
        place: escaped(text)
        for place, text in facts.texts
        if not (text.isascii() and text.isprintable())
        and any(hidden.kind == kind for hidden in hidden_characters(text))
    }
    if texts:
        yield ItemFault(f"{_with_article(name).capitalize()} is in {', '.join(texts)}: {effect}.", {"texts": texts})


def _with_article(name: str) -> str:
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name.replace('_', ' ')}"


RULES = tuple(
    FaultRule(
        name,
        "hidden_characters",
        severity,
        f"{_with_article(name)}, spelled out (`\\u202e`), in question, options or explanation: {effect}",
        partial(_hidden, kind=kind),
        certainty="certain",
        together=True,
    )
    for kind, (name, severity, effect) in _KINDS.items()
)
