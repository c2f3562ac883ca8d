"""Judged predictions: one row an asked item, in the order of the release, as Parquet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import pyarrow as pa
import pyarrow.parquet as pq

from benchwright.canonical import canonical_json

from .answers import read_answer
from .metrics import is_right
from .protocols.base import Asked, Attempt, Protocol, reread
from .readers import READERS, ROBUST

if TYPE_CHECKING:
    from benchwright.records import Item

FORMAT, VERSION = "benchwright/predictions", 3
VERSIONS = ("1", "2", "3")
"""That readers of replies take: version 2 added `group`, version 3 `attempts` and `robust_right`."""

ADDED = frozenset({"group", "attempts", "robust_right"})
"""Columns that older versions lack."""

ROWS_PER_GROUP = 4096

_TEXT = pa.string()
ATTEMPT = pa.struct(
    [
        ("variant", _TEXT), ("round", pa.int32()), ("state", _TEXT), ("letter", _TEXT), ("said", _TEXT),
        ("right", pa.bool_()), ("read_by", _TEXT), ("reply", _TEXT), ("cause", _TEXT), ("robust_right", pa.bool_()),
        ("note", _TEXT),
    ]
)  # fmt: skip
"""One question about an item: its name among them, the round, the item's own letter of what was named, the letter as it
was said; `state` may also be `caption`; `note` is JSON on what was done to the pictures."""

SCHEMA = pa.schema(
    [
        ("item_id", _TEXT), ("split", _TEXT), ("task", _TEXT), ("state", _TEXT), ("letter", _TEXT),
        ("right", pa.bool_()), ("chance", pa.float64()), ("read_by", _TEXT), ("reply", _TEXT), ("cause", _TEXT),
        ("group", pa.int64()), ("robust_right", pa.bool_()), ("attempts", pa.list_(pa.field("element", ATTEMPT))),
    ]
)  # fmt: skip
"""`state` is answered, miss, refusal or error; `read_by` is the rule or reader that read the letter; `cause` is the
error's; `group` numbers clusters of items that share group keys, directly or through others, in the order of the
release. `robust_right` is what the robust reader makes of it, where another one read. `attempts` holds every question
that a protocol asked; it is null where the row itself is the only one. The row's `reply` is that of its first attempt
with the row's letter."""


def attempt_of(
    item: Item, asked: Asked, number: int, text: str | None, error: str | None, reader: str
) -> Attempt:  # fmt: skip
    """Return what became of a question of round `number`: `text` is the reply's, or `error` says why there is none."""
    note = None if asked.note is None else canonical_json(asked.note)
    reply, cause = _storable(text), _storable(error)
    if text is None:
        return Attempt(asked.variant, number, "error", cause=cause, note=note)
    if not asked.keys:
        return Attempt(asked.variant, number, "caption", reply=reply, note=note)
    assert asked.question is not None
    choices = [(one.key, one.text) for one in asked.question.choices]
    state, robust, rule = read_answer(text, choices)
    said, own = robust, asked.keys
    if reader != ROBUST:
        said, rule = READERS[reader](text, choices), reader
        state = "answered" if said is not None else "refusal" if state == "refusal" else "miss"
    letter = None if said is None else own[said]
    return Attempt(
        asked.variant, number, state, letter=letter, said=said, right=is_right(item, letter), read_by=rule,
        reply=reply, note=note, robust=None if robust is None else own[robust],
    )  # fmt: skip


def row_of(
    item: Item, split: str, group: int, attempts: Sequence[Attempt], protocol: Protocol, reader: str
) -> dict[str, Any]:
    """Return an item's row; `group` is the number of its cluster."""
    state, letter, right = protocol.verdict(item, attempts)
    shown = next((one for one in attempts if one.state == state and one.letter == letter), attempts[-1])
    other = None if reader == ROBUST else reread(item, attempts)
    alone = len(attempts) == 1 and not attempts[0].variant and attempts[0].note is None
    return {
        "item_id": item.item_id, "split": split, "task": item.task, "state": state, "letter": letter, "right": right,
        "chance": protocol.chance(item), "read_by": shown.read_by, "reply": shown.reply, "cause": shown.cause,
        "group": group, "robust_right": None if other is None else protocol.verdict(item, other).right,
        "attempts": None if alone else _attempt_rows(attempts, other),
    }  # fmt: skip


def _attempt_rows(attempts: Sequence[Attempt], other: Sequence[Attempt] | None) -> list[dict[str, Any]]:
    robust: Sequence[bool | None] = [None] * len(attempts) if other is None else [one.right for one in other]
    rows = [asdict(one) | {"robust_right": right} for one, right in zip(attempts, robust, strict=True)]
    return [{name: row[name] for name in ATTEMPT.names} for row in rows]


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


def _storable(text: str | None) -> str | None:
    """Return a text without lone surrogates, which a model can send as JSON escapes and no table can hold."""
    return None if text is None else text.encode("utf-8", "replace").decode("utf-8")
