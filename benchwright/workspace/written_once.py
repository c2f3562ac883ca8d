"""Files and folders that a command writes once; repeating the command succeeds if they have the same content."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchwright.canonical import file_digest
from benchwright.errors import BenchwrightError

from .atomic import replacing
from .private_files import make_private_file

REPLACE = "give another name with --out, or replace a file with --force"
"""Advice, for commands with these options, if the path has other content."""


@contextmanager
def written_once(path: Path, *, otherwise: str, private: bool = False, force: bool = False) -> Iterator[Path]:
    """Yield a path for writing a new file or folder; existing content is kept and must be equal to the new content.

    A command that is killed after its last write, or run again, therefore succeeds, and replaces nothing unless
    requested.

    Args:
        path: The file or folder.
        otherwise: Advice for the message if the path has other content.
        private: Whether only the owner may read a new file, from the first byte.
        force: Whether to replace an existing file; never applies to a link or a folder.

    Raises:
        BenchwrightError: The path has other content.
        StorageError: The file cannot be written.
    """
    is_file = path.is_file() and not path.is_symlink()
    if not os.path.lexists(path) or (force and is_file):
        with replacing(path, private=private) as draft:
            yield draft
        return
    with tempfile.TemporaryDirectory() as folder:  # readable by its owner only
        draft = Path(folder) / path.name
        if private:
            make_private_file(draft)
        yield draft
        if differing_files(draft, path):
            raise BenchwrightError(f"{path} already exists with other content; {otherwise}")


def differing_files(new: Path, old: Path) -> list[str]:
    """Return the files, by path below each folder, whose bytes differ; a plain file has the path `.`.

    Links are not followed and are considered different from everything.
    """
    one, other = _digests(new), _digests(old)
    return sorted(name for name in {**one, **other} if not one.get(name) or one.get(name) != other.get(name))


def _digests(place: Path) -> dict[str, str]:
    """Return the SHA-256 of one file, or of each file below a folder by its path; the string is empty for a link."""
    if place.is_symlink() or not place.is_dir():
        return {".": file_digest(place) if place.is_file() and not place.is_symlink() else ""}
    paths = (path for path in place.rglob("*") if path.is_symlink() or not path.is_dir())
    return {
        path.relative_to(place).as_posix(): file_digest(path) if path.is_file() and not path.is_symlink() else ""
        for path in paths
    }
