"""Models behind endpoints that edit pictures: a `Painter` based on `models/endpoints/image_edits.py`.

Such a model supports few sizes, so a picture is scaled into the size that fits best, and its mirror image fills the
rest. The model redraws the whole picture regardless of the mask; `alignment.py` corrects for that.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from pydantic import Field

from benchwright.canonical import bytes_digest
from benchwright.errors import RequestFailed, UnreadableImage
from benchwright.images.decode import decode_rgb, encode_png
from benchwright.models.endpoints.image_edits import ImageEditor, ImageEditSettings

from ...item_parts.cutting_out import Mask
from ..masks.base import Pixels
from .alignment import aligned
from .base import UNSAFE, Edit, Painted, Unpainted
from .windows import scaled

if TYPE_CHECKING:
    from benchwright.models.endpoints.reply_store import ReplyStore

    from ...item_parts.idea import Idea

_CHANGED = "changed_outside"
_ASPECTS_DIFFER_BY = 0.02
"""Smallest relative difference between aspect ratios at which a returned picture counts as a different one."""


class EndpointEditing(ImageEditSettings):
    """The model behind an endpoint that edits pictures: the settings of `ImageEditSettings`, and two more.

    Args:
        max_moved: Largest distance, as a fraction of the longer side, by which the model may move the area outside a
            mask; the move is reversed. Beyond it the idea is `changed_outside`.
        max_changed: Largest mean difference, 0-1 of full scale, that may then remain outside the mask before the
            photograph replaces that area. Beyond it the model drew another scene, and the idea is `changed_outside`.
    """

    max_moved: float = Field(0.06, ge=0, le=0.5)
    max_changed: float = Field(0.04, gt=0, le=1)

    def deciding(self) -> dict[str, Any]:
        """Return the settings that determine pictures, as JSON values."""
        return super().deciding() | {"max_moved": self.max_moved, "max_changed": self.max_changed}


class _ModelFrame(NamedTuple):
    """A size that the model makes, and the size of the picture in its top left corner."""

    size_wh: tuple[int, int]
    picture_wh: tuple[int, int]

    @property
    def filled(self) -> float:
        """Return the fraction of the size that the picture fills."""
        (width, height), (own_width, own_height) = self.size_wh, self.picture_wh
        return own_width * own_height / (width * height)


class EndpointEdits:
    """A model behind an endpoint (a `Painter`).

    Args:
        settings: The model and its request settings.
        replies: Store of replies in the workspace; None stores no replies.

    Raises:
        PrerequisiteError: A required key's environment variable is not set.
    """

    editor = "endpoint"

    def __init__(self, settings: EndpointEditing, replies: ReplyStore | None) -> None:
        self._settings = settings
        self._editor = ImageEditor(settings, replies=replies)
        self._pool = ThreadPoolExecutor(settings.concurrency)
        self.made_with: Mapping[str, Any] = {"endpoint": settings.deciding()}

    def prompt_of(self, idea: Idea) -> str:
        """Return the model's prompt: the change and the content of the whole picture after it."""
        words = f"{idea.instruction.strip().rstrip('.')}. "
        if idea.way == "direct":
            return words.strip()
        kept = "the person or thing in front" if idea.way == "background" else "everything else"
        return f"{words}Leave {kept} as it is. The picture then shows: {idea.manipulated_caption}"

    def size_for(self, size_wh: tuple[int, int]) -> tuple[int, int]:
        """Return the size at which the model receives a picture, without the mirrored padding."""
        return self._frame(size_wh).picture_wh

    def _frame(self, size_wh: tuple[int, int]) -> _ModelFrame:
        """Return the model's size that a picture fills most; among equals, the one with the least scaling."""
        frames = [_fitted(size_wh, own) for own in self._settings.sizes_wh]
        longest = max(size_wh)
        return max(frames, key=lambda frame: (round(frame.filled, 3), -abs(max(frame.picture_wh) - longest)))

    def _frame_around(self, picture_wh: tuple[int, int]) -> _ModelFrame:
        """Return the model's size that a picture of a size from `size_for` fills most, without scaling it again."""
        width, height = picture_wh
        around = [own for own in self._settings.sizes_wh if own[0] >= width and own[1] >= height]
        return max((_ModelFrame(own, picture_wh) for own in around), key=lambda frame: frame.filled)

    def painting(self, edits: Sequence[Edit]) -> Iterator[tuple[int, Painted | Unpainted]]:
        """Yield the index of each edit with its picture or the reason for none; several requests run at a time."""
        yield from enumerate(self._pool.map(self._one, edits))

    def _one(self, edit: Edit) -> Painted | Unpainted:
        height, width = edit.pixels.shape[:2]
        frame = self._frame_around((width, height))
        picture = encode_png(_filled_up(edit.pixels, frame.size_wh))
        mask = None if edit.mask is None or not self._settings.takes_mask else _mask_file(edit.mask, frame.size_wh)
        size = f"{frame.size_wh[0]}x{frame.size_wh[1]}"
        try:
            data = self._editor.edit(picture, mask, edit.prompt, size=size, seed=edit.seed)
            edited = decode_rgb(data)
        except RequestFailed as error:
            return Unpainted(UNSAFE if error.reason == "filtered" else f"endpoint_{error.reason}", error.detail)
        except UnreadableImage as error:
            return Unpainted("endpoint_unusable_reply", f"the picture cannot be read: {error.reason}: {error.detail}")
        drawn = _cut_back(edited, frame)
        return drawn if isinstance(drawn, Unpainted) else self._in_place(edit, drawn, bytes_digest(data))

    def _in_place(self, edit: Edit, drawn: Pixels, sha256: str) -> Painted | Unpainted:
        """Return the drawing aligned with the picture, or the reason why not if the scene around the mask differs."""
        if edit.mask is None:
            return Painted(drawn, {"reply_sha256": sha256})
        placed = aligned(edit.pixels, drawn, edit.mask)
        if placed.moved > self._settings.max_moved or (placed.changed or 0.0) > self._settings.max_changed:
            changed = (
                "an unknown difference" if placed.changed is None else f"a mean difference of {placed.changed:.3f}"
            )
            return Unpainted(_CHANGED, f"moved by {placed.moved:.3f} of the longer side, with {changed} left")
        return Painted(placed.pixels, {"reply_sha256": sha256, "aligned": placed.facts()})


def _fitted(size_wh: tuple[int, int], own_wh: tuple[int, int]) -> _ModelFrame:
    scale = min(own_wh[0] / size_wh[0], own_wh[1] / size_wh[1])
    width, height = (max(1, min(own, round(side * scale))) for side, own in zip(size_wh, own_wh, strict=True))
    return _ModelFrame(own_wh, (width, height))


def _filled_up(pixels: Pixels, size_wh: tuple[int, int]) -> Pixels:
    """Return a picture with its mirror image to its right and below it, up to a size."""
    import cv2

    height, width = pixels.shape[:2]
    below, right = size_wh[1] - height, size_wh[0] - width
    if not below and not right:
        return pixels
    filled = cv2.copyMakeBorder(np.array(pixels), 0, below, 0, right, cv2.BORDER_REFLECT)
    return np.asarray(filled, np.uint8)


def _mask_file(mask: Mask, size_wh: tuple[int, int]) -> bytes:
    """Return a mask as a PNG whose pixels are transparent where the picture may change."""
    from PIL import Image

    rgba = np.full((size_wh[1], size_wh[0], 4), 255, np.uint8)
    rgba[: mask.shape[0], : mask.shape[1], 3][mask] = 0
    handle = io.BytesIO()
    Image.fromarray(rgba, "RGBA").save(handle, "PNG")
    return handle.getvalue()


def _cut_back(edited: Pixels, frame: _ModelFrame) -> Pixels | Unpainted:
    """Return the picture without the mirrored filling; a reply with another aspect ratio is `Unpainted`."""
    (width, height), (own_width, own_height) = frame.size_wh, edited.shape[1::-1]
    if abs(own_width * height / (own_height * width) - 1) > _ASPECTS_DIFFER_BY:
        wanted, got = f"{width} x {height}", f"{own_width} x {own_height}"
        return Unpainted("endpoint_unusable_reply", f"asked for {wanted} pixels, and got {got}; correct `sizes`")
    whole = scaled(edited, frame.size_wh)
    return np.ascontiguousarray(whole[: frame.picture_wh[1], : frame.picture_wh[0]])
