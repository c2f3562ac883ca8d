"""The smallest set of items to change so that a rule that guesses keys is back at chance, instead of all items that it
guesses.

If a rule is right in 86 of 140 items, not all 86 need rewriting: in every set, the right option is longest in some
items. The proposal contains just enough items to leave the rule no better than chance allows, those that need the
smallest change first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from benchwright.canonical import digest
from benchwright.diagnostics.item_faults.telling_sets import at_least
from benchwright.diagnostics.shortcuts.picks import Bounds
from benchwright.records import Item
from benchwright.texts.normalization import counted

from .findings.finding import Finding
from .source.audited_items import AuditedItem, AuditedItems


def _lengths(item: Item) -> tuple[int, list[int]]:
    """Return the number of characters in the right option and in each wrong one."""
    lengths = {choice.key: len((choice.text or "").strip()) for choice in item.choices}
    return lengths.pop(str(item.right_key), 0), list(lengths.values())


def _longer_by(item: Item) -> int:
    """Return the number of characters by which the right option is longer than the longest wrong one."""
    right, wrong = _lengths(item)
    return right - max(wrong, default=0)


def _shorter_by(item: Item) -> int:
    """Return the number of characters by which the right option is shorter than the shortest wrong one."""
    right, wrong = _lengths(item)
    return min(wrong, default=0) - right


_CHARACTERS: Mapping[str, tuple[Callable[[Item], int], str]] = {
    "longest_option_is_right": (_longer_by, "shorten the right option, or lengthen a wrong one"),
    "shortest_option_is_right": (_shorter_by, "lengthen the right option, or shorten a wrong one"),
}
"""Rules for which the change can be measured in characters, and the function that measures it."""
_LETTERS = "key_letters_uneven"


def changes_to_chance(right: int, of: int, chance: float, bounds: Bounds | None = None) -> int:
    """Return the smallest set of items to change so that a rule is at chance by the thresholds of the shortcut battery.

    Args:
        right: Number of items in which the rule is right.
        of: Number of items for which the rule gives an answer.
        chance: Accuracy of a uniformly random pick, 0-1.
        bounds: Conditions under which items contain a cue; None for those of the battery.

    Example:
        >>> changes_to_chance(86, 140, 0.25), changes_to_chance(35, 140, 0.25)
        (42, 0)
    """
    bounds = bounds or Bounds()
    for changed in range(right + 1):
        left = right - changed
        if left / of - chance <= bounds.max_gain or at_least(left, of, chance) >= bounds.min_p:
            return changed
    return right


def with_fewest_changes(finding: Finding, audited: AuditedItems) -> Finding:
    """Return a finding about a rule that guesses keys, with the items to change added to its evidence; other findings
    are unchanged.

    The key `fewest_changes` holds the number of items, the items with the smallest change first, and the action.
    """
    evidence = finding.evidence
    if not {"accuracy", "chance"} <= evidence.keys() or evidence["accuracy"] <= evidence["chance"]:
        return finding
    concerned = _with_letter(finding, audited) if finding.kind == _LETTERS else list(finding.items)
    of = sum(evidence["counts"].values()) if finding.kind == _LETTERS else evidence.get("items")
    if not concerned or not of:
        return finding
    number = changes_to_chance(min(round(evidence["accuracy"] * of), len(concerned)), of, evidence["chance"])
    if not 0 < number < len(concerned):
        return finding
    cost, what = _CHARACTERS.get(finding.kind, (None, ""))
    if finding.kind == _LETTERS:
        what = f"move the right option away from {evidence['always']}"

    def order(item_id: str) -> tuple[int, str]:
        each = audited.by_id.get(item_id)
        return cost(each.item) if cost is not None and each is not None else 0, digest(item_id)

    items = sorted(concerned, key=order)[:number]
    return replace(
        finding,
        summary=f"{finding.summary} Changing {counted(number, 'item')} of these {len(concerned):,} restores "
        f"chance{f': {what}' if what else ''}.",
        evidence={**evidence, "fewest_changes": {"number": number, "of": len(concerned), "items": items, "what": what}},
    )


def _with_letter(finding: Finding, audited: AuditedItems) -> list[str]:
    """Return the items whose answer or refusal option has the letter that is used too often."""
    task, letter = finding.evidence["task"], finding.evidence["always"]

    def counts(each: AuditedItem) -> bool:
        key = each.item.refusal if finding.evidence["of"] == "refusal" else each.item.answered_key
        return key == letter and task in (None, each.task)

    return [each.item_id for each in audited.items if counts(each)]
