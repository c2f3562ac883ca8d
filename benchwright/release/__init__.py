"""Releases: immutable folders that hold a benchmark, their writer, reader and verifier.

Names below load on first use, so that importing this package loads neither Arrow nor pydantic.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

_PUBLIC = {
    "Release": "format.reader",
    "ReleasedItem": "format.rows",
    "Verification": "verification.verify",
    "content_id_of": "format.identity",
    "drawn_pictures": "format.drawn",
    "verify_release": "verification.verify",
    "write_release": "writing.writer",
}

__all__ = [
    "Release", "ReleasedItem", "Verification", "content_id_of", "drawn_pictures", "verify_release", "write_release",
]  # fmt: skip

if TYPE_CHECKING:
    from benchwright.release.format.drawn import drawn_pictures
    from benchwright.release.format.identity import content_id_of
    from benchwright.release.format.reader import Release
    from benchwright.release.format.rows import ReleasedItem
    from benchwright.release.verification.verify import Verification, verify_release
    from benchwright.release.writing.writer import write_release


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return getattr(import_module(f"benchwright.release.{_PUBLIC[name]}"), name)
    raise AttributeError(f"module 'benchwright.release' has no attribute {name!r}")
