"""Pictures as they are sent: upright and with their marks drawn, each prepared only once.

Pixels are unchanged and pictures are not resized unless the user limits the size of pictures (`picture_limits.py`).
Only endpoints known to read WebP receive it; all others receive PNG with the same pixels. llama.cpp decodes with
`stb_image`, which lacks WebP: it refuses such a picture or answers without seeing it. LM Studio refuses WebP, and
Ollama promises JPEG and PNG.
"""

from __future__ import annotations

import base64
import json
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from benchwright.canonical import bytes_digest, canonical_json, digest
from benchwright.drawing.model_pictures import (
    DRAWING_VERSION,
    EXTENSIONS,
    ModelPicture,
    drawn_picture,
    released_picture,
    stored_picture,
)
from benchwright.errors import DataError
from benchwright.images.banded_png import VERSION as BANDED_VERSION
from benchwright.images.decode import decode_rgb, encode_png
from benchwright.models.endpoints.chat_request import RequestPicture
from benchwright.workspace.atomic import write_bytes
from benchwright.workspace.item_cache import ItemCache

from ..prompting.question import QuestionImage
from ..prompting.scaled_pictures import SCALED
from .picture_limits import VERSION as SHRINKING_VERSION
from .picture_limits import PictureLimits, shrunk

_CACHE_BYTES = 256 * 1024**2
_WEBP = "image/webp"
_PNG_VERSION = 1
"""Version to raise when a picture may give a different PNG file than before."""


@dataclass(frozen=True)
class SentPicture:
    """A picture that is ready to be sent.

    Args:
        sha256: Digest of `data`, the exact bytes that the model's side decodes.
        media_type: `image/png`, `image/jpeg` or `image/webp`.
        image_id: Id of the release's picture from which it was made.
        how: `stored` (the file's own bytes, without metadata), `encoded` (because decoders differ on the file), `drawn`
            (with marks) or `shrunk` (to limits, including marks).
        size_bytes: Size of `data` in bytes.
        make: Function that returns `data`; called only if the picture is sent.
    """

    sha256: str
    media_type: str
    width: int
    height: int
    image_id: str
    how: str
    size_bytes: int
    make: Callable[[], bytes] = field(repr=False, compare=False)

    @cached_property
    def data(self) -> bytes:
        """The bytes of the file.

        Raises:
            DataError: The data no longer matches its SHA-256.
        """
        data = self.make()
        if bytes_digest(data) != self.sha256:
            raise DataError(
                f"image {self.image_id} is encoded differently than before; delete cache/items.sqlite in the workspace"
            )
        return data

    def data_url(self) -> bytes:
        """Return the file as a data URL, which is not cached because making it takes less time than sending it."""
        return f"data:{self.media_type};base64,".encode() + base64.b64encode(self.data)

    def in_request(self, image_urls: str | None) -> RequestPicture:
        """Return the picture for a request: the picture itself if `image_urls` is None, otherwise its URL below that
        base URL.
        """
        if image_urls is None:
            return RequestPicture(self.sha256, self.data_url)
        address = json.dumps(f"{image_urls}/{self.file_name}")[1:-1].encode("ascii")
        return RequestPicture(self.sha256, lambda: address)

    @property
    def file_name(self) -> str:
        """File name under which the picture is fetched."""
        return f"{self.sha256}.{EXTENSIONS[self.media_type]}"

    def record(self) -> dict[str, Any]:
        """Return the facts about the picture that are logged."""
        return {
            "sha256": self.sha256,
            "media_type": self.media_type,
            "width": self.width,
            "height": self.height,
            "size_bytes": self.size_bytes,
            "image_id": self.image_id,
            "how": self.how,
        }


class SentPictures:
    """Prepared pictures in a bounded cache that drops the least recently used first. Not thread-safe.

    Args:
        limits: Limits beyond which pictures are shrunk.
        reads_webp: Whether the receiver is known to read WebP.
        cache_bytes: Largest total size of cached files, in bytes.

    Attributes:
        limits: Current limits, which become stricter when an endpoint refuses a picture.
        made: Number of pictures prepared.
        item_cache: Cache for the hash and size of drawn or encoded pictures, with which a request that an earlier run
            answered is found without drawing again.
    """

    def __init__(
        self, limits: PictureLimits | None = None, *, reads_webp: bool = True, cache_bytes: int = _CACHE_BYTES
    ) -> None:
        self.made, self._reads_webp = 0, reads_webp
        self.limits = limits or PictureLimits()
        self.item_cache = ItemCache(None)
        self._cache_bytes, self._used = cache_bytes, 0
        self._kept: OrderedDict[tuple[str, PictureLimits], SentPicture] = OrderedDict()

    def of(self, picture: QuestionImage) -> SentPicture:
        """Return a picture in the form in which it is sent.

        Raises:
            BenchwrightError: The picture cannot be decoded, or its marks cannot be drawn.
        """
        marks = [mark.model_dump(mode="json") for mark in picture.prompts]
        seen = None if picture.drawn is None else bytes_digest(picture.drawn)
        limits = self.limits
        key = (seen or (digest([picture.image_id, marks]) if marks else picture.image_id), limits)
        if (known := self._kept.get(key)) is not None:
            self._kept.move_to_end(key)
            return known
        self.made += 1
        ready = _ready(picture, marks, self.item_cache)
        if ready.media_type == _WEBP and not self._reads_webp:
            ready = _as_png(ready, self.item_cache)
        ready = _within(ready, limits, self.item_cache)
        self._kept[key] = ready
        self._used += _size(ready)
        while self._used > self._cache_bytes and len(self._kept) > 1:
            _, oldest = self._kept.popitem(last=False)
            self._used -= _size(oldest)
        return ready


def store(picture: SentPicture, folder: Path) -> None:
    """Write a picture to a folder, named after its hash, unless the file exists."""
    path = folder / picture.file_name
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        write_bytes(path, picture.data, tmp=folder)


def _as_png(ready: SentPicture, item_cache: ItemCache) -> SentPicture:
    """Return a picture as PNG with identical pixels.

    Raises:
        DataError: The picture cannot be decoded.
    """
    made: list[bytes] = []

    def facts() -> bytes:
        made.append(encode_png(decode_rgb(ready.data)))
        return canonical_json([bytes_digest(made[0]), len(made[0])]).encode("ascii")

    sha256, size_bytes = json.loads(item_cache.get_or_make(f"as png {_PNG_VERSION}", [ready.sha256], facts))

    def data() -> bytes:
        return made[0] if made else encode_png(decode_rgb(ready.data))

    how = "encoded" if ready.how == "stored" else ready.how
    return SentPicture(sha256, "image/png", ready.width, ready.height, ready.image_id, how, size_bytes, data)


def _within(ready: SentPicture, limits: PictureLimits, item_cache: ItemCache) -> SentPicture:
    """Return a picture within limits, unchanged or shrunk.

    Raises:
        DataError: The picture cannot be made small enough.
    """
    if not limits.exceeded_by(ready.width, ready.height, ready.size_bytes):
        return ready
    made: list[bytes] = []

    def facts() -> bytes:
        small = shrunk(ready.data, ready.media_type, limits)
        made.append(small.data)
        values = [bytes_digest(small.data), small.media_type, small.width, small.height, len(small.data)]
        return canonical_json(values).encode("ascii")

    kept = item_cache.get_or_make(f"shrunk {SHRINKING_VERSION}", [ready.sha256, *limits], facts)
    sha256, media_type, width, height, size_bytes = json.loads(kept)

    def data() -> bytes:
        return made[0] if made else shrunk(ready.data, ready.media_type, limits).data

    return SentPicture(sha256, media_type, width, height, ready.image_id, "shrunk", size_bytes, data)


def _ready(picture: QuestionImage, marks: list[Any], item_cache: ItemCache) -> SentPicture:
    if picture.drawn is not None:
        stored: ModelPicture | None = released_picture(picture.drawn, picture.prompts)
    else:
        stored = None if marks else stored_picture(picture.data)
    if stored is not None:
        data = stored.data
        sha256 = picture.image_id if data is picture.data else bytes_digest(data)
        size_wh = (stored.width, stored.height)
        return SentPicture(sha256, stored.media_type, *size_wh, picture.image_id, stored.how, len(data), lambda: data)
    drawn: list[bytes] = []

    def facts() -> bytes:
        data, width, height = _drawn(picture)
        drawn.append(data)
        return canonical_json([bytes_digest(data), width, height, len(data)]).encode("ascii")

    kind = f"sent {DRAWING_VERSION}" + (f" banded {BANDED_VERSION}" if picture.is_scaled else "")
    kept = item_cache.get_or_make(kind, [picture.image_id, marks], facts)
    sha256, width, height, size_bytes = json.loads(kept)
    make = (lambda: drawn[0]) if drawn else partial(_data, picture)
    how = "drawn" if marks else "encoded"
    return SentPicture(sha256, "image/png", width, height, picture.image_id, how, size_bytes, make)


def _drawn(picture: QuestionImage) -> tuple[bytes, int, int]:
    """Return a picture with its marks drawn, as a PNG file, together with its width and height."""
    drawn = SCALED.with_marks(picture) if picture.is_scaled else drawn_picture(picture.data, picture.prompts)
    return drawn.data, drawn.width, drawn.height


def _data(picture: QuestionImage) -> bytes:
    return _drawn(picture)[0]


def _size(picture: SentPicture) -> int:
    return picture.size_bytes
