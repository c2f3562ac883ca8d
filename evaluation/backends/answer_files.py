"""Answer files: a model's replies to sealed items, to be scored by the holder of the key.

JSON Lines, one question per line. `release_id`, `split`, `tasks` (those that the model can take, null for all),
`model`, `protocol` and `reader` name the run. `item_id` has the suffix `.VARIANT` if a protocol asks an item more than
once. `reply` is the reply; if it is missing, `error` gives the reason. For replies from a server, `reply_kind` is the
kind, `finish` the reason the reply ended, and `cause` the reason it is not an answer. `letter` is the letter read from
the reply, for information; scoring reads the reply again. `samples` is the number of replies drawn per question, if
more than one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, get_args

from benchwright.canonical import canonical_json
from benchwright.errors import DataError
from benchwright.models.endpoints.vendors.reply_kinds import ReplyKind

from ..prompting.question import Question, Reply
from .options import MOST_SAMPLES
from .predictions import MAX_LINE_CHARS, Prediction, PredictionsFile

ANSWERS_FILE = "answers.jsonl"
_HEAD = ("release_id", "split", "tasks", "model", "protocol", "reader")
_MAX_NAME = 300
"""Longest text, in characters, of a field that contains a name."""


class AnswerHead(NamedTuple):
    """The fields that are the same in every line of an answer file: release, model, protocol and reader."""

    release_id: str
    split: str | None
    tasks: tuple[str, ...] | None
    model: str
    protocol: str
    reader: str
    samples: int = 1


def answer_lines(head: AnswerHead, rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the lines of an answer file, made from rows of judged predictions."""
    stated = {name: value for name, value in head._asdict().items() if (name, value) != ("samples", 1)}
    for row in rows:
        for attempt in row["attempts"] or [{**row, "variant": ""}]:
            variant = f".{attempt['variant']}" if attempt["variant"] else ""
            line: dict[str, Any] = {**stated, "item_id": row["item_id"] + variant, "letter": attempt["letter"]}
            if attempt["reply"] is None:
                line["error"] = attempt["cause"] or "no reply"
            else:
                line |= {"reply": attempt["reply"], **({"is_cut_off": True} if attempt["is_cut_off"] else {})}
            sent = {name: attempt[name] for name in ("reply_kind", "finish") if attempt[name] is not None}
            if attempt["reply"] is not None and attempt["cause"] is not None:
                sent["cause"] = attempt["cause"]
            line |= sent
            yield canonical_json(line)


def read_head(path: Path) -> AnswerHead:
    """Return the fields that all lines of an answer file share.

    Raises:
        DataError: The file is not an answer file, or its lines belong to several releases, models or protocols.
    """
    head: AnswerHead | None = None
    with path.open("rb") as handle:
        for number, raw in enumerate(iter(lambda: handle.readline(MAX_LINE_CHARS + 1), b""), start=1):
            stated = _head_of(raw, f"{path}: line {number}")
            if head is not None and stated != head:
                name = next(name for name in AnswerHead._fields if getattr(head, name) != getattr(stated, name))
                raise DataError(
                    f"{path}: line {number}: {name} is {getattr(stated, name)!a}, but line 1 has "
                    f"{getattr(head, name)!a}; give each model and release its own answer file"
                )
            head = stated
    if head is None:
        raise DataError(f"{path} is empty; write an answer file with `benchwright evaluate run` on a sealed split")
    return head


def _head_of(raw: bytes, where: str) -> AnswerHead:
    try:
        row = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where}: not JSON in UTF-8 ({error})") from error
    values = [row.get(name) for name in _HEAD] if isinstance(row, dict) else [None]
    wrong = [name for name, value in zip(_HEAD, values, strict=False) if not _is_valid(name, value)]
    if wrong:
        raise DataError(
            f"{where}: has no {wrong[0]}; an answer file has {', '.join(_HEAD)} in every line; write one with "
            "`benchwright evaluate run` on a sealed split"
        )
    samples = row.get("samples", 1)
    if type(samples) is not int or not 1 <= samples <= MOST_SAMPLES:
        raise DataError(f"{where}: samples is {ascii(samples)[:80]}, not a number from 1 to {MOST_SAMPLES}")
    release_id, split, tasks, model, protocol, reader = (row[name] for name in _HEAD)
    return AnswerHead(release_id, split, None if tasks is None else tuple(tasks), model, protocol, reader, samples)


def _is_valid(name: str, value: Any) -> bool:
    if name == "tasks" and isinstance(value, list):
        return all(_is_valid("task", task) for task in value)
    return (value is None and name in {"split", "tasks"}) or (
        name != "tasks" and isinstance(value, str) and 0 < len(value) <= _MAX_NAME
    )


class AnswerFile(PredictionsFile):
    """An answer file used as a backend, named after the system that answered.

    In a folder of results, a later file from the same system replaces an earlier one.
    """

    is_plain = False

    def __init__(self, path: Path, head: AnswerHead, system: str) -> None:
        super().__init__(path)
        self.name = system
        self.tasks = None if head.tasks is None else frozenset(head.tasks)

    @property
    def identity(self) -> Mapping[str, Any]:
        """An empty mapping, because a system has one result for each protocol."""
        return {}

    def _prediction(self, line: int, cells: Mapping[str, Any]) -> Prediction:
        if "error" not in cells:
            prediction = super()._prediction(line, cells)._replace(is_cut_off=cells.get("is_cut_off") is True)
            return prediction._replace(**self._sent(line, cells))
        if not isinstance(cells["error"], str) or not cells["error"] or {"reply", "answer"} & cells.keys():
            raise DataError(f"{self._at(line)}: give either an error, as a text, or a reply")
        sent = self._sent(line, cells) | {"cause": cells["error"]}
        return Prediction(line, "", is_letter=False, error=cells["error"], **sent)

    def _sent(self, line: int, cells: Mapping[str, Any]) -> dict[str, Any]:
        """Return the facts about a server's response that a row states."""
        kind, finish, cause = (cells.get(name) for name in ("reply_kind", "finish", "cause"))
        if kind is not None and kind not in get_args(ReplyKind):
            raise DataError(
                f"{self._at(line)}: reply_kind is {ascii(kind)[:80]}, but it must be one of "
                f"{', '.join(get_args(ReplyKind))}"
            )
        for name, value in (("finish", finish), ("cause", cause)):
            if value is not None and not isinstance(value, str):
                raise DataError(f"{self._at(line)}: {name} is {ascii(value)[:80]}, not a text")
        return {"kind": kind, "finish": finish, "cause": cause}

    def _reply(self, prediction: Prediction, question: Question) -> Reply:
        sent: dict[str, Any] = {"kind": prediction.kind, "finish": prediction.finish, "cause": prediction.cause}
        if prediction.error is not None:
            return Reply(question.item_id, error=prediction.error, **sent)
        return replace(super()._reply(prediction, question), is_cut_off=prediction.is_cut_off, **sent)
