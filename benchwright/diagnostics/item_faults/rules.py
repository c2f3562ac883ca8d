"""All rules that find faults in items, and their results for one item or a set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from . import (
    given_away,
    hidden,
    keys,
    languages_mixed,
    option_letters,
    options,
    personal_data,
    pictures,
    placeholders,
    question_faults,
    telling_sets,
    word_clues,
)
from .fault_rules import Certainty, Family, FaultRule, ItemFacts, ItemFault, SetFault, SetRule, Severity

RULES: tuple[FaultRule | SetRule, ...] = (
    *keys.RULES,
    *options.RULES,
    *languages_mixed.RULES,
    *option_letters.RULES,
    *given_away.RULES,
    *word_clues.RULES,
    *telling_sets.RULES,
    *placeholders.RULES,
    *question_faults.RULES,
    *hidden.RULES,
    *personal_data.RULES,
    *pictures.RULES,
)
"""All rules, by family."""
KINDS = frozenset(rule.kind for rule in RULES)
ITEM_RULES = tuple(rule for rule in RULES if isinstance(rule, FaultRule))
SET_RULES = tuple(rule for rule in RULES if isinstance(rule, SetRule))


def rules_of(family: Family) -> tuple[FaultRule | SetRule, ...]:
    """Return the rules of a family."""
    return tuple(rule for rule in RULES if rule.family == family)


def faults_of_item(facts: ItemFacts, rules: Sequence[FaultRule] = ITEM_RULES) -> list[tuple[FaultRule, ItemFault]]:
    """Return the faults of an item, each with its rule."""
    return [(rule, fault) for rule in rules for fault in rule.faults(facts)]


def faults_of_set(
    items: Sequence[ItemFacts], rules: Sequence[SetRule] = SET_RULES
) -> Iterator[tuple[SetRule, SetFault]]:
    """Yield the faults of a set, each with its rule; their items are given by index."""
    for rule in rules:
        for fault in rule.faults(items):
            yield rule, fault


def weight_of(rule: FaultRule | SetRule, fault: ItemFault | SetFault) -> tuple[Severity, Certainty]:
    """Return the severity and certainty of a fault."""
    return fault.severity or rule.severity, fault.certainty or rule.certainty
