"""Adaptive runs: items are asked batch by batch until the whole score is known with the required precision.

Each batch is drawn from the remaining items. Those whose reply is least certain for a model of the ability found so far
are drawn most often: they reveal most about the sum of all replies. Every item keeps a probability of being drawn, so
the estimate is corrected like that of a fixed subset (`whole`).
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
"""Number of items in the first batch, and in each later one."""

AskSubset = Callable[[Subset], "pa.Table"]
"""Function that asks a model the drawn items of a subset and returns judged rows with `item_id` and `right`; earlier
replies are reused."""


class AdaptiveRun(NamedTuple):
    """Result of an adaptive run.

    Args:
        subset: Asked items, by batch.
        estimate: Estimate of the whole score after the last batch.
        is_reached: Whether its standard error is small enough.
    """

    subset: Subset
    estimate: WholeEstimate
    is_reached: bool

    def describe(self, standard_error: float) -> str:
        """Return one line of text on the asked items and the precision of the whole score."""
        error = self.estimate.error
        found = "is unknown" if error is None else f"is {error:.4f}"
        asked = f"{self.estimate.asked:,} of {counted(self.estimate.of, 'item')}"
        batches = counted(len(self.subset.batches), "batch", "batches")
        why = "" if self.is_reached else f"; the limit of items was reached before the wanted {standard_error:g}"
        return f"{asked} were asked in {batches}; the standard error of the accuracy {found}{why}"


def run_adaptively(
    pool: Subset, ask: AskSubset, *, standard_error: float, most_items: int | None = None
) -> AdaptiveRun:
    """Ask batches of items until the standard error of the whole score is small enough.

    Equal replies draw equal batches, so an interrupted run continues with the same items.

    Args:
        pool: Items and item response model; its drawn items have no effect.
        ask: Function that asks drawn items.
        standard_error: Largest acceptable standard error, 0 to 1.
        most_items: Number of items after which the run ends in any case; all items if None.
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
