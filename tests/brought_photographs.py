"""Photographs as people upload them: with metadata, and anything else that a file may carry."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from PIL import Image


def jpeg(width: int = 320, height: int = 240, *, seed: int = 1, **saving: Any) -> bytes:
    """Return a photograph with its place in the metadata and extra bytes after its end."""
    shades = np.random.default_rng(seed).integers(0, 255, (height // 8, width // 8, 3), dtype=np.uint8)
    exif = Image.Exif()
    exif[0x010E] = "secret place"
    handle = io.BytesIO()
    image = Image.fromarray(shades).resize((width, height))
    image.save(handle, "JPEG", **{"exif": exif, "comment": b"secret comment", **saving})
    return handle.getvalue()
