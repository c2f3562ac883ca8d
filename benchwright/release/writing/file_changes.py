"""Preparation of picture files for a release: upright, without metadata from cameras and editors, and small.

Metadata is removed from source files, which changes no pixel. A made file is released unchanged, unless only its
appearance matters and the workspace has it losslessly, in which case it is encoded as JPEG. A JPEG file with an EXIF
rotation is rotated upright with the same quantization (`benchwright.images.made_pictures`), so that the release stores
it once instead of together with a file that all decoders read alike.

The bytes of such a file change, so it is another image, derived from the one in the workspace by the operation
`remove_metadata`, `encode_picture`, `encode_losslessly` or `turn_picture`. Items show the new image. All other
references to pictures (source, license, the root of an item) still name the one in the workspace.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Literal

from benchwright.canonical import bytes_digest, canonical_json
from benchwright.errors import UnreadableImage
from benchwright.images.made_pictures import JPEG_QUALITY, MEDIA_TYPES, MadeForm
from benchwright.record_map import RecordMap, map_here
from benchwright.records import ImageRecord, Item, Operation
from benchwright.release.format.provenance import ENCODED, LOSSLESS, METADATA_REMOVED, TURNED
from benchwright.release.writing.made_ahead import FileToMake, make_ahead
from benchwright.rights import CUT_MEDIA_TYPES, holds_metadata, without_metadata
from benchwright.workspace.item_cache import ItemCache

_REMOVAL = Operation(step=METADATA_REMOVED, version=1, parameters={}, seed=0)
"""Operation stated by files whose metadata was removed."""

_ENCODING = Operation(
    step=ENCODED, version=1, parameters={"format": "jpeg", "quality": JPEG_QUALITY, "chroma": "full"}, seed=0
)
"""Operation stated by made pictures that were encoded as JPEG."""

_RECODING = Operation(step=LOSSLESS, version=1, parameters={"format": "webp"}, seed=0)
"""Operation stated by made JPEG files that are released without further loss."""

_Form = MadeForm | Literal["turned"]
"""The target form of a file: rotated upright, or encoded in a format."""

_TURNING = Operation(
    step=TURNED, version=1, parameters={"format": "jpeg", "most_quality": JPEG_QUALITY, "tables": "source"}, seed=0
)
"""Operation stated by JPEG files that were rotated."""

_MAKING: dict[_Form, Operation] = {"jpeg": _ENCODING, "webp": _RECODING, "turned": _TURNING}

_MEDIA_TYPES = {ENCODED: MEDIA_TYPES["jpeg"], LOSSLESS: MEDIA_TYPES["webp"]}

_TABLES = """
    CREATE TABLE file (original BLOB PRIMARY KEY, cut BLOB) WITHOUT ROWID;
    CREATE INDEX by_cut ON file (cut) WHERE cut IS NOT NULL;
    CREATE TABLE record (image_id TEXT PRIMARY KEY, record TEXT) WITHOUT ROWID;
    CREATE TABLE to_make (original BLOB PRIMARY KEY, form TEXT, record TEXT);
"""


class FileChanges:
    """Changes to the picture files of one release; a temporary file stores ids and records.

    Two files that differ only in metadata become one image, derived from the one whose id sorts first.

    Args:
        image: Function that returns the record of an image that the last item taken shows or derives from.
        image_bytes: Function that returns the file of a record.
        removes_metadata: Function that returns whether the file of a record loses its metadata.
        encodes: Function that returns the format for the file of a record, `jpeg` or `webp`, or None to keep the file.
        turns: Function that returns, for the record of a JPEG file with an EXIF rotation and an item that shows it,
            whether to rotate the file upright; it is rotated if this is so for all items that show it.
        store: Store of files encoded earlier; without one, each is encoded both for the survey and for the release.
        record_map: Map that makes the files over pictures; by default in this process.
    """

    def __init__(
        self,
        image: Callable[[str], ImageRecord],
        image_bytes: Callable[[ImageRecord], bytes],
        *,
        removes_metadata: Callable[[ImageRecord], bool],
        encodes: Callable[[ImageRecord], MadeForm | None],
        turns: Callable[[ImageRecord, Item], bool] = lambda _record, _item: False,
        store: ItemCache | None = None,
        record_map: RecordMap = map_here,
    ) -> None:
        self._image, self._image_bytes, self._record_map = image, image_bytes, record_map
        self._removes_metadata, self._encodes, self._turns = removes_metadata, encodes, turns
        self._has_store, self._store = store is not None, store or ItemCache(None)
        self._database = sqlite3.connect("")  # a temporary file, which SQLite deletes
        self._database.executescript(_TABLES)
        self.left: dict[str, int] = {}
        """Number of files by media type whose metadata, if any, cannot be removed."""
        self._used: Counter[str] = Counter()

    def survey(self, items: Iterable[Item]) -> None:
        """Read the files that items show; call this with all items before any other method.

        Raises:
            StepError: A worker ended while it made a file.
        """
        for item in items:
            for image_id in {image.image_id for image in item.images}:
                if not self._is_known(image_id):
                    self._take_in(self._image(image_id), item)
                elif self._is_to_be_turned(image_id) and not self._turns(self._image(image_id), item):
                    self._take_in(self._image(image_id), None)
        if self._has_store:
            make_ahead(self._files_to_make(), self._store, self._record_map)
        for record, form in self._to_make():
            self._make(record, form)
        self._database.execute("DELETE FROM to_make")

    def item(self, item: Item) -> Item:
        """Return the item with the released files; return the same object if these are the workspace's files."""
        if not self._used:
            return item
        cut = {image.image_id: self._released_id(image.image_id) for image in item.images}
        if all(image_id == released_id for image_id, released_id in cut.items()):
            return item
        images = tuple(
            image.model_copy(
                update={
                    "image_id": cut[image.image_id],
                    "prompts": tuple(
                        prompt.model_copy(update={"image_id": cut[prompt.image_id]}) for prompt in image.prompts
                    ),
                }
            )
            for image in item.images
        )
        choices = tuple(
            choice if choice.image_id is None else choice.model_copy(update={"image_id": cut[choice.image_id]})
            for choice in item.choices
        )
        return item.model_copy(update={"images": images, "choices": choices})

    def image(self, image_id: str) -> ImageRecord:
        """Return the record of an image, in the workspace or the release, that belongs to the last item returned."""
        row = self._database.execute("SELECT record FROM record WHERE image_id = ?", (image_id,)).fetchone()
        if row is None:
            return self._image(image_id)
        return ImageRecord.model_validate_json(row[0])

    def image_bytes(self, record: ImageRecord) -> bytes:
        """Return the file of a record, from the workspace or the release."""
        if not self._is_released(record.image_id):
            return self._image_bytes(record)
        changed = self.image(record.image_id)
        original = self.image(changed.derived_from[0])
        for form, operation in _MAKING.items():
            if changed.operation_id == operation.operation_id:
                return self._made(original, form)
        return without_metadata(self._image_bytes(original), changed.media_type)

    def _made(self, record: ImageRecord, form: _Form) -> bytes:
        """Return a file in its released form.

        Raises:
            UnreadableImage: The file cannot be decoded.
        """
        return self._store.get_or_make(*_kept_as(record, form), lambda: _made_anew(self._image_bytes(record), form))

    def _files_to_make(self) -> Iterator[FileToMake]:
        for record, form in self._to_make():
            read, make = partial(self._image_bytes, record), partial(_made_anew, form=form)
            yield FileToMake(record.image_id, *_kept_as(record, form), read, make)

    def operations(self) -> tuple[Operation, ...]:
        """Return the operations that made files of the release, without unused ones."""
        operations = (_REMOVAL, _ENCODING, _RECODING, _TURNING)
        return tuple(operation for operation in operations if self._used[operation.operation_id])

    def _is_known(self, image_id: str) -> bool:
        query = "SELECT 1 FROM file WHERE original = ?"
        return self._database.execute(query, (bytes.fromhex(image_id),)).fetchone() is not None

    def _is_released(self, image_id: str) -> bool:
        query = "SELECT 1 FROM file WHERE cut = ?"
        return self._database.execute(query, (bytes.fromhex(image_id),)).fetchone() is not None

    def _is_to_be_turned(self, image_id: str) -> bool:
        query = "SELECT 1 FROM to_make WHERE original = ? AND form = 'turned'"
        return self._database.execute(query, (bytes.fromhex(image_id),)).fetchone() is not None

    def _to_make(self) -> Iterator[tuple[ImageRecord, _Form]]:
        """Yield the records of the files to make, in the order of the survey."""
        for record, form in self._database.execute("SELECT record, form FROM to_make ORDER BY rowid"):
            yield ImageRecord.model_validate_json(record), form

    def _released_id(self, image_id: str) -> str:
        row = self._database.execute("SELECT cut FROM file WHERE original = ?", (bytes.fromhex(image_id),)).fetchone()
        cut: str = image_id if row is None or row[0] is None else row[0].hex()
        return cut

    def _take_in(self, record: ImageRecord, item: Item | None) -> None:
        """Decide which file represents an image in the release, and whether to rotate it for an item that shows it."""
        form: _Form | None = self._encodes(record) or None
        if item is not None and _is_turned_jpeg(record) and self._turns(record, item):
            form = "turned"
        key = bytes.fromhex(record.image_id)
        self._database.execute("DELETE FROM to_make WHERE original = ?", (key,))
        if form is not None:
            self._database.execute("INSERT INTO to_make VALUES (?, ?, ?)", (key, form, record.model_dump_json()))
            self._keep_originals(record)
        self._settle(record, self._cut(record) if form is None and self._removes_metadata(record) else None)

    def _make(self, record: ImageRecord, form: _Form) -> None:
        """Make the released file of an image."""
        try:
            made = self._made(record, form)
        except UnreadableImage:
            if form != "turned":
                raise
            # It stays unchanged; items and verification report that it cannot be read.
            self._settle(record, self._cut(record) if self._removes_metadata(record) else None)
            return
        # Two encoded pictures must not become one.
        if form == "turned" or not self._is_released(bytes_digest(made)):
            self._settle(record, self._keep_records(record, made, _MAKING[form]))

    def _cut(self, record: ImageRecord) -> str | None:
        """Return the id of a file without its metadata, or None if it has no removable metadata."""
        data = self._image_bytes(record)
        try:
            cut = without_metadata(data, record.media_type)
            is_known = record.media_type in CUT_MEDIA_TYPES or holds_metadata(data) is not None
        except UnreadableImage:
            cut, is_known = data, False
        if cut != data:
            self._keep_originals(record)
            return self._keep_records(record, cut, _REMOVAL)
        if not is_known:
            self.left[record.media_type] = self.left.get(record.media_type, 0) + 1
        return None

    def _settle(self, record: ImageRecord, released_id: str | None) -> None:
        row = bytes.fromhex(record.image_id), None if released_id is None else bytes.fromhex(released_id)
        self._database.execute("INSERT OR REPLACE INTO file VALUES (?, ?)", row)

    def _keep_records(self, record: ImageRecord, data: bytes, operation: Operation) -> str:
        """Keep the record of a released file, and return its id."""
        released_id = bytes_digest(data)
        self._used[operation.operation_id] += 1
        known = self._database.execute("SELECT record FROM record WHERE image_id = ?", (released_id,)).fetchone()
        if known is not None and ImageRecord.model_validate_json(known[0]).derived_from[0] < record.image_id:
            return released_id
        self._put(
            released_id,
            record.model_copy(
                update={
                    "image_id": released_id,
                    "size_bytes": len(data),
                    "media_type": _MEDIA_TYPES.get(operation.step, record.media_type),
                    "pixel_hash": record.pixel_hash if operation is _REMOVAL else None,
                    "notes": () if operation is _TURNING else record.notes,
                    "source": None,
                    "derived_from": (record.image_id,),
                    "operation_id": operation.operation_id,
                }
            ).model_dump(mode="json"),
        )
        return released_id

    def _keep_originals(self, record: ImageRecord) -> None:
        """Keep the records of a file and its ancestors while the item that shows it is the last one."""
        waiting = [record]
        while waiting:
            earlier = waiting.pop()
            self._put(earlier.image_id, earlier.model_dump(mode="json"))
            waiting += map(self._image, earlier.derived_from)

    def _put(self, image_id: str, record: Mapping[str, Any]) -> None:
        self._database.execute("INSERT OR REPLACE INTO record VALUES (?, ?)", (image_id, canonical_json(record)))


def _is_turned_jpeg(record: ImageRecord) -> bool:
    return record.media_type == "image/jpeg" and any(note.startswith("exif_orientation:") for note in record.notes)


def _kept_as(record: ImageRecord, form: _Form) -> tuple[str, Any]:
    """Return the kind and the key of a made file in the store of released bytes."""
    kind = "turned 1" if form == "turned" else "encoded 1"
    return kind, [record.image_id, _MAKING[form].operation_id]


def _made_anew(data: bytes, form: _Form) -> bytes:
    """Return a JPEG file rotated upright, or a made picture's file in another format.

    Raises:
        UnreadableImage: The file cannot be decoded.
    """
    from benchwright.drawing.model_pictures import drawn_picture
    from benchwright.images.decode import decode_rgb
    from benchwright.images.made_files import encode_made

    if form == "turned":
        return drawn_picture(data, (), fidelity="visual").data
    return encode_made(decode_rgb(data), form)[0]
