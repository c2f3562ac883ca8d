"""Find the file of an image.

The file is among the workspace's objects if a step created or imported it, in the image folder under any of its names,
or in the folder of pictures from opened tasks.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchwright.canonical import bytes_digest
from benchwright.errors import DataError, UnreadableImage
from benchwright.images.formats.walking import Limits
from benchwright.images.regular_files import read_file
from benchwright.workspace.image_places import ImagePlaces
from benchwright.workspace.objects import ObjectStore
from benchwright.workspace.workspace import Workspace

_BROUGHT = "review-pictures"
"""Folder of a workspace with the pictures of releases whose items annotators review again."""


def brought_pictures(root: Path) -> ObjectStore:
    """Return the store of the pictures that were delivered with opened tasks."""
    return ObjectStore(root / _BROUGHT, tmp=Workspace(root).tmp)


class ImageFiles:
    """The images of a workspace, looked up by id."""

    def __init__(self, root: Path) -> None:
        self._workspace = Workspace.open(root)
        self._places = ImagePlaces(self._workspace)
        self._brought = brought_pictures(root)

    def is_made(self, image_id: str) -> bool:
        """Return whether an image was made by a step, so that its file is in the workspace and contains only pixels."""
        return self._workspace.objects.path(image_id).exists() and not self._places.uris(image_id)

    def name(self, image_id: str) -> str | None:
        """Return an image's name for readers, which is its file's path; None if a step made it or it came alone."""
        return self._places.name(image_id)

    def path(self, image_id: str) -> Path:
        """Return the path of an image's file, or the expected path if the file is missing."""
        path = next((path for path in self._candidates(image_id) if path.exists()), None)
        return self._first(image_id) if path is None else path

    def data(self, image_id: str) -> bytes:
        """Return the contents of an image's file, checked against its SHA-256.

        Raises:
            DataError: The file is missing, unreadable, or changed, and so is every other file of the image.
        """
        data, problem = self._read(image_id)
        if data is None and self._places.read_again():  # a run may have written other paths in the meantime
            data, problem = self._read(image_id)
        if data is None:
            raise DataError(problem)
        return data

    def _candidates(self, image_id: str) -> Iterator[Path]:
        yield from self._places.places(image_id)
        yield self._brought.path(image_id)

    def _first(self, image_id: str) -> Path:
        """Return the path by which the run identifies an image."""
        own, first, *_ = self._places.places(image_id)
        return first if self._places.uris(image_id) and not own.exists() else own

    def _read(self, image_id: str) -> tuple[bytes | None, str]:
        """Return the contents of the first matching file, or None and the problem with the file that the run used."""
        problems: dict[Path, str] = {}
        for path in self._candidates(image_id):
            try:
                data = read_file(path, limits=Limits())
            except UnreadableImage as error:
                problems[path] = (
                    f"picture {image_id[:12]} cannot be read from {path}: {error.detail}; run the recipe again"
                )
                continue
            if (digest := bytes_digest(data)) == image_id:
                return data, ""
            problems[path] = f"{path} has changed (SHA-256 {digest[:12]}, was {image_id[:12]}); run the recipe again"
        return None, problems[self._first(image_id)]
