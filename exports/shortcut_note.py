"""The paragraph of a release's card on shortcuts: which cues solvers that do not do the task found in its items."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchwright.records import Item

SOLVERS = ".solvers"
"""End of the name of the stage, of any entry, in which the step `shortcuts` lets solvers answer."""
HELPED = f"{SOLVERS}.solvers"
"""End of the name of its value with the solvers that a cue helps with an item."""
MOST_NAMED = 4
"""Number of solvers of a task that the paragraph names."""
FEW = 200
"""Number of a task's items below which cues stay hidden; sets of so many were used to measure what the solvers find."""


def shortcut_note(items: Iterable[tuple[Item, Mapping[str, Any]]]) -> str:
    """Return the paragraph as Markdown; empty where no step `shortcuts` measured any item.

    Args:
        items: Items as they are released, with the values that stages gave them.
    """
    measured: Counter[str] = Counter()
    helped: Counter[str] = Counter()
    solvers: dict[str, Counter[str]] = {}
    missed = 0
    for item, values in items:
        lists: Sequence[Sequence[str] | None] = [value for name, value in values.items() if name.endswith(HELPED)]
        known = [names for names in lists if names is not None]
        missed += bool(lists) and not known
        if known:
            measured[item.task] += 1
            names = {name for listed in known for name in listed}
            helped[item.task] += bool(names)
            solvers.setdefault(item.task, Counter()).update(names)
    if not measured:
        return ""
    clean = [task for task in sorted(measured) if not helped[task]]
    sentences = [
        "**Shortcuts.** Solvers that see the options without what these must be compared with answered the items."
    ]
    if clean:
        counts = ", ".join(f"`{task}` {measured[task]}" for task in clean)
        sentences.append(f"They found no cue in the items of these tasks: {counts}.")
    if any(measured[task] < FEW for task in clean):
        sentences.append(
            f"Of fewer than {FEW} items that says little: on 40, a solver's accuracy has a 95 % interval of about 30 "
            "points."
        )
    for task in sorted(task for task in measured if helped[task]):
        ranked = sorted(solvers[task].items(), key=lambda entry: (-entry[1], entry[0]))[:MOST_NAMED]
        named = ", ".join(f"`{_plain(name)}` {count}" for name, count in ranked)
        sentences.append(f"In `{task}` a cue helps with {helped[task]} of {measured[task]} items ({named}).")
    if missed:
        sentences.append(f"{missed} items were not measured.")
    return " ".join(sentences)


def _plain(name: str) -> str:
    """Return the name of a solver, which may quote an option, as it can stand in a code span."""
    return re.sub(r"[`|]", "", " ".join(name.split()))[:80]
