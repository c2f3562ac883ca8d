"""Pictures of tasks for reviews without the app: the original files, or copies with marks drawn on them."""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path, PurePosixPath

from benchwright.canonical import digest
from benchwright.drawing import draw_prompts
from benchwright.errors import BenchwrightError, DataError
from benchwright.images.decode import decode_rgb, encode_png
from benchwright.records import ItemImage
from benchwright.workspace.record_lookup import RecordNames
from benchwright.workspace.workspace import Workspace

from ..workflow.image_files import ImageFiles

_LONGEST_STEM = 60
"""Maximum number of characters from a picture's own name in the name of its copy."""


class TaskPictures:
    """Provides file names for items' images: the originals, or copies with marks and a known suffix.

    Args:
        root: Folder of the workspace.
        copy_to: New folder for copies; default None, which uses the original files.
    """

    def __init__(self, root: Path, *, copy_to: Path | None = None) -> None:
        self._root, self._originals = root, ImageFiles(root)
        self._copy_to = copy_to
        if copy_to is not None and copy_to.exists():
            raise BenchwrightError(f"{copy_to} exists; give a new folder for the pictures")

    def name(self, image: ItemImage) -> str:
        """Return the file name for one of an item's images, after writing the copy if requested.

        Raises:
            DataError: A copy is requested, and the picture is missing or has changed.
        """
        if self._copy_to is None:
            return str(self._originals.path(image.image_id))
        copy = self._copy_to / _copy_name(image, self._originals.name(image.image_id))
        if not copy.exists():
            data = self._originals.data(image.image_id)
            self._copy_to.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(encode_png(draw_prompts(decode_rgb(data), image.prompts)) if image.prompts else data)
        return str(copy)

    def called(self, image_id: str) -> str:
        """Return an image's name for readers: the path of its file, or the sources of an image made by a step."""
        return self._originals.name(image_id) or (self._records.name(image_id) if self._records else image_id)

    @cached_property
    def _records(self) -> RecordNames | None:
        try:
            return RecordNames(Workspace(self._root))
        except DataError:  # no run so far: all pictures came with opened tasks
            return None


def _copy_name(image: ItemImage, called: str | None) -> str:
    """Return a file name that begins with the picture's name and is the same for equal pictures with equal marks."""
    path = PurePosixPath(called or "")
    parts = [part for part in (re.sub(r"[^\w-]+", "_", path.stem)[:_LONGEST_STEM], image.image_id[:16]) if part]
    if image.prompts:
        parts.append(digest([prompt.model_dump(mode="json") for prompt in image.prompts])[:8])
    return "-".join(parts) + (".png" if image.prompts or called is None else path.suffix)
