"""The card's paragraph on modes: items made by a paper's rule as published, and items that were made harder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from benchwright.records import Item
from benchwright.rooms import catalogue

MODE = "mode"
"""Attribute of items and setting of steps that states the mode, `paper` or `hardened`."""
_HARDENED, _PAPER = "hardened", "paper"


def mode_note(items: Iterable[Item]) -> str:
    """Return the paragraph as Markdown, or an empty string if no item belongs to a task with modes.

    Items state their mode in an attribute. The items of a step that can only follow the paper state no mode; the
    paragraph mentions this.

    Args:
        items: The released items.
    """
    counts: dict[str, Counter[str]] = {}
    for item in items:
        counts.setdefault(item.task, Counter())[str(item.attributes.get(MODE, ""))] += 1
    hardened, printed, only = [], [], []
    for task, modes in sorted(counts.items()):
        if modes[_HARDENED]:
            hardened.append(f"`{task}` ({modes[_HARDENED]})")
        if modes[_PAPER]:
            printed.append(f"`{task}` ({modes[_PAPER]})")
        if modes[""] and _has_papers_rule_only(task):
            only.append(f"`{task}` ({modes['']})")
    sentences = []
    if hardened:
        sentences.append(
            "Hardened, so that the right option and the others are drawn by one rule, are the items of "
            f"{', '.join(hardened)}."
        )
    if printed:
        sentences.append(
            f"By the paper's rule as printed, which may give keys away, are made those of {', '.join(printed)}."
        )
    if only:
        sentences.append(f"One form only exists of {', '.join(only)}: the paper's rule.")
    return " ".join(["**Modes.**", *sentences]) if sentences else ""


def _has_papers_rule_only(task: str) -> bool:
    """Return whether the step that makes a task can only follow the paper's rule."""
    entry = catalogue("steps").get(task)
    field = None if entry is None else entry.load().model_fields.get(MODE)
    return field is not None and field.default == _PAPER
