"""Metrics: functions that turn judged predictions into named estimates.

A metric is a function that takes the columns of `JUDGED` and returns estimates by name; a room lists it under
`metrics`. All metrics divide by the number of all asked items: replies without a letter, refusals and errors are
counted as wrong, and the score also states their numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

from benchwright.records import right_key
from benchwright.statistics.clustered import mean_share_right, share_right
from benchwright.statistics.proportions import Estimate

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from benchwright.records import Item

    from ..prompting.item_index import ItemOutline

State = Literal["answered", "miss", "refusal", "cut_off", "error"]
_Metric = Callable[["pa.Table"], Mapping[str, Estimate]]

JUDGED = ("item_id", "split", "task", "state", "letter", "right", "chance", "group")
"""Columns that a metric gets, one row per asked item in the order of the release. Items of one `group` share a source
image, a pair or a scene, and intervals must treat them as one draw. `results.metric_rows` describes the other columns,
and the cases in which a row is a repetition of an item."""


def is_right(item: Item | ItemOutline, letter: str | None) -> bool:
    """Return whether a letter is the right answer to an item.

    The right letter is the item's answer. If nothing in the picture answers the item, the option that declines is
    right; without such an option, no letter is right.
    """
    return letter is not None and letter == right_key(item.answer, item.refusal)


def chance_of(item: Item | ItemOutline) -> float:
    """Return the probability, 0 to 1, that a uniformly drawn letter is right."""
    return 0.0 if right_key(item.answer, item.refusal) is None else 1 / len(item.choices)


def accuracy(judged: pa.Table) -> Mapping[str, Estimate]:
    """Return the proportion of asked items answered correctly, overall and per task, and the accuracy of chance.

    `chance` has no interval: it is a property of the items, not an estimate.
    """
    rows = _rows_of(judged)
    estimates = {"accuracy": share_right(rows.right, rows.group), "chance": _chance(rows.chance)}
    for number, (name, share) in enumerate(zip(rows.tasks, _shares(rows), strict=True)):
        estimates[f"accuracy/{name}"] = share
        estimates[f"chance/{name}"] = _chance(rows.chance[rows.task == number])
    return estimates


def accuracy_macro(judged: pa.Table) -> Mapping[str, Estimate]:
    """Return the unweighted mean of the tasks' accuracies."""
    rows = _rows_of(judged)
    mean = mean_share_right(rows.right, rows.group, rows.task, _shares(rows), "accuracy_macro")
    return {"accuracy_macro": mean}


class Rows(NamedTuple):
    """Judged predictions as arrays, one value per row.

    Args:
        right: Whether the letter is the key.
        group: Index of the item's cluster.
        task: Index of the item's task in `tasks`.
        chance: Probability that a uniformly drawn letter is right.
        tasks: Names of the tasks, sorted.
    """

    right: NDArray[np.bool_]
    group: NDArray[np.int64]
    task: NDArray[np.int64]
    chance: NDArray[np.float64]
    tasks: tuple[str, ...]


def _rows_of(judged: pa.Table) -> Rows:
    """Return judged predictions as arrays."""
    names, numbers = task_numbers(judged.column("task"))
    right, group, chance = (judged.column(name).to_numpy() for name in ("right", "group", "chance"))
    return Rows(right, group, numbers, chance, names)


def task_numbers(tasks: pa.ChunkedArray) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """Return the sorted names of the tasks, and the index of each row's task among them."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    names = tuple(sorted(pc.unique(tasks).to_pylist()))
    return names, pc.index_in(tasks, value_set=pa.array(names, pa.string())).to_numpy().astype(np.int64)


def _shares(rows: Rows) -> list[Estimate]:
    """Return the accuracy of each task."""
    return [
        share_right(rows.right[held], rows.group[held])
        for number, name in enumerate(rows.tasks)
        for held in (rows.task == number,)
    ]


def _chance(chance: NDArray[np.float64]) -> Estimate:
    from math import fsum

    return Estimate(fsum(chance) / len(chance), None, len(chance)) if len(chance) else Estimate(None, None, 0)
