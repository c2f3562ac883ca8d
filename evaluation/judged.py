"""Judged predictions: one row an asked item, in the order of the release, as Parquet."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import pyarrow as pa
import pyarrow.parquet as pq

from .answers import read_answer
from .metrics import JUDGED, State, chance_of, is_right

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchwright.records import Item

    from .questions import Reply

FORMAT, VERSION = "benchwright/predictions", 2
VERSIONS = ("1", "2")
"""That readers of replies take: they differ in `group` only."""

ROWS_PER_GROUP = 4096

_TEXT = pa.string()
SCHEMA = pa.schema(
    [
        ("item_id", _TEXT), ("split", _TEXT), ("task", _TEXT), ("state", _TEXT), ("letter", _TEXT),
        ("right", pa.bool_()), ("chance", pa.float64()), ("read_by", _TEXT), ("reply", _TEXT), ("cause", _TEXT),
        ("group", pa.int64()),
    ]
)  # fmt: skip
"""`state` is answered, miss, refusal or error; `read_by` is the rule that read the letter; `cause` is the error's;
`group` numbers clusters of items that share group keys, directly or through others, in the order of the release.
Version 1 had no `group`."""


def judge(item: Item, split: str, group: int, reply: Reply) -> dict[str, Any]:
    """Return the row of one reply; `group` is the number of the item's cluster."""
    row: dict[str, Any] = {"item_id": item.item_id, "split": split, "task": item.task, "chance": chance_of(item)}
    state: State
    if reply.text is None:
        state, letter, rule = "error", None, None
    else:
        state, letter, rule = read_answer(reply.text, [(choice.key, choice.text) for choice in item.choices])
    return row | {
        "state": state, "letter": letter, "right": is_right(item, letter), "read_by": rule,
        "reply": _storable(reply.text), "cause": _storable(reply.error), "group": group,
    }  # fmt: skip


class JudgedWriter:
    """Writes rows to a Parquet file, a row group at a time; use it as a context manager."""

    def __init__(self, path: Path, stamp: Mapping[str, str]) -> None:
        schema = SCHEMA.with_metadata({"format": FORMAT, "version": str(VERSION), **stamp})
        self._writer = pq.ParquetWriter(path, schema, compression="zstd", compression_level=3)
        self._rows: list[dict[str, Any]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._flush()
        self._writer.close()

    def add(self, row: dict[str, Any]) -> None:
        """Add one row."""
        self._rows.append(row)
        if len(self._rows) == ROWS_PER_GROUP:
            self._flush()

    def _flush(self) -> None:
        self._writer.write_table(pa.Table.from_pylist(self._rows, schema=self._writer.schema))
        self._rows = []


def read_judged(path: Path) -> pa.Table:
    """Return the columns that metrics get."""
    return pq.read_table(path, columns=list(JUDGED), use_threads=False)


def _storable(text: str | None) -> str | None:
    """Return a text without lone surrogates, which a model can send as JSON escapes and no table can hold."""
    return None if text is None else text.encode("utf-8", "replace").decode("utf-8")
