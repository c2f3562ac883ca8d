"""The number of items that fit on a page small enough to send."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from benchwright.files.parquet_tables import UnreadableParquet
from benchwright.record_map import LostRecord

from ..results.judged_predictions import not_of_score, open_judged
from ..results.score import PREDICTIONS_FILE, Score
from .content.pictures import MakePictures, WantedPictures
from .content.replies import LONGEST_REPLY
from .gathering import WITHOUT_SCRIPT, Stratum, sample

if TYPE_CHECKING:
    from benchwright.release import Release

MOST_ITEMS = 500
_PAGE_BYTES = 5_000_000
_PROBED = 24
"""Number of items whose pictures are measured to estimate sizes."""
_FRAME, _CELL, _CARD, _REPLY, _STATIC_REPLY = 320_000, 640, 900, 64, 230
"""Sizes in bytes: of a page without figures and items, of a figure of the table of scores with all its drawings, of a
card without pictures and replies, of a reply without its words, and of a further one if the page also has the card as
HTML. Measured on pages of 2 to 60 models and 3 to 60 tasks (`benchmarks/score_pages.py`)."""


def affordable_items(
    results: Path,
    release: Release,
    scores: Sequence[Score],
    items: Sequence[tuple[str, Stratum]],
    *,
    max_side_px: int,
    made: MakePictures,
) -> int:
    """Return how many items, 24 to 500, fit on a page of 5 MB, estimated from their first pictures and replies.

    Actual pages are somewhat smaller or larger, depending on the other pictures.

    Args:
        results: Folder that contains a folder for each model.
        release: Release on which the models were scored.
        scores: Score of each model.
        items: Ids and strata of the items.
        max_side_px: Longest side of a picture, in pixels.
        made: Function that makes the page's pictures.

    Raises:
        DataError: Predictions or the release are damaged.
    """
    if len(items) <= WITHOUT_SCRIPT:
        return WITHOUT_SCRIPT
    columns = 1 + len({task for _, (_, task) in items})
    left = _PAGE_BYTES - _FRAME - _CELL * columns * len(scores) - WITHOUT_SCRIPT * len(scores) * _STATIC_REPLY
    replies = sum(_REPLY + _words(results / score.folder, score) for score in scores)
    each = _CARD + replies + _pictures(release, scores[0].split, items, max_side_px, made)
    return max(WITHOUT_SCRIPT, min(MOST_ITEMS, int(left / each)))


def _pictures(
    release: Release,
    split: str | None,
    items: Sequence[tuple[str, Stratum]],
    max_side_px: int,
    made: MakePictures,
) -> float:
    """Return the mean size in bytes of an item's pictures and marks, over a small sample."""
    chosen = sample(items, at_most=_PROBED)
    wanted = WantedPictures(max_side_px=max_side_px)
    probed = release.items_without_pictures(split, item_ids=chosen)
    pictures = made(chain.from_iterable(map(wanted.of, probed)))
    return sum(len(data) for data in pictures if not isinstance(data, LostRecord)) / max(1, len(chosen))


def _words(folder: Path, score: Score) -> float:
    """Return the mean size in bytes of a reply's text, over the first rows of a model's predictions."""
    with open_judged(folder, score) as file:
        try:
            batch = next(iter(file.batches(["reply"])), None)
        except UnreadableParquet as error:
            raise not_of_score(folder / PREDICTIONS_FILE, f"its rows cannot be read ({error.reason})") from error
    if batch is None or not batch.num_rows:
        return 0.0
    lengths = pc.min_element_wise(pc.binary_length(batch.column("reply")), pa.scalar(LONGEST_REPLY))
    total: int = pc.sum(lengths).as_py() or 0
    return total / int(batch.num_rows)
