"""Records of a dataset that a run uses, checked against their pictures, in a file that can be looked up by image.

Memory does not grow with the dataset: records are looked at one after the other, and what is kept of them is in SQLite,
in the workspace's cache. A record is used if every picture of it can be identified and has the size that the dataset
states, and every point lies within its picture.
"""

from __future__ import annotations

import heapq
import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from hashlib import blake2b
from pathlib import Path, PurePosixPath
from typing import BinaryIO, NamedTuple

from benchwright.canonical import canonical_json
from benchwright.errors import BenchwrightError, DataError, UnreadableImage
from benchwright.images.formats.walking import Limits
from benchwright.images.identify import Identified, identify, uri_for
from benchwright.photographs import BroughtPhotograph
from benchwright.records import Source
from benchwright.workspace.atomic import replacing
from benchwright.workspace.objects import ObjectStore

from ..ground_truth import GroundTruth, RecordPlace, truth_document
from ..measured import is_same_shape
from ..readers import DatasetPicture, DatasetReader, DatasetRecord, read_dataset
from ..source_files import SUFFIXES, DatasetFiles, RefusedRow, png_of_pixmap

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


class StoredTruth(NamedTuple):
    """One truth of a record as the index holds it; `truth` is a document."""

    record: str
    image_ids: tuple[str, ...]
    kind: str
    truth: dict[str, object]


class DatasetCounts(NamedTuple):
    """What became of a dataset's records.

    Args:
        records: Number of records whose pictures are all there.
        used: Number of those that were chosen and are sound.
        refused: Number of refused rows, pictures and truths, by reason.
    """

    records: int
    used: int
    refused: dict[str, int]


def chosen_records(
    records: Iterable[DatasetRecord | RefusedRow],
    *,
    at_most: int | None,
    seed: int,
    refused: Refusals,
    part_of: Callable[[DatasetRecord], str],
) -> Iterator[DatasetRecord]:
    """Yield the records to use: all, or as many of each part as asked for, by chance and sorted by id.

    A record is taken or left by a hash of seed and id, so that a dataset that grows keeps most of them.
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
        rank = -int.from_bytes(blake2b(f"{seed}:{record.record_id}".encode(), digest_size=8).digest())
        entry = (rank, record.record_id, number, record)
        kept = parts.setdefault(part_of(record), [])
        if len(kept) < at_most:
            heapq.heappush(kept, entry)
        elif entry[:3] > kept[0][:3]:
            heapq.heapreplace(kept, entry)
    every = sorted((entry for kept in parts.values() for entry in kept), key=lambda entry: entry[1:3])
    yield from (record for _, _, _, record in every)


class Refusals:
    """Refusals, written to a file of one JSON object a line as they come, and counted.

    Args:
        handle: The file.

    Attributes:
        counts: Number of refusals by reason.
        records: Number of records whose pictures are all there.
    """

    def __init__(self, handle: BinaryIO) -> None:
        self._handle = handle
        self.counts: Counter[str] = Counter()
        self.records = 0

    def add(self, row: RefusedRow) -> None:
        """Record one refusal."""
        self.counts[row.reason] += 1
        self._handle.write((canonical_json(row._asdict()) + "\n").encode("utf-8", "backslashreplace"))


@contextmanager
def refusals_in(path: Path, *, tmp: Path) -> Iterator[Refusals]:
    """Yield the refusals of a file, which replaces the one of an earlier run once all are known.

    Args:
        path: Path of the file.
        tmp: Folder for the draft.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path, tmp=tmp) as draft, draft.open("wb") as handle:
        yield Refusals(handle)


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
    ) -> DatasetCounts:
        """Make the index anew.

        Args:
            reader: The reader.
            files: Files of the dataset.
            pictures: Folder of its pictures; None for its own.
            at_most: Largest number of records of each part of the dataset; None for all.
            seed: Seed of the choice.
            limits: Largest size of an image file.
            objects: Store for copies of pictures that lie in archives, and of pixmaps.
            refused: Receiver of refusals.
            keeps_copies: Whether these copies stay; default True. Else the index only serves to count.

        Raises:
            DataError: The dataset as a whole cannot be read.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.unlink(missing_ok=True)
        picture_files = pictures or reader.located(files)
        used = 0
        with closing(sqlite3.connect(self.path)) as database:
            database.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;" + _SCHEMA)
            taking = _Taking(database, picture_files, limits, objects, refused, reader.dataset_name, keeps_copies)
            records = read_dataset(reader, files, pictures)
            chosen = chosen_records(records, at_most=at_most, seed=seed, refused=refused, part_of=reader.part_of)
            for record in chosen:
                used += taking.take(record)
                if used % _ROWS_A_COMMIT == 0:
                    database.commit()
            database.commit()
        return DatasetCounts(refused.records, used, dict(sorted(refused.counts.items())))

    def brought(self, stage: str) -> list[BroughtPhotograph]:
        """Return the pictures of all records that are used, sorted by path."""
        with closing(self._connected()) as database:
            rows = database.execute(
                "SELECT path, file, source FROM pictures WHERE image_id IN (SELECT image_id FROM places) ORDER BY path"
            )
            return [
                BroughtPhotograph(Path(file), Source(uri=f"{stage}:{uri_for(path)}", **json.loads(source)))
                for path, file, source in rows
            ]

    def image_ids(self) -> set[str]:
        """Return the ids of all images of records that are used."""
        with closing(self._connected()) as database:
            return {image_id for (image_id,) in database.execute("SELECT DISTINCT image_id FROM places")}

    def summary(self) -> tuple[int, int, Counter[str], Counter[str]]:
        """Return the numbers of records and pictures, of truths by kind, and of pictures by licence."""
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
        """Return an open index for look-ups by image."""
        return IndexLookup(self._connected())

    def _connected(self) -> sqlite3.Connection:
        if not self.path.exists():
            raise DataError(f"{self.path} is not there; run the recipe again")
        return sqlite3.connect(f"file:{self.path}?mode=ro", uri=True)


class IndexLookup:
    """Look-ups in an index, by image."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def truths(self, image_id: str) -> list[StoredTruth]:
        """Return the truths of records whose first picture an image is, sorted by kind and record."""
        rows = self._database.execute(
            "SELECT record, image_ids, kind, truth FROM truths WHERE image_id = ? ORDER BY kind, record, number",
            (image_id,),
        )
        return [StoredTruth(record, tuple(ids.split()), kind, json.loads(truth)) for record, ids, kind, truth in rows]

    def places(self, image_id: str) -> list[tuple[RecordPlace, tuple[str, ...]]]:
        """Return the records of which an image is a picture, each with all images of the record."""
        rows = self._database.execute(
            "SELECT record, place, image_ids FROM places WHERE image_id = ? ORDER BY record, place", (image_id,)
        )
        return [(RecordPlace(record, place), tuple(ids.split())) for record, place, ids in rows]


class _Known(NamedTuple):
    """What is known of a picture: its identity, or why it cannot be used."""

    image_id: str | None
    size_wh: tuple[int, int]
    reason: str | None
    detail: str | None


class _Taking:
    """Taking records into an index."""

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

    def take(self, record: DatasetRecord) -> bool:
        """Take a record in; return whether it is sound."""
        known = [self._known(picture) for picture in record.pictures]
        for picture, identity in zip(record.pictures, known, strict=True):
            if identity.reason is not None:
                self.refused.add(record.refused(identity.reason, identity.detail or picture.path))
                return False
            if picture.size_wh is not None and picture.size_wh != identity.size_wh:
                states, has = (f"{width} x {height}" for width, height in (picture.size_wh, identity.size_wh))
                detail = f"the dataset states {states} pixels, {picture.path} has {has} (upright)"
                self.refused.add(record.refused("other_size", detail))
                return False
            if picture.shape_wh is not None and not is_same_shape(picture.shape_wh, identity.size_wh):
                of_map, has = (f"{width} x {height}" for width, height in (picture.shape_wh, identity.size_wh))
                detail = f"the map is {of_map}, {picture.path} {has} (upright): they are no scaled copies of one shape"
                self.refused.add(record.refused("other_size", detail))
                return False
        truths = list(self._sound(record, [identity.size_wh for identity in known]))
        if record.truths and not truths:
            return False
        ids = [identity.image_id for identity in known]
        if self.database.execute(
            "SELECT 1 FROM places WHERE image_id = ? AND record = ?", (ids[0], record.record_id)
        ).fetchone():
            self.refused.add(record.refused("repeated", f"record {record.record_id} stands twice; the first is used"))
            return False
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
        return True

    def _sound(self, record: DatasetRecord, sizes_wh: list[tuple[int, int]]) -> Iterator[GroundTruth]:
        """Yield a record's truths in pixels; refuse those that do not fit its pictures."""
        for truth in record.truths:
            if truth.pictures not in (None, len(record.pictures)):
                detail = f"{truth.kind} is about {truth.pictures} pictures, the record has {len(record.pictures)}"
                self.refused.add(record.refused("bad_row", detail))
                continue
            in_pixels = truth.in_pixels(sizes_wh)
            if (outside := in_pixels.outside(sizes_wh)) is not None:
                self.refused.add(record.refused("outside_picture", outside))
            else:
                yield in_pixels

    def _known(self, picture: DatasetPicture) -> _Known:
        row = self.database.execute(
            "SELECT image_id, width, height, reason, detail FROM pictures WHERE path = ?", (picture.path,)
        ).fetchone()
        if row is not None:
            return _Known(row[0], (row[1], row[2]), row[3], row[4])
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

    def _identity(self, path: str) -> tuple[_Known, Path]:
        try:
            file, identified = picture_file(self.pictures, path, limits=self.limits, objects=self.objects)
        except UnreadableImage as error:
            return _Known(None, (0, 0), f"picture_{error.reason}", error.detail), Path()
        except BenchwrightError as error:
            return _Known(None, (0, 0), "picture_unreadable", str(error)), Path()
        if not self.keeps_copies and file.is_relative_to(self.objects.root):
            file.unlink()
        return _Known(identified.image_id, (identified.width, identified.height), None, None), file


def picture_file(pictures: DatasetFiles, path: str, *, limits: Limits, objects: ObjectStore) -> tuple[Path, Identified]:
    """Return the file of a picture with its identity: the dataset's own, or a copy in the object store.

    Members of archives are copied there, and portable pixmaps as PNG.

    Raises:
        UnreadableImage: It is refused.
        DataError: It is not there, or its archive is damaged.
    """
    real = pictures.local(path)
    is_pixmap = PurePosixPath(path).suffix.lower() in SUFFIXES
    if real is not None and not is_pixmap:
        return real, identify(real, root=real.parent, limits=limits)
    data = pictures.read(path, max_bytes=limits.max_bytes)
    stored = objects.path(objects.put(png_of_pixmap(data, limits=limits) if is_pixmap else data))
    return stored, identify(stored, root=objects.root, limits=limits)
