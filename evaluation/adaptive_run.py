"""Adaptive runs of a model on a release: `evaluate` runs batch by batch, with the replies of all batches in one log."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .item_response.adaptive import AdaptiveRun, run_adaptively
from .item_response.subset import Subset
from .results.score import PREDICTIONS_FILE, Score
from .run import evaluate

if TYPE_CHECKING:
    import pyarrow as pa

    from benchwright.progress import Progress
    from benchwright.release import Release

    from .backends.base import Backend


def evaluate_adaptively(
    release: Release | Path,
    model: str | Backend,
    pool: Subset,
    *,
    standard_error: float,
    most_items: int | None = None,
    out: Path,
    progress: Progress | None = None,
    **settings: Any,
) -> tuple[Score, AdaptiveRun]:
    """Score a model on only as many items as are needed to estimate its score on all items.

    Args:
        release: Release, or its folder.
        model: Backend, or its name.
        pool: Items and their item response model, as `evaluate subset` writes them.
        standard_error: Largest acceptable standard error, 0 to 1.
        most_items: Largest number of items to ask; all items if None.
        out: Folder of results. The replies of every batch are added to the model's log there; the result is written at
            the end.
        progress: Receiver of progress reports.
        settings: The other arguments of `evaluate`.

    Raises:
        BenchwrightError: As for `evaluate`; or the pool is from a different release, split or set of items.
    """

    def ask(subset: Subset) -> pa.Table:
        import pyarrow.parquet as pq

        with tempfile.TemporaryDirectory(prefix="benchwright-") as scratch:
            score = evaluate(
                release, model, subset=subset, out=Path(scratch), log_folder=out, progress=progress, **settings
            )
            return pq.read_table(Path(scratch) / score.folder / PREDICTIONS_FILE, columns=["item_id", "right"])

    run = run_adaptively(pool, ask, standard_error=standard_error, most_items=most_items)
    return evaluate(release, model, subset=run.subset, out=out, progress=progress, **settings), run
