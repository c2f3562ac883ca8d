"""Judging of a file of predictions as columns: all letters at once, and each distinct text reply only once.

The rows equal those that `ask.ask_rounds` makes from the same file item by item.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchwright.questions.own_ids import own_id
from benchwright.records import LETTERS
from benchwright.replies.readers import ROBUST
from benchwright.statistics.components import components_of_column

from .ask import AS_SHOWN
from .backends.predictions import given_letter
from .prompting.item_index import OUTLINE_COLUMNS, outlines_in, question_of_outline
from .prompting.question import Reply
from .prompting.release_files import columns_of
from .protocols.base import ProtocolQuestion
from .results.judged_predictions import JUDGED_SCHEMA, attempt_of

if TYPE_CHECKING:
    from typing import Any

    from .ask import EvaluationPlan
    from .backends.base import BackendContext
    from .backends.predictions import PredictionsFile

_KEYS = pa.array([letter.encode() for letter in LETTERS], pa.large_binary())


def judged_tables(plan: EvaluationPlan, file: PredictionsFile, context: BackendContext) -> Iterator[pa.Table]:
    """Yield the rows of all asked items, in the order of the release, with the columns of `JUDGED_SCHEMA`.

    Args:
        plan: Items and reader; the items are used without words and pictures.
        file: File of predictions.
        context: Facts about the release.

    Raises:
        DataError: The file does not match the release, or lacks an item.
    """
    pieces = [
        (batch.column("item_id"), batch.column("group_keys"))
        for batch in columns_of(plan.release, plan.split, ["item_id", "group_keys"])
    ]
    asked = pa.chunked_array([ids for ids, _ in pieces], pa.string()).combine_chunks()
    groups = pa.array(components_of_column([keys for _, keys in pieces]), pa.int64())
    del pieces
    given = file.columns(asked, context)
    lacking = pc.indices_nonzero(pc.is_null(given.column("line")))
    whole = lacking[0].as_py() if len(lacking) else len(asked)
    start = 0
    for items in columns_of(plan.release, plan.split, OUTLINE_COLUMNS):
        if start >= whole:
            break
        batch = items.slice(0, whole - start)  # a letter after an item without a row is ignored
        held = given.slice(start, batch.num_rows).combine_chunks()
        yield _judged(plan, file, batch, held, groups.slice(start, batch.num_rows))
        start += batch.num_rows
    if len(lacking):
        raise file.lacks(len(lacking), asked[whole].as_py())


def _judged(
    plan: EvaluationPlan, file: PredictionsFile, batch: pa.RecordBatch, given: pa.Table, groups: pa.Array
) -> pa.Table:
    """Return the rows of a batch of items, all of which have a prediction."""
    text = given.column("text").combine_chunks()
    as_letter = pc.and_(given.column("is_letter"), pc.greater(pc.binary_length(text), 0)).combine_chunks()
    number = pc.index_in(text, value_set=_KEYS)
    offered = pc.fill_null(pc.less(number, pc.list_value_length(batch.column("choices"))), False)
    if len(strange := pc.indices_nonzero(pc.and_not(as_letter, offered))):
        text = _with_letters(file, batch, given, text, strange)
    places = pc.indices_nonzero(as_letter)
    letters = _of_letters(plan, batch.take(places), text.take(places), groups.take(places))
    others = pc.indices_nonzero(pc.invert(as_letter))
    if not len(others):
        return letters
    replies = _of_replies(plan, batch.take(others), text.take(others), groups.take(others))
    order = pc.sort_indices(pa.concat_arrays([places, others]))
    return pa.concat_tables([letters, replies]).take(order)


def _with_letters(
    file: PredictionsFile, batch: pa.RecordBatch, given: pa.Table, text: pa.Array, strange: pa.Array
) -> pa.Array:
    """Return texts in which those at the positions `strange` (lowercase letters, words) are replaced by letters."""
    letters = []
    outlines = outlines_in(batch.take(strange))
    for place, (item, _), said in zip(strange.to_pylist(), outlines, text.take(strange).to_pylist(), strict=True):
        choices = tuple((choice.key, choice.text) for choice in item.choices)
        words = said.decode("utf-8", "surrogatepass")
        letter = _given_letter(words, choices)
        if letter is None:
            keys = [key for key, _ in choices]
            raise file.no_option(given.column("line")[place].as_py(), words, keys, item.item_id)
        letters.append(letter.encode())
    is_strange = np.zeros(len(text), dtype=bool)
    is_strange[strange.to_numpy()] = True
    return pc.replace_with_mask(text, pa.array(is_strange), pa.array(letters, text.type))


_given_letter = lru_cache(maxsize=1 << 15)(given_letter)
"""Cached reader, which reads equal words for equal options only once."""


def _of_letters(plan: EvaluationPlan, batch: pa.RecordBatch, text: pa.Array, groups: pa.Array) -> pa.Table:
    """Return the rows of the items for which a letter is given."""
    count = batch.num_rows
    letter = text.cast(pa.string())
    return _rows(
        plan,
        batch,
        groups,
        robust=letter,
        state=pa.repeat("answered", count),
        letter=letter,
        read_by=pa.repeat("given", count),
        reply=pc.binary_join_element_wise("(", letter, ")", ""),
    )


def _of_replies(plan: EvaluationPlan, batch: pa.RecordBatch, text: pa.Array, groups: pa.Array) -> pa.Table:
    """Return the rows of items whose replies must be read; equal replies to equal options are read only once."""
    firsts, numbers = _distinct(text, batch.column("choices"))
    attempts = []
    for (item, _), said in zip(outlines_in(batch.take(firsts)), text.take(firsts).to_pylist(), strict=True):
        reply = Reply(item.item_id, text=said.decode("utf-8", "surrogatepass"))
        question = ProtocolQuestion("", question_of_outline(item), AS_SHOWN)
        record: Any = item  # it has everything that a verdict needs of an item
        attempts.append(attempt_of(record, question, 0, reply, plan.reader))

    def column(name: str) -> pa.Array:
        return pa.array([getattr(attempt, name) for attempt in attempts], pa.string()).take(numbers)

    names = ("state", "letter", "read_by", "reply", "cause")
    return _rows(plan, batch, groups, robust=column("robust"), **{name: column(name) for name in names})


def _distinct(text: pa.Array, choices: pa.ListArray) -> tuple[pa.Array, pa.Array]:
    """Return one row index for each distinct combination of text and options, and each row's index among these."""
    numbers = text.dictionary_encode().indices.to_numpy().astype(np.int64)
    options = choices.flatten().field("text").dictionary_encode()
    words = options.indices.fill_null(-1).to_numpy()
    lengths = choices.value_lengths().to_numpy()
    starts = np.cumsum(lengths) - lengths
    for place in range(lengths.max(initial=0)):
        is_there = lengths > place
        here = np.full(len(lengths), -2)
        here[is_there] = words[starts[is_there] + place]
        numbers = np.unique(numbers * (len(options.dictionary) + 2) + here + 2, return_inverse=True)[1]
    _, firsts, numbers = np.unique(numbers, return_index=True, return_inverse=True)
    return pa.array(firsts), pa.array(numbers)


def _rows(
    plan: EvaluationPlan, batch: pa.RecordBatch, groups: pa.Array, *, robust: pa.Array, **judged: pa.Array
) -> pa.Table:
    """Return the rows of items with one judged reply each, given the judged columns.

    Args:
        plan: Items and reader.
        batch: The items.
        groups: Index of each item's cluster.
        robust: Letter found by the robust reader.
        judged: Columns `state`, `letter`, `read_by`, `reply`, and `cause` if any.
    """
    count = batch.num_rows
    key = pc.coalesce(batch.column("answer"), batch.column("refusal"))
    share = pc.divide(1.0, pc.cast(pc.list_value_length(batch.column("choices")), pa.float64()))
    columns: dict[str, Any] = {
        **{name: batch.column(name) for name in ("item_id", "split", "task")},
        **judged,
        "right": pc.fill_null(pc.equal(judged["letter"], key), False),
        "chance": pc.if_else(pc.is_null(key), 0.0, share),
        "group": groups,
        "robust_right": pa.nulls(count, pa.bool_())
        if plan.reader == ROBUST
        else pc.fill_null(pc.equal(robust, key), False),
        "is_cut_off": pa.repeat(False, count),
        "source_id": _own_ids(batch.column("attributes")),
    }
    missing = {field.name: pa.nulls(count, field.type) for field in JUDGED_SCHEMA if field.name not in columns}
    return pa.table(columns | missing).select(JUDGED_SCHEMA.names).cast(JUDGED_SCHEMA)


def _own_ids(attributes: pa.Array) -> pa.Array:
    """Return each item's id in its source; equal attributes are parsed only once."""
    coded = attributes.dictionary_encode()
    return pa.array(map(own_id, coded.dictionary.to_pylist()), pa.string()).take(coded.indices)
