"""Accuracy on twins: pairs of items that differ only in which option is right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from benchwright.statistics.proportions import Estimate

from .units import by_value, has, rows_with, share_of, together

if TYPE_CHECKING:
    import pyarrow as pa


def twins(judged: pa.Table) -> Mapping[str, Estimate]:
    """Return the proportion of twins with both items answered correctly, among all twins with both items asked.

    Twins share a group key `twin:...`. A model that answers by anything but the requested comparison gives the same
    answer to both and never gets both right. `twins/accuracy` covers all twins, `twins/accuracy/<task>` those of a
    task. The metric is not computed under repeating protocols.
    """
    if not has(judged, "twin", "variant", "task"):
        return {}
    rows = [row for row in rows_with(judged, "twin", "variant", "task", where="twin") if row["variant"] is None]
    if not rows:
        return {}
    named = {"twins/accuracy": rows}
    named |= {f"twins/accuracy/{task}": some for task, some in by_value(rows, lambda row: [row["task"]]).items()}
    return {name: share_of(together(some, lambda row: row["twin"], at_least=2)) for name, some in named.items()}
