"""A file of predictions as a backend: replies of a model that another program ran, checked before they are scored.

Lines of JSON with one object each, or any other table (`files.tables`). Each row has `item_id`, or the id by which the
item's source calls it, there or as `source_id` or `question_id`, and either `reply` (free
text, read like any other reply) or `answer` (a letter; nothing for none). A `release_id`, where given, must be the
release's. In a file of answers (`AnswerFile`) a row may have `error` instead, and beside the reply what a server said
of it.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Mapping
from contextlib import closing
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.canonical import file_digest
from benchwright.errors import DataError
from benchwright.files.tables import JSON_ENDS, TABLE_ENDS, Table, by_column, header_names, json_lines
from benchwright.models.endpoints.reply_kinds import ReplyKind
from benchwright.text_normalization import counted

from ..prompting.question import Question, Reply, item_of
from .base import Backend, BackendContext
from .options import BackendOptions

ID_COLUMNS = ("item_id", "source_id", "question_id", "index")
"""Columns in which a row may name its item, the likeliest first."""
MAX_LINE_CHARS = 4 * 1024 * 1024

_ITEM_ID = re.compile(r"[0-9a-f]{32}(\.[a-z0-9]+)?")


class Prediction(NamedTuple):
    """One row of the file."""

    line: int
    text: str
    is_letter: bool
    error: str | None = None
    is_cut_off: bool = False
    kind: ReplyKind | None = None
    finish: str | None = None
    cause: str | None = None


class _UncheckedRow(NamedTuple):
    """One row as found, before it is checked."""

    line: int
    cells: Mapping[str, Any]


def predictions(argument: str, options: BackendOptions) -> Backend:
    """Return the backend that answers from a file, such as `predictions:replies.jsonl`.

    Raises:
        DataError: The file is missing or is neither JSON Lines nor CSV by its name.
    """
    del options
    path = Path(argument)
    if not argument or not path.is_file():
        raise DataError(
            f"predictions file {argument!r} is not a file; write predictions:FILE with a table, such as .jsonl or .csv"
        )
    if path.suffix.lower() not in TABLE_ENDS:
        raise DataError(f"{path}: predictions are read from tables ({', '.join(TABLE_ENDS)}); rename or convert it")
    return PredictionsFile(path)


class PredictionsFile:
    """Backend that answers from a file; refuses the file unless it fits the release exactly."""

    tasks: frozenset[str] | None = None
    looks = False
    """It looks at neither words nor pictures, only at ids and letters."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = f"predictions:{path.name}"

    @cached_property
    def settings(self) -> Mapping[str, Any]:
        """The hash of the file."""
        return {"sha256": file_digest(self.path)}

    @property
    def identity(self) -> Mapping[str, Any]:
        """The hash of the file."""
        return self.settings

    def answer(self, questions: Iterable[Question], context: BackendContext) -> Generator[Reply]:
        """Yield the file's replies.

        Raises:
            DataError: A row is malformed, repeats an item, or names one that the release does not have; or an item
                that was asked is missing.
        """
        predictions = self._read(context)
        self._check_known(predictions, context)
        missing: list[str] = []
        for question in questions:
            prediction = predictions.get(question.item_id)
            if prediction is None:
                missing.append(question.item_id)
            elif not missing:  # replies come in the order of the questions, so none can follow a gap
                yield self._reply(prediction, question)
        if missing:
            raise DataError(
                f"{self.path} has no prediction for {len(missing)} of the items asked, such as {missing[0]}; "
                "add a row for each, with an empty reply where the model gave none"
            )

    def _read(self, context: BackendContext) -> dict[str, Prediction]:
        predictions: dict[str, Prediction] = {}
        read = _json_rows if self.path.suffix.lower() in JSON_ENDS else _table_rows
        with closing(read(self.path)) as rows:
            for line, cells in rows:
                item_id = self._item_id(line, cells, context)
                if not isinstance(item_id, str) or not _ITEM_ID.fullmatch(item_id):
                    raise DataError(
                        f"{self._at(line)}: item_id is {_shown(item_id)}, "
                        "not 32 hexadecimal digits, with or without .VARIANT, and no id of an item's source"
                    )
                stated = cells.get("release_id")
                if stated not in {None, "", context.release_id}:
                    raise DataError(
                        f"{self._at(line)}: this prediction is for release {_shown(stated)}, the release scored is "
                        f"{context.release_id}; score it on its own release"
                    )
                if item_id in predictions:
                    raise DataError(
                        f"{self._at(line)}: item {item_id} was predicted in line {predictions[item_id].line} already"
                    )
                predictions[item_id] = self._prediction(line, cells)
        return predictions

    def _item_id(self, line: int, cells: Mapping[str, Any], context: BackendContext) -> Any:
        """Return the id of the item that a row is about, which may name it as the item's source does.

        Raises:
            DataError: Several items are called so in their source.
        """
        named = next((cells[name] for name in ID_COLUMNS if cells.get(name) not in (None, "")), None)
        if isinstance(named, int) and not isinstance(named, bool):
            named = str(named)
        if not isinstance(named, str) or _ITEM_ID.fullmatch(named):
            return named
        try:
            return context.own_ids().item_id(named)
        except DataError as error:
            raise DataError(f"{self._at(line)}: {error}") from None

    def _prediction(self, line: int, cells: Mapping[str, Any]) -> Prediction:
        is_letter = "answer" in cells
        if is_letter == ("reply" in cells):
            fields = "reply and answer" if is_letter else "neither"
            raise DataError(f"{self._at(line)}: give either reply or answer; found {fields}")
        value = cells["answer" if is_letter else "reply"]
        if value is not None and not isinstance(value, str):
            field = "answer" if is_letter else "reply"
            raise DataError(f"{self._at(line)}: {field} is {_shown(value)}, not a text")
        return Prediction(line, value or "", is_letter=is_letter)

    def _at(self, line: int) -> str:
        return f"{self.path}: line {line}"

    def _check_known(self, predictions: Mapping[str, Prediction], context: BackendContext) -> None:
        known = context.item_ids()
        unknown = [item_id for item_id in predictions if item_of(item_id) not in known]
        if not unknown:
            return
        if len(unknown) == len(predictions):
            raise DataError(
                f"{self.path}: none of its {len(predictions)} item ids is in release {context.release_id}; "
                "the file belongs to another release"
            )
        raise DataError(
            f"{self.path}: line {predictions[unknown[0]].line}: item {unknown[0]} is not in release "
            f"{context.release_id} ({counted(len(unknown), 'such row')}); remove them or score the release they belong "
            "to"
        )

    def _reply(self, prediction: Prediction, question: Question) -> Reply:
        if not prediction.is_letter or not prediction.text:
            return Reply(question.item_id, text=prediction.text)
        keys = [choice.key for choice in question.choices]
        if prediction.text not in keys:
            raise DataError(
                f"{self.path}: line {prediction.line}: answer {_shown(prediction.text)} is none of the options "
                f"{', '.join(keys)} of item {question.item_id}; give free text as reply"
            )
        return Reply(question.item_id, text=f"({prediction.text})", letter=prediction.text)


def _json_rows(path: Path) -> Generator[_UncheckedRow]:
    """Yield the objects of a JSON Lines file; blank lines are passed over."""
    with Table.at(path).opened() as handle:
        for line, value, problem in json_lines(handle, usual_bytes=MAX_LINE_CHARS):
            if problem:
                raise DataError(f"{path}: line {line}: {problem}")
            if not isinstance(value, dict):
                raise DataError(
                    f"{path}: line {line}: {_shown(value)} is not an object with item_id and reply or answer"
                )
            yield _UncheckedRow(line, value)


def _table_rows(path: Path) -> Generator[_UncheckedRow]:
    """Yield the rows of a table that is no JSON; the line is the one on which a row ends."""
    table = Table.at(path)
    header: list[str] | None = None
    for line in table.lines():
        if line.problem:
            raise table.unreadable(line)
        if header is None:
            header = header_names(line.cells)
            if not set(ID_COLUMNS) & set(header) or len(set(header)) != len(header):
                raise DataError(
                    f"{path}: line 1: the header is {_shown(header)}; "
                    "it needs item_id and either reply or answer, each once"
                )
        elif isinstance(cells := by_column(header, line.cells), str):
            raise DataError(f"{path}: line {line.number}: {cells}; quote texts that hold commas or line breaks")
        else:
            yield _UncheckedRow(line.number, dict(cells))
    if header is None:
        raise DataError(f"{path} is empty; its first line needs item_id and either reply or answer")


def _shown(value: Any) -> str:
    text = ascii(value)
    return text if len(text) <= 80 else text[:77] + "..."
