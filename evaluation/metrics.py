"""Metrics: from judged predictions to named estimates.

A metric is a function from the columns of `JUDGED` to estimates by name; a room lists it under `metrics`. All
metrics divide by every item that was asked: a reply without a letter, a refusal and an error count as wrong, and
stand beside the score as counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Literal

from .statistics import Estimate, mean_of_proportions, wilson

if TYPE_CHECKING:
    import pyarrow as pa

    from benchwright.records import Item

State = Literal["answered", "miss", "refusal", "error"]
Metric = Callable[["pa.Table"], Mapping[str, Estimate]]

JUDGED = ("item_id", "split", "task", "state", "letter", "right", "chance")
"""Columns that a metric gets, one row per asked item in the order of the release."""


def is_right(item: Item, letter: str | None) -> bool:
    """Say whether a letter answers an item.

    Right is the item's answer; where nothing in the picture answers it, right is the option that declines, and
    without such an option no letter is right.
    """
    key = item.answer if item.answer is not None else item.refusal
    return letter is not None and letter == key


def chance_of(item: Item) -> float:
    """Return the probability that a letter drawn evenly is right, 0-1."""
    return 0.0 if item.answer is None and item.refusal is None else 1 / len(item.choices)


def accuracy(judged: pa.Table) -> Mapping[str, Estimate]:
    """Return the share of asked items answered right, over all and per task, and what chance would give.

    `chance` has no interval: it is a property of the items, not an estimate.
    """
    found = {"accuracy": _share(judged), "chance": _chance(judged)}
    for task, rows in _by_task(judged):
        found[f"accuracy/{task}"] = _share(rows)
        found[f"chance/{task}"] = _chance(rows)
    return found


def accuracy_macro(judged: pa.Table) -> Mapping[str, Estimate]:
    """Return the unweighted mean of the tasks' accuracies."""
    return {"accuracy_macro": mean_of_proportions([_share(rows) for _, rows in _by_task(judged)])}


def _by_task(judged: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    import pyarrow.compute as pc

    tasks = judged.column("task")
    for task in sorted(pc.unique(tasks).to_pylist()):
        yield task, judged.filter(pc.equal(tasks, task))


def _share(rows: pa.Table) -> Estimate:
    import pyarrow.compute as pc

    return wilson(pc.sum(rows.column("right")).as_py() or 0, rows.num_rows)


def _chance(rows: pa.Table) -> Estimate:
    from math import fsum

    if rows.num_rows == 0:
        return Estimate(None, None, 0)
    return Estimate(fsum(rows.column("chance").to_pylist()) / rows.num_rows, None, rows.num_rows)
