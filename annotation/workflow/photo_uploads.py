"""Uploaded photographs, which are untrusted until decoded and which are stored only as re-encoded pixels.

The workspace receives only the upright pixels of an uploaded file: no metadata, no location, no bytes after the
picture. The new file is named by its own hash, so that no file is ever overwritten.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import NamedTuple

from benchwright.errors import UnreadableImage
from benchwright.images.formats.walking import Limits
from benchwright.workspace.objects import ObjectStore
from benchwright.workspace.photographs import collected_photographs

from ..forms.fields.field_types import PhotographField
from ..store.database.records import RefusedError

_ONE_AT_A_TIME = threading.BoundedSemaphore(1)
"""Lock that lets only one photograph be processed at a time, since one with 24 million pixels takes about 200 MB."""


class StoredPhotograph(NamedTuple):
    """A stored photograph: the SHA-256 of its new file, and its size in pixels."""

    image_id: str
    width: int
    height: int


def take_in_photograph(root: Path, data: bytes, field: PhotographField) -> StoredPhotograph:
    """Decode a photograph, re-encode it, and store the result in a workspace.

    Args:
        root: Folder of the workspace.
        data: Bytes of the uploaded file.
        field: Field of the form, with the limits on a photograph.

    Raises:
        RefusedError: The photograph is too large or too small, or cannot be decoded; the message gives the reason.
    """
    from benchwright.images.decode import decode_rgb, encode_png

    if len(data) > field.max_bytes:
        raise RefusedError(f"the file has {len(data):,} bytes; at most {field.max_bytes:,} are allowed")
    limits = Limits(max_pixels=field.max_pixels, max_bytes=field.max_bytes)
    with _ONE_AT_A_TIME:
        try:
            pixels = decode_rgb(data, limits=limits)
        except UnreadableImage as error:
            raise RefusedError(f"this photograph cannot be accepted ({error.reason}): {error.detail}") from None
        height, width = pixels.shape[:2]
        if min(width, height) < field.min_side_px:
            raise RefusedError(f"{width} x {height} pixels; both sides must have at least {field.min_side_px}")
        store = collected_photographs(root)
        (store.root / "tmp").mkdir(parents=True, exist_ok=True)
        return StoredPhotograph(_stored_id(store, encode_png(pixels)), width, height)


def _stored_id(store: ObjectStore, data: bytes) -> str:
    """Store a file and return its SHA-256; if the file is already stored, only update its modification time."""
    image_id = store.put(data)
    try:
        os.utime(store.path(image_id))  # `gc` uses the time of the last upload
    except FileNotFoundError:  # `gc` removed the old copy at this moment
        store.put(data)
    return image_id
