"""Collections to check against: a folder of pictures, a release, or a hash list."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from benchwright.canonical import digest, file_digest
from benchwright.errors import BenchwrightError
from benchwright.images.identify import path_for
from benchwright.records import ImageRecord
from benchwright.release import Release

from ..features.embeddings import Embeddings
from .hash_lists import read_hash_list
from .picture_hashes import KnownPicture, hashes_of_folder

Kind = Literal["folder", "release", "list"]


@dataclass(frozen=True)
class Reference:
    """A collection to check against.

    Args:
        place: The folder, the release's folder, or the list's file.
        kind: Which of the three it is.
        content: Digest of all that it holds; places do not enter it.
    """

    place: Path
    kind: Kind
    content: str

    def pictures(self, workers: int | None = None, embedded: Embeddings | None = None) -> list[KnownPicture]:
        """Return what it holds; pictures of folders and releases are hashed, and embedded where asked for."""
        if self.kind == "list":
            return read_hash_list(self.place)
        if self.kind == "folder":
            return hashes_of_folder(self.place, workers=workers, embedded=embedded)
        with tempfile.TemporaryDirectory(prefix="benchwright-") as name:
            _extract(self.place, Path(name))
            shown = hashes_of_folder(Path(name), workers=workers, embedded=embedded)
        return _with_sources(self.place, shown)

    def pixels(self, cache: Path) -> Path | None:
        """Return the folder in which its pictures lie by their names; None for a list.

        Args:
            cache: Where a release's pictures may be laid out, once for all workers.
        """
        if self.kind != "release":
            return self.place if self.kind == "folder" else None
        folder = cache / "references" / self.content[:32]
        folder.parent.mkdir(parents=True, exist_ok=True)
        with open(folder.with_suffix(".lock"), "wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not folder.is_dir():
                draft = folder.with_suffix(".draft")
                shutil.rmtree(draft, ignore_errors=True)
                draft.mkdir()
                _extract(self.place, draft)
                draft.rename(folder)
        return folder


def open_reference(place: Path) -> Reference:
    """Return the collection at a place.

    Raises:
        BenchwrightError: There is nothing, or nothing that can be checked against.
    """
    if (place / "manifest.json").is_file():
        return Reference(place, "release", Release.open(place).release_id)
    if place.is_dir():
        found = sorted((str(path.relative_to(place)), file_digest(path)) for path in _files(place))
        return Reference(place, "folder", digest(found))
    if place.is_file():
        return Reference(place, "list", file_digest(place))
    raise BenchwrightError(
        f"{place} is not there; give a folder of pictures, a release or a hash list to check against"
    )


def picture_path(folder: Path, name: str) -> Path:
    """Return the file of a picture by the name that its collection gives it."""
    return folder / path_for(name)


def _files(folder: Path) -> list[Path]:
    return [
        Path(parent, name)
        for parent, _, names in os.walk(folder)
        for name in names
        if not Path(parent, name).is_symlink() and Path(parent, name).is_file()
    ]


def _extract(place: Path, folder: Path) -> None:
    """Write every picture that a release's items show, named by its id."""
    for released in Release.open(place).items():
        for image_id, data in released.images.items():
            if not (path := folder / image_id).exists():
                path.write_bytes(data)


def _with_sources(place: Path, shown: list[KnownPicture]) -> list[KnownPicture]:
    """Add what the release's provenance states: canonical ids, and images that no item shows as they are."""
    stated = {one.image_id: one for one in Release.open(place).provenance() if isinstance(one, ImageRecord)}
    ids = {image_id: one.source.canonical_id for image_id, one in stated.items() if one.source is not None}
    known = [one._replace(canonical_id=ids.get(one.name)) for one in shown]
    hidden = sorted(stated.keys() - {one.name for one in shown})
    return known + [KnownPicture(name, name, ids.get(name), stated[name].pixel_hash) for name in hidden]
