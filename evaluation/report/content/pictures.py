"""Pictures of a page: each included once, reduced, as a data URI; marks are separate layers."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import NamedTuple

from benchwright.canonical import digest
from benchwright.drawing import PromptError
from benchwright.drawing.previews import Preview, kept_marks_preview, kept_preview
from benchwright.errors import UnreadableImage
from benchwright.records import ItemImage
from benchwright.workspace.item_cache import ItemCache


class PagePicture(NamedTuple):
    """Place of an item's picture among those of the page.

    Args:
        picture: Number of the picture; None where it cannot be shown.
        marks: Number of the layer with its marks; None without any.
        problem: Reason why something is not shown.
        width: Width of the reduced picture, in pixels.
        height: Height of the reduced picture, in pixels.
    """

    picture: int | None
    marks: int | None = None
    problem: str | None = None
    width: int = 0
    height: int = 0


class PagePictures:
    """Numbering of pictures, from 0; each picture is passed once to `keep`.

    Memory is one line per picture: `keep` decides what happens to the pictures themselves.
    """

    def __init__(self, keep: Callable[[str, tuple[int, int]], None], cache: ItemCache, *, max_side_px: int) -> None:
        """Keep a cache and `keep`, which is called with the data URI, width and height of each number in turn."""
        self._keep, self._cache = keep, cache
        self._max_side_px = max_side_px
        self._known: dict[str, PagePicture] = {}
        self._sizes: dict[str, tuple[int, int]] = {}
        self.count = 0

    def show(self, image: ItemImage, data: bytes) -> PagePicture:
        """Return the place of an item's picture, or the problem where it cannot be drawn."""
        shown = self._known.get(image.image_id)
        if shown is None:
            shown = self._known[image.image_id] = self._reduced(image.image_id, data)
        if shown.picture is None or not image.prompts:
            return shown
        key = digest([image.image_id, [prompt.model_dump(mode="json") for prompt in image.prompts]])
        layer = self._known.get(key)
        if layer is None:
            layer = self._known[key] = self._layer(image)
        return shown._replace(marks=layer.picture, problem=layer.problem)

    def _reduced(self, image_id: str, data: bytes) -> PagePicture:
        try:
            preview = kept_preview(self._cache, image_id, lambda: data, max_side_px=self._max_side_px)
        except UnreadableImage as error:
            return PagePicture(None, problem=f"This picture cannot be shown: {error}")
        self._sizes[image_id] = preview.full_wh
        return PagePicture(self._number(preview), width=preview.width, height=preview.height)

    def _layer(self, image: ItemImage) -> PagePicture:
        try:
            preview = kept_marks_preview(
                self._cache, image.prompts, full_wh=self._sizes[image.image_id], max_side_px=self._max_side_px
            )
        except PromptError as error:
            return PagePicture(None, problem=f"The marks of this picture cannot be drawn: {error}")
        return PagePicture(self._number(preview))

    def _number(self, preview: Preview) -> int:
        text = base64.b64encode(preview.data).decode("ascii")
        self._keep(f"data:{preview.media_type};base64,{text}", (preview.width, preview.height))
        self.count += 1
        return self.count - 1
