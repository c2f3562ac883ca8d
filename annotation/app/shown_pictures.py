"""Pictures and marks as the browser gets them, kept for a while so that nobody waits twice."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path

from benchwright.canonical import digest
from benchwright.errors import DataError, UnreadableImage
from benchwright.images import upright_size
from benchwright.previews import Preview, marks_preview, preview
from benchwright.records import ItemImage

from ..originals import Originals

MAX_SIDE_PX = 2048
"""Longest side that is sent: twice what a large screen gives one picture of a pair."""
LOSSLESS_PX = 1_000_000
"""Pictures of up to so many pixels are sent as PNG, so that a seam or a single pixel can be judged."""
KEPT_BYTES = 96 << 20
_PNG = b"\x89PNG\r\n\x1a\n"


class ShownPictures:
    """The pictures of one workspace's tasks. For many threads; each picture is decoded by one at a time.

    Args:
        workspace: Holds or references the images.
    """

    def __init__(self, workspace: Path) -> None:
        self._originals = Originals(workspace)
        self._kept: OrderedDict[str, Preview] = OrderedDict()
        self._bytes = 0
        self._sizes: dict[str, tuple[int, int]] = {}
        self._lock = threading.Lock()
        # One decoder at a time: two 100-megapixel images at once would be a gigabyte.
        self._decoding = threading.Lock()

    def picture(self, image: ItemImage) -> Preview:
        """Return an image, upright, without marks.

        Raises:
            DataError: Its file is gone or has changed.
            UnreadableImage: It cannot be decoded any more.
        """
        return self._once(etag(image, marks=False), lambda: self._picture(image.image_id))

    def marks(self, image: ItemImage) -> Preview:
        """Return the marks of an image as a transparent picture of the same size.

        Raises:
            DataError: Its file is gone or has changed.
            UnreadableImage: It cannot be decoded any more.
            PromptError: The marks cannot be drawn on it.
        """
        full_wh = self.picture(image).full_wh
        return self._once(
            etag(image, marks=True),
            lambda: marks_preview(image.prompts, full_wh=full_wh, max_side_px=MAX_SIDE_PX),
        )

    def _picture(self, image_id: str) -> Preview:
        data = self._originals.data(image_id)
        if self._originals.is_made(image_id) and data.startswith(_PNG):
            width, height = full = upright_size(data)
            if max(full) <= MAX_SIDE_PX:
                # A step of ours encoded it: there is nothing in it but pixels.
                return Preview(data, "image/png", width, height, full)
        return preview(data, max_side_px=MAX_SIDE_PX, lossless_up_to_px=LOSSLESS_PX)

    def size(self, image: ItemImage) -> tuple[int, int]:
        """Return width and height of the upright image in pixels; 4 by 3 where it cannot be shown any more."""
        if image.image_id not in self._sizes:
            try:
                self._sizes[image.image_id] = upright_size(self._originals.data(image.image_id))
            except (DataError, UnreadableImage):
                return 4, 3
        return self._sizes[image.image_id]

    def _once(self, key: str, make: Callable[[], Preview]) -> Preview:
        if (found := self._get(key)) is not None:
            return found
        with self._decoding:
            if (found := self._get(key)) is not None:
                return found
            made = make()
        with self._lock:
            self._kept[key] = made
            self._bytes += len(made.data)
            while self._bytes > KEPT_BYTES and len(self._kept) > 1:
                _, dropped = self._kept.popitem(last=False)
                self._bytes -= len(dropped.data)
        return made

    def _get(self, key: str) -> Preview | None:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)


def etag(image: ItemImage, *, marks: bool) -> str:
    """Return a name of what is shown that changes when it does."""
    if not marks:
        return image.image_id
    return digest([image.image_id, MAX_SIDE_PX, [prompt.model_dump(mode="json") for prompt in image.prompts]])
