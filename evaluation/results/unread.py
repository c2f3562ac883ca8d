"""Unread replies: their proportion, and the scores that would result if all of them were right or all wrong."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

from benchwright.files.parquet_tables import ParquetTable
from benchwright.texts.normalization import counted

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS = 4096
_OF_ATTEMPT = ("round", "state", "right", "reply")


class Unread(BaseModel):
    """Replies with words in which the reader found neither a letter nor a refusal, and the resulting score bounds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    n: int = Field(ge=0)
    """Number of unread replies. Several questions to an item with one verdict are counted once."""
    replies: int = Field(ge=0)
    """Number of replies with words, whether read or not."""
    share: float | None
    """Proportion of these replies that is unread, 0 to 1; None if there are no replies with words."""
    if_wrong: float | None
    """Accuracy if all unread replies were wrong, as they are counted; None if no item was asked."""
    if_right: float | None
    """Accuracy if all of them were right."""

    def describe(self) -> str:
        """Return the proportion and the bounds in one line of text; empty if every reply was read."""
        if not self.n or self.share is None:
            return ""
        return (
            f"{self.n:,} of {counted(self.replies, 'reply', 'replies')} unread ({100 * self.share:.1f} %): accuracy "
            f"{self.if_wrong:.3f} if all of them are wrong, as counted, and {self.if_right:.3f} if all are right"
        )


def unread_in(predictions: Path, *, repeats: bool) -> Unread:
    """Return the unread replies in a file of judged predictions.

    Args:
        predictions: The file.
        repeats: Whether metrics count each first question to an item rather than items.
    """
    counted_rows = right = with_words = unread = 0
    columns = [f"attempts.list.element.{name}" for name in _OF_ATTEMPT] if repeats else ["state", "right", "reply"]
    with ParquetTable(predictions, title=str(predictions)) as file:
        for batch in file.batches(columns, at_once=_ROWS):
            rows = _first_questions(batch) if repeats else batch
            says = has_words(rows.column("reply"))
            counted_rows += rows.num_rows
            right += rows.column("right").true_count
            with_words += says.true_count
            unread += _missed(rows.column("state"), says)
    return Unread(
        n=unread,
        replies=with_words,
        share=unread / with_words if with_words else None,
        if_wrong=right / counted_rows if counted_rows else None,
        if_right=(right + unread) / counted_rows if counted_rows else None,
    )


def has_words(replies: pa.Array) -> pa.BooleanArray:
    """Return, for each reply, whether it contains anything other than spaces."""
    import pyarrow.compute as pc

    return pc.fill_null(pc.not_equal(pc.utf8_trim_whitespace(replies), ""), fill_value=False)


def _first_questions(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return the attempts of the first round as rows."""
    import pyarrow as pa
    import pyarrow.compute as pc

    flat = batch.column("attempts").flatten()
    columns = {name: flat.field(name) for name in _OF_ATTEMPT}
    return pa.RecordBatch.from_pydict(columns).filter(pc.equal(columns["round"], 0))


def _missed(states: pa.Array, says: pa.BooleanArray) -> int:
    import pyarrow.compute as pc

    return int(pc.and_(pc.equal(states, "miss"), says).true_count)
