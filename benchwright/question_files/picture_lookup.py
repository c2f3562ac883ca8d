"""Pictures of imported questions: found by what a file calls them, or taken out of the file, each checked once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote, urlsplit

from benchwright.errors import BenchwrightError, DataError, UnreadableImage
from benchwright.images.formats.walking import Limits
from benchwright.images.identify import Identified, identify
from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.portable_pixmap import PICTURE_SUFFIXES
from benchwright.source_files.refusals import MISSING_PICTURE
from benchwright.source_files.rows import BadRow
from benchwright.workspace.objects import ObjectStore

from .asked_question import AskedPicture

UNREADABLE_PICTURE, AMBIGUOUS_PICTURE = "unreadable_picture", "ambiguous_picture"
PICTURE_REASONS = frozenset({MISSING_PICTURE, AMBIGUOUS_PICTURE, UNREADABLE_PICTURE})
"""Reasons of `BadRow` for a picture that is not there or cannot be used."""

_MISLABELLED = "mislabelled"
"""Reason of `UnreadableImage` for a file that is named as another format than it is; benchmarks have many."""


class Identify(Protocol):
    """A function as `benchwright.images.identify.identify`, such as one that remembers files."""

    def __call__(self, path: Path, *, root: Path, limits: Limits | None = None) -> Identified:
        """Return the identity of an image file."""


class PictureLookup:
    """Pictures of one source.

    A name is looked for beside the file of questions, from the folder's root, then anywhere in the folder, where one
    picture alone is called so. Of an address the last part is the name: pictures are never fetched.

    Args:
        files: Folder of the pictures.
        objects: Store for pictures that stand in files of questions or archives.
        limits: Largest size of a picture's file.
        keeps_copies: Whether pictures out of files of questions stay in the store; default True. Else they are only
            identified.
        identify: Function that identifies files of the folder.
    """

    def __init__(
        self,
        files: DatasetFiles,
        objects: ObjectStore,
        limits: Limits,
        *,
        keeps_copies: bool = True,
        identify: Identify = identify,
    ) -> None:
        self._identify = identify
        self._files, self._objects, self._limits, self._keeps_copies = files, objects, limits, keeps_copies
        self._by_name: Mapping[str, list[str]] | None = None
        self._known: dict[str, tuple[Identified, Path, str]] = {}
        self._paths: dict[tuple[str, str], str | BadRow] = {}

    def found_picture(self, picture: AskedPicture, *, file: str, place: str) -> tuple[Identified, Path, str]:
        """Return a picture's identity, its file, and its path as sources name it.

        Args:
            picture: The picture.
            file: Path of the file of questions.
            place: Name for a picture without one, such as `row 3, picture 1`.

        Raises:
            BadRow: It is not there, or cannot be read.
        """
        if picture.data is not None:
            name = picture.path or place
            identity, stored = self._stored(picture.data, name)
            return identity, stored, name
        path = self._path(picture.path, file)
        if path not in self._known:
            try:
                local = self._files.local(path)
            except DataError as error:
                raise BadRow(str(error), UNREADABLE_PICTURE) from None
            if local is None:
                self._known[path] = *self._stored(self._files.read(path), path), path
            else:
                self._known[path] = *self._of_file(local, path), path
        return self._known[path]

    def _of_file(self, local: Path, path: str) -> tuple[Identified, Path]:
        """Return the identity of a file; one whose name has the end of another format is copied without a name."""
        try:
            return self._identify(local, root=self._files.root, limits=self._limits), local
        except UnreadableImage as error:
            if error.reason != _MISLABELLED:
                return self._identified(local, self._files.root, path), local  # raises, in the words of a row
        identity, stored = self._stored(self._files.read(path, max_bytes=self._limits.max_bytes), path)
        return identity, stored if self._keeps_copies else local

    def _stored(self, data: bytes, name: str) -> tuple[Identified, Path]:
        """Return the identity of a picture, and its copy in the store, which is gone where copies are not kept."""
        if self._keeps_copies:
            stored = self._objects.path(self._objects.put(data))
            return self._identified(stored, stored.parent, name), stored
        scratch = self._objects.root / "scratch"
        scratch.parent.mkdir(parents=True, exist_ok=True)
        scratch.write_bytes(data)
        return self._identified(scratch, scratch.parent, name), scratch

    def _identified(self, place: Path, root: Path, name: str) -> Identified:
        try:
            return identify(place, root=root, limits=self._limits)
        except UnreadableImage as error:
            raise BadRow(
                f"the picture {name} cannot be used: {error.reason} ({error.detail})", UNREADABLE_PICTURE
            ) from None

    def _path(self, name: str, file: str) -> str:
        place = (name, file.rpartition("/")[0])
        if place not in self._paths:
            try:
                self._paths[place] = self._looked_up(name, file)
            except BadRow as error:
                self._paths[place] = error
        path = self._paths[place]
        if isinstance(path, BadRow):
            raise BadRow(str(path), path.reason)
        return path

    def _looked_up(self, name: str, file: str) -> str:
        plain = unquote(urlsplit(name).path) if "://" in name else name.replace("\\", "/")
        parts = [part for part in plain.split("/") if part not in ("", ".")]
        folder = file.rpartition("/")[0]
        beside = [folder, f"{folder}/images"] if folder else []
        for start in range(len(parts)):
            end = "/".join(parts[start:])
            for under in dict.fromkeys((*beside, "", "images")):
                path = f"{under}/{end}" if under else end
                if self._files.has(path):
                    return path
        known = self._names().get(parts[-1] if parts else "", [])
        if len(known) == 1:
            return known[0]
        if known:
            raise BadRow(f"the picture {name!r} may be {' or '.join(known[:3])}; state the path", AMBIGUOUS_PICTURE)
        raise BadRow(f"there is no picture {name!r} in {self._files.shown('')}{self._files.damage()}", MISSING_PICTURE)

    def _names(self) -> Mapping[str, list[str]]:
        if self._by_name is None:
            by_name: dict[str, list[str]] = {}
            try:
                for path in self._files.walk(suffixes=PICTURE_SUFFIXES):
                    name = path.rpartition("/")[2]
                    for known_as in {name, name.rpartition(".")[0]}:
                        by_name.setdefault(known_as, []).append(path)
            except BenchwrightError:
                by_name = {}
            self._by_name = by_name
        return self._by_name
