"""Faults of single items, cached by the input and the code of the rules."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from benchwright.canonical import bytes_digest
from benchwright.machine.versions import code_digest

if TYPE_CHECKING:
    from benchwright.diagnostics.item_faults.fault_rules import FaultRule, ItemFacts, ItemFault
    from benchwright.records import Item

    from .check import AuditContext

_LISTS = ("pyspellchecker", "symspellpy", "lemminflect")
"""Packages that provide the word lists used by the rules."""
_DIGITS = 32


class KeptFaults:
    """Faults that rules found in items; the rules run only on new or changed items.

    There is no version number to raise: a change to the code or the word lists invalidates earlier results.

    Args:
        context: Context that holds the stored values.
        name: Name of the rules.
        rules: Rules about single items, always in the same order.
    """

    def __init__(self, context: AuditContext, name: str, rules: Sequence[FaultRule]) -> None:
        self._kept = context.values(f"audit faults of items, {name}")
        self._digests: dict[int, tuple[Item, str]] = context.shared("digests of items", dict)
        self._keys: dict[int, tuple[object, str]] = context.shared("keys of what rules see", dict)
        self._rules = rules
        self._as_of = _rules_as_of_now()

    def of(self, facts: ItemFacts) -> list[tuple[FaultRule, ItemFault]]:
        """Return the faults of an item, each with the rule that found it."""
        from benchwright.diagnostics.item_faults.fault_rules import ItemFault

        kept: str = self._kept.get_or_make(self._digest_of(facts), lambda: self._found(facts))
        return [(self._rules[place], ItemFault(*fault)) for place, *fault in json.loads(kept)] if kept else []

    def _found(self, facts: ItemFacts) -> str:
        """Return the faults as JSON that preserves the order of the evidence; empty if there are no faults."""
        from benchwright.diagnostics.item_faults.rules import faults_of_item

        found = [[self._rules.index(rule), *fault] for rule, fault in faults_of_item(facts, self._rules)]
        return json.dumps(found) if found else ""

    def _digest_of(self, facts: ItemFacts) -> str:
        """Return the digest of all facts available to rules about a single item, and of the rules themselves."""
        item = facts.item
        if id(item) not in self._digests:  # families share items, which live as long as they are kept here
            self._digests[id(item)] = item, bytes_digest(item.model_dump_json().encode())
        of_item = self._digests[id(item)][1]
        seen = (of_item, facts.own_id, facts.pictures and tuple(facts.pictures), facts.padded, facts.key_is_ambiguous)
        known = self._keys.get(id(item))  # families with the same view of an item share the key
        if known is None or known[0] != seen:
            key = bytes_digest(json.dumps([self._as_of, *seen]).encode())[:_DIGITS]
            known = self._keys[id(item)] = seen, key
        return known[1]


def _rules_as_of_now() -> str:
    """Return a value that changes with the code of the rules and with the lists they read."""
    return " ".join([code_digest(), *map(_version_of, _LISTS)])


def _version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
