"""Sources of imported questions: question files, or a Benchwright release."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Protocol

from benchwright.canonical import digest
from benchwright.records import LETTERS, ImageRecord, Source
from benchwright.release import Release, ReleasedItem
from benchwright.source_files.files import DatasetFiles, FileNote
from benchwright.source_files.refusals import RefusedRow
from benchwright.source_files.rows import Row
from benchwright.texts.normalization import counted

from .id_named_pictures import with_pictures_named_by_id
from .keys.key_evidence import KeyTable
from .looked_into import LookedInto
from .mapping.column_files import ColumnFile, read_columns
from .mapping.columns import ENCODING, stated_encoding
from .pictures.picture_paths import PicturePaths
from .question_files import QuestionFile, ReadRow, Stated, question_files, rows_in
from .questions.asked_question import AskedPicture, AskedQuestion
from .source_keys import with_readings
from .tables.rows import rows_of
from .tables.webdataset import is_webdataset

_MARKS = "its options begin with marks, such as `A.` or `(1)`, which are removed from their words"
_ABSENT = "only mark absent options, such as NaN or a dash, and are left out"
_RELEASE = ("manifest.json", "manifest.sha256")


class QuestionSource(Protocol):
    """A source of questions."""

    @property
    def files(self) -> list[QuestionFile]:
        """Files of questions and of replies, with the meaning of their columns; empty for a release."""

    @property
    def keys(self) -> list[KeyTable]:
        """Reading of keys for each group of files with the same columns; empty for a release."""

    @property
    def looked_into(self) -> list[LookedInto]:
        """Use of each file that was searched for questions; empty for a release."""

    def entries(self) -> Iterator[tuple[str, ReadRow | RefusedRow]]:
        """Yield the content of each row, with the path of its file."""

    def notes(self) -> list[FileNote]:
        """Return the assumptions made while reading the tables, such as their encoding."""

    def rows(self, file: QuestionFile) -> Iterator[Row | RefusedRow]:
        """Yield the rows of a file in the form in which the file contains them."""

    def picture_files(self) -> DatasetFiles:
        """Return the folder in which to search for pictures."""

    def content_digest(self) -> str:
        """Return the digest of everything that determines the questions."""


def open_source(
    place: Path, *, pictures: Path | None = None, mapping: Stated | None = None, columns: Path | None = None
) -> QuestionSource:
    """Return the source of questions at a location.

    Args:
        place: File of questions, folder or archive that contains such files, or folder of a release.
        pictures: Folder of the pictures, if separate; None for the folder of the questions.
        mapping: Columns by field, if their names are not recognized (`guessed_columns`).
        columns: Column file (`read_columns`); the mapping takes precedence.

    Raises:
        DataError: The source has no questions, or cannot be read.
    """
    if all((place / name).is_file() for name in _RELEASE):
        return _ReleaseSource(Release.open(place))
    stated = ColumnFile() if columns is None else read_columns(columns)
    return _FileSource(place, pictures, {**stated.columns, **(mapping or {})}, stated.files)


class _FileSource:
    """Questions in files.

    Args:
        place: File of questions, or folder or archive that contains such files.
        pictures: Folder of the pictures; None for that of the questions.
        mapping: Columns by field.
        by_file: Columns by field, by path or pattern.
    """

    def __init__(self, place: Path, pictures: Path | None, mapping: Stated, by_file: Mapping[str, Stated]) -> None:
        is_archive = place.is_file() and place.suffix.lower() in (".zip", ".tar") and not is_webdataset(place)
        folder = place if place.is_dir() or is_archive or not place.exists() else place.parent
        only = (place.name,) if folder != place else ()
        tars = [path for path in folder.glob("*.tar") if path.is_file()] if folder.is_dir() else []
        samples = [path.name for path in tars if is_webdataset(path)]
        merged = {pattern: {**columns, **mapping} for pattern, columns in by_file.items()}
        stated = {**merged, "*": mapping}
        encodings = {
            pattern: encoding
            for pattern, columns in stated.items()
            if (encoding := stated_encoding(columns.get(ENCODING), str(place))) is not None
        }
        self._files = DatasetFiles(folder, closed=samples, encodings=encodings)
        self._pictures = None if pictures is None else DatasetFiles(pictures)
        self._unread: list[RefusedRow] = []
        self.looked_into: list[LookedInto] = []
        found = question_files(
            self._files,
            mapping,
            only=only,
            stated_by_file=merged,
            unread=self._unread,
            looked_into=self.looked_into,
        )
        found = with_pictures_named_by_id(self._files, self.picture_files(), found)
        self.files, self.keys = with_readings(self._files, PicturePaths(self.picture_files()), found)

    def entries(self) -> Iterator[tuple[str, ReadRow | RefusedRow]]:
        """Yield the content of each row, with the path of its file, and finally the unreadable parts of the folder."""
        for file in self.files:
            for entry in rows_in(self._files, file):
                yield file.path, entry
        pictures = [] if self._pictures is None else self._pictures.refused()
        for row in dict.fromkeys((*self._unread, *self._files.refused(), *pictures)):
            yield row.file, row

    def notes(self) -> list[FileNote]:
        """Return the assumptions made while reading the tables."""
        marked = [FileNote(file.path, _MARKS) for file in self.files if file.has_marks]
        absent = [
            FileNote(file.path, f"{counted(file.absent, 'cell')} at the end of the options {_ABSENT}")
            for file in self.files
            if file.absent
        ]
        parted = [
            FileNote(file.path, f"options in one cell are split at {file.columns.parted!r}, as the keys show")
            for file in self.files
            if file.columns.parted
        ]
        return [*self._files.notes(), *marked, *absent, *parted]

    def rows(self, file: QuestionFile) -> Iterator[Row | RefusedRow]:
        """Yield the rows of a file in the form in which the file contains them."""
        return rows_of(self._files, file.path, asked=file.columns.taken)

    def picture_files(self) -> DatasetFiles:
        """Return the folder in which to search for pictures."""
        return self._pictures or self._files

    def content_digest(self) -> str:
        """Return the digest of the question files and of keys joined to them; pictures have their own digests."""
        contents = []
        beside = [file.file for file in self.looked_into if file.taken_as in ("keys", "splits", "pictures")]
        for name in dict.fromkeys((*(file.path for file in self.files), *beside)):
            with self._files.as_path(name) as path, path.open("rb") as handle:
                contents.append([name, hashlib.file_digest(handle, "sha256").hexdigest()])
        return digest(contents)


class _ReleaseSource:
    """Items of a release, with their ids, splits and marks, and pictures without marks.

    Args:
        release: The release.
    """

    def __init__(self, release: Release) -> None:
        self._release = release
        self.files: list[QuestionFile] = []
        self.keys: list[KeyTable] = []
        self.looked_into: list[LookedInto] = []

    def entries(self) -> Iterator[tuple[str, ReadRow | RefusedRow]]:
        """Yield each item as a question."""
        records = {record.image_id: record for record in self._release.provenance() if isinstance(record, ImageRecord)}
        sealed = self._release.manifest.sealed_splits
        for number, released in enumerate(self._release.items(), start=1):
            row = f"item {number}"
            pictures = [
                AskedPicture(f"{image.image_id}", released.images[image.image_id], _source_of(image.image_id, records))
                for image in released.item.images
            ]
            question = _question_of(released, is_sealed=released.split in sealed)
            yield released.split, ReadRow(row, question, pictures, None, number - 1)

    def notes(self) -> list[FileNote]:
        """Return nothing: a release has only one form."""
        return []

    def rows(self, file: QuestionFile) -> Iterator[Row | RefusedRow]:
        """Yield nothing: a release has no files of questions."""
        del file
        return iter(())

    def picture_files(self) -> DatasetFiles:
        """Return the folder of the release."""
        return DatasetFiles(self._release.path)

    def content_digest(self) -> str:
        """Return the id of the release."""
        return self._release.release_id


def _source_of(image_id: str, records: Mapping[str, ImageRecord]) -> Source | None:
    """Return the origin of a picture, as stated by the release."""
    record = records.get(image_id)
    root = None if record is None else records.get(record.root_image_id)
    return None if root is None else root.source


def _question_of(released: ReleasedItem, *, is_sealed: bool) -> AskedQuestion:
    item = released.item
    places = {image.image_id: number for number, image in reversed(list(enumerate(item.images)))}
    options = tuple(places[c.image_id] if c.image_id is not None else str(c.text) for c in item.choices)
    return AskedQuestion(
        key=item.item_id,
        split=released.split,
        task=item.task,
        kind=item.kind,
        ask=item.question,
        options=options,
        answer=None if item.answer is None else LETTERS.index(item.answer),
        refusal=None if item.refusal is None else LETTERS.index(item.refusal),
        lacks_key=is_sealed and item.right_key is None,
        pictures=len(item.images),
        level=item.level,
        category=item.category,
        explanation=item.explanation,
        labels=dict(item.attributes),
        item=item,
    )
