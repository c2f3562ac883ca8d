"""For scripts in the consumers' environment: the items that they read, printed as one line of JSON."""

from __future__ import annotations

import hashlib
import io
import json
from typing import Any

from PIL import Image


def fingerprint(picture: Any) -> str:
    """Return size and SHA-256 of a picture's pixels; the picture is bytes, a path or an open image."""
    if isinstance(picture, bytes):
        picture = io.BytesIO(picture)
    image = picture if isinstance(picture, Image.Image) else Image.open(picture)
    rgb = image.convert("RGB")
    return f"{rgb.width}x{rgb.height} {hashlib.sha256(rgb.tobytes()).hexdigest()}"


def print_json(value: Any) -> None:
    """Print a value as one line."""
    print(json.dumps(value))
