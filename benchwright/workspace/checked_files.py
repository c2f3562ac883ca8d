"""A cache of a workspace's files that matched their SHA-256, which saves reading unchanged files again.

A file is considered unchanged as long as its size, times and inode are the same. The results are kept in
`cache/checked.json` between runs; if that file is missing or damaged, all files are read once more.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from benchwright.canonical import file_digest
from benchwright.errors import DamagedError
from benchwright.workspace.sealed import read_sealed, write_sealed

FORMAT, VERSION = "benchwright/checked-files", 1
_MEMORY = Path("cache/checked.json")


class CheckedFiles:
    """The files of one workspace that a check compared with their SHA-256; see `checked_files`."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._memory = root / _MEMORY
        self._known: dict[str, list[Any]] | None = None
        self._changed = False

    def wrong(self, path: Path, sha256: str, *, afresh: bool = False) -> str | None:
        """Return a description of the damage to a file; None if its bytes match.

        Args:
            path: Path of the file.
            sha256: SHA-256 of the written bytes.
            afresh: Whether to read the bytes again even if the file is unchanged since the last check.
        """
        name, known = self._name(path), self._entries()
        try:
            entry = [*_state(path), sha256]
            if not afresh and known.get(name) == entry:
                return None
            digest = file_digest(path)
        except FileNotFoundError:
            return "is missing"
        except OSError as error:
            return f"cannot be read: {error.strerror}"
        if digest != sha256:
            return f"is damaged: its SHA-256 is {digest[:12]} instead of {sha256[:12]}"
        self._note(name, entry)
        return None

    def digest(self, path: Path) -> str:
        """Return the SHA-256 of a file that this run has written, and record that the bytes match.

        A file unchanged since it was last hashed is not read.

        Raises:
            OSError: The file cannot be read.
        """
        state = _state(path)
        known = self._entries().get(self._name(path), [])
        if known[:-1] == state:
            return str(known[-1])
        sha256 = file_digest(path)
        self._note(self._name(path), [*state, sha256])
        return sha256

    def note(self, path: Path, sha256: str, status: os.stat_result) -> None:
        """Record that a file's bytes matched when they were hashed.

        Args:
            path: Path of the file.
            sha256: SHA-256 of its bytes.
            status: Status of the file from before its bytes were hashed.
        """
        self._note(self._name(path), [*_state_of(status), sha256])

    def require(self, path: Path, sha256: str) -> None:
        """Raise an error for a file whose bytes do not match.

        Raises:
            DamagedError: The file is missing, damaged or cannot be read.
        """
        if (problem := self.wrong(path, sha256)) is not None:
            raise DamagedError(path, problem)

    def save(self, *, tmp: Path) -> None:
        """Write the results to the cache, excluding files that no longer exist."""
        if not self._changed:
            return
        entries = {name: entry for name, entry in sorted(self._entries().items()) if (self._root / name).exists()}
        write_sealed(self._memory, {"format": FORMAT, "version": VERSION, "files": entries}, tmp=tmp)
        self._changed = False

    def _name(self, path: Path) -> str:
        return os.path.abspath(path).removeprefix(f"{self._root}/")

    def _note(self, name: str, entry: list[Any]) -> None:
        known = self._entries()
        self._changed = self._changed or known.get(name) != entry
        known[name] = entry

    def _entries(self) -> dict[str, list[Any]]:
        if self._known is None:
            self._known = {}
            with suppress(OSError, DamagedError):
                document = read_sealed(self._memory)
                if (document.get("format"), document.get("version")) == (FORMAT, VERSION):
                    self._known = dict(document["files"])
        return self._known


def _state(path: Path) -> list[Any]:
    return _state_of(os.stat(path))


def _state_of(status: os.stat_result) -> list[Any]:
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]


def checked_files(root: Path) -> CheckedFiles:
    """Return this process's `CheckedFiles` of a workspace; it is always the same object for the same workspace."""
    return _checked_files(os.path.abspath(root))


@cache
def _checked_files(root: str) -> CheckedFiles:
    return CheckedFiles(Path(root))
