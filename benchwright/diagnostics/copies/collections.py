"""Collections to check against: a folder of pictures, a release, or a hash list."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from benchwright.canonical import digest, file_digest
from benchwright.errors import BenchwrightError
from benchwright.images.identify import path_for
from benchwright.machine.file_locks import lock
from benchwright.records import ImageRecord
from benchwright.release import Release
from benchwright.source_files.no_photographs import is_no_photograph

from ..features.embeddings import Embeddings
from .hash_lists import read_hash_list
from .picture_hashes import KnownPicture, hashes_of_folder

CollectionKind = Literal["folder", "release", "list"]


@dataclass(frozen=True)
class ReferenceCollection:
    """A collection against which pictures are checked.

    Args:
        place: The folder of pictures, the release's folder, or the hash list's file.
        kind: Kind of the collection.
        content: Digest of the collection's content, independent of its location.
    """

    place: Path
    kind: CollectionKind
    content: str

    def pictures(self, workers: int | None = None, embedded: Embeddings | None = None) -> list[KnownPicture]:
        """Return the pictures; those of folders and releases are hashed and, if `embedded` is given, embedded."""
        if self.kind == "list":
            return read_hash_list(self.place)
        if self.kind == "folder":
            return hashes_of_folder(self.place, workers=workers, embedded=embedded)
        with tempfile.TemporaryDirectory(prefix="benchwright-") as name:
            _extract(self.place, Path(name))
            shown = hashes_of_folder(Path(name), workers=workers, embedded=embedded)
        return _with_sources(self.place, shown)

    def pixels(self, cache: Path) -> Path | None:
        """Return the folder that contains the collection's pictures by name; None for a hash list.

        Args:
            cache: Folder into which a release's pictures are written once for all workers.
        """
        if self.kind != "release":
            return self.place if self.kind == "folder" else None
        folder = cache / "references" / self.content[:32]
        folder.parent.mkdir(parents=True, exist_ok=True)
        path = folder.with_suffix(".lock")
        with open(path, "wb") as held:
            lock(held, path)
            if not folder.is_dir():
                draft = folder.with_suffix(".draft")
                shutil.rmtree(draft, ignore_errors=True)
                draft.mkdir()
                _extract(self.place, draft)
                draft.rename(folder)
        return folder


def open_collection(place: Path) -> ReferenceCollection:
    """Return the collection at a path.

    Raises:
        BenchwrightError: There is no collection at the path.
    """
    if (place / "manifest.json").is_file():
        return ReferenceCollection(place, "release", Release.open(place).release_id)
    if place.is_dir():
        files = sorted((str(path.relative_to(place)), file_digest(path)) for path in _files(place))
        return ReferenceCollection(place, "folder", digest(files))
    if place.is_file():
        return ReferenceCollection(place, "list", file_digest(place))
    raise BenchwrightError(
        f"{place} does not exist; give a folder of pictures, a release or a hash list to check against"
    )


def picture_path(folder: Path, name: str) -> Path:
    """Return the file of a picture by its name in the collection."""
    return folder / path_for(name)


def _files(folder: Path) -> list[Path]:
    return [
        Path(parent, name)
        for parent, _, names in os.walk(folder)
        if not any(map(is_no_photograph, Path(parent).relative_to(folder).parts))
        for name in names
        if not is_no_photograph(name) and not Path(parent, name).is_symlink() and Path(parent, name).is_file()
    ]


def _extract(place: Path, folder: Path) -> None:
    """Write every picture that the items of a release show into a file named by its id."""
    for released in Release.open(place).items():
        for image_id, data in released.images.items():
            if not (path := folder / image_id).exists():
                path.write_bytes(data)


def _with_sources(place: Path, shown: list[KnownPicture]) -> list[KnownPicture]:
    """Add what the release's provenance states: canonical ids, and source images that no item shows unchanged."""
    stated = {record.image_id: record for record in Release.open(place).provenance() if isinstance(record, ImageRecord)}
    ids = {image_id: record.source.canonical_id for image_id, record in stated.items() if record.source is not None}
    known = [picture._replace(canonical_id=ids.get(picture.name)) for picture in shown]
    hidden = sorted(stated.keys() - {picture.name for picture in shown})
    return known + [KnownPicture(name, name, ids.get(name), stated[name].pixel_hash) for name in hidden]
