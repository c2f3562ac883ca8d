"""Adaptive runs: items are asked in batches until the full score is known with the required precision.

Each batch is drawn from the remaining items. Items for which the reply of a model with the ability estimated so far is
least certain are drawn most often, because they reveal most about the sum of all replies. Every item has a positive
probability of being drawn, so the estimate is corrected like that of a fixed subset (`whole`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from benchwright.texts.normalization import counted

from .drawing import Batch, average_doubt, doubt_at, draw
from .subset import Subset
from .whole import WholeEstimate, whole_estimate

if TYPE_CHECKING:
    import pyarrow as pa

FIRST_BATCH, BATCH = 60, 20
"""Number of items in the first batch, and in each later batch."""

AskSubset = Callable[[Subset], "pa.Table"]
"""Function that asks a model the drawn items of a subset and returns judged rows with `item_id` and `right`; earlier
replies are reused."""


class AdaptiveRun(NamedTuple):
    """The result of an adaptive run.

    Args:
        subset: Items asked, by batch.
        estimate: Estimate of the full score after the last batch.
        is_reached: Whether the standard error is small enough.
    """

    subset: Subset
    estimate: WholeEstimate
    is_reached: bool

    def describe(self, standard_error: float) -> str:
        """Return one line of text about the number of items asked and the precision of the full score."""
        error = self.estimate.error
        found = "is unknown" if error is None else f"is {error:.4f}"
        asked = f"{self.estimate.asked:,} of {counted(self.estimate.of, 'item')}"
        batches = counted(len(self.subset.batches), "batch", "batches")
        why = "" if self.is_reached else f"; the limit of items was reached before the wanted {standard_error:g}"
        return f"{asked} were asked in {batches}; the standard error of the accuracy {found}{why}"


def run_adaptively(
    pool: Subset, ask: AskSubset, *, standard_error: float, most_items: int | None = None
) -> AdaptiveRun:
    """Ask batches of items until the standard error of the full score is small enough.

    Equal replies lead to equal batches, so an interrupted run continues with the same items.

    Args:
        pool: Items and item response model; items already drawn in it are ignored.
        ask: Function that asks the drawn items.
        standard_error: Largest acceptable standard error, 0 to 1.
        most_items: Largest number of items to ask; all items if None.
    """
    import numpy as np

    fitted, every = pool.fitted, len(pool.items)
    most = every if most_items is None else min(every, most_items)
    easy, left = fitted.chances(0.0), np.ones(every, dtype=bool)
    batches: tuple[Batch, ...] = ()
    doubt, asked = average_doubt(fitted), 0
    while True:
        size = min(FIRST_BATCH if not batches else BATCH, most - asked)
        batch = draw(doubt, easy, left, size, pool.release_id, pool.seed, "batch", len(batches))
        batches = (*batches, batch)
        left[batch.places] = False
        asked += len(batch.places)
        subset = pool.with_batches(batches)
        right = subset.right_of(ask(subset))
        ability, _ = fitted.ability_of(right, ~left)
        estimate = whole_estimate(fitted, right, batches, misfit=pool.misfit, ability=ability)
        assert estimate is not None
        is_reached = estimate.error is not None and estimate.error <= standard_error
        if is_reached or asked >= most:
            return AdaptiveRun(subset, estimate, is_reached)
        doubt, easy = doubt_at(fitted, ability), fitted.chances(ability)
