"""Judged predictions: one row an asked item, in the order of the release, as Parquet."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import pyarrow as pa
import pyarrow.parquet as pq

from benchwright.errors import DataError

from .answers import Reading, read_answer
from .metrics import JUDGED, State, chance_of, is_right
from .score import PREDICTIONS_FILE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchwright.records import Item

    from .outlines import Outline
    from .questions import Reply
    from .score import Score

FORMAT, VERSION = "benchwright/predictions", 2
VERSIONS = ("1", "2")
"""That readers of replies take: they differ in `group` only."""

ROWS_PER_GROUP = 4096

_SHORT = 200
"""Characters of a reply that is likely to come up again."""

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


def judge(item: Item | Outline, split: str, group: int, reply: Reply) -> dict[str, Any]:
    """Return the row of one reply; `group` is the number of the item's cluster."""
    row: dict[str, Any] = {"item_id": item.item_id, "split": split, "task": item.task, "chance": chance_of(item)}
    state: State
    if reply.text is None:
        state, letter, rule = "error", None, None
    elif reply.letter is not None:
        state, letter, rule = "answered", reply.letter, "given"
    else:
        choices = tuple((choice.key, choice.text) for choice in item.choices)
        read = _read_again if len(reply.text) <= _SHORT else read_answer
        state, letter, rule = read(reply.text, choices)
    return row | {
        "state": state, "letter": letter, "right": is_right(item, letter), "read_by": rule,
        "reply": _storable(reply.text), "cause": _storable(reply.error), "group": group,
    }  # fmt: skip


@lru_cache(maxsize=1 << 15)
def _read_again(text: str, choices: tuple[tuple[str, str | None], ...]) -> Reading:
    """Read a short reply; equal ones to equal options, such as yes and no, are read once."""
    return read_answer(text, choices)


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
        columns = {name: [row[name] for row in self._rows] for name in self._writer.schema.names}
        self._writer.write_table(pa.table(columns, schema=self._writer.schema))
        self._rows = []


def read_judged(path: Path) -> pa.Table:
    """Return the columns that metrics get."""
    return pq.read_table(path, columns=list(JUDGED), use_threads=False)


def open_judged(folder: Path, score: Score) -> pq.ParquetFile:
    """Return the predictions that stand beside a score, opened, once they say that they are of its model and release.

    Raises:
        DataError: There are none, or they are of something else.
    """
    path = folder / PREDICTIONS_FILE
    try:
        file = pq.ParquetFile(path)
    except FileNotFoundError as error:
        raise not_of_score(path, "there is no such file") from error
    except (OSError, pa.ArrowException) as error:
        raise not_of_score(path, f"no Parquet file ({str(error).splitlines()[0][:200]})") from error
    metadata = file.schema_arrow.metadata or {}
    stamp = {k.decode("utf-8", "replace"): v.decode("utf-8", "replace") for k, v in metadata.items()}
    try:
        _check_stamp(path, stamp, set(file.schema_arrow.names), score)
    except DataError:
        file.close()
        raise
    return file


def _check_stamp(path: Path, stamp: Mapping[str, str], columns: set[str], score: Score) -> None:
    if stamp.get("format") != FORMAT or not set(SCHEMA.names) - {"group"} <= columns:
        raise not_of_score(path, f"it does not have the columns of the format {FORMAT!r}")
    if stamp.get("version") not in VERSIONS:
        listed = " and ".join(VERSIONS)
        raise not_of_score(path, f"version {stamp.get('version')!r} of the format, this program reads {listed}")
    for name in ("model", "release_id"):
        if stamp.get(name) != getattr(score, name):
            raise not_of_score(path, f"it states {name} {stamp.get(name)!r}, the score {getattr(score, name)!r}")


def not_of_score(path: Path, what: str) -> DataError:
    """Return the error that predictions are not those that the score beside them was made from."""
    return DataError(f"{path} is not what the score beside it was made from: {what}; score the model again")


def _storable(text: str | None) -> str | None:
    """Return a text without lone surrogates, which a model can send as JSON escapes and no table can hold."""
    return None if text is None else text.encode("utf-8", "replace").decode("utf-8")
