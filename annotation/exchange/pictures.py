"""The pictures of tasks for people who review without the app: the files themselves, or copies with marks drawn."""

from __future__ import annotations

import shutil
from pathlib import Path

from benchwright.canonical import digest
from benchwright.drawing import draw_prompts
from benchwright.errors import BenchwrightError, DataError
from benchwright.images.decode import decode_rgb, encode_png
from benchwright.records import ItemImage

from ..workflow.image_files import ImageFiles


class TaskPictures:
    """Gives file names for items' images: of the files themselves, or of copies with marks drawn and a known suffix.

    Args:
        root: Folder of the workspace.
        copy_to: New folder for copies; default None, which names the files themselves.
    """

    def __init__(self, root: Path, *, copy_to: Path | None = None) -> None:
        self._originals = ImageFiles(root)
        self._copy_to = copy_to
        if copy_to is not None and copy_to.exists():
            raise BenchwrightError(f"{copy_to} is there already; give a new folder for the pictures")

    def name(self, image: ItemImage) -> str:
        """Return the file name that stands for one of an item's images, after writing the copy where one is wanted.

        Raises:
            DataError: A copy is wanted, and the picture is not where the workspace says.
        """
        path = self._originals.path(image.image_id)
        if self._copy_to is None:
            return str(path)
        copy = self._copy_to / _copy_name(image, self._originals.uri(image.image_id))
        if not copy.exists():
            if not path.is_file():
                raise DataError(f"picture {image.image_id} is not at {path}; run the recipe again")
            self._copy_to.mkdir(parents=True, exist_ok=True)
            if image.prompts:
                copy.write_bytes(encode_png(draw_prompts(decode_rgb(path), image.prompts)))
            else:
                shutil.copyfile(path, copy)
        return str(copy)


def _copy_name(image: ItemImage, uri: str | None) -> str:
    """Return a file name that is equal for equal pictures with equal marks."""
    stem = image.image_id[:16]
    if image.prompts:
        marks = digest([prompt.model_dump(mode="json") for prompt in image.prompts])
        return f"{stem}-{marks[:8]}.png"
    return f"{stem}{'.png' if uri is None else Path(uri).suffix}"
