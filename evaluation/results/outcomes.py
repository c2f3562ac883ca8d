"""The outcomes of a run's items: the number in each state, and the causes of items without an answer."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.errors import CheckFailed
from benchwright.files.parquet_tables import ParquetTable
from benchwright.texts.normalization import counted

from .score import OutcomeCause

if TYPE_CHECKING:
    import pyarrow as pa

_MOST_CAUSES = 5
"""Largest number of causes that a score lists, the most frequent first."""

_SENT = re.compile(r" \(sent \d+ times\)\Z")
_COLUMNS = ["state", "right", "is_cut_off", "reply", "cause", "reply_kind"]
_ROWS = 4096
_UNANSWERED = ("error", "refusal", "cut_off")
"""States of items for which a cause may be stated."""
_NO_TEXT = frozenset({"empty", "tool_call"})


class Outcomes(NamedTuple):
    """Numbers of items by ending, with the same names as the fields of a score."""

    asked: int
    miss: int
    refusal: int
    filtered: int
    cut_off: int
    cut_off_empty: int
    cut_off_answered: int
    error: int
    empty: int
    tool_call: int
    right_items: int
    causes: tuple[OutcomeCause, ...]


def outcomes_of(predictions: Path) -> Outcomes:
    """Return the outcomes of the items in a file of judged predictions."""
    import pyarrow as pa
    import pyarrow.compute as pc

    counts: Counter[str] = Counter()
    causes: Counter[tuple[str, str]] = Counter()
    with ParquetTable(predictions, title=str(predictions)) as file:
        for batch in file.batches(_COLUMNS, at_once=_ROWS):
            states = batch.column("state")
            counts["asked"] += batch.num_rows
            counts["right_items"] += batch.column("right").true_count
            counts.update({row["values"]: row["counts"] for row in pc.value_counts(states).to_pylist()})
            cut_off_answered = pc.and_(pc.equal(states, "answered"), batch.column("is_cut_off"))
            counts["cut_off_answered"] += cut_off_answered.true_count
            unanswered = batch.filter(pc.is_in(states, value_set=pa.array(_UNANSWERED)))
            columns = (unanswered.column(name).to_pylist() for name in ("state", "reply", "cause", "reply_kind"))
            for state, reply, cause, kind in zip(*columns, strict=True):
                counts["cut_off_empty"] += state == "cut_off" and not (reply or "").strip()
                counts["filtered"] += state == "refusal" and kind == "filtered"
                counts["empty"] += state == "error" and kind in _NO_TEXT
                counts["tool_call"] += state == "error" and kind == "tool_call"
                if cause is not None:
                    causes[state, _SENT.sub("", cause)] += 1
    frequent = sorted(causes.items(), key=lambda entry: (-entry[1], entry[0]))[:_MOST_CAUSES]
    named = tuple(OutcomeCause.model_validate({"state": s, "cause": cause, "n": n}) for (s, cause), n in frequent)
    numbers = {name: counts[name] for name in Outcomes._fields if name != "causes"}
    return Outcomes(**numbers, causes=named)


def has_words(row: Mapping[str, Any]) -> bool:
    """Return whether a row of judged predictions contains a letter or words of the model, even those of a refusal."""
    return any(
        attempt["letter"] is not None or (attempt["reply_kind"] != "filtered" and (attempt["reply"] or "").strip())
        for attempt in row["attempts"] or (row,)
    )


def letters_or_words(table: pa.Table) -> bool:
    """Return whether `has_words` is true of any of the given rows, which are columns without attempts."""
    if table.column("letter").null_count < table.num_rows:
        return True
    kinds, replies = (table.column(name).to_pylist() for name in ("reply_kind", "reply"))
    return any(kind != "filtered" and (reply or "").strip() for kind, reply in zip(kinds, replies, strict=True))


def no_answers(model: str, outcomes: Outcomes) -> CheckFailed:
    """Return the error for a run in which the model produced no words for any item."""
    causes = "; ".join(f"{cause.n}: {cause.cause}" for cause in outcomes.causes)
    return CheckFailed(
        f"{model} gave no answer to any of the {counted(outcomes.asked, 'item')} "
        f"({counted(outcomes.error, 'error')}, {outcomes.filtered} stopped by a filter, {outcomes.cut_off} cut off), "
        f"so there is no score: {causes or 'all replies are empty'}; fix the cause and run it again"
    )
