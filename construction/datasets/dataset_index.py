"""A run's dataset records, checked against their pictures and stored in a file for look-ups by image.

Memory does not grow with the dataset: records are processed one after another, and SQLite in the workspace's cache
keeps the results. A record is used if every picture of it can be identified and has the size stated by the dataset, and
every point is inside its picture.
"""

from __future__ import annotations

import heapq
import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from hashlib import blake2b
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from benchwright.canonical import canonical_json, digest
from benchwright.errors import BenchwrightError, DataError, UnreadableImage
from benchwright.images.formats.walking import Limits
from benchwright.images.identify import Identified, identify, uri_for
from benchwright.records import Source
from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.portable_pixmap import SUFFIXES, png_of_pixmap, size_of_pixmap
from benchwright.source_files.refusal_lists import Refusals, RowCounts
from benchwright.source_files.refusals import BAD_ROW, REPEATED, RefusedRow
from benchwright.texts.normalization import counted
from benchwright.workspace.objects import ObjectStore
from benchwright.workspace.photographs import BroughtPhotograph

from ..ground_truth.truths import GroundTruth
from ..ground_truth.values import RecordPlace, truth_document
from ..measured.map_files import is_same_shape
from ..readers.reader import DatasetPicture, DatasetReader, DatasetRecord, read_dataset

_SCHEMA = """
CREATE TABLE pictures (
    path TEXT PRIMARY KEY, image_id TEXT, width INTEGER, height INTEGER, file TEXT, reason TEXT, detail TEXT,
    source TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE truths (
    image_id TEXT, kind TEXT, record TEXT, number INTEGER, image_ids TEXT NOT NULL, truth TEXT NOT NULL,
    PRIMARY KEY (image_id, kind, record, number)) WITHOUT ROWID;
CREATE TABLE places (
    image_id TEXT, record TEXT, place INTEGER, image_ids TEXT NOT NULL,
    PRIMARY KEY (image_id, record, place)) WITHOUT ROWID;
"""
_ROWS_A_COMMIT = 2000
_OTHER_SIZE = "other_size"
_NOT_CHOSEN = "not_chosen"
"""Reason for leaving out valid records beyond the number that a recipe requests."""


class StoredTruth(NamedTuple):
    """One truth of a record in the index; `truth` is a document."""

    record: str
    image_ids: tuple[str, ...]
    kind: str
    truth: dict[str, object]


class DatasetCounts(NamedTuple):
    """Counts of a dataset's records by outcome.

    Args:
        records: Number of records whose pictures all exist.
        used: Number of chosen, valid records among them.
        rows: Outcome of the rows that state them.
    """

    records: int
    used: int
    rows: RowCounts


def _chosen_records(
    records: Iterable[DatasetRecord | RefusedRow],
    *,
    at_most: int | None,
    seed: int,
    refused: Refusals,
    part_of: Callable[[DatasetRecord], str],
) -> Iterator[DatasetRecord]:
    """Yield the records to use, sorted by id: all of them, or the requested number from each part, chosen at random.

    A hash of the seed and the id, or of the seed and a shared name, decides whether each record is used. Most choices
    therefore remain the same when a dataset grows, and records that are more useful together stay together.
    """
    if at_most is None:
        for record in records:
            if isinstance(record, RefusedRow):
                refused.add(record)
            else:
                refused.records += 1
                yield record
        return
    parts: dict[str, list[tuple[int, str, int, DatasetRecord]]] = {}
    for number, record in enumerate(records):
        if isinstance(record, RefusedRow):
            refused.add(record)
            continue
        refused.records += 1
        name = record.chosen_with or record.record_id
        rank = -int.from_bytes(blake2b(f"{seed}:{name}".encode(), digest_size=8).digest())
        entry = (rank, record.record_id, number, record)
        kept = parts.setdefault(part_of(record), [])
        if len(kept) < at_most:
            heapq.heappush(kept, entry)
            continue
        _, _, _, other = heapq.heappushpop(kept, entry)
        refused.left_out[_NOT_CHOSEN] += other.rows
    every = sorted((entry for kept in parts.values() for entry in kept), key=lambda entry: entry[1:3])
    yield from (record for _, _, _, record in every)


class DatasetIndex:
    """The index file of one entry of a recipe."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def fill(
        self,
        reader: DatasetReader,
        files: DatasetFiles,
        pictures: DatasetFiles | None,
        *,
        at_most: int | None,
        seed: int,
        limits: Limits,
        objects: ObjectStore,
        refused: Refusals,
        keeps_copies: bool = True,
        decodes_pixmaps: bool = True,
    ) -> DatasetCounts:
        """Build the index from scratch.

        Args:
            reader: The reader.
            files: Files of the dataset.
            pictures: Folder of its pictures; None for its own.
            at_most: Largest number of records of each part of the dataset; None for all.
            seed: Seed of the choice.
            limits: Largest size of an image file.
            objects: Store for copies of pictures in archives, and of pixmaps.
            refused: Receiver of refusals.
            keeps_copies: Whether these copies are kept; default True. Otherwise the index is used only for counting.
            decodes_pixmaps: Whether pixmaps are decoded, like pictures of a run; default True. Otherwise only their
                headers are read, and each counts as a distinct picture.

        Raises:
            DataError: The dataset as a whole cannot be read.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.unlink(missing_ok=True)
        picture_files = pictures or reader.located(files)
        used = rows = 0
        with closing(sqlite3.connect(self.path)) as database:
            database.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;" + _SCHEMA)
            taking = _Taking(database, picture_files, limits, objects, refused, reader.dataset_name, keeps_copies)
            taking.decodes_pixmaps = decodes_pixmaps
            records = read_dataset(reader, files, pictures)
            chosen = _chosen_records(records, at_most=at_most, seed=seed, refused=refused, part_of=reader.part_of)
            for record in chosen:
                taken = taking.take(record)
                used, rows = used + (taken > 0), rows + taken
                if used % _ROWS_A_COMMIT == 0:
                    database.commit()
            database.commit()
        return DatasetCounts(refused.records, used, refused.rows(rows))

    def brought(self, stage: str) -> list[BroughtPhotograph]:
        """Return the pictures of all used records, sorted by path."""
        with closing(self._connected()) as database:
            rows = database.execute(
                "SELECT path, file, source FROM pictures WHERE image_id IN (SELECT image_id FROM places) ORDER BY path"
            )
            return [
                BroughtPhotograph(Path(file), Source(uri=f"{stage}:{uri_for(path)}", **json.loads(source)))
                for path, file, source in rows
            ]

    def sizes_wh(self) -> dict[str, tuple[int, int]]:
        """Return the size of each image of used records, upright and in pixels, by its id."""
        with closing(self._connected()) as database:
            rows = database.execute(
                "SELECT image_id, width, height FROM pictures WHERE image_id IN (SELECT image_id FROM places) "
                "ORDER BY image_id"
            )
            return {image_id: (width, height) for image_id, width, height in rows}

    def image_ids(self) -> set[str]:
        """Return the ids of all images in used records."""
        with closing(self._connected()) as database:
            return {image_id for (image_id,) in database.execute("SELECT DISTINCT image_id FROM places")}

    def summary(self) -> tuple[int, int, Counter[str], Counter[str]]:
        """Return the numbers of records and pictures, the number of truths by kind, and the number of pictures by
        license.
        """
        with closing(self._connected()) as database:
            [(records,)] = database.execute("SELECT count(DISTINCT record) FROM places")
            truths = Counter(dict(database.execute("SELECT kind, count(*) FROM truths GROUP BY kind")))
            licences: Counter[str] = Counter()
            pictures = 0
            for (source,) in database.execute(
                "SELECT source FROM pictures WHERE image_id IN (SELECT image_id FROM places)"
            ):
                pictures += 1
                licences[json.loads(source)["licence"] or "not stated"] += 1
        return records, pictures, truths, licences

    def lookup(self) -> IndexLookup:
        """Open the index for look-ups by image."""
        return IndexLookup(self._connected())

    def _connected(self) -> sqlite3.Connection:
        if not self.path.exists():
            raise DataError(f"{self.path} is missing; run the recipe again")
        return sqlite3.connect(f"file:{self.path}?mode=ro", uri=True)


class IndexLookup:
    """Look-ups in an index, by image."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def truths(self, image_id: str) -> list[StoredTruth]:
        """Return the truths of records whose first picture is this image, sorted by kind and record."""
        rows = self._database.execute(
            "SELECT record, image_ids, kind, truth FROM truths WHERE image_id = ? ORDER BY kind, record, number",
            (image_id,),
        )
        return [StoredTruth(record, tuple(ids.split()), kind, json.loads(truth)) for record, ids, kind, truth in rows]

    def places(self, image_id: str) -> list[tuple[RecordPlace, tuple[str, ...]]]:
        """Return the records that contain an image, each with all the images of the record."""
        rows = self._database.execute(
            "SELECT record, place, image_ids FROM places WHERE image_id = ? ORDER BY record, place", (image_id,)
        )
        return [(RecordPlace(record, place), tuple(ids.split())) for record, place, ids in rows]


class _KnownPicture(NamedTuple):
    """The identity of a picture, or the reason why it cannot be used."""

    image_id: str | None
    size_wh: tuple[int, int]
    reason: str | None
    detail: str | None


def _mistake(picture: DatasetPicture, identity: _KnownPicture) -> tuple[str, str] | None:
    """Return the reason why a picture cannot be used, with its detail, or None if it can be used."""
    if identity.reason is not None:
        return identity.reason, identity.detail or picture.path
    width, height = identity.size_wh
    has = f"{picture.path} has {width} x {height} (upright)"
    if picture.size_wh is not None and picture.size_wh != identity.size_wh:
        return _OTHER_SIZE, f"the dataset states {picture.size_wh[0]} x {picture.size_wh[1]} pixels, {has}"
    if picture.shape_wh is not None and not is_same_shape(picture.shape_wh, identity.size_wh):
        of_map = f"{picture.shape_wh[0]} x {picture.shape_wh[1]}"
        return _OTHER_SIZE, f"the map is {of_map}, {has}: they are not scaled copies of one shape"
    if picture.aspect_ratio is not None and not _has_ratio(identity.size_wh, picture.aspect_ratio):
        stated = f"the dataset states a width of {picture.aspect_ratio:g} times the height"
        return _OTHER_SIZE, f"{stated}, {has}, which is {width / height:.4g}: its points are of another picture"
    return None


def _has_ratio(size_wh: tuple[int, int], ratio: float) -> bool:
    """Return whether a picture of this size may be a scaled one with the given aspect ratio, to within one pixel in
    each dimension.
    """
    width, height = size_wh
    return (width - 1) <= ratio * (height + 1) and ratio * (height - 1) <= (width + 1)


class _Taking:
    """The insertion of records into an index."""

    def __init__(
        self,
        database: sqlite3.Connection,
        pictures: DatasetFiles,
        limits: Limits,
        objects: ObjectStore,
        refused: Refusals,
        dataset: str,
        keeps_copies: bool,
    ) -> None:
        self.database, self.pictures, self.limits = database, pictures, limits
        self.objects, self.refused, self.dataset, self.keeps_copies = objects, refused, dataset, keeps_copies
        self.decodes_pixmaps = True

    def take(self, record: DatasetRecord) -> int:
        """Insert a record and return the number of its rows that are used; 0 if the record is refused."""
        if (sound := self._with_pictures(record)) is None:
            return 0
        record, known = sound
        sizes_wh = [identity.size_wh for identity in known]
        truths, wrong = self._sound(record, sizes_wh)
        if record.truths and not truths:
            self._refuse_all(record, wrong)
            return 0
        ids = [identity.image_id for identity in known]
        if self.database.execute(
            "SELECT 1 FROM places WHERE image_id = ? AND record = ?", (ids[0], record.record_id)
        ).fetchone():
            self.refused.add(record.refused(REPEATED, f"record {record.record_id} appears twice; the first is used"))
            return 0
        for row in wrong:
            self.refused.add(row)
        joined = " ".join(str(image_id) for image_id in ids)
        self.database.executemany(
            "INSERT INTO truths VALUES (?, ?, ?, ?, ?, ?)",
            [
                (ids[0], truth.kind, record.record_id, number, joined, canonical_json(truth_document(truth)))
                for number, truth in enumerate(truths)
            ],
        )
        self.database.executemany(
            "INSERT INTO places VALUES (?, ?, ?, ?)",
            [(image_id, record.record_id, place, joined) for place, image_id in enumerate(ids)],
        )
        return record.rows - sum(row.rows for row in wrong)

    def _with_pictures(self, record: DatasetRecord) -> tuple[DatasetRecord, list[_KnownPicture]] | None:
        """Return a record with only its usable pictures; if the others are needed too, refuse the record and return
        None.
        """
        known = [self._known(picture) for picture in record.pictures]
        wrong = {
            place: mistake
            for place, (picture, identity) in enumerate(zip(record.pictures, known, strict=True))
            if (mistake := _mistake(picture, identity)) is not None
        }
        if not wrong:
            return record, known
        if (rest := record.without_pictures(wrong)) is None:
            self.refused.add(record.refused(*next(iter(wrong.values()))))
            return None
        for mistake in wrong.values():
            self.refused.add(RefusedRow(record.file, record.entry, *mistake))
        return rest, [identity for place, identity in enumerate(known) if place not in wrong]

    def _refuse_all(self, record: DatasetRecord, wrong: Sequence[RefusedRow]) -> None:
        """Refuse a record that has no truths left; its rows are counted only once."""
        left = record.rows
        for number, row in enumerate(wrong, start=1):
            rows = left if number == len(wrong) else min(1, left)
            self.refused.add(row._replace(rows=rows))
            left -= rows

    def _sound(
        self, record: DatasetRecord, sizes_wh: list[tuple[int, int]]
    ) -> tuple[list[GroundTruth], list[RefusedRow]]:
        """Return the truths of a record that fit its pictures, in pixels, and the parts of truths that do not fit."""
        truths: list[GroundTruth] = []
        wrong: list[RefusedRow] = []
        for truth in record.truths:
            if truth.pictures not in (None, len(record.pictures)):
                detail = (
                    f"{truth.kind} is about {counted(truth.pictures, 'picture')}, the record has {len(record.pictures)}"
                )
                wrong.append(RefusedRow(record.file, record.entry, BAD_ROW, detail))
                continue
            within, details = truth.in_pixels(sizes_wh).within(sizes_wh)
            wrong += [RefusedRow(record.file, record.entry, "outside_picture", detail) for detail in details]
            truths += [within] if within is not None else []
        return truths, wrong

    def _known(self, picture: DatasetPicture) -> _KnownPicture:
        row = self.database.execute(
            "SELECT image_id, width, height, reason, detail FROM pictures WHERE path = ?", (picture.path,)
        ).fetchone()
        if row is not None:
            return _KnownPicture(row[0], (row[1], row[2]), row[3], row[4])
        known, file = self._identity(picture.path)
        source = {
            "dataset": picture.dataset or self.dataset,
            "canonical_id": picture.canonical_id,
            "licence": picture.licence,
            "author": picture.attribution,
            "retrieved_at": picture.retrieved_at,
        }
        self.database.execute(
            "INSERT INTO pictures VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                picture.path,
                known.image_id,
                *known.size_wh,
                str(file),
                known.reason,
                known.detail,
                canonical_json(source),
            ),
        )
        return known

    def _identity(self, path: str) -> tuple[_KnownPicture, Path]:
        try:
            if not self.decodes_pixmaps and PurePosixPath(path).suffix.lower() in SUFFIXES:
                size_wh = size_of_pixmap(self.pictures.read(path, max_bytes=self.limits.max_bytes))
                return _KnownPicture(digest(path), size_wh, None, None), self.pictures.local(path) or Path()
            file, identified = _picture_file(self.pictures, path, limits=self.limits, objects=self.objects)
        except UnreadableImage as error:
            return _KnownPicture(None, (0, 0), f"picture_{error.reason}", error.detail), Path()
        except BenchwrightError as error:
            return _KnownPicture(None, (0, 0), "picture_unreadable", str(error)), Path()
        if not self.keeps_copies and file.is_relative_to(self.objects.root):
            file.unlink()
        return _KnownPicture(identified.image_id, (identified.width, identified.height), None, None), file


def _picture_file(
    pictures: DatasetFiles, path: str, *, limits: Limits, objects: ObjectStore
) -> tuple[Path, Identified]:
    """Return a picture's file and identity; the file is either in the dataset or a copy in the object store.

    Archive members are copied to the object store, and portable pixmaps are stored there as PNG.

    Raises:
        UnreadableImage: The file is refused.
        DataError: The file is missing, or its archive is damaged.
    """
    real = pictures.local(path)
    is_pixmap = PurePosixPath(path).suffix.lower() in SUFFIXES
    if real is not None and not is_pixmap:
        return real, identify(real, root=real.parent, limits=limits)
    data = pictures.read(path, max_bytes=limits.max_bytes)
    stored = objects.path(objects.put(png_of_pixmap(data, limits=limits) if is_pixmap else data))
    return stored, identify(stored, root=objects.root, limits=limits)
