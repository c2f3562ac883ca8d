"""The difference between a paper's reader and ours on the same replies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from benchwright.statistics.proportions import Estimate

from .units import has, rows_with, share_of, singly

if TYPE_CHECKING:
    import pyarrow as pa


def readers(judged: pa.Table) -> Mapping[str, Estimate]:
    """Return the accuracy by the robust reader, and its difference from the accuracy by the chosen reader; only if the
    latter is a paper's.

    `by_robust_reader` divides by the number of all items, like `accuracy`, which uses the chosen reader. `reader_gap`
    is `by_robust_reader` minus `accuracy`. It is not a proportion, and is negative if the paper's reader counts more
    replies as right.
    """
    if not has(judged, "robust_right"):
        return {}
    rows = rows_with(judged, "robust_right", where="robust_right")
    if not rows:
        return {}
    robust = share_of(singly(rows, lambda row: row["robust_right"]))
    gap = sum(row["robust_right"] - row["right"] for row in rows) / len(rows)
    return {"by_robust_reader": robust, "reader_gap": Estimate(gap, None, len(rows))}
