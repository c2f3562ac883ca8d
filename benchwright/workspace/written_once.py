"""Files and folders that a command writes once: given again, it is done where they hold what it would write."""

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
"""What to do where something else is there, for commands with these options."""


@contextmanager
def written_once(path: Path, *, otherwise: str, private: bool = False, force: bool = False) -> Iterator[Path]:
    """Yield a path to write a new file or folder to; what is there already stays, and must be equal.

    So a command that was killed after its last write, or is given again, ends well, and nothing is replaced unasked.

    Args:
        path: The file or folder.
        otherwise: What to do where something else is there, for the message.
        private: Whether only the owner may read a new file, from the first byte.
        force: Whether a file that is there is replaced; a link or a folder never is.

    Raises:
        BenchwrightError: Something else is there.
        StorageError: The file cannot be written.
    """
    is_file = path.is_file() and not path.is_symlink()
    if not os.path.lexists(path) or (force and is_file):
        with replacing(path, private=private) as draft:
            yield draft
        return
    with tempfile.TemporaryDirectory() as folder:  # its owner's only
        draft = Path(folder) / path.name
        if private:
            make_private_file(draft)
        yield draft
        if differing_files(draft, path):
            raise BenchwrightError(f"{path} is there already and holds something else; {otherwise}")


def differing_files(new: Path, old: Path) -> list[str]:
    """Return the files, by path below each, that two folders do not have alike byte for byte; a file has the path `.`.

    Links are never followed: they differ from everything.
    """
    one, other = _digests(new), _digests(old)
    return sorted(name for name in {**one, **other} if not one.get(name) or one.get(name) != other.get(name))


def _digests(place: Path) -> dict[str, str]:
    """Return the SHA-256 of each file below a folder, by its path there, or of one file; of a link an empty text."""
    if place.is_symlink() or not place.is_dir():
        return {".": file_digest(place) if place.is_file() and not place.is_symlink() else ""}
    paths = (path for path in place.rglob("*") if path.is_symlink() or not path.is_dir())
    return {
        path.relative_to(place).as_posix(): file_digest(path) if path.is_file() and not path.is_symlink() else ""
        for path in paths
    }
