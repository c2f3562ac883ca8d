"""Judged predictions: one row per asked item, in the order of the release, stored as Parquet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import pyarrow as pa
import pyarrow.parquet as pq

from benchwright.canonical import canonical_json
from benchwright.errors import DataError
from benchwright.files.parquet_tables import ParquetTable, UnreadableParquet
from benchwright.models.endpoints.vendors.reply_kinds import DECLINED
from benchwright.questions.own_ids import own_id
from benchwright.replies.readers import READERS, ROBUST

from ..metrics.base import is_right
from ..protocols.base import AttemptState, JudgedReply, Protocol, ProtocolQuestion, reread
from .score import PREDICTIONS_FILE

if TYPE_CHECKING:
    from benchwright.records import Item
    from benchwright.replies.answers import ParsedAnswer

    from ..prompting.question import Reply
    from .score import Score

FORMAT, VERSION = "benchwright/predictions", 7
_VERSIONS = ("1", "2", "3", "4", "5", "6", "7")
"""Versions that readers of replies accept: version 2 added `group`, version 3 `attempts` and `robust_right`, version 4
`is_cut_off`, version 5 `region_iou`, version 6 `reply_kind` and `finish`, version 7 `source_id`."""

_ADDED = frozenset(
    {"group", "attempts", "robust_right", "is_cut_off", "region_iou", "reply_kind", "finish", "source_id"}
)
"""Columns that older versions do not have."""

ROWS_PER_GROUP = 4096

_FAILED = "the reply is the text of a program that failed"

_NOT_CONCLUDED = frozenset({"option_words", "end", "candidates", "verdicts", "shares", "ranks"})
"""Rules that take a mentioned option as the answer; they do not apply to a reply that was cut off."""

_SHORT = 200
"""Largest length, in characters, of a reply that is likely to occur more than once."""

_TEXT = pa.string()
_ATTEMPT = pa.struct(
    [
        ("variant", _TEXT), ("round", pa.int32()), ("state", _TEXT), ("letter", _TEXT), ("said", _TEXT),
        ("right", pa.bool_()), ("read_by", _TEXT), ("reply", _TEXT), ("cause", _TEXT), ("robust_right", pa.bool_()),
        ("note", _TEXT), ("is_cut_off", pa.bool_()), ("reply_kind", _TEXT), ("finish", _TEXT),
    ]
)  # fmt: skip
"""One question about an item: its name among them, the round, the item's own letter of the named option, the letter as
given. `state` may also be `caption`; `note` is JSON on changes to the pictures."""

JUDGED_SCHEMA = pa.schema(
    [
        ("item_id", _TEXT), ("split", _TEXT), ("task", _TEXT), ("state", _TEXT), ("letter", _TEXT),
        ("right", pa.bool_()), ("chance", pa.float64()), ("read_by", _TEXT), ("reply", _TEXT), ("cause", _TEXT),
        ("group", pa.int64()), ("robust_right", pa.bool_()), ("attempts", pa.list_(pa.field("element", _ATTEMPT))),
        ("is_cut_off", pa.bool_()), ("region_iou", pa.float64()), ("reply_kind", _TEXT), ("finish", _TEXT),
        ("source_id", _TEXT),
    ]
)  # fmt: skip
"""`state` is answered, miss, refusal, cut_off or error; `read_by` is the rule or reader that found the letter; `cause`
is the error's, or the filter's; `group` numbers clusters of items that share group keys, directly or through others, in
the order of the release. `robust_right` is the robust reader's result, if another reader was used. `attempts` holds
every question that a protocol asked, null if the row itself is the only one. The row's `reply` is that of its first
attempt with the row's letter. `is_cut_off` is whether any reply ends at the largest length, answered or not.
`region_iou` is how well the requested region fits the regions that people marked, 0 to 1, null without such a request.
`reply_kind` is the kind of the response from a model's server (`benchwright/models/endpoints/vendors/reply_kinds.py`),
`finish` its reason for ending in the server's spelling; both are null for other replies. `source_id` is the item's id
in its source, null without one."""


def attempt_of(item: Item, question: ProtocolQuestion, number: int, reply: Reply | None, reader: str) -> JudgedReply:
    """Return the judged reply to a question of round `number`; `reply` is None if the question could not be asked."""
    note = None if question.note is None else canonical_json(question.note)
    if reply is None or reply.text is None:
        cause = question.cause if reply is None else reply.error
        sent: dict[str, Any] = {} if reply is None else {"reply_kind": reply.kind, "finish": _storable(reply.finish)}
        return JudgedReply(question.variant, number, "error", cause=_storable(cause), note=note, **sent)
    text = _storable(reply.text)
    sent = {"reply_kind": reply.kind, "finish": _storable(reply.finish)}
    if not question.keys:
        if reply.silence is not None or reply.kind == "filtered":
            return JudgedReply(question.variant, number, "error", cause=_storable(reply.cause), note=note, **sent)
        return JudgedReply(question.variant, number, "caption", reply=text, note=note, **sent)
    if reply.kind in DECLINED:
        cause = _storable(reply.cause)
        return JudgedReply(
            question.variant, number, "refusal", read_by=reply.kind, reply=text, cause=cause, note=note, **sent
        )
    reading, robust = _read(reply, reply.text, question, reader)
    state: AttemptState = reading.state
    shown_letter, rule = reading.letter, reading.rule
    if reply.is_cut_off:
        robust = robust if rule not in _NOT_CONCLUDED else None
        if state == "miss" or (state == "answered" and rule in _NOT_CONCLUDED):
            state, shown_letter, rule = "cut_off", None, "cut_off"
    letter = None if shown_letter is None else question.keys[shown_letter]
    return JudgedReply(
        question.variant,
        number,
        state,
        letter=letter,
        said=shown_letter,
        right=is_right(item, letter),
        read_by=rule,
        reply=text,
        cause=_FAILED if state == "error" else _storable(reply.silence),
        note=note,
        robust=None if robust is None else question.keys[robust],
        is_cut_off=reply.is_cut_off,
        **sent,
    )


def _read(reply: Reply, text: str, question: ProtocolQuestion, reader: str) -> tuple[ParsedAnswer, str | None]:
    """Return the answer that the chosen reader finds, and the letter, as shown, that the robust reader finds."""
    from benchwright.replies.answers import ParsedAnswer, read_answer  # many patterns, which letters alone do not need

    if reply.letter is not None:
        return ParsedAnswer("answered", reply.letter, "given"), reply.letter
    assert question.question is not None
    choices = tuple((choice.key, choice.text) for choice in question.question.choices)
    robust = (_read_again if len(text) <= _SHORT else read_answer)(text, choices)
    if reader == ROBUST:
        return robust, robust.letter
    letter = READERS[reader](text, choices)
    if letter is not None:
        return ParsedAnswer("answered", letter, reader), robust.letter
    return ParsedAnswer("miss" if robust.state == "answered" else robust.state, None, reader), robust.letter


def row_of(
    item: Item, split: str, group: int, attempts: Sequence[JudgedReply], protocol: Protocol, reader: str
) -> dict[str, Any]:
    """Return the row of an item; `group` is the index of the item's cluster."""
    state, letter, right = protocol.verdict(item, attempts)
    shown = attempts[0]
    if len(attempts) > 1:
        shown = next(
            (attempt for attempt in attempts if attempt.state == state and attempt.letter == letter), attempts[-1]
        )
    reread_attempts = None if reader == ROBUST else reread(item, attempts)
    alone = len(attempts) == 1 and not attempts[0].variant and attempts[0].note is None
    return {
        "item_id": item.item_id,
        "split": split,
        "task": item.task,
        "state": state,
        "letter": letter,
        "right": right,
        "chance": protocol.chance(item),
        "read_by": shown.read_by,
        "reply": shown.reply,
        "cause": shown.cause,
        "group": group,
        "robust_right": None if reread_attempts is None else protocol.verdict(item, reread_attempts).right,
        "attempts": None if alone else _attempt_rows(attempts, reread_attempts),
        "is_cut_off": any(attempt.is_cut_off for attempt in attempts),
        "region_iou": protocol.region_iou(item, attempts),
        "reply_kind": shown.reply_kind,
        "finish": shown.finish,
        "source_id": own_id(item.attributes),
    }


def _attempt_rows(
    attempts: Sequence[JudgedReply], reread_attempts: Sequence[JudgedReply] | None
) -> list[dict[str, Any]]:
    robust: Sequence[bool | None] = (
        [None] * len(attempts) if reread_attempts is None else [attempt.right for attempt in reread_attempts]
    )
    rows = [attempt._asdict() | {"robust_right": right} for attempt, right in zip(attempts, robust, strict=True)]
    return [{name: row[name] for name in _ATTEMPT.names} for row in rows]


@lru_cache(maxsize=1 << 15)
def _read_again(text: str, choices: tuple[tuple[str, str | None], ...]) -> ParsedAnswer:
    """Read a short reply; equal replies to equal options, such as yes and no, are read only once."""
    from benchwright.replies.answers import read_answer

    return read_answer(text, choices)


def judged_table(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Return rows made by `row_of` as columns."""
    return pa.table({name: [row[name] for row in rows] for name in JUDGED_SCHEMA.names}, schema=JUDGED_SCHEMA)


class JudgedWriter:
    """Writer of rows to a Parquet file, one row group at a time; use it as a context manager.

    Rows added one by one and rows added as columns give the same file.
    """

    def __init__(self, path: Path, stamp: Mapping[str, str]) -> None:
        schema = JUDGED_SCHEMA.with_metadata({"format": FORMAT, "version": str(VERSION), **stamp})
        self._writer = pq.ParquetWriter(path, schema, compression="zstd", compression_level=3)
        self._rows: list[dict[str, Any]] = []
        self._waiting = JUDGED_SCHEMA.empty_table()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.add_table(judged_table(self._rows))
            self._write(self._waiting)
        self._writer.close()

    def add(self, row: dict[str, Any]) -> None:
        """Add one row."""
        self._rows.append(row)
        if len(self._rows) == ROWS_PER_GROUP:
            self.add_table(judged_table(self._rows))
            self._rows = []

    def add_table(self, table: pa.Table) -> None:
        """Add rows with the columns of `JUDGED_SCHEMA`."""
        waiting = pa.concat_tables([self._waiting, table])
        while waiting.num_rows >= ROWS_PER_GROUP:
            self._write(waiting.slice(0, ROWS_PER_GROUP))
            waiting = waiting.slice(ROWS_PER_GROUP)
        self._waiting = waiting

    def _write(self, rows: pa.Table) -> None:
        self._writer.write_table(rows.combine_chunks().cast(self._writer.schema))


def open_judged(folder: Path, score: Score) -> ParquetTable:
    """Return the opened predictions next to a score, after checking that both concern the same model and release.

    Raises:
        DataError: There are no predictions, or they belong to a different model or release.
    """
    path = folder / PREDICTIONS_FILE
    try:
        file = ParquetTable(path, title=PREDICTIONS_FILE)
    except FileNotFoundError as error:
        raise not_of_score(path, "the file is missing") from error
    except UnreadableParquet as error:
        raise not_of_score(path, f"not a Parquet file ({error.reason})") from error
    metadata = file.schema.metadata or {}
    stamp = {k.decode("utf-8", "replace"): v.decode("utf-8", "replace") for k, v in metadata.items()}
    try:
        _check_stamp(path, stamp, set(file.schema.names), score)
    except DataError:
        file.close()
        raise
    return file


def _check_stamp(path: Path, stamp: Mapping[str, str], columns: set[str], score: Score) -> None:
    if stamp.get("format") != FORMAT or not set(JUDGED_SCHEMA.names) - _ADDED <= columns:
        raise not_of_score(path, f"it lacks columns of the format {FORMAT!r}")
    if stamp.get("version") not in _VERSIONS:
        listed = ", ".join(_VERSIONS)
        raise not_of_score(path, f"version {stamp.get('version')!r} of the format, but this program reads {listed}")
    for name in ("model", "protocol", "release_id"):
        if stamp.get(name) != getattr(score, name):
            raise not_of_score(path, f"it has {name} {stamp.get(name)!r}, the score {getattr(score, name)!r}")


def not_of_score(path: Path, problem: str) -> DataError:
    """Return the error for predictions other than those from which the score next to them was computed."""
    return DataError(f"{path} is not the source of the score next to it: {problem}; score the model again")


def _storable(text: str | None) -> str | None:
    """Return a text without lone surrogates, which a model can send as JSON escapes but which no table can store."""
    return None if text is None else text.encode("utf-8", "replace").decode("utf-8")
