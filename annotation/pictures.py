"""Where the pictures of tasks lie, for people who review without the app."""

from __future__ import annotations

import shutil
from functools import cached_property
from pathlib import Path

from benchwright.errors import BenchwrightError, DataError
from benchwright.identify import path_for
from benchwright.pipeline.finished import files_of
from benchwright.workspace import Workspace


class Pictures:
    """File names for image ids: where they lie, or of copies with an ending that viewers know.

    Args:
        root: The workspace.
        copy_to: New folder for copies; None to name the files where they are.
    """

    def __init__(self, root: Path, *, copy_to: Path | None = None) -> None:
        self._workspace = Workspace.open(root)
        self._copy_to = copy_to
        if copy_to is not None and copy_to.exists():
            raise BenchwrightError(f"{copy_to} is there already; give a new folder for the pictures")

    def name(self, image_id: str) -> str:
        """Return the file to look at for an image.

        Raises:
            DataError: A copy is wanted and the picture is not where the workspace says.
        """
        uri = self._uris.get(image_id)
        path = self._workspace.objects.path(image_id)
        if not path.exists() and uri is not None:
            path = Path(self._workspace.settings()["images"]) / path_for(uri)
        if self._copy_to is None:
            return str(path)
        # Made images are PNG; sources keep their ending.
        copy = self._copy_to / f"{image_id[:16]}{'.png' if uri is None else Path(uri).suffix}"
        if not copy.exists():
            if not path.is_file():
                raise DataError(f"picture {image_id} is not at {path}; run the recipe again")
            self._copy_to.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
        return str(copy)

    @cached_property
    def _uris(self) -> dict[str, str]:
        rows = files_of(self._workspace)
        return {row["image_id"]: row["uri"] for row in rows if row["image_id"] is not None}
