"""The size of the cue that the adversary could have detected if it found none, by task and over the set, as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from benchwright.texts.normalization import counted, printable

_NAMED = 3
"""Number of tasks up to which each is named; if there are more, only those with the smallest and the largest cue."""


class CuePower(NamedTuple):
    """The adversary's power on a task, or on the whole set.

    Args:
        task: The task; None for the items of several tasks taken together.
        chance: Accuracy expected by chance, 0-1.
        learned_items: Number of items from which it learned; None if there were too few.
        could_find: Smallest accuracy, 0-1, of a cue in one measure that the adversary finds with 80 % power at its
            corrected significance level; None if no accuracy suffices.
        items_needed: Number of items with which it would find a gain of 0.05 with that power.
        carries: Whether it found a cue.
    """

    task: str | None
    chance: float
    learned_items: int | None
    could_find: float | None
    items_needed: int | None
    carries: bool

    def to_json(self) -> dict[str, Any]:
        """Return the power as JSON values."""
        return self._asdict()

    def words(self, where: str) -> str:
        """Return the cue that the adversary would have detected, as the end of a sentence.

        Args:
            where: Phrase that names the items, such as ` over all tasks`; may be empty.
        """
        items = counted(self.learned_items or 0, "item")
        if self.could_find is None:
            return f"none of any size in {items}{where}"
        return f"one that is right in {self.could_find:.0%} of {items}{where} (chance {self.chance:.0%})"


def power_sentence(powers: Sequence[CuePower]) -> str:
    """Return a sentence about the size of the cues that may have been missed; empty if no task is free of cues.

    Args:
        powers: Power on each task, and on the whole set if there are several tasks.
    """
    silent = [each for each in powers if each.learned_items is not None and not each.carries]
    tasks = [each for each in silent if each.task is not None]
    if not silent:
        return ""
    has_found = any(each.carries for each in powers)
    where = "" if not has_found else f" in {counted(len(tasks), 'task')}" if tasks else " over all tasks"
    parts = [each.words(" over all tasks") for each in silent if each.task is None]
    if len(tasks) <= _NAMED:
        parts += [each.words("" if len(powers) == 1 else f" of {printable(str(each.task))}") for each in tasks]
    else:
        ordered = sorted(tasks, key=lambda each: (each.could_find is None, each.could_find or 0.0, str(each.task)))
        ends = " to ".join(each.words(f" of {printable(str(each.task))}") for each in (ordered[0], ordered[-1]))
        parts.append(f"by task from {ends}")
    few = sum(each.learned_items is None for each in powers if each.task is not None)
    unlearned = f" {counted(few, 'task has', 'tasks have')} too few items to learn from." if few else ""
    return (
        f"The adversary found no cue{where}; in a single measure it would have found, with 80 % power, "
        f"{', '.join(parts)}.{unlearned}"
    )


def power_document(powers: Sequence[CuePower]) -> dict[str, Any] | None:
    """Return the part of `--json` about the adversary's power, or None if the adversary did not run."""
    if not powers:
        return None
    return {"words": power_sentence(powers), "tasks": [each.to_json() for each in powers]}
