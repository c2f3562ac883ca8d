"""The pictures of a release's items with drawn marks, as evaluation shows them to models.

A release keeps marks as vectors in the column `visual_prompts`. Since version 2 of the format, the column `images`
contains the pictures with drawn marks, and `unmarked` those without marks. This module redraws the marks for callers
that need another drawing or read a release of version 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from benchwright.canonical import bytes_digest
from benchwright.errors import DataError
from benchwright.records import Item, VisualPrompt
from benchwright.release.format import documents
from benchwright.release.format.files import shown
from benchwright.texts.normalization import counted

if TYPE_CHECKING:
    from PIL import Image

    from benchwright.images.pixels import Pixels
    from benchwright.release.format.rows import ReleasedItem

_NEEDED = ("images", "image_ids", "visual_prompts")
_AS_FILES = "datasets.List(datasets.Image(decode=False))"
_MARKS = TypeAdapter(tuple[tuple[VisualPrompt, ...], ...])


def has_marks(item: Item) -> bool:
    """Return whether an item has a mark on any of its pictures."""
    return any(image.prompts for image in item.images)


def drawn_pictures(row: Mapping[str, Any] | ReleasedItem) -> list[Image.Image]:
    """Return the pictures of one item in display order: upright, RGB, with their marks.

    Files are decoded as in evaluation, so the pixels are those sent to a model behind an endpoint. The exception is a
    drawing that the column `images` stores as JPEG: models get that file, which shows the same content. A picture
    decoded by `datasets` is accepted only if its pixels do not depend on the decoder: opaque, with 8 bits, and
    unchanged since it was read from the file.

    Args:
        row: Row of `datasets.load_dataset`, its images as files (`Image(decode=False)`) or decoded; or an item of
            `Release.items()`.

    Raises:
        DataError: The row lacks a column, its marks belong to other pictures, or a picture cannot be decoded.
    """
    from PIL import Image

    from benchwright.drawing import PromptError, draw_prompts

    images, image_ids, marks, title = _parts(row)
    pictures = []
    for number, (image, image_id, prompts) in enumerate(zip(images, image_ids, marks, strict=True), start=1):
        pixels = _pixels(image, image_id, f"{title}, image {number}")
        try:
            pictures.append(Image.fromarray(draw_prompts(pixels, prompts) if prompts else pixels))
        except PromptError as error:
            raise DataError(f"{title}, image {number}: its marks cannot be drawn: {error}") from error
    return pictures


_Parts = tuple[Sequence[Any], Sequence[str], Sequence[tuple[VisualPrompt, ...]], str]


def _parts(row: Mapping[str, Any] | ReleasedItem) -> _Parts:
    """Return the images, their ids and marks, and the item's name for messages."""
    if not isinstance(row, Mapping):
        item = row.item
        ids = [image.image_id for image in item.images]
        return [row.images[i] for i in ids], ids, [image.prompts for image in item.images], f"item {item.item_id}"
    if missing := [name for name in _NEEDED if name not in row]:
        raise DataError(f"the row has no column {missing[0]!r}; keep the columns {', '.join(_NEEDED)} to draw marks")
    if not isinstance(row["visual_prompts"], str):
        raise DataError("visual_prompts is not text; give one row, such as benchmark['test'][0], not several at once")
    title = f"item {shown(str(row.get('item_id', '(unnamed)')))}"
    try:
        marks = _MARKS.validate_python(documents.parse(row["visual_prompts"], title=f"{title}: visual_prompts"))
    except ValidationError as error:
        raise DataError(f"{title}: visual_prompts is not a list of marks for each image") from error
    clean = row.get("unmarked") or [None] * len(row["images"])
    if not len(row["images"]) == len(clean) == len(row["image_ids"]) == len(marks):
        raise DataError(
            f"{title}: {counted(len(row['images']), 'image')}, {len(clean)} unmarked, {len(row['image_ids'])} "
            f"image_ids and marks for {len(marks)}; keep all of a row's images, in their order"
        )
    images = [seen if unmarked is None else unmarked for seen, unmarked in zip(row["images"], clean, strict=True)]
    return images, row["image_ids"], marks, title


def _pixels(image: Any, image_id: str, title: str) -> Pixels:
    from PIL import Image

    from benchwright.images.decode import decode_rgb

    if isinstance(image, Image.Image):
        return _decoded(image, title)
    data = image.get("bytes") if isinstance(image, Mapping) else image
    if isinstance(image, Mapping) and "bytes" in image and data is None:
        raise DataError(
            f"{title} is not in the release, which states only its address; `benchwright release fetch` downloads it, "
            "and `Release.items` then includes it"
        )
    if not isinstance(data, bytes):
        raise DataError(
            f"{title} is {type(image).__name__} without a file's bytes; cast the column: "
            f'benchmark.cast_column("images", {_AS_FILES}), and "unmarked" if the row has it'
        )
    if bytes_digest(data) != image_id:
        raise DataError(f"{title}: its bytes do not match image_id {image_id}, to which the marks belong")
    return decode_rgb(data)


def _decoded(image: Image.Image, title: str) -> Pixels:
    """Return the pixels of a picture decoded by another library, if they are certain to equal those of `decode_rgb`."""
    import numpy as np

    doubts = {
        "was turned or changed after it was decoded": image.format is None,
        "has transparency": image.mode in {"LA", "La", "PA", "RGBA", "RGBa"} or "transparency" in image.info,
        f"has pixels of the mode {image.mode}": image.mode not in {"RGB", "L", "1", "P", "CMYK", "YCbCr"},
    }
    if doubt := next((words for words, holds in doubts.items() if holds), None):
        raise DataError(
            f"{title} {doubt}, so its pixels may differ from those that models get; draw it from its file: "
            f'benchmark.cast_column("images", {_AS_FILES}), and "unmarked" if the row has it'
        )
    return np.array(image.convert("RGB"))
