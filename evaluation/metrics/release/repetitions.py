"""Accuracy of each repetition of the questions, and the spread across repetitions."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import stdev
from typing import TYPE_CHECKING

from benchwright.statistics.proportions import Estimate

from .units import by_value, has, rows_with, share_of, singly

if TYPE_CHECKING:
    import pyarrow as pa


def repetitions(judged: pa.Table) -> Mapping[str, Estimate]:
    """Return the accuracy of each repetition and the spread; only under repeating protocols, such as `shuffle`.

    `repetition/s1` and so on divide by the number of all items; their mean is `accuracy`. `repetition_spread` is their
    sample standard deviation; its `n` is the number of repetitions.
    """
    if not has(judged, "variant"):
        return {}
    rows = rows_with(judged, "variant", where="variant")
    groups = by_value(rows, lambda row: [row["variant"]])
    if len(groups) < 2:
        return {}
    estimates = {f"repetition/{name}": share_of(singly(group)) for name, group in groups.items()}
    values = [estimate.value for estimate in estimates.values() if estimate.value is not None]
    return {**estimates, "repetition_spread": Estimate(stdev(values), None, len(values))}
