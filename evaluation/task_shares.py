"""Shares of right answers over all items, each task, and the mean of tasks: what people and models are compared in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .clustered import mean_share_right, share_right

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .statistics import Estimate


def task_shares(
    right: NDArray[Any], group: NDArray[Any], tasks: Sequence[str], *, parts: int = 1
) -> dict[str, Estimate]:
    """Return `accuracy`, `accuracy_macro` and `accuracy/<task>` with their 95 % intervals.

    Args:
        right: One an item: whether it was answered right, or in how many of `parts` equal parts.
        group: Number of each item's cluster, from 0.
        tasks: Of each item.
        parts: Of an item, as `share_right` takes them.
    """
    import numpy as np

    names, task = np.unique(np.asarray(tasks, dtype=str), return_inverse=True)
    shares = [
        share_right(right[held], group[held], f"accuracy/{name}", parts=parts)
        for number, name in enumerate(names)
        for held in (task == number,)
    ]
    return {
        "accuracy": share_right(right, group, "accuracy", parts=parts),
        "accuracy_macro": mean_share_right(right, group, task, shares, "accuracy_macro", parts=parts),
        **{f"accuracy/{name}": share for name, share in zip(names.tolist(), shares, strict=True)},
    }
