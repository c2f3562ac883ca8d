"""The reading of a source's keys: the same for all files with the same columns, chosen from all their rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.rows import Row, guarded

from .keys.key_evidence import KeyEvidence, KeyTable
from .keys.key_reading import SEALED
from .keys.option_cells import are_marked_in_order
from .keys.present_options import number_absent
from .mapping.columns import ColumnMapping
from .pictures.picture_cells import OptionNames
from .pictures.picture_paths import PicturePaths
from .question_files import QuestionFile
from .question_rows import answers_in_words, option_texts, stated_id, stated_key, stated_split
from .tables.rows import rows_of

_NEARLY_ALL = 0.98
"""Smallest proportion of rows whose options begin with marks at which these count as marks rather than words."""
_SEALED_SHARE = 0.9
"""Smallest proportion of `None`, `hidden` and similar keys in a split at which all its keys count as unpublished."""


@dataclass
class _OptionMarks:
    """Counts of rows with options, and of those whose options begin with marks in order."""

    rows: int = 0
    marked: int = 0

    def add(self, texts: Sequence[str | None]) -> None:
        if len(texts) > 1:
            self.rows += 1
            self.marked += are_marked_in_order(texts)

    @property
    def are_marks(self) -> bool:
        return self.marked > 0 and self.marked >= _NEARLY_ALL * self.rows


@dataclass
class _Seals:
    """Counts, for each split of a file, of rows that state a key and of rows that mark it as unpublished."""

    stated: Counter[str | None] = field(default_factory=Counter)
    sealed: Counter[str | None] = field(default_factory=Counter)

    def add(self, split: str | None, answers: Sequence[str]) -> None:
        self.stated[split] += 1
        self.sealed[split] += all(answer.casefold() in SEALED for answer in answers)

    @property
    def keyed_splits(self) -> frozenset[str | None]:
        return frozenset(split for split, rows in self.stated.items() if self.sealed[split] < _SEALED_SHARE * rows)


def with_readings(
    files: DatasetFiles, pictures: PicturePaths, found: Sequence[QuestionFile]
) -> tuple[list[QuestionFile], list[KeyTable]]:
    """Return question files with the reading of their keys, and a table for each group of files with the same reading.

    The returned files also state whether their options begin with marks, which are then not part of the words, and
    which options are names of pictures. This takes one pass over all rows of all files.

    Args:
        files: The folder.
        pictures: The files' pictures, by name.
        found: The folder's files of questions and of replies.

    Raises:
        DataError: Two different readings fit the keys, or a file cannot be read at all.
    """
    alike: dict[Hashable, list[QuestionFile]] = {}
    for file in found:
        if any(map(file.columns.column, ("answer", "refusal", "options"))) or file.columns.options:
            alike.setdefault(_same_columns(file.columns), []).append(file)
    read: dict[str, QuestionFile] = {}
    tables = []
    for group in alike.values():
        columns = group[0].columns
        evidence, marks = KeyEvidence(columns.column("answer") or columns.column("refusal") or ""), _OptionMarks()
        names = OptionNames()
        counted = [_counted(files, file, evidence, marks, names) for file in group]
        cells = names.cells(lambda file, name: pictures.is_there(name, file))
        table = evidence.table(stated=columns.keys, first=columns.first_answer)
        origin = ", or ".join(map(str, group[0].own.origins_of(table.column)))
        table = replace(table, origin=origin)
        reading, is_binary, has_marks = table.reading, evidence.is_binary, marks.are_marks
        read |= {
            f.path: f._replace(
                reading=reading,
                is_binary=is_binary,
                has_marks=has_marks,
                picture_cells=cells,
            )
            for f in counted
        }
        if table.keys:
            tables.append(table)
    told = [read.get(file.path, file) for file in found]
    return [_with_files(file, pictures) for file in told], tables


def _with_files(file: QuestionFile, pictures: PicturePaths) -> QuestionFile:
    """Return a question file with information on which names are files."""
    known = file.picture_cells._replace(is_file=partial(pictures.is_there, file=file.path))
    return file._replace(picture_cells=known)


def _same_columns(columns: ColumnMapping) -> Hashable:
    """Return the columns that files must share for their keys to be read alike: those of question, options and keys.

    Files of one benchmark may have options up to D or up to E, so the first column of options represents them all.
    """
    fields = (columns.column(field) for field in ("question", "options", "answer", "refusal"))
    return (*fields, columns.options[:1], columns.keys, columns.first_answer)


def _counted(
    files: DatasetFiles, file: QuestionFile, evidence: KeyEvidence, marks: _OptionMarks, names: OptionNames
) -> QuestionFile:
    """Count the keys, marks and picture names of options; return the file with the facts found in its rows."""
    columns, absent, seals = file.columns, 0, _Seals()
    fields = ("id", "split", "question", "options", "answer", "refusal")
    needed = {*columns.options, *map(columns.column, fields)}
    for row in rows_of(files, file.path, asked=columns.taken, only=frozenset(filter(None, needed))):
        if isinstance(row, Row):
            with guarded(file.path, row.entry):  # reading the row refuses it
                key = stated_key(row.document, columns)
                absent += number_absent(row.document, columns)
                texts = option_texts(row.document, columns) if key is None else key.texts
                marks.add(texts)
                names.add(file.path, texts)
                if key is not None:
                    evidence.add(file.path, row.entry, stated_id(row.document, columns), key)
                    seals.add(stated_split(row.document, columns), answers_in_words(key.value))
    return file._replace(absent=absent, keyed_splits=seals.keyed_splits)
