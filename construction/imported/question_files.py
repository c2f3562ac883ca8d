"""Files of questions: tables (CSV, TSV), JSON lines, JSON lists and Parquet, with or without pictures in them.

A row is a mapping from column to value, whatever the file. Two shapes are taken apart: `questions` of a picture under
one entry (II-Bench), and samples of inspect_ai, whose `input` holds messages.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from benchwright.errors import BenchwrightError, DataError

from ..readers.reader import guarded
from ..source_files import BadRow, DatasetFiles, RefusedRow, Row, csv_rows, json_list, json_rows
from .asked_question import AskedPicture, AskedQuestion
from .columns import ColumnMapping, guessed_columns
from .question_rows import question_of

_ENDS = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet")
_SPLITS = re.compile(r"(?:^|[^a-z])(train|dev|val|validation|test)(?:[^a-z]|$)", re.I)
_SAMPLE = 200
"""Rows from which columns are guessed."""
MAX_ROW_BYTES = 64 << 20
"""Most bytes of a row, pictures in it included."""

# Pictures in base64 are longer than the 128 KiB that csv allows a cell. The limit is one for the whole process.
csv.field_size_limit(MAX_ROW_BYTES)


class QuestionFile(NamedTuple):
    """A file of questions.

    Args:
        path: Path below the folder.
        columns: Which column holds what.
        split: Split that its name tells; None where it tells none.
        first_answer: Number of the first option where answers are numbers: 0 or 1.
    """

    path: str
    columns: ColumnMapping
    split: str | None
    first_answer: int


def question_files(
    files: DatasetFiles, stated: Mapping[str, str | list[str]] | None = None, *, only: Sequence[str] = ()
) -> list[QuestionFile]:
    """Return the files of questions in a folder: those whose rows have a question, and options or an answer.

    Args:
        files: The folder.
        stated: Columns as a curator says, by field (`guessed_columns`).
        only: Paths of the files to read; all that hold questions by default.

    Raises:
        DataError: There is none, a named one is not there, or its columns cannot be told.
    """
    if missing := [path for path in only if not files.has(path)]:
        raise DataError(f"there is no file {files.shown(missing[0])}; {files.contents()}")
    looked_at: list[str] = []
    kept = []
    for path in only or files.walk(suffixes=_ENDS):
        looked_at.append(path)
        try:
            rows = [row for row in islice(rows_of(files, path), _SAMPLE) if isinstance(row, Row)]
        except BenchwrightError:
            if only:
                raise
            continue
        names = list(dict.fromkeys(name for row in rows for name in row.document))
        columns = guessed_columns(names, stated if only or _all_there(stated, names) else None, of=files.shown(path))
        if columns.column("question") and (columns.column("answer") or columns.column("options") or columns.options):
            match = _SPLITS.search(path.rpartition("/")[2].rpartition(".")[0])
            kept.append(QuestionFile(path, columns, match and match[1].lower(), _first_answer(rows, columns)))
        elif only:
            raise DataError(
                f"{files.shown(path)}: no column is a question with options or an answer (it has {', '.join(names)}); "
                "say which with a mapping, such as question=ask"
            )
    if not kept:
        seen = f"looked into {', '.join(looked_at[:8])}" if looked_at else files.contents()
        raise DataError(f"{files.shown('')} holds no file of questions ({', '.join(_ENDS)}); {seen}")
    return kept


def _all_there(stated: Mapping[str, str | list[str]] | None, names: Sequence[str]) -> bool:
    asked = [name for column in (stated or {}).values() for name in ([column] if isinstance(column, str) else column)]
    return all(name in names for name in asked if name)


def _first_answer(rows: Sequence[Row], columns: ColumnMapping) -> int:
    """Return the number of the first option where keys are numbers: 1 if there are such keys and none is 0, else 0."""
    answer = columns.column("answer")
    numbers = [row.document.get(answer) for row in rows] if answer else []
    whole = {int(number) for number in numbers if isinstance(number, int) or str(number).isdigit()}
    return 1 if whole and 0 not in whole else 0


def questions_of(
    files: DatasetFiles, file: QuestionFile
) -> Iterator[tuple[str, AskedQuestion, list[AskedPicture]] | RefusedRow]:
    """Yield each question of a file with the row it stands in and its pictures, and what is wrong with other rows."""
    for row in rows_of(files, file.path):
        if isinstance(row, RefusedRow):
            yield row
            continue
        with guarded(file.path, row.entry) as guard:
            question, pictures = question_of(row.document, file.columns, row=row.entry, first_answer=file.first_answer)
            if question.split is None and file.split is not None:
                question = question.model_copy(update={"split": file.split})
            yield row.entry, question, pictures
        if guard.refusal is not None:
            yield guard.refusal


def rows_of(files: DatasetFiles, path: str) -> Iterator[Row | RefusedRow]:
    """Yield the rows of a file as mappings, with nested questions and messages taken apart.

    Raises:
        DataError: The file as a whole cannot be read.
    """
    for row in _plain_rows(files, path):
        if isinstance(row, RefusedRow):
            yield row
        elif not isinstance(row.document, Mapping):
            yield RefusedRow(path, row.entry, "bad_row", f"a {type(row.document).__name__}, not columns with values")
        else:
            yield from _apart(row)


def _plain_rows(files: DatasetFiles, path: str) -> Iterator[Row | RefusedRow]:
    low = path.lower()
    if low.endswith((".csv", ".tsv")):
        yield from csv_rows(files, path, delimiter="\t" if low.endswith(".tsv") else ",")
    elif low.endswith((".jsonl", ".ndjson")):
        yield from json_rows(files, path, max_bytes=MAX_ROW_BYTES)
    elif low.endswith(".parquet"):
        yield from _parquet_rows(files, path)
    else:
        yield from json_list(files, path)


def _parquet_rows(files: DatasetFiles, path: str) -> Iterator[Row]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    with files.as_path(path) as place:
        number = 0
        try:
            with pq.ParquetFile(place) as table:
                for batch in table.iter_batches(batch_size=16, use_threads=False):
                    for document in batch.to_pylist():
                        number += 1
                        yield Row(f"row {number}", document)
        except (pa.ArrowException, OSError) as error:
            reason = str(error).splitlines()[0][:200]
            raise DataError(f"{files.shown(path)} cannot be read ({reason}); fetch it again") from error


def _apart(row: Row) -> Iterator[Row]:
    """Yield the rows that a row holds: itself, unless it lists questions, or is a sample of messages."""
    document: Mapping[str, Any] = row.document
    questions = document.get("questions")
    if isinstance(questions, list) and questions and all(isinstance(entry, Mapping) for entry in questions):
        shared = {name: value for name, value in document.items() if name != "questions"}
        for name in [name for name, value in shared.items() if isinstance(value, Mapping)]:
            shared |= shared.pop(name)
        for number, entry in enumerate(questions, start=1):
            yield Row(f"{row.entry}, question {number}", {**shared, **entry})
    elif isinstance(messages := document.get("input"), list):
        yield Row(row.entry, {**document, **_messages(messages)})
    else:
        yield row


def _messages(messages: Sequence[Any]) -> dict[str, Any]:
    """Return question and pictures of the last message of a user."""
    last = next((m for m in reversed(messages) if isinstance(m, Mapping) and m.get("role") == "user"), None)
    content = last.get("content") if last is not None else None
    if isinstance(content, str):
        return {"input": content}
    if not isinstance(content, list):
        raise BadRow("`input` has no message of the role user with content")
    parts = [part for part in content if isinstance(part, Mapping)]
    texts = [str(part.get("text", "")) for part in parts if part.get("type") == "text"]
    return {"input": "\n".join(texts), "images": [part.get("image") for part in parts if part.get("type") == "image"]}
