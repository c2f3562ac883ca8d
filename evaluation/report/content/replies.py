"""Models' replies, read in step with the items of their release: one row of each model at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from benchwright.errors import DataError
from benchwright.files.parquet_tables import UnreadableParquet

from ...results.judged_predictions import not_of_score, open_judged
from ...results.score import PREDICTIONS_FILE, Score

if TYPE_CHECKING:
    from ...metrics.base import State

LONGEST_REPLY = 4000
"""Largest number of characters of a reply shown on a page."""

_COLUMNS = ["item_id", "task", "state", "letter", "right", "reply", "cause"]
_ROWS = 64


class ReportedReply(NamedTuple):
    """The outcome of one question to one model.

    Args:
        state: State, as in `predictions.parquet`.
        letter: Letter that was read; None if there is none.
        right: Whether the letter is the answer.
        reply: Text of the model's reply, cut to `LONGEST_REPLY` characters; None for an error.
        left_out: Number of characters cut off.
        cause: Cause of an error.
    """

    state: State
    letter: str | None
    right: bool
    reply: str | None
    left_out: int
    cause: str | None


class Predictions:
    """The rows of one model's predictions, returned in the order of the release."""

    def __init__(self, folder: Path, score: Score) -> None:
        """Open a model's predictions.

        Raises:
            DataError: There are no predictions, or the score was computed from different ones.
        """
        self.path = folder / PREDICTIONS_FILE
        self._score = score
        self._file = open_judged(folder, score)
        self._rows = self._read()
        self._next = next(self._rows, None)
        self._seen: Counter[str] = Counter()

    def of(self, item_id: str) -> ReportedReply | None:
        """Return the reply to the next item of the release; None if the model was not asked that item."""
        row = self._next
        if row is None or row["item_id"] != item_id:
            return None
        self._next = next(self._rows, None)
        self._seen["asked"] += 1
        self._seen[row["state"]] += 1
        self._seen["right"] += row["right"]
        return ReportedReply(
            row["state"],
            row["letter"],
            row["right"],
            row["reply"],
            max(0, (row["length"] or 0) - LONGEST_REPLY),
            row["cause"],
        )

    def close(self) -> None:
        """Check, after the last item, that every row had an item and that the score agrees with the rows.

        Raises:
            DataError: A row has no item, or the score disagrees with the rows.
        """
        if self._next is not None:
            raise self._damage(
                f"its row of item {self._next['item_id']!a} belongs to no item of the release, or is out of order"
            )
        self._file.close()
        stated = {name: getattr(self._score, name) for name in ("asked", "miss", "refusal", "cut_off", "error")}
        if self._score.right is not None:
            stated["right"] = self._score.right
        for name, n in stated.items():
            if self._seen[name] != n:
                raise self._damage(f"{name}: the rows have {self._seen[name]}, the score {n}")

    def _read(self) -> Iterator[dict[str, Any]]:
        try:
            for batch in self._file.batches(_COLUMNS, at_once=_ROWS):
                table = pa.table(batch)
                reply = table.column("reply")
                table = table.append_column("length", pc.utf8_length(reply))
                shortened = pc.utf8_slice_codeunits(reply, 0, LONGEST_REPLY)
                yield from table.set_column(table.column_names.index("reply"), "reply", shortened).to_pylist()
        except UnreadableParquet as error:
            raise self._damage(f"its rows cannot be read ({error.reason})") from error

    def _damage(self, problem: str) -> DataError:
        self._file.close()
        return not_of_score(self.path, problem)
