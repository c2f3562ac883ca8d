"""JSON documents that hold a digest of themselves, so that a changed one is not taken for what was written.

A document is a file or a line of one. Documents of programs that wrote no digest are read as they are.
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
    """Return a document with the digest of all else that it holds."""
    return {**document, SEAL: digest(document)}


def write_sealed(path: Path, document: Mapping[str, Any], *, tmp: Path | None = None) -> None:
    """Write a document with its digest at once."""
    write_json(path, sealed(document), tmp=tmp)


def read_sealed(path: Path) -> dict[str, Any]:
    """Return a document without its digest, once that was found right.

    Raises:
        DamagedError: It is no JSON object, or not what was written.
        OSError: It cannot be read.
    """
    data = path.read_bytes()
    try:
        document = json.loads(data)
    except ValueError as error:
        raise DamagedError(path, f"is damaged: it is no JSON: {error}") from error
    if not isinstance(document, dict):
        raise DamagedError(path, "is damaged: it holds no JSON object")
    try:
        return unsealed(document)
    except ValueError as error:
        raise DamagedError(path, f"is damaged: {error}") from error


def unsealed(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document without its digest, once that was found right.

    Raises:
        ValueError: It is not what was written.
    """
    rest = {name: value for name, value in document.items() if name != SEAL}
    if SEAL in document:
        if (now := digest(rest)) != document[SEAL]:
            raise ValueError(f"its content has the digest {now[:12]} and it states {str(document[SEAL])[:12]}")
    elif (name := _misspelt_seal(rest)) is not None:
        raise ValueError(f"it has a key {name!r} where {SEAL!r} was written")
    return rest


def is_sealed(path: Path) -> bool:
    """Return whether a document states its digest."""
    try:
        return SEAL in json.loads(path.read_bytes())
    except ValueError:
        return False


def _misspelt_seal(document: Mapping[str, Any]) -> str | None:
    """Return the key under which a document holds its own digest; a document without one holds no such value."""
    for name, value in document.items():
        if isinstance(value, str) and len(value) == _DIGITS:
            rest = {key: value for key, value in document.items() if key != name}
            if digest(rest) == value:
                return name
    return None
