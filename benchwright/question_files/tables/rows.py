"""Rows of any question file, as mappings from column to value.

| file                      | rows                                                                                    |
|---------------------------|-----------------------------------------------------------------------------------------|
| any table                 | its rows, of text, XLSX, lines of JSON, Parquet or Arrow (`files.tables`)               |
| `.json`                   | entries of a list, of the lists of an object, or of an object by id (`json_documents`)  |
| `.tar`                    | samples of WebDataset                                                                   |
| `.txt`                    | lines of a question and its key, of one picture (`text_lines`)                   |

Text and JSON may be packed (`.gz`). The nested content of a row is split: `questions` of a picture under one entry
(II-Bench), messages and metadata of inspect_ai, and the rows of Benchwright's exports.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from benchwright.files.arrow_files import ArrowColumn, ChosenColumns
from benchwright.files.bounds import COLUMNS, ROW_BYTES
from benchwright.files.tables import PACKED_ENDS, TABLE_ENDS, table_end, too_many_columns
from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.refusals import BAD_ROW, RefusedRow
from benchwright.source_files.rows import Reshaped, Row, guarded, table_rows

from ..layouts.chat import CHAT
from ..layouts.registry import plain_rows
from ..mapping.columns import FIELDS, is_known_column
from . import text_lines
from .joined import joined_rows
from .joined_files import JoinedFile
from .json_documents import json_document_rows
from .own_exports import PICTURES, is_own_export, own_export_row
from .table_heads import question_table
from .webdataset import SAMPLE_PICTURES, webdataset_rows

ENDS = (*TABLE_ENDS, *PACKED_ENDS, ".json", ".json.gz", ".tar", text_lines.END)
"""Suffixes of files that may contain questions."""


def rows_of(
    files: DatasetFiles,
    path: str,
    *,
    asked: Collection[str] = (),
    only: Collection[str] = (),
    joined: list[JoinedFile] | None = None,
) -> Iterator[Row | RefusedRow]:
    """Yield the rows of a file as mappings, with nested contents split, and keys from other files joined.

    Each row has its position in the file; questions nested in one entry have the position of the entry.

    Args:
        files: The folder.
        path: Path of the file.
        asked: Columns to read whatever they contain. Otherwise bytes and nested values of unrecognized columns in
            Parquet and Arrow are not read.
        only: Columns that are sufficient for the caller. Pictures in other columns of Parquet and Arrow files, and in
            WebDataset samples, are then not read; other columns may be read. Default: all columns.
        joined: List that receives the files whose keys or splits are joined to the rows.

    Raises:
        DataError: The file as a whole is unreadable.
    """
    read = partial(_own_rows, files, asked=asked)
    rows = read(path, only=only, joined=joined)
    yield from joined_rows(files, path, rows, read, among=ENDS, joined=joined)


def _own_rows(
    files: DatasetFiles,
    path: str,
    *,
    asked: Collection[str],
    only: Collection[str] = (),
    joined: list[JoinedFile] | None = None,
) -> Iterator[Row | RefusedRow]:
    """Yield the rows of a file, with nested contents split."""
    for number, row in enumerate(_plain_rows(files, path, asked, only, joined)):
        position = number if row.position is None else row.position
        if isinstance(row, RefusedRow):
            yield row._replace(position=position)
        elif not isinstance(row.document, Mapping):
            detail = f"a {type(row.document).__name__}, not columns with values"
            yield RefusedRow(path, row.entry, BAD_ROW, detail, position=position)
        elif len(row.document) > COLUMNS.most():
            detail = too_many_columns(len(row.document))
            yield RefusedRow(path, row.entry, BAD_ROW, detail, position=position)
        else:
            with guarded(path, row.entry) as guard:
                for part in _apart(row):
                    yield from (plain._replace(position=position) for plain in plain_rows(part, asked))
            if guard.refusal is not None:
                yield guard.refusal._replace(position=position)


def _plain_rows(
    files: DatasetFiles,
    path: str,
    asked: Collection[str],
    only: Collection[str],
    joined: list[JoinedFile] | None,
) -> Iterator[Row | RefusedRow]:
    if table_end(path) is not None:
        chosen = partial(_chosen, asked=asked, only=only)
        form = question_table(asked)
        yield from table_rows(files, path, choose=chosen, usual_line_bytes=ROW_BYTES.usual, form=form)
    elif path.lower().endswith(".tar"):
        yield from webdataset_rows(files, path, with_pictures=not only or SAMPLE_PICTURES in only)
    elif path.lower().endswith(text_lines.END):
        yield from text_lines.text_line_rows(files, path)
    else:
        yield from json_document_rows(files, path, joined)


def _chosen(columns: Sequence[ArrowColumn], *, asked: Collection[str], only: Collection[str]) -> ChosenColumns:
    """Return the columns that may contain a part of a question or reply, and those that may become its labels.

    Other columns are not read: unused pictures and lists can be most of a file.
    """
    kinds = {column.name.strip().lower(): column.kind for column in columns}
    if kinds.get("questions") == "nested" or "canary" in kinds:
        left_out = set(PICTURES).difference(only) if only and "canary" in kinds else ()
        return ChosenColumns([column.name for column in columns if column.name not in left_out])
    if only and {column.name for column in columns}.issuperset(only):
        return ChosenColumns([column.name for column in columns if column.name in only])
    wanted = [column.name for column in columns if column.name in asked or is_known_column(column.name)]
    labels = [column.name for column in columns if column.kind in ("plain", "list") and column.name not in wanted]
    return ChosenColumns(wanted, labels)


def _apart(row: Row) -> Iterator[Row]:
    """Yield the rows contained in a row: those of a list of questions or sample of messages, else the row itself."""
    document: Mapping[str, Any] = row.document
    questions = document.get("questions")
    if isinstance(questions, list) and questions and all(isinstance(entry, Mapping) for entry in questions):
        shared = {name: value for name, value in document.items() if name != "questions"}
        for name in [name for name, value in shared.items() if isinstance(value, Mapping)]:
            shared |= shared.pop(name)
        for number, entry in enumerate(questions, start=1):
            yield Row(f"{row.entry}, question {number}", {**shared, **entry}, made=row.made)
        return
    made = row.made
    if isinstance(metadata := document.get("metadata"), Mapping):
        # Metadata of a sample has no words of the question, whatever its name.
        beside = {f"metadata_{n}" if str(n).lower() in FIELDS["context"] else n: v for n, v in metadata.items()}
        document = {**beside, **{name: value for name, value in document.items() if name != "metadata"}}
        made = (*made, Reshaped("what describes the entry", frozenset({"metadata"}), row.document))
    if is_own_export(document):
        made = (*made, Reshaped("the form of Benchwright's exports", frozenset(map(str, document)), document))
        samples = [plain.document for plain in CHAT.rows(document)] if CHAT.taken(document) else [document]
        document = own_export_row(samples[-1])
    yield Row(row.entry, document, made=made)
