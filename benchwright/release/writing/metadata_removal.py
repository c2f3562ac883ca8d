"""Picture files on their way into a release, without the metadata that cameras and editors wrote.

The bytes of such a file change and its pixels do not, so it is another image: derived from the one of the workspace by
the operation `remove_metadata`. Items show the other image; whatever else speaks of pictures (source, licence, the root
of an item) still speaks of the one that was taken in.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from benchwright.canonical import bytes_digest, canonical_json
from benchwright.errors import UnreadableImage
from benchwright.records import ImageRecord, Item, Operation
from benchwright.release.format.provenance import METADATA_REMOVED
from benchwright.rights import holds_metadata, without_metadata

OPERATION = Operation(step=METADATA_REMOVED, version=1, parameters={}, seed=0)
"""Operation that files without their metadata name."""

_TABLES = """
    CREATE TABLE file (original BLOB PRIMARY KEY, cut BLOB) WITHOUT ROWID;
    CREATE INDEX by_cut ON file (cut) WHERE cut IS NOT NULL;
    CREATE TABLE record (image_id TEXT PRIMARY KEY, record TEXT) WITHOUT ROWID;
"""


class MetadataRemoval:
    """Removal of metadata from the pictures of one release; ids and records wait in a temporary file.

    Two files that differ in nothing but metadata become one image, derived from the one whose id sorts first.

    Args:
        image: Function that returns the record of an image that the item last taken shows or goes back to.
        image_bytes: Function that returns the file of a record.
        kept: Function that tells of a record whether its file stays as it is; of none where None.
    """

    def __init__(
        self,
        image: Callable[[str], ImageRecord],
        image_bytes: Callable[[ImageRecord], bytes],
        *,
        kept: Callable[[ImageRecord], bool] | None = None,
    ) -> None:
        self._image, self._image_bytes, self._kept = image, image_bytes, kept
        self._database = sqlite3.connect("")  # a temporary file, which SQLite deletes
        self._database.executescript(_TABLES)
        self.left: dict[str, int] = {}
        """Number of files by media type of which metadata cannot be removed, should they have any."""

    def survey(self, items: Iterable[Item]) -> None:
        """Read the files that items show; call it with all items before anything else."""
        for item in items:
            for image_id in {image.image_id for image in item.images}:
                if not self._is_known(image_id):
                    self._take_in(image_id)

    def item(self, item: Item) -> Item:
        """Return an item that shows files without metadata; the very item where that changes nothing."""
        cut = {image.image_id: self._cut_of(image.image_id) for image in item.images}
        if all(image_id == cut_id for image_id, cut_id in cut.items()):
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
        """Return the record of an image, with or without its metadata, of the item last taken."""
        row = self._database.execute("SELECT record FROM record WHERE image_id = ?", (image_id,)).fetchone()
        if row is None:
            return self._image(image_id)
        return ImageRecord.model_validate_json(row[0])

    def image_bytes(self, record: ImageRecord) -> bytes:
        """Return the file of a record, with its metadata where the record has it."""
        if record.operation_id != OPERATION.operation_id:
            return self._image_bytes(record)
        return without_metadata(self._image_bytes(self.image(record.derived_from[0])), record.media_type)

    def operations(self) -> tuple[Operation, ...]:
        """Return the operation that made files without metadata; none where there is no such file."""
        made = self._database.execute("SELECT 1 FROM file WHERE cut IS NOT NULL LIMIT 1").fetchone()
        return () if made is None else (OPERATION,)

    def _is_known(self, image_id: str) -> bool:
        query = "SELECT 1 FROM file WHERE original = ?"
        return self._database.execute(query, (bytes.fromhex(image_id),)).fetchone() is not None

    def _cut_of(self, image_id: str) -> str:
        row = self._database.execute("SELECT cut FROM file WHERE original = ?", (bytes.fromhex(image_id),)).fetchone()
        cut: str = image_id if row is None or row[0] is None else row[0].hex()
        return cut

    def _take_in(self, image_id: str) -> None:
        record = self._image(image_id)
        cut_id = None
        if self._kept is None or not self._kept(record):
            data = self._image_bytes(record)
            try:
                cut = without_metadata(data, record.media_type)
            except UnreadableImage:
                cut = data
            if cut != data:
                cut_id = bytes_digest(cut)
                self._keep_records(record, cut_id, len(cut))
            elif holds_metadata(cut) is None:
                self.left[record.media_type] = self.left.get(record.media_type, 0) + 1
        row = bytes.fromhex(image_id), None if cut_id is None else bytes.fromhex(cut_id)
        self._database.execute("INSERT INTO file VALUES (?, ?)", row)

    def _keep_records(self, record: ImageRecord, cut_id: str, size_bytes: int) -> None:
        """Keep the record of a file without metadata, and those that it goes back to."""
        known = self._database.execute("SELECT record FROM record WHERE image_id = ?", (cut_id,)).fetchone()
        if known is not None and ImageRecord.model_validate_json(known[0]).derived_from[0] < record.image_id:
            return
        self._put(
            cut_id,
            record.model_copy(
                update={
                    "image_id": cut_id,
                    "size_bytes": size_bytes,
                    "source": None,
                    "derived_from": (record.image_id,),
                    "operation_id": OPERATION.operation_id,
                }
            ).model_dump(mode="json"),
        )
        waiting = [record]
        while waiting:
            earlier = waiting.pop()
            self._put(earlier.image_id, earlier.model_dump(mode="json"))
            waiting += map(self._image, earlier.derived_from)

    def _put(self, image_id: str, record: Mapping[str, Any]) -> None:
        self._database.execute("INSERT OR REPLACE INTO record VALUES (?, ?)", (image_id, canonical_json(record)))
