"""A file of predictions as a backend: a model's replies from another program, validated before scoring.

JSON Lines with one object each, or any other table (`files.tables`). Each row names its item by `item_id`, or by its id
in the item's source, in the same column or in `source_id` or `question_id`. It has either `reply` (free text, read like
any other reply) or `answer` (a letter or an option's words; empty for none). A `release_id`, if given, must be the
release's. `tool_replies` reads the files of other evaluation programs. In a file of answers (`AnswerFile`) a row may
have `error` instead, and a server's facts about the reply.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import closing
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.canonical import file_digest
from benchwright.errors import DataError
from benchwright.files.tables import JSON_ENDS, Table, by_column, header_names, json_lines, table_end
from benchwright.models.endpoints.vendors.reply_kinds import ReplyKind
from benchwright.texts.normalization import counted

from ..prompting.question import Question, Reply, item_of
from .base import BackendContext
from .prediction_columns import prediction_columns

if TYPE_CHECKING:
    import pyarrow as pa

ID_COLUMNS = ("item_id", "source_id", "question_id", "index")
"""Columns that may identify a row's item, the most likely first."""
MAX_LINE_CHARS = 4 * 1024 * 1024
_ROWS_AT_ONCE = 1 << 16
_COLUMNS = {"item_id": "string", "line": "int64", "text": "large_binary", "is_letter": "bool"}

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
    """One row as found in the file, before any check."""

    line: int
    cells: Mapping[str, Any]


class PredictionsFile:
    """A backend that answers from a file, which must match the release exactly."""

    tasks: frozenset[str] | None = None
    looks = False
    """False: the backend uses neither words nor pictures, only ids and letters."""
    is_plain = True
    """Whether all rows contain only replies or letters, which can be judged as columns."""

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
            DataError: A row is malformed, repeats an item, or names an item that the release lacks; or an asked item is
                missing.
        """
        predictions = self._read(context)
        self._check_known(((item_id, row.line) for item_id, row in predictions.items()), len(predictions), context)
        missing: list[str] = []
        for question in questions:
            prediction = predictions.get(question.item_id)
            if prediction is None:
                missing.append(question.item_id)
            elif not missing:  # replies come in the order of the questions, so none can follow a gap
                yield self._reply(prediction, question)
        if missing:
            raise self.lacks(len(missing), missing[0])

    def columns(self, asked: pa.Array, context: BackendContext) -> pa.Table:
        """Return the rows about the asked items: `line`, `text` and `is_letter`.

        There is one row per asked item, in order, with nulls for items missing from the file. A text is binary, in
        UTF-8 except for lone surrogates.

        Args:
            asked: Ids of the items.
            context: Facts about the release.

        Raises:
            DataError: A row is malformed, repeats an item, or names an item that the release lacks.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        table = prediction_columns(self.path) or self._table(context)
        self._check_once(table)
        ids = table.column("item_id").combine_chunks()
        others = table.filter(pc.invert(pc.is_in(ids, value_set=asked))).select(["item_id", "line"])
        if others.num_rows:  # of other splits, of variants, or not of an item
            pairs = zip(*(column.to_pylist() for column in others.columns), strict=True)
            self._check_known(pairs, len(ids), context)
        places = pc.index_in(asked, value_set=ids)
        return pa.table({name: table.column(name).take(places) for name in ("line", "text", "is_letter")})

    def lacks(self, count: int, item_id: str) -> DataError:
        """Return the error for asked items that have no row; `item_id` is the first of them."""
        return DataError(
            f"{self.path} has no prediction for {count} of the items asked, such as {item_id}; add a row for each, "
            "with an empty reply if the model gave none"
        )

    def no_option(self, line: int, letter: str, keys: Iterable[str], item_id: str) -> DataError:
        """Return the error for a letter that is not among an item's options."""
        return DataError(
            f"{self._at(line)}: answer {_shown(letter)} is not among the options {', '.join(keys)} of item "
            f"{item_id}; give free text as reply"
        )

    def _read(self, context: BackendContext) -> dict[str, Prediction]:
        predictions: dict[str, Prediction] = {}
        for item_id, prediction in self._rows(context):
            if item_id in predictions:
                raise self._twice(prediction.line, item_id, predictions[item_id].line)
            predictions[item_id] = prediction
        return predictions

    def _table(self, context: BackendContext) -> pa.Table:
        """Return the file's rows as columns: `item_id`, `line`, `text` and `is_letter`.

        Raises:
            DataError: A row is malformed, or repeats an item and precedes any malformed row.
        """
        import pyarrow as pa

        pieces: list[pa.Table] = []
        rows: list[tuple[str, int, bytes, bool]] = []

        def take() -> None:
            values = zip(*rows, strict=True) if rows else ((),) * len(_COLUMNS)
            arrays = (pa.array(column, kind) for column, kind in zip(values, _COLUMNS.values(), strict=True))
            pieces.append(pa.table(dict(zip(_COLUMNS, arrays, strict=True))))
            rows.clear()

        try:
            for item_id, prediction in self._rows(context):
                line, text, is_letter = prediction[:3]
                rows.append((item_id, line, text.encode("utf-8", "surrogatepass"), is_letter))
                if len(rows) == _ROWS_AT_ONCE:
                    take()
        except DataError:
            take()
            self._check_once(pa.concat_tables(pieces))  # of two faults, the message names the first in the file
            raise
        take()
        return pa.concat_tables(pieces)

    def _check_once(self, table: pa.Table) -> None:
        """Refuse a file in which an item has several rows."""
        import numpy as np

        ids = table.column("item_id").combine_chunks().dictionary_encode()
        if len(ids.dictionary) == len(ids):
            return
        numbers = ids.indices.to_numpy()
        first_places = np.unique(numbers, return_index=True)[1]
        again = int(np.flatnonzero(first_places[numbers] != np.arange(len(numbers)))[0])
        lines = table.column("line").take([again, int(first_places[numbers[again]])]).to_pylist()
        raise self._twice(lines[0], ids[again].as_py(), lines[1])

    def _twice(self, line: int, item_id: str, before: int) -> DataError:
        return DataError(
            f"{self._at(line)}: item {item_id} already has a prediction in {self._entry(before)}; keep one of them"
        )

    def _rows(self, context: BackendContext) -> Generator[tuple[str, Prediction]]:
        """Yield each row with the id of its item.

        Raises:
            DataError: A row is malformed or belongs to a different release.
        """
        read = _json_rows if table_end(self.path.name) in JSON_ENDS else _table_rows
        with closing(read(self.path)) as rows:
            for line, cells in rows:
                item_id = self._item_id(line, cells, context)
                stated = cells.get("release_id")
                if stated is not None and stated not in ("", context.release_id):
                    raise DataError(
                        f"{self._at(line)}: this prediction is for release {_shown(stated)}, but the scored release "
                        f"is {context.release_id}; score it on its own release"
                    )
                yield item_id, self._prediction(line, cells)

    def _item_id(self, line: int, cells: Mapping[str, Any], context: BackendContext) -> str:
        """Return the id of a row's item, which the row may identify by the item's id in its source.

        Raises:
            DataError: The row identifies no item, or several items have this id in their source.
        """
        named = cells.get("item_id")
        if named in (None, ""):
            named = next((cells[name] for name in ID_COLUMNS if cells.get(name) not in (None, "")), None)
        if isinstance(named, str) and _ITEM_ID.fullmatch(named):
            return named
        if isinstance(named, int) and not isinstance(named, bool):
            named = str(named)
        if isinstance(named, str):
            try:
                named = context.own_ids().item_id(named)
            except DataError as error:
                raise DataError(f"{self._at(line)}: {error}") from None
        if not isinstance(named, str) or not _ITEM_ID.fullmatch(named):
            raise DataError(
                f"{self._at(line)}: item_id is {_shown(named)}, neither 32 hexadecimal digits, with or without "
                ".VARIANT, nor an id in an item's source"
            )
        return named

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
        return f"{self.path}: {self._entry(line)}"

    def _entry(self, line: int) -> str:
        return f"line {line}"

    def _check_known(self, rows: Iterable[tuple[str, int]], count: int, context: BackendContext) -> None:
        """Refuse rows about items that are not in the release.

        Args:
            rows: Id and line of each row to check.
            count: Number of all rows of the file.
            context: Facts about the release.
        """
        known = context.item_ids()
        unknown = [(item_id, line) for item_id, line in rows if item_of(item_id) not in known]
        if not unknown:
            return
        if len(unknown) == count:
            raise DataError(
                f"{self.path}: release {context.release_id} has none of its {count} item ids; score the file on its "
                "own release"
            )
        item_id, line = unknown[0]
        raise DataError(
            f"{self._at(line)}: item {item_id} is missing from release {context.release_id} "
            f"({counted(len(unknown), 'such row')}); remove them, or score their own release"
        )

    def _reply(self, prediction: Prediction, question: Question) -> Reply:
        if not prediction.is_letter or not prediction.text:
            return Reply(question.item_id, text=prediction.text)
        choices = [(choice.key, choice.text) for choice in question.choices]
        letter = given_letter(prediction.text, choices)
        if letter is None:
            keys = [key for key, _ in choices]
            raise self.no_option(prediction.line, prediction.text, keys, question.item_id)
        return Reply(question.item_id, text=f"({letter})", letter=letter)


def given_letter(text: str, choices: Sequence[tuple[str, str | None]]) -> str | None:
    """Return the letter that a cell in an answer column gives, including a lowercase letter or the text of an option.

    Args:
        text: Contents of the cell.
        choices: Key and text of each option, in order; the text is None for a picture.
    """
    if text in {key for key, _ in choices}:
        return text
    from benchwright.replies.answers import read_answer

    return read_answer(text, choices).letter


def _json_rows(path: Path) -> Generator[_UncheckedRow]:
    """Yield the objects of a JSON Lines file; blank lines are skipped."""
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
    """Yield the rows of a table that is not JSON; the line number of a row is the number of its last line."""
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
            raise DataError(f"{path}: line {line.number}: {cells}; quote texts that contain commas or line breaks")
        else:
            yield _UncheckedRow(line.number, dict(cells))
    if header is None:
        raise DataError(f"{path} is empty; its first line needs item_id and either reply or answer")


def _shown(value: Any) -> str:
    text = ascii(value)
    return text if len(text) <= 80 else text[:77] + "..."
