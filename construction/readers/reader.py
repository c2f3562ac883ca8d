"""The base of all readers of source datasets, and how their records are read.

A reader yields records one after another and stores none; pictures are paths, which the caller opens. An invalid row
yields one `RefusedRow`; a folder with another layout is an error that describes the expected layout.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import ClassVar, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict

from benchwright.canonical import digest
from benchwright.errors import DataError
from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.refusals import BAD_CELL, MISSING_PICTURE, RefusedRow
from benchwright.source_files.rows import Row, guarded

from ..ground_truth.truths import GroundTruth

T = TypeVar("T")

NOTHING_STATED = "nothing_stated"
"""Rule by which an entry is left out if it states no truth of the requested kinds."""


class NeededFiles(NamedTuple):
    """Files that a reader needs.

    Args:
        path: Path below the dataset's folder; `<...>` marks variable parts.
        content: Content of the files.
        obtained: How to get the files.
    """

    path: str
    content: str
    obtained: str


class DatasetPicture(NamedTuple):
    """A picture as named by a dataset.

    Args:
        path: Path below the folder of pictures.
        canonical_id: Id in the picture's original collection, such as `coco:42`.
        licence: License of the picture, with its address; None if the dataset states none.
        attribution: Author or page of the picture; None if the dataset states none.
        size_wh: Upright width and height stated by the dataset, in pixels; None if it states none.
        retrieved_at: Time of retrieval, if the source states it.
        dataset: Source dataset of the picture; None for the reader's.
        shape_wh: Width and height of a map of the picture, which has the same ratio at any scale; None if there is no
            map.
        aspect_ratio: Width divided by height, as stated by the dataset; None if it states none.
    """  # phrase: allowed

    path: str
    canonical_id: str
    licence: str | None = None
    attribution: str | None = None
    size_wh: tuple[int, int] | None = None
    retrieved_at: str | None = None
    dataset: str | None = None
    shape_wh: tuple[int, int] | None = None
    aspect_ratio: float | None = None


class DatasetRecord(NamedTuple):
    """Pictures that belong together, with their ground truth.

    Args:
        record_id: Id, unique in the dataset, such as `vsr:random/train:17`.
        file: Path of the file that states it.
        entry: Row of that file, such as `line 17`.
        pictures: Pictures, in the order to which the truths' indices refer.
        truths: Their ground truth; empty if the dataset supplies only pictures.
        parts: Number of further rows in the record that can be invalid separately, such as the annotations of a
            picture.
        chosen_with: Name shared with records that are more useful together, such as a claim that is true of one picture
            and false of another. If a recipe limits the number of records, these are chosen together. None for a record
            that is chosen on its own.
    """

    record_id: str
    file: str
    entry: str
    pictures: tuple[DatasetPicture, ...]
    truths: tuple[GroundTruth, ...] = ()
    parts: int = 0
    chosen_with: str | None = None

    @property
    def rows(self) -> int:
        """Return the number of rows of the record, including its own."""
        return 1 + self.parts

    def refused(self, reason: str, detail: str) -> RefusedRow:
        """Return a refusal of this record that covers all its rows."""
        return RefusedRow(self.file, self.entry, reason, detail, self.rows)

    def without_pictures(self, places: Collection[int]) -> DatasetRecord | None:
        """Return the record without some of its pictures, each of which counts as a part of it, or None if the others
        do not suffice.

        Args:
            places: Indices of these pictures, from 0.
        """
        kept = tuple(picture for number, picture in enumerate(self.pictures) if number not in places)
        truths = [truth.without_pictures(places) for truth in self.truths]
        sound = tuple(truth for truth in truths if truth is not None)
        if not sound or len(sound) < len(truths):
            return None
        return self._replace(pictures=kept, truths=sound, parts=self.parts - len(places))


class DatasetReader(BaseModel):
    """Base of all readers; settings are fields.

    Class attributes:
        name: Name in recipes.
        title: Readable name, with the paper.
        home: URL of its page.
        licence: License of the annotations, if stated.
        pictures_licence: Terms of use of the pictures, if stated.
        needs: Files that it needs.
        gives: Kinds of ground truth that its records may have.
        landmarks: Paths that identify the dataset's folder; `a|b` for alternatives.
        is_told_by_names: Whether file names alone identify the dataset, without reading a row.
    """  # phrase: allowed

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    name: ClassVar[str]
    version: ClassVar[int] = 1
    title: ClassVar[str]
    home: ClassVar[str]
    licence: ClassVar[str]
    pictures_licence: ClassVar[str]
    needs: ClassVar[tuple[NeededFiles, ...]]
    gives: ClassVar[tuple[type[GroundTruth], ...]]
    landmarks: ClassVar[tuple[str, ...]]
    is_told_by_names: ClassVar[bool] = False

    @property
    def dataset_name(self) -> str:
        """Return the name of the dataset, as stated in the sources of pictures."""
        return self.name

    def located(self, files: DatasetFiles) -> DatasetFiles:
        """Return the files, starting from the dataset's own folder.

        Raises:
            DataError: The dataset is missing, or the folder contains another one.
        """
        return files.at(self.landmarks, self.title)

    def gives_here(self, files: DatasetFiles) -> tuple[type[GroundTruth], ...]:
        """Return the kinds of ground truth in a folder's files: all kinds that the reader supplies, unless it can
        narrow them down.

        Args:
            files: The dataset, from its own folder.
        """
        del files
        return self.gives

    def part_of(self, record: DatasetRecord) -> str:
        """Return the part of the dataset to which a recipe's limit on the number of records applies; by default, all
        records are one part.
        """
        del record
        return ""

    def annotations(self, files: DatasetFiles) -> Iterator[str]:
        """Yield, in a fixed order, the paths of all files whose content affects the records, except pictures."""
        raise NotImplementedError

    def read(self, files: DatasetFiles, pictures: DatasetFiles) -> Iterator[DatasetRecord | RefusedRow]:
        """Yield the records of a dataset in a fixed order, and the refused rows.

        Args:
            files: The dataset, from its own folder.
            pictures: Folder of its pictures, which is the same folder unless they are stored elsewhere.

        Raises:
            DataError: A file as a whole cannot be read.
        """
        raise NotImplementedError


def read_dataset(
    reader: DatasetReader, files: DatasetFiles, pictures: DatasetFiles | None = None
) -> Iterator[DatasetRecord | RefusedRow]:
    """Yield the records whose pictures all exist, the refused rows and, at the end, the unreadable files.

    Args:
        reader: The reader.
        files: Files of the dataset's folder, or of its parent folder.
        pictures: Folder of its pictures; default None, for the dataset's own folder.

    Raises:
        DataError: The folder has another layout, or a file as a whole cannot be read.
    """
    located = reader.located(files)
    pictures = pictures or located
    yield from with_pictures(reader.read(located, pictures), pictures)
    yield from dict.fromkeys((*located.refused(), *pictures.refused()))


def with_pictures(
    rows: Iterable[DatasetRecord | RefusedRow], pictures: DatasetFiles
) -> Iterator[DatasetRecord | RefusedRow]:
    """Yield records whose pictures all exist, and the refused rows.

    If a record is still useful without one of its pictures, as a sequence of views is, only that picture is refused.
    """
    for record in rows:
        if isinstance(record, RefusedRow):
            yield record
            continue
        missing = {number for number, picture in enumerate(record.pictures) if not pictures.has(picture.path)}
        if not missing:
            yield record
            continue
        details = [
            f"there is no file {pictures.shown(record.pictures[number].path)}{pictures.damage()}"
            for number in sorted(missing)
        ]
        if (rest := record.without_pictures(missing)) is None:
            yield record.refused(MISSING_PICTURE, details[0])
            continue
        yield from (RefusedRow(record.file, record.entry, MISSING_PICTURE, detail) for detail in details)
        yield rest


def content_digest(reader: DatasetReader, files: DatasetFiles) -> str:
    """Return the digest of a reader's settings and of all files that affect its records; pictures have their own
    digests.
    """
    import hashlib

    located = reader.located(files)
    total = hashlib.sha256(digest([reader.name, reader.version, reader.model_dump(mode="json")]).encode())
    for path in reader.annotations(located):
        with located.opened(path) as handle:
            # Not `file_digest`: members of archives are not real files.
            part = hashlib.sha256()
            while piece := handle.read(1 << 20):
                part.update(piece)
        total.update(digest([path, part.hexdigest()]).encode())
    return total.hexdigest()


def records_of_rows(
    rows: Iterable[Row | RefusedRow], file: str, record_of: Callable[[Row], DatasetRecord]
) -> Iterator[DatasetRecord | RefusedRow]:
    """Yield the record of each row, or its fault.

    Args:
        rows: Rows of a file.
        file: Path of the file.
        record_of: Function that makes a record of a row. It raises `BadRow` or a `ValidationError` for a wrong row, and
            `LeftOutByRule` for a row that the reader's settings leave out.
    """
    for row in rows:
        if isinstance(row, RefusedRow):
            yield row
            continue
        with guarded(file, row.entry) as guard:
            yield record_of(row)
        if guard.refusal is not None:
            yield guard.refusal


def bad_cells(file: str, entry: str, details: Iterable[str]) -> Iterator[RefusedRow]:
    """Yield the faults of cells. Rows with such faults are not left out, but used without these cells."""
    yield from (RefusedRow(file, entry, BAD_CELL, detail, 0) for detail in details)


def length(value: object) -> int:
    """Return the number of rows in an unchecked value that should be a list; 0 if it is not one."""
    return len(value) if isinstance(value, list) else 0


def chosen(names: Iterable[str], wanted: Iterable[str], what: str) -> list[str]:
    """Return the requested names from a list, or all of them if none is requested.

    Raises:
        DataError: A requested name is missing.
    """
    known, asked = list(names), list(wanted)
    if missing := [name for name in asked if name not in known]:
        raise DataError(f"there is no {what} {missing[0]!r}; there are {', '.join(known) or 'none'}")
    return asked or known


def spread(entries: Sequence[T], most: int) -> list[T]:
    """Return equally spaced entries, including the first and the last one, or all entries if there are no more than
    requested.
    """
    if len(entries) <= most:
        return list(entries)
    return [entries[round(place * (len(entries) - 1) / (most - 1))] for place in range(most)]


def licence_text(name: str | None, address: str | None) -> str | None:
    """Return a license's name with its URL."""
    if name and address:
        return f"{name} ({address})"
    return name or address or None
