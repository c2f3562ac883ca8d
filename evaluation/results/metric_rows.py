"""The rows on which metrics are computed: judged predictions as columns, one row per counted reply, with item facts.

Under a repeating protocol, every repetition is a row; under any other, every item is one row.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchwright.files.parquet_tables import ParquetTable
from benchwright.workspace.arrow_arrays import arrow_numbers, integers_of

from ..prompting.release_files import columns_of
from ..protocols.base import Protocol
from ..protocols.repeated import AGAIN

if TYPE_CHECKING:
    from benchwright.release import Release

_ITEM = ("item_id", "split", "task", "state", "letter", "right", "chance", "group", "robust_right", "region_iou")
_PART = ("variant", "round", "state", "letter", "right", "robust_right")
_PAIR, _TWIN = "pair:", "twin:"


def read_metric_rows(path: Path, protocol: Protocol) -> pa.Table:
    """Return the rows on which metrics are computed, in the order of the release, without texts.

    In addition to the items' own columns there are:

    - `variant`: the repetition; null if there is none.
    - `questions`: the number of questions behind the row's verdict; `at_first`: whether the first of them was answered
      right.
    - `again`: the state of the reply to the question without the option that declines; `knew`: whether that was right.
      Both are null if it was not asked.
    """
    columns = [*_ITEM, *(f"attempts.list.element.{name}" for name in _PART)]
    with ParquetTable(path, title=str(path)) as file:
        table = file.table(columns).combine_chunks()
    attempts = table.column("attempts")
    lists = attempts.chunk(0) if attempts.num_chunks else pa.array([], attempts.type)
    items = table.drop_columns(["attempts"])
    parts = _parts(lists)
    first = parts.filter(pc.equal(parts.column("round"), 0))
    return _repetitions(items, parts, first) if protocol.repeats else _whole(items, first)


def with_labels(rows: pa.Table, release: Release, split: str | None) -> pa.Table:
    """Return rows extended with columns of the release.

    `kind`, `answer`, `refusal`, `level`, `category`, `attributes` (JSON) and `question` are the item's; `pictures` is
    the number of its pictures, `image` the first one's id and `view` its role; `pair` is the item's group key that
    begins with `pair:`, or null if there is none, and `twin` the one that begins with `twin:`.

    Raises:
        DataError: A data file is damaged.
    """
    plain = ["item_id", "kind", "answer", "refusal", "level", "category", "attributes", "question"]
    pieces = []
    for batch in columns_of(release, split, [*plain, "image_ids", "image_roles", "group_keys"]):
        pieces.append(
            pa.table(
                {
                    **{name: batch.column(name) for name in plain},
                    "pictures": pc.list_value_length(batch.column("image_ids")),
                    "image": pc.list_element(batch.column("image_ids"), 0),
                    "view": pc.list_element(batch.column("image_roles"), 0),
                    "pair": _keys(batch.column("group_keys"), _PAIR),
                    "twin": _keys(batch.column("group_keys"), _TWIN),
                }
            )
        )
    labels = pa.concat_tables(pieces)
    taken = labels.drop_columns(["item_id"])
    if not labels.column("item_id").equals(rows.column("item_id")):  # usually every item is asked once, in order
        taken = taken.take(pc.index_in(rows.column("item_id"), value_set=labels.column("item_id")))
    for name in taken.column_names:
        rows = rows.append_column(name, taken.column(name))
    return rows


def _parts(lists: pa.ListArray) -> pa.Table:
    """Return all attempts as rows, with the index of the item to which each attempt belongs."""
    flat = lists.flatten()
    columns = {name: flat.field(name) for name in _PART}
    return pa.table({"item": pc.list_parent_indices(lists), **columns})


def _whole(items: pa.Table, first: pa.Table) -> pa.Table:
    """Return one row per item; `at_first` comes from the item's first attempt, or from the item itself if it has only
    one.
    """
    rows = items.num_rows
    numbers = arrow_numbers(np.arange(rows))
    opening = pc.index_in(numbers, value_set=first.column("item").cast(pa.int64()))
    at_first = pc.coalesce(first.column("right").take(opening), items.column("right"))
    asked = np.bincount(integers_of(first.column("item")), minlength=rows)
    items = items.append_column("questions", arrow_numbers(np.maximum(asked, 1)))
    nothing = pa.nulls(rows, pa.string())
    items = items.append_column("variant", nothing).append_column("at_first", at_first)
    return items.append_column("again", nothing).append_column("knew", pa.nulls(rows, pa.bool_()))


def _repetitions(items: pa.Table, parts: pa.Table, first: pa.Table) -> pa.Table:
    """Return one row per repetition, with the reply to its question without the option that declines."""
    later = parts.filter(pc.greater(parts.column("round"), 0))
    names = pc.binary_join_element_wise(pc.cast(first.column("item"), pa.string()), first.column("variant"), AGAIN, " ")
    again_names = pc.binary_join_element_wise(pc.cast(later.column("item"), pa.string()), later.column("variant"), " ")
    places = pc.index_in(pc.replace_substring(names, f" {AGAIN}", AGAIN), value_set=again_names)
    rows = items.take(first.column("item")).drop_columns(["state", "letter", "right", "robust_right"])
    for name in ("state", "letter", "right", "robust_right", "variant"):
        rows = rows.append_column(name, first.column(name))
    rows = rows.append_column("questions", pa.array([1] * len(rows), pa.int64()))
    rows = rows.append_column("at_first", first.column("right"))
    rows = rows.append_column("again", later.column("state").take(places))
    return rows.append_column("knew", later.column("right").take(places))


def _keys(group_keys: pa.ListArray, beginning: str) -> pa.Array:
    """Return, for each item, the first group key with this prefix, or null if there is none."""
    keys = group_keys.flatten()
    held = pc.starts_with(keys, beginning)
    parents = pc.list_parent_indices(group_keys).filter(held)
    places = pc.index_in(arrow_numbers(np.arange(len(group_keys))), value_set=parents.cast(pa.int64()))
    return keys.filter(held).take(places)
