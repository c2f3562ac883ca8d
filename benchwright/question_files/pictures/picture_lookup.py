"""Pictures of imported questions: located by the names in a file or extracted from the file, and each checked once."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from benchwright.errors import DataError, UnreadableImage
from benchwright.images.formats.walking import Limits
from benchwright.images.identify import Identified, identify
from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.refusals import AMBIGUOUS_PICTURE, MISSING_PICTURE
from benchwright.source_files.rows import BadRow
from benchwright.workspace.objects import ObjectStore

from ..questions.asked_question import AskedPicture
from .picture_paths import PicturePaths

UNREADABLE_PICTURE = "unreadable_picture"
PICTURE_REASONS = frozenset({MISSING_PICTURE, AMBIGUOUS_PICTURE, UNREADABLE_PICTURE})
"""Reasons of `BadRow` for a missing or unusable picture."""

_MISLABELLED = "mislabelled"
"""Reason of `UnreadableImage` for a file named as a format other than its own, which is common in benchmarks."""


class Identify(Protocol):
    """A function like `benchwright.images.identify.identify`, possibly one with a cache."""

    def __call__(self, path: Path, *, root: Path, limits: Limits | None = None) -> Identified:
        """Return the identity of an image file."""


class PictureLookup:
    """Pictures of one source, by the rules of `PicturePaths`. Pictures are never fetched.

    Args:
        files: Folder of the pictures.
        objects: Store for pictures embedded in question files or archives.
        limits: Limits of a picture's file.
        keeps_copies: Whether embedded pictures remain in the store; default True. Otherwise they are only identified.
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
        self._known: dict[str, tuple[Identified, Path, str]] = {}
        self.paths = PicturePaths(files)

    def found_picture(self, picture: AskedPicture, *, file: str, place: str) -> tuple[Identified, Path, str]:
        """Return a picture's identity, its file, and its path in the source.

        Args:
            picture: The picture.
            file: Path of the question file.
            place: Name for a picture that has none, such as `row 3, picture 1`.

        Raises:
            BadRow: The picture is missing or unreadable.
        """
        if picture.data is not None:
            name = picture.path or place
            identity, stored = self._stored(picture.data, name)
            return identity, stored, name
        if picture.is_only_named:
            raise BadRow(f"the text shows {picture.path}, but the row has no such picture", MISSING_PICTURE)
        path = self.paths.path_of(picture.path, file)
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
        """Return the identity of a file; one with another format's suffix is copied under a name without a suffix."""
        try:
            return self._identify(local, root=self._files.root, limits=self._limits), local
        except UnreadableImage as error:
            if error.reason != _MISLABELLED:
                return self._identified(local, self._files.root, path), local  # raises with the message for a row
        identity, stored = self._stored(self._files.read(path, max_bytes=self._limits.max_bytes), path)
        return identity, stored if self._keeps_copies else local

    def _stored(self, data: bytes, name: str) -> tuple[Identified, Path]:
        """Return the identity of a picture, and its copy in the store, which is deleted unless copies are kept."""
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
