"""The data files of a release: each part of a split is written, or copied from an earlier release with the same part.

The store of released bytes records the files of each part. A copy is used only if its SHA-256 is the recorded one.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from benchwright.canonical import canonical_json, file_digest
from benchwright.progress import Progress
from benchwright.record_map import RecordMap
from benchwright.records import ImageRecord
from benchwright.release.card.example import CANDIDATES, ExampleChoice
from benchwright.release.format.manifest import FORMAT_VERSION, FileEntry, data_file
from benchwright.release.format.parquet import PictureRange, PieceLimits, SizedRow, write_split
from benchwright.release.writing.pictures import DRAWN, with_pictures
from benchwright.release.writing.staging import Staging
from benchwright.workspace.item_cache import ItemCache

_PART = f"files of a part 1, format {FORMAT_VERSION}, {DRAWN}"
"""Kind of the entries for parts in the store: a JSON list of [path below the folder of releases, SHA-256]."""

_RECORDS = 16
"""Number of records kept while a part is examined, as consecutive rows show the same pictures."""


@dataclass(frozen=True)
class DataFiles:
    """The data files of a release that is being written.

    Attributes:
        draft: Folder to which they are written.
        folder: Later folder of the release, next to earlier releases.
        staging: Rows and records of the release.
        canary: Canary of the release.
        limits: Sizes at which row groups and files are split.
        image_bytes: Function that returns the file of a record.
        by_address: Function that returns whether the release omits the file of a record.
        is_visual: Function that returns, for an item's operation and task, whether only the appearance of its pictures
            matters.
        store: Store of drawings, and of the files of earlier parts.
        record_map: Map of the drawing over pictures.
        progress: Receiver of the number of finished items with marks.
        note: Receiver of the later path of each file, its SHA-256, and its status from before it was hashed.
    """

    draft: Path
    folder: Path
    staging: Staging
    canary: str
    limits: PieceLimits
    image_bytes: Callable[[ImageRecord], bytes]
    by_address: Callable[[ImageRecord], bool]
    is_visual: Callable[[str, str], bool]
    store: ItemCache
    record_map: RecordMap
    progress: Progress
    note: Callable[[Path, str, os.stat_result], None]
    _for_example: dict[str, SizedRow | None] = field(default_factory=dict)
    """The first rows that the card may show, by item id, once they are written."""

    def __post_init__(self) -> None:
        first = islice(self.staging.example_rows(), CANDIDATES)
        self._for_example.update({row["item_id"]: None for row, _ in first})

    def write(self, split: str, picture_bytes: int) -> dict[str, FileEntry]:
        """Write the files of a split and return their entries in the manifest.

        Args:
            split: Name of the split.
            picture_bytes: Expected size of its pictures, in bytes.

        Raises:
            DataError: A picture does not match its record, or an item is too large.
            StepError: A picture crashed the worker that drew it, or exhausted its memory.
        """
        files: dict[str, FileEntry] = {}
        for part in self.limits.parts_of(picture_bytes):
            marked, key = self._marked_and_key(split, part)
            if key is None:
                continue
            entries = self._copied(split, len(files), key)
            if entries is None:
                entries = self._written(split, part, len(files))
            else:
                self.progress.advance(marked)
            noted = [[f"{self.folder.name}/{name}", entry.sha256] for name, entry in entries.items()]
            self.store.put(_PART, key, json.dumps(noted).encode())
            files |= entries
        return files

    def example(self) -> ExampleChoice:
        """Return the choice of the card's example, after all files are written."""
        choice = ExampleChoice()
        for row, text_bytes in self.staging.example_rows():
            marks = json.loads(row["visual_prompts"])
            if not choice.wants(row["item_id"], is_marked=any(marks)):
                break
            sized = self._for_example.get(row["item_id"]) or next(self._with_pictures([(row, text_bytes)]))
            cells = zip(sized.row["images"], sized.row["unmarked"], marks, strict=True)
            pictures = [None if prompts and clean is None else cell["bytes"] for cell, clean, prompts in cells]
            choice.take(row, is_marked=any(marks), pictures=pictures, image_ids=row["image_ids"])
        return choice

    def _marked_and_key(self, split: str, part: PictureRange) -> tuple[int, str | None]:
        """Return the number of rows of a part with marks, and the digest of everything on which its files depend; None
        for an empty part.
        """
        facts_of = lru_cache(_RECORDS)(self._facts_of)
        rows, marked = 0, 0
        key = hashlib.sha256(canonical_json([self.canary, self.limits]).encode())
        for row, _ in self.staging.rows(split, part):
            pictures = [facts_of(image_id) for image_id in row["image_ids"]]
            is_visual = self.is_visual(row["operation_id"], row["task"])
            key.update(canonical_json([row, is_visual, pictures]).encode())
            rows += 1
            marked += any(json.loads(row["visual_prompts"]))
        return marked, key.hexdigest() if rows else None

    def _facts_of(self, image_id: str) -> list[Any]:
        """Return the facts on which a picture's cells depend besides its file and marks."""
        record = self.staging.image(image_id)
        return [record.media_type, record.notes, self.by_address(record)]

    def _copied(self, split: str, number: int, key: str) -> dict[str, FileEntry] | None:
        """Copy the files of a part from an earlier release; return None if they do not exist or have changed."""
        noted = self.store.get(_PART, key)
        if noted is None:
            return None
        entries: dict[str, FileEntry] = {}
        for path, sha256 in json.loads(noted):
            name = data_file(split, number + len(entries))
            try:
                shutil.copyfile(self.folder.parent / path, self.draft / name)
            except OSError:
                return None
            entries[name] = self._entry(name)
            if entries[name].sha256 != sha256:
                return None
        return entries

    def _written(self, split: str, part: PictureRange, number: int) -> dict[str, FileEntry]:
        names = write_split(
            self.draft,
            split,
            self._seen(self._with_pictures(self.staging.rows(split, part))),
            canary=self.canary,
            limits=self.limits,
            repeats=self.staging.shows_again(split, part),
            number=number,
        )
        return {name: self._entry(name) for name in names}

    def _entry(self, name: str) -> FileEntry:
        status = (self.draft / name).stat()
        entry = entry_of(self.draft / name)
        self.note(self.folder / name, entry.sha256, status)
        return entry

    def _with_pictures(self, rows: Iterable[tuple[Mapping[str, Any], int]]) -> Iterator[SizedRow]:
        return with_pictures(
            rows,
            record=self.staging.image,
            image_bytes=self.image_bytes,
            by_address=self.by_address,
            is_visual=self.is_visual,
            store=self.store,
            record_map=self.record_map,
            progress=self.progress,
        )

    def _seen(self, rows: Iterable[SizedRow]) -> Iterator[SizedRow]:
        """Yield rows to be written, and keep those that the card may show."""
        for sized in rows:
            if sized.row["item_id"] in self._for_example:
                self._for_example[sized.row["item_id"]] = sized
            yield sized


def entry_of(path: Path) -> FileEntry:
    """Return the entry of a file in the manifest."""
    return FileEntry(sha256=file_digest(path), size_bytes=path.stat().st_size)
