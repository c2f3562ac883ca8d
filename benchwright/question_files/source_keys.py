"""How the keys of a source are read: one reading for all files with the same columns, from all of their rows."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.rows import Row, guarded

from .key_evidence import KeyEvidence, KeyTable
from .question_files import QuestionFile
from .question_rows import stated_id, stated_key
from .tables.columns import ColumnMapping
from .tables.rows import rows_of


def with_readings(files: DatasetFiles, found: Sequence[QuestionFile]) -> tuple[list[QuestionFile], list[KeyTable]]:
    """Return files of questions with the reading of their keys, and a table for each set of files read alike.

    Every row of every file is read once for it.

    Args:
        files: The folder.
        found: Its files of questions and of replies.

    Raises:
        DataError: Two readings fit the keys and differ, or a file cannot be read as a whole.
    """
    alike: dict[Hashable, list[QuestionFile]] = {}
    for file in found:
        if file.columns.column("answer") or file.columns.column("refusal"):
            alike.setdefault(_same_columns(file.columns), []).append(file)
    read: dict[str, QuestionFile] = {}
    tables = []
    for group in alike.values():
        columns = group[0].columns
        evidence = KeyEvidence(columns.column("answer") or columns.column("refusal") or "")
        for file in group:
            _count(files, file, evidence)
        table = evidence.table(stated=columns.keys, first=columns.first_answer)
        read |= {f.path: f._replace(reading=table.reading, is_binary=evidence.is_binary) for f in group}
        if table.keys:
            tables.append(table)
    return [read.get(file.path, file) for file in found], tables


def _same_columns(columns: ColumnMapping) -> Hashable:
    """Return what files have in common whose keys are read alike: the columns of question, options and keys.

    Files of one benchmark may have options up to D or up to E, so the first column of options stands for all.
    """
    fields = (columns.column(field) for field in ("question", "options", "answer", "refusal"))
    return (*fields, columns.options[:1], columns.keys, columns.first_answer)


def _count(files: DatasetFiles, file: QuestionFile, evidence: KeyEvidence) -> None:
    columns = file.columns
    needed = {*columns.options, *(columns.column(f) for f in ("id", "question", "options", "answer", "refusal"))}
    for row in rows_of(files, file.path, asked=columns.taken, only=frozenset(filter(None, needed))):
        if isinstance(row, Row):
            with guarded(file.path, row.entry):  # the row is refused where it is read
                if (key := stated_key(row.document, columns)) is not None:
                    evidence.add(file.path, row.entry, stated_id(row.document, columns), key)
