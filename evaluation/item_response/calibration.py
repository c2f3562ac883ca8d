"""Stored replies of several models to a release, and the item response model fitted to them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchwright.errors import BenchwrightError, DataError
from benchwright.texts.normalization import counted

from ..analysis.reply_matrix import ReplyMatrix, read_reply_matrix
from ..results.score import Score, read_scores
from .drawing import average_doubt, draw
from .fitting import ItemResponses, fit_item_responses
from .misfit import misfit_of
from .subset import Subset, SubsetItem, SubsetMethod

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from benchwright.release import Release

_LEAST_DRAWN = 10
LEAST_SHOWN = 5
"""Smallest number of models for a page to show the discrimination of items."""


class Calibration(NamedTuple):
    """Replies of several models, and the model fitted to them.

    Args:
        scores: Scores of the models, one per row.
        items: Facts about the items that any model was asked, one row per matrix column (`item_facts`).
        asked: Whether each model was asked each item.
        right: Whether each model answers each item correctly.
        fitted: The item response model.
    """

    scores: tuple[Score, ...]
    items: pa.Table
    asked: NDArray[np.bool_]
    right: NDArray[np.bool_]
    fitted: ItemResponses

    @property
    def titles(self) -> list[str]:
        """Return the titles of the models."""
        return [score.title for score in self.scores]


def read_calibration(folders: Sequence[Path], release: Release, protocol: str | None = None) -> Calibration:
    """Fit an item response model to the results in one or more folders.

    Samples, estimated scores and unfit scores reveal too little about the items and are left out, as are items that no
    model was asked. The probability of a right guess is one over the number of options.

    Args:
        folders: Folders of results.
        release: Release on which the models were scored.
        protocol: Protocol of the results; their common protocol if None.

    Raises:
        BenchwrightError: The results belong to a different release or to several protocols.
        DataError: There are results of fewer than two models, or they belong to different splits or are damaged.
    """
    import numpy as np

    rows: list[Score] = []
    pieces: list[tuple[NDArray[np.bool_], NDArray[np.bool_]]] = []
    items: pa.Table | None = None
    for folder in folders:
        scores = [
            score
            for score in read_scores(folder)
            if not score.unfit and not score.is_sample and protocol in {None, score.protocol}
        ]
        if not scores:
            continue
        if rows and scores[0].split != rows[0].split:
            raise DataError(
                f"{folder} contains results of {scores[0].split or 'all splits'}, but others are of "
                f"{rows[0].split or 'all splits'}; give results of one split"
            )
        sheet = read_reply_matrix(folder, scores, release)
        rows += scores
        pieces.append((sheet.asked, sheet.right))
        items = sheet.items
    _check_models(rows, folders, protocol)
    assert items is not None
    asked, right = (np.concatenate(parts) for parts in zip(*pieces, strict=True))
    held = asked.any(axis=0)
    asked, right, items = asked[:, held], right[:, held], items.filter(held)
    fitted = fit_item_responses(right, asked, guessing_of(items))
    return Calibration(tuple(rows), items, asked, right, fitted)


def fitted_replies(sheet: ReplyMatrix) -> ItemResponses | None:
    """Return the item response model of all informative replies in a folder of results.

    Returns None if there are fewer than five such models, because a page based on them would claim too much.
    """
    import numpy as np

    rows = [k for k, score in enumerate(sheet.scores) if not score.unfit and not score.is_sample]
    held = sheet.asked[rows].any(axis=0)
    if len(rows) < LEAST_SHOWN or not held.any():
        return None
    asked, right = sheet.asked[rows][:, held], sheet.right[rows][:, held]
    return fit_item_responses(right, asked, guessing_of(sheet.items.filter(np.asarray(held))))


def _check_models(rows: Sequence[Score], folders: Sequence[Path], protocol: str | None) -> None:
    listed = ", ".join(map(str, folders))
    if len(rows) < 2:
        under = "" if protocol is None else f" under {protocol}"
        raise DataError(
            f"{listed}: an item response model needs results of two models or more on all items{under}, found "
            f"{len(rows)}; score others with `benchwright evaluate run`"
        )
    if len(protocols := sorted({score.protocol for score in rows})) > 1:
        raise BenchwrightError(
            f"{listed} contain results under {', '.join(protocols)}; choose one with --protocol, since the difficulty "
            "of an item depends on it"
        )


def guessing_of(items: pa.Table) -> NDArray[np.float64]:
    """Return the probability of answering each item correctly by guessing: one over the number of its options."""
    import numpy as np

    guesses: NDArray[np.float64] = 1 / np.maximum(items.column("options").to_numpy(), 2)
    return guesses


def subset_of(
    calibration: Calibration, release: Release, count: int, *, method: SubsetMethod = "doubt", seed: int = 0
) -> Subset:
    """Return a subset of the calibrated items that represents all of them.

    Args:
        calibration: Replies and item response model.
        release: Release on which the models were scored.
        count: Number of items in the subset.
        method: Method of drawing items.
        seed: Seed of the draw.

    Raises:
        BenchwrightError: There are no more items than `count`, or `count` is below ten.
    """
    import numpy as np

    fitted, items = calibration.fitted, calibration.items
    if items.num_rows <= _LEAST_DRAWN:
        raise BenchwrightError(
            f"models answered {counted(items.num_rows, 'item')}, but a subset needs more than {_LEAST_DRAWN} to draw "
            "from; ask all of them"
        )
    if not _LEAST_DRAWN <= count < items.num_rows:
        raise BenchwrightError(
            f"a subset must have at least {_LEAST_DRAWN} items and fewer than the {items.num_rows:,} calibrated ones; "
            f"--items is {count:,}"
        )
    size = average_doubt(fitted) if method == "doubt" else np.ones(items.num_rows)
    every = np.ones(items.num_rows, dtype=bool)
    batch = draw(size, fitted.chances(0.0), every, count, release.release_id, seed)
    misfit = misfit_of(calibration.right, calibration.asked, fitted.guessing, batch)
    names = zip(items.column("item_id").to_pylist(), items.column("task").to_pylist(), strict=True)
    rows = tuple(
        SubsetItem(
            item_id=item_id,
            task=task,
            guessing=float(fitted.guessing[k]),
            discrimination=round(float(fitted.discrimination[k]), 6),
            easiness=round(float(fitted.easiness[k]), 6),
            covariance=tuple(round(float(fitted.covariance[k][place]), 6) for place in ((0, 0), (0, 1), (1, 1))),
        )
        for k, (item_id, task) in enumerate(names)
    )
    return Subset(
        release=f"{release.name} {release.version}",
        release_id=release.release_id,
        split=calibration.scores[0].split,
        protocol=calibration.scores[0].protocol,
        models=tuple(calibration.titles),
        method=method,
        seed=seed,
        misfit=None if misfit is None else round(misfit, 6),
        items=rows,
    ).with_batches((batch,))
