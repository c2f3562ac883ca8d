"""Pictures and marks prepared for the browser, with a cache in memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from benchwright.canonical import digest
from benchwright.drawing import PromptError
from benchwright.drawing.previews import Preview, coarse_preview, detail, marks_preview, preview
from benchwright.errors import DataError, UnreadableImage
from benchwright.images.decode import decode_rgb, upright_size
from benchwright.images.formats import HEAD_BYTES, MEDIA_TYPES, sniff
from benchwright.records import ItemImage

from ...workflow.image_files import ImageFiles

MAX_SIDE_PX = 2048
"""Maximum side length of a sent picture: twice the space that one picture of a pair has on a large screen."""
_LOSSLESS_PX = 1_000_000
"""Maximum number of pixels in a picture sent as PNG, so that annotators can judge a seam or a single pixel."""
COARSE_PX = 640
"""Maximum side length of the coarse picture, which is shown until the full one has arrived over a slow line."""
TINY_PX = 40_000
"""Number of pixels up to which a picture arrives quickly over any line."""
DETAIL_PX = 512
"""Side length of a tile at a picture's full resolution."""
KEPT_BYTES = 96 << 20
_MOST_WAITING = 24
"""Maximum number of pictures that wait for preparation in the background."""
_MADE_AS = frozenset({"JPEG", "PNG", "WEBP"})
"""Formats in which steps write pictures."""


class ShownPictures:
    """The pictures of one workspace's tasks. Thread-safe.

    Args:
        workspace: Folder of the workspace that holds or references the images.
    """

    def __init__(self, workspace: Path) -> None:
        self._originals = ImageFiles(workspace)
        self._kept: OrderedDict[str, Preview] = OrderedDict()
        self._bytes = 0
        self._making: dict[str, Future[Preview]] = {}
        self._waiting = threading.BoundedSemaphore(_MOST_WAITING)
        self._background = ThreadPoolExecutor(1, thread_name_prefix="warm")
        self._decoded: tuple[str, NDArray[np.uint8]] | None = None
        self._sizes: dict[str, tuple[int, int]] = {}
        self._lock = threading.Lock()
        # One picture that an annotator waits for, and one in the background. More at once would only take memory.
        self._decoding_details = threading.Lock()
        self._decoding = threading.BoundedSemaphore(2)

    def picture(self, image: ItemImage) -> Preview:
        """Return an image, upright, without marks.

        Raises:
            DataError: The image's file is missing or has changed.
            UnreadableImage: The image can no longer be decoded.
        """
        return self._once(etag(image), lambda: self._picture(image.image_id))

    def coarse(self, image: ItemImage) -> Preview:
        """Return a coarse version of an image, upright, without marks.

        Raises:
            DataError: The image's file is missing or has changed.
            UnreadableImage: The image can no longer be decoded.
        """
        shown = self.picture(image)
        return self._once(etag(image, "coarse"), lambda: coarse_preview(shown, max_side_px=COARSE_PX))

    def marks(self, image: ItemImage) -> Preview:
        """Return the marks of an image as a transparent picture of the same size.

        Raises:
            DataError: The image's file is missing or has changed.
            UnreadableImage: The image can no longer be decoded.
            PromptError: The marks cannot be drawn on it.
        """
        full_wh = self.picture(image).full_wh
        return self._once(
            etag(image, "marks"),
            lambda: marks_preview(image.prompts, full_wh=full_wh, max_side_px=MAX_SIDE_PX),
        )

    def detail(self, image: ItemImage, *, column: int, row: int) -> Preview:
        """Return a tile of an image at full resolution, for zooming in beyond the resolution of the sent picture.

        The pixels of the last such image stay decoded, since the browser requests its other tiles next.

        Raises:
            DataError: The image's file is missing or has changed.
            UnreadableImage: The image can no longer be decoded.
            IndexError: The tile does not exist.
        """
        key = f"{image.image_id} {DETAIL_PX} {column} {row}"
        return self._once(key, lambda: self._detail(image.image_id, column=column, row=row))

    def _detail(self, image_id: str, *, column: int, row: int) -> Preview:
        with self._decoding_details:
            if self._decoded is None or self._decoded[0] != image_id:
                self._decoded = None  # frees its memory before the next one needs as much
                self._decoded = image_id, decode_rgb(self._originals.data(image_id))
            pixels = self._decoded[1]
        return detail(pixels, column=column, row=row, side_px=DETAIL_PX)

    def called(self, record_id: str, *, digits: int) -> str:
        """Return the path by which users know a picture, or the first digits of the id for any other record."""
        return self._originals.name(record_id) or record_id[:digits]

    def are_shown(self, images: Sequence[ItemImage]) -> bool:
        """Return whether all of these images and their marks can be shown, or were just shown."""
        try:
            for image in images:
                self.picture(image)
                if image.prompts:
                    self.marks(image)
        except (DataError, UnreadableImage, PromptError):
            return False
        return True

    def warm(self, images: Sequence[ItemImage]) -> None:
        """Prepare pictures and marks in the background, unless many are already waiting."""
        for image in images:
            if self._waiting.acquire(blocking=False):
                self._background.submit(self._make_ready, image)

    def _make_ready(self, image: ItemImage) -> None:
        # The route reports a picture that cannot be shown when a browser requests it.
        with suppress(DataError, UnreadableImage, PromptError):
            self.picture(image)
            if image.prompts:
                self.marks(image)
        self._waiting.release()

    def _picture(self, image_id: str) -> Preview:
        data = self._originals.data(image_id)
        form = sniff(data[:HEAD_BYTES])
        if form in _MADE_AS and self._originals.is_made(image_id):
            width, height = full = upright_size(data)
            if max(full) <= MAX_SIDE_PX:
                # A step of this package encoded it, so it holds only pixels.
                return Preview(data, MEDIA_TYPES[form], width, height, full)
        return preview(data, max_side_px=MAX_SIDE_PX, lossless_up_to_px=_LOSSLESS_PX)

    def size(self, image: ItemImage) -> tuple[int, int]:
        """Return the width and height of the upright image in pixels; (4, 3) if it can no longer be shown."""
        if image.image_id not in self._sizes:
            try:
                self._sizes[image.image_id] = upright_size(self._originals.data(image.image_id))
            except (DataError, UnreadableImage):
                return 4, 3
        return self._sizes[image.image_id]

    def _once(self, key: str, make: Callable[[], Preview], *, is_last_try: bool = False) -> Preview:
        """Return the cached preview under a key; wait if another thread is making the preview.

        The other thread may have begun while the file was missing, so a failure is retried once.
        """
        with self._lock:
            if (kept := self._get(key)) is not None:
                return kept
            promise = self._making.get(key)
            is_mine = promise is None
            if promise is None:
                promise = self._making[key] = Future()
        if is_mine:
            self._make(key, make, promise)
        try:
            return promise.result()
        except (DataError, UnreadableImage, PromptError, IndexError):
            if is_mine or is_last_try:
                raise
        return self._once(key, make, is_last_try=True)

    def _make(self, key: str, make: Callable[[], Preview], promise: Future[Preview]) -> None:
        try:
            with self._decoding:
                made = make()
        except BaseException as error:  # noqa: BLE001 - threads that wait for the same picture get it too
            with self._lock:
                del self._making[key]
            promise.set_exception(error)
            return
        with self._lock:
            del self._making[key]
            self._keep(key, made)
        promise.set_result(made)

    def _keep(self, key: str, made: Preview) -> None:
        self._kept[key] = made
        self._bytes += len(made.data)
        while self._bytes > KEPT_BYTES and len(self._kept) > 1:
            _, dropped = self._kept.popitem(last=False)
            self._bytes -= len(dropped.data)

    def _get(self, key: str) -> Preview | None:
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)


def etag(image: ItemImage, version: Literal["picture", "coarse", "marks"] = "picture") -> str:
    """Return an entity tag that changes whenever the picture, its coarse version, or its marks look different."""
    if version != "marks":
        return image.image_id if version == "picture" else f"{image.image_id}-{COARSE_PX}"
    return digest([image.image_id, MAX_SIDE_PX, [prompt.model_dump(mode="json") for prompt in image.prompts]])
