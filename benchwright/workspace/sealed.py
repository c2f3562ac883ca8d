"""JSON documents that contain their own digest, which reveals changes.

A document is a file or a line of a file. Documents of older versions have no digest and are not checked.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchwright.canonical import digest
from benchwright.errors import DamagedError
from benchwright.workspace.atomic import write_json

SEAL = "digest"
"""Key of the digest."""
_DIGITS = 64


def sealed(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document with the digest of its other keys added."""
    return {**document, SEAL: digest(document)}


def write_sealed(path: Path, document: Mapping[str, Any], *, tmp: Path | None = None) -> None:
    """Write a document with its digest atomically."""
    write_json(path, sealed(document), tmp=tmp)


def read_sealed(path: Path) -> dict[str, Any]:
    """Return a file's document without its digest, after checking it.

    Raises:
        DamagedError: The file is not a JSON object, or its digest does not match.
        OSError: The file cannot be read.
    """
    data = path.read_bytes()
    try:
        document = json.loads(data)
    except ValueError as error:
        raise DamagedError(path, f"is damaged: it is not JSON: {error}") from error
    if not isinstance(document, dict):
        raise DamagedError(path, "is damaged: it is not a JSON object")
    try:
        return unsealed(document)
    except ValueError as error:
        raise DamagedError(path, f"is damaged: {error}") from error


def unsealed(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document without its digest, after verifying the digest.

    Raises:
        ValueError: The digest does not match.
    """
    rest = {name: value for name, value in document.items() if name != SEAL}
    if SEAL in document:
        if (now := digest(rest)) != document[SEAL]:
            raise ValueError(f"its content has the digest {now[:12]}, but it states {str(document[SEAL])[:12]}")
    elif (name := _misspelt_seal(rest)) is not None:
        raise ValueError(f"it has a key {name!r} in place of {SEAL!r}")
    return rest


def is_sealed(path: Path) -> bool:
    """Return whether the document of a file has a digest."""
    try:
        return SEAL in json.loads(path.read_bytes())
    except ValueError:
        return False


def _misspelt_seal(document: Mapping[str, Any]) -> str | None:
    """Return the key, other than `SEAL`, whose value is the digest of the rest of the document; None without one."""
    for name, value in document.items():
        if isinstance(value, str) and len(value) == _DIGITS:
            rest = {key: value for key, value in document.items() if key != name}
            if digest(rest) == value:
                return name
    return None
