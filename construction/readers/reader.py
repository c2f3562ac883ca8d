"""What every reader of a source dataset has, and how its records are read.

A reader yields records one after the other and keeps none: pictures are paths, opened by whoever needs them. A row that
is wrong is one `RefusedRow`; a folder that is laid out in another way is an error that says what was expected.
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
"""Rule by which an entry is left out that states nothing of what is read."""


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
        aspect_ratio: Width by height that the dataset states; None where it states none.
    """

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
    """Pictures that belong together, with what is true of them.

    Args:
        record_id: Id, unique in the dataset, such as `vsr:random/train:17`.
        file: Path of the file that states it.
        entry: Which row of that file it is, such as `line 17`.
        pictures: Pictures, in the order that the truths count.
        truths: What is true of them; none where the dataset gives pictures only.
        parts: Number of rows besides its own that it is made of, each of which can be wrong by itself, such as the
            annotations of a picture.
        chosen_with: Name that it shares with records that mean more together, such as a claim that is true of one
            picture and false of another: where a recipe takes a number of records, these are chosen together; None for
            a record that is chosen by itself.
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
        """Return the number of rows that it is made of, its own among them."""
        return 1 + self.parts

    def refused(self, reason: str, detail: str) -> RefusedRow:
        """Return the refusal of this record, with all of its rows."""
        return RefusedRow(self.file, self.entry, reason, detail, self.rows)

    def without_pictures(self, places: Collection[int]) -> DatasetRecord | None:
        """Return the record without some of its pictures, each of which is a part of it; None where too few are left.

        Args:
            places: Numbers of these pictures, from 0.
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
    yield from with_pictures(reader.read(located, pictures), pictures)
    yield from dict.fromkeys((*located.refused(), *pictures.refused()))


def with_pictures(
    rows: Iterable[DatasetRecord | RefusedRow], pictures: DatasetFiles
) -> Iterator[DatasetRecord | RefusedRow]:
    """Yield records whose pictures are all there, and what is refused.

    Of a record that means something without a picture, such as a sequence of views, that picture alone is refused.
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


def records_of_rows(
    rows: Iterable[Row | RefusedRow], file: str, record_of: Callable[[Row], DatasetRecord]
) -> Iterator[DatasetRecord | RefusedRow]:
    """Yield the record of each row, or what is wrong with it.

    Args:
        rows: Rows of a file.
        file: Path of the file.
        record_of: Function that makes a record of a row. It raises `BadRow` or a `ValidationError` where the row is
            wrong, and `LeftOutByRule` where the reader's settings leave it out.
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
    """Yield what is wrong with cells of a row that is used without them; no row is left out with one."""
    yield from (RefusedRow(file, entry, BAD_CELL, detail, 0) for detail in details)


def length(value: object) -> int:
    """Return the number of rows in what a document states as a list of them, before it is checked; 0 for no list."""
    return len(value) if isinstance(value, list) else 0


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
