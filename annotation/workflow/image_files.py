"""Find the file of an image.

It is in the workspace's objects if a step made it, or in the folder of pictures that came with opened tasks, or else in
the image folder.
"""

from __future__ import annotations

from pathlib import Path

from benchwright.canonical import bytes_digest
from benchwright.errors import DataError, UnreadableImage
from benchwright.images.formats.walking import Limits
from benchwright.images.identify import path_for, read_file
from benchwright.workspace.objects import ObjectStore
from benchwright.workspace.run_results import files_of
from benchwright.workspace.workspace import Workspace

BROUGHT = "review-pictures"
"""Folder of a workspace with the pictures of releases whose items people review again."""


def brought_pictures(root: Path) -> ObjectStore:
    """Return the store of pictures that came with opened tasks."""
    return ObjectStore(root / BROUGHT, tmp=Workspace(root).tmp)


class ImageFiles:
    """The images of a workspace, by id."""

    def __init__(self, root: Path) -> None:
        self._workspace = Workspace.open(root)
        self._brought = brought_pictures(root)
        self._uris: dict[str, str] = {}

    def is_made(self, image_id: str) -> bool:
        """Return whether a step made an image, so that its file is in the workspace."""
        return self._workspace.objects.path(image_id).exists()

    def uri(self, image_id: str) -> str | None:
        """Return the URI of a source image; None for an image that a step made, or that came with opened tasks."""
        is_elsewhere = self.is_made(image_id) or self._brought.path(image_id).exists()
        if image_id not in self._uris and not is_elsewhere:
            # Read again if an image is not known: a run may have added it meanwhile.
            rows = files_of(self._workspace)
            self._uris = {row["image_id"]: row["uri"] for row in rows if row["image_id"] is not None}
        return self._uris.get(image_id)

    def path(self, image_id: str) -> Path:
        """Return the path that the file should have; the file may be missing."""
        path = self._workspace.objects.path(image_id)
        if path.exists():
            return path
        if (uri := self.uri(image_id)) is not None:
            return Path(self._workspace.settings()["images"]) / path_for(uri)
        brought = self._brought.path(image_id)
        return brought if brought.exists() else path

    def data(self, image_id: str) -> bytes:
        """Return the file, checked against its SHA-256.

        Raises:
            DataError: The file is missing, cannot be read, or has changed.
        """
        path = self.path(image_id)
        try:
            data = read_file(path, limits=Limits())
        except UnreadableImage as error:
            raise DataError(f"picture {image_id[:12]} cannot be read from {path}: {error.detail}") from error
        if (digest := bytes_digest(data)) != image_id:
            raise DataError(f"{path} has changed (SHA-256 {digest[:12]}, was {image_id[:12]}); run the recipe again")
        return data
