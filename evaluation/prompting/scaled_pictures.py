"""Pictures scaled by a protocol, each decoded and scaled only once for all conditions of a study."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from benchwright.canonical import bytes_digest
from benchwright.drawing.model_pictures import ModelPicture
from benchwright.images.banded_png import BandedPng

if TYPE_CHECKING:
    from benchwright.drawing.painting import Pixels

    from .question import QuestionImage

_MOST_BYTES = 256 * 1024**2


class ScaledPicture(NamedTuple):
    """A picture scaled to a different height.

    Args:
        image_id: SHA-256 of `data`.
        data: Bytes of its PNG file.
        pixels: Its pixels, shape (height, width, 3), RGB, read-only.
        factors: Ratios of its width and height to those of the original picture.
    """

    image_id: str
    data: bytes
    pixels: Pixels
    factors: tuple[float, float]


class ScaledPictures:
    """Scaled pictures in a bounded cache that drops the least recently used first. Thread-safe.

    Attributes:
        made: Number of scaled pictures.
        drawn: Number of pictures with marks drawn.
    """

    def __init__(self, *, most_bytes: int = _MOST_BYTES) -> None:
        self.made = self.drawn = 0
        self._most_bytes, self._used = most_bytes, 0
        self._kept: OrderedDict[tuple[str, int], ScaledPicture] = OrderedDict()
        self._by_id: dict[str, ScaledPicture] = {}
        self._png, self._lock = BandedPng(), Lock()

    def of(self, picture: QuestionImage, height_px: int) -> ScaledPicture:
        """Return a picture, without its marks, scaled to another height.

        Raises:
            UnreadableImage: The picture cannot be decoded.
        """
        with self._lock:
            key = picture.image_id, height_px
            if (known := self._kept.get(key)) is not None:
                self._kept.move_to_end(key)
                return known
            made = self._scaled(picture.data, height_px)
            self.made += 1
            self._kept[key] = self._by_id[made.image_id] = made
            self._used += _size(made)
            while self._used > self._most_bytes and len(self._kept) > 1:
                _, oldest = self._kept.popitem(last=False)
                self._by_id.pop(oldest.image_id, None)
                self._used -= _size(oldest)
            return made

    def with_marks(self, picture: QuestionImage) -> ModelPicture:
        """Return a scaled picture with its marks drawn.

        Raises:
            PromptError: A mark cannot be drawn.
        """
        from benchwright.drawing import draw_prompts
        from benchwright.images.decode import decode_rgb

        with self._lock:
            kept = self._by_id.get(picture.image_id)
            pixels = decode_rgb(picture.data) if kept is None else kept.pixels
            self.drawn += 1
            data = self._png.encode(draw_prompts(pixels, picture.prompts))
        height, width = pixels.shape[:2]
        return ModelPicture(data, "image/png", width, height, "drawn")

    def _scaled(self, data: bytes, height_px: int) -> ScaledPicture:
        import numpy as np
        from PIL import Image

        from benchwright.images.decode import decode_rgb

        pixels = decode_rgb(data)
        height, width = pixels.shape[:2]
        size_wh = (max(1, round(width * height_px / height)), height_px)
        scaled = np.asarray(Image.fromarray(pixels).resize(size_wh, Image.Resampling.LANCZOS))
        file = self._png.encode(scaled)
        return ScaledPicture(bytes_digest(file), file, scaled, (size_wh[0] / width, size_wh[1] / height))


SCALED = ScaledPictures()
"""Scaled pictures of this process, shared because the conditions of a study are separate runs on the same pictures."""


def _size(picture: ScaledPicture) -> int:
    return len(picture.data) + int(picture.pixels.nbytes)
