"""What every reader of a source dataset has, and how its records are read.

A reader yields records one after the other and keeps none: pictures are paths, opened by whoever needs them. A row that
is wrong is one `RefusedRow`; a folder that is laid out in another way is an error that says what was expected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import ClassVar, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from benchwright.canonical import digest
from benchwright.errors import BenchwrightError, DataError

from ..ground_truth import GroundTruth
from ..source_files import BadRow, DatasetFiles, RefusedRow, Row, first_mistake

T = TypeVar("T")

MISSING_PICTURE = "missing_picture"
REPEATED = "repeated"


class NeededFiles(NamedTuple):
    """Files that a reader needs.

    Args:
        path: Path below the dataset's folder; `<...>` stands for what varies.
        content: What it holds.
        obtained: How to get it.
    """

    path: str
    content: str
    obtained: str


class DatasetPicture(NamedTuple):
    """A picture as a dataset names it.

    Args:
        path: Path below the folder of pictures.
        canonical_id: Id in the collection that the picture comes from, such as `coco:42`.
        licence: Licence of the picture, with its address; None where the dataset states none.
        attribution: Author or page of the picture; None where the dataset states none.
        size_wh: Upright width and height that the dataset states, in pixels; None where it states none.
        retrieved_at: When it was fetched, as the source states it.
        dataset: Dataset that it comes from; None for that of the reader.
        shape_wh: Width and height of a map of it at any scale: the picture's are in the same ratio; None for no map.
    """

    path: str
    canonical_id: str
    licence: str | None = None
    attribution: str | None = None
    size_wh: tuple[int, int] | None = None
    retrieved_at: str | None = None
    dataset: str | None = None
    shape_wh: tuple[int, int] | None = None


class DatasetRecord(NamedTuple):
    """Pictures that belong together, with what is true of them.

    Args:
        record_id: Id, unique in the dataset, such as `vsr:random/train:17`.
        file: Path of the file that states it.
        entry: Which row of that file it is, such as `line 17`.
        pictures: Pictures, in the order that the truths count.
        truths: What is true of them; none where the dataset gives pictures only.
    """

    record_id: str
    file: str
    entry: str
    pictures: tuple[DatasetPicture, ...]
    truths: tuple[GroundTruth, ...] = ()

    def refused(self, reason: str, detail: str) -> RefusedRow:
        """Return the refusal of this record."""
        return RefusedRow(self.file, self.entry, reason, detail)


class DatasetReader(BaseModel):
    """Base of all readers; settings are fields.

    Class attributes:
        name: Name as recipes call it.
        title: Name as people call it, with the paper.
        home: Address of its page.
        licence: Licence of the annotations, as far as it is stated.
        pictures_licence: Terms of the pictures, as far as they are stated.
        needs: Files that it needs.
        gives: Kinds of ground truth that its records may have.
        landmarks: Paths that tell the dataset's folder; of alternatives, `a|b`.
        is_told_by_names: Whether names of files alone tell the dataset, so that no row need be read for that.
    """

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
        """Return the name of the dataset that the sources of pictures state."""
        return self.name

    def located(self, files: DatasetFiles) -> DatasetFiles:
        """Return the files from the dataset's own folder.

        Raises:
            DataError: The dataset is not there, or is another one.
        """
        return files.at(self.landmarks, self.title)

    def gives_here(self, files: DatasetFiles) -> tuple[type[GroundTruth], ...]:
        """Return the kinds of ground truth that a folder's files hold: all that the reader gives, unless it can tell.

        Args:
            files: The dataset, from its own folder.
        """
        del files
        return self.gives

    def part_of(self, record: DatasetRecord) -> str:
        """Return the part of the dataset of which a recipe's number of records is taken: one for all, by default."""
        del record
        return ""

    def annotations(self, files: DatasetFiles) -> Iterator[str]:
        """Yield the paths of all files, other than pictures, whose content decides what is read; in a fixed order."""
        raise NotImplementedError

    def read(self, files: DatasetFiles, pictures: DatasetFiles) -> Iterator[DatasetRecord | RefusedRow]:
        """Yield the records of a dataset in a fixed order, and what is refused.

        Args:
            files: The dataset, from its own folder.
            pictures: Folder of its pictures: the same one, unless they lie elsewhere.

        Raises:
            DataError: A file as a whole cannot be read.
        """
        raise NotImplementedError


def read_dataset(
    reader: DatasetReader, files: DatasetFiles, pictures: DatasetFiles | None = None
) -> Iterator[DatasetRecord | RefusedRow]:
    """Yield the records whose pictures are all there, and what is refused; at the end what cannot be read at all.

    Args:
        reader: The reader.
        files: Files of the dataset's folder, or of the folder that holds it.
        pictures: Folder of its pictures; default None, the dataset's own.

    Raises:
        DataError: The folder is laid out in another way, or a file as a whole cannot be read.
    """
    located = reader.located(files)
    pictures = pictures or located
    for record in reader.read(located, pictures):
        if isinstance(record, RefusedRow):
            yield record
        elif missing := next((picture.path for picture in record.pictures if not pictures.has(picture.path)), None):
            yield record.refused(MISSING_PICTURE, f"there is no file {pictures.shown(missing)}{pictures.damage()}")
        else:
            yield record
    yield from dict.fromkeys((*located.refused(), *pictures.refused()))


def content_digest(reader: DatasetReader, files: DatasetFiles) -> str:
    """Return the digest of all files that decide what a reader reads, and of its settings; pictures have their own."""
    import hashlib

    located = reader.located(files)
    total = hashlib.sha256(digest([reader.name, reader.version, reader.model_dump(mode="json")]).encode())
    for path in reader.annotations(located):
        with located.opened(path) as handle:
            # Not `file_digest`: members of archives are no real files.
            part = hashlib.sha256()
            while piece := handle.read(1 << 20):
                part.update(piece)
        total.update(digest([path, part.hexdigest()]).encode())
    return total.hexdigest()


class _Guarded:
    """Catches what is wrong with one row; `refusal` is what to yield then."""

    def __init__(self, file: str, entry: str) -> None:
        self.file, self.entry = file, entry
        self.refusal: RefusedRow | None = None

    def __enter__(self) -> _Guarded:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if isinstance(error, BadRow):
            self.refusal = RefusedRow(self.file, self.entry, error.reason, str(error))
        elif isinstance(error, ValidationError):
            self.refusal = RefusedRow(self.file, self.entry, "bad_row", first_mistake(error))
        elif isinstance(error, BenchwrightError):
            self.refusal = RefusedRow(self.file, self.entry, "unreadable_file", str(error))
        return self.refusal is not None


def guarded(file: str, entry: str = "") -> _Guarded:
    """Return a context in which a wrong row becomes a refusal instead of an error."""
    return _Guarded(file, entry)


def records_of_rows(
    rows: Iterable[Row | RefusedRow], file: str, record_of: Callable[[Row], DatasetRecord | None]
) -> Iterator[DatasetRecord | RefusedRow]:
    """Yield the record of each row, or what is wrong with it.

    Args:
        rows: Rows of a file.
        file: Path of the file.
        record_of: Function that makes a record of a row; None where the reader's settings leave it out. It raises
            `BadRow` or a `ValidationError` where the row is wrong.
    """
    for row in rows:
        if isinstance(row, RefusedRow):
            yield row
            continue
        with guarded(file, row.entry) as guard:
            if (record := record_of(row)) is not None:
                yield record
        if guard.refusal is not None:
            yield guard.refusal


def chosen(names: Iterable[str], wanted: Iterable[str], what: str) -> list[str]:
    """Return the wanted ones of some names, or all where none is wanted.

    Raises:
        DataError: One of them is not there.
    """
    known, asked = list(names), list(wanted)
    if missing := [name for name in asked if name not in known]:
        raise DataError(f"there is no {what} {missing[0]!r}; there are {', '.join(known) or 'none'}")
    return asked or known


def spread(entries: Sequence[T], most: int) -> list[T]:
    """Return some entries at equal distances, the first and the last among them; all where there are no more."""
    if len(entries) <= most:
        return list(entries)
    return [entries[round(place * (len(entries) - 1) / (most - 1))] for place in range(most)]


def licence_text(name: str | None, address: str | None) -> str | None:
    """Return a licence's name with its address."""
    if name and address:
        return f"{name} ({address})"
    return name or address or None
