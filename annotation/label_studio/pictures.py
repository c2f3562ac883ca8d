"""Pictures of tasks for Label Studio: decoded, with marks drawn in, encoded again, and named by their content."""

from __future__ import annotations

from benchwright.canonical import digest
from benchwright.drawing.previews import preview
from benchwright.records import ItemImage

from ..workflow.image_files import ImageFiles

MAX_SIDE_PX = 4096
LOSSLESS_PX = 1_000_000


def picture_name(image: ItemImage) -> str:
    """Return a file name without suffix that is equal for equal pictures with equal marks."""
    marks = digest([prompt.model_dump(mode="json") for prompt in image.prompts])[:8] if image.prompts else "plain"
    return f"{image.image_id[:24]}-{marks}"


def picture_file(originals: ImageFiles, image: ItemImage) -> tuple[str, bytes]:
    """Return name and bytes of a picture with its marks.

    Raises:
        DataError: The image's file is gone or has changed.
        UnreadableImage: The image cannot be decoded any more.
    """
    made = preview(
        originals.data(image.image_id), max_side_px=MAX_SIDE_PX, lossless_up_to_px=LOSSLESS_PX, prompts=image.prompts
    )
    return picture_name(image) + (".png" if made.media_type == "image/png" else ".jpg"), made.data
