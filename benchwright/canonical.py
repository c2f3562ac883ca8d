"""Canonical JSON, and the SHA-256 digests made from it.

All ids, fingerprints and content hashes come from this module, so equal values have equal bytes on every machine,
locale and hash seed.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
"""Shared encoder, because `json.dumps` would create a new one for each call."""


def canonical_json(value: Any) -> str:
    """Return a value as canonical JSON: sorted keys, no white space, UTF-8 kept, shortest floats.

    Raises:
        ValueError: The value holds NaN or an infinity, which JSON cannot represent.
    """
    return _ENCODER.encode(value)


def digest(value: Any) -> str:
    """Return the SHA-256 of a value's canonical JSON as 64 hexadecimal digits."""
    return hashlib.sha256(canonical_json(value).encode("utf-8", "surrogatepass")).hexdigest()


def bytes_digest(data: bytes | memoryview) -> str:
    """Return the SHA-256 of bytes as 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, reading the file in pieces of 1 MiB."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
