"""Which files of a workspace were found to be what their SHA-256 says, so that none is read again while unchanged.

A file is taken for unchanged while its size, times and inode are. What was found is kept in `cache/checked.json`
between runs; without it, or where it is damaged, files are read once more.
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
MEMORY = Path("cache/checked.json")


class CheckedFiles:
    """Files of one workspace that were compared with their SHA-256; see `checked_files`."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._memory = root / MEMORY
        self._known: dict[str, list[Any]] | None = None
        self._changed = False

    def wrong(self, path: Path, sha256: str, *, afresh: bool = False) -> str | None:
        """Return what is wrong with a file, or None where it holds what it should.

        Args:
            path: The file.
            sha256: Of the bytes that were written.
            afresh: Whether its bytes are read even where it has not changed since they were.
        """
        name, known = os.path.abspath(path).removeprefix(f"{self._root}/"), self._entries()
        try:
            status = os.stat(path)
            entry = [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, sha256]
            if not afresh and known.get(name) == entry:
                return None
            digest = file_digest(path)
        except FileNotFoundError:
            return "is missing"
        except OSError as error:
            return f"cannot be read: {error.strerror}"
        if digest != sha256:
            return f"is damaged: its SHA-256 is {digest[:12]}, and {sha256[:12]} was written"
        self._changed = self._changed or known.get(name) != entry
        known[name] = entry
        return None

    def require(self, path: Path, sha256: str) -> None:
        """Refuse a file that does not hold what it should.

        Raises:
            DamagedError: It is missing, damaged or cannot be read.
        """
        if (problem := self.wrong(path, sha256)) is not None:
            raise DamagedError(path, problem)

    def save(self, *, tmp: Path) -> None:
        """Remember what was found, without files that are gone."""
        if not self._changed:
            return
        entries = {name: entry for name, entry in sorted(self._entries().items()) if (self._root / name).exists()}
        write_sealed(self._memory, {"format": FORMAT, "version": VERSION, "files": entries}, tmp=tmp)
        self._changed = False

    def _entries(self) -> dict[str, list[Any]]:
        if self._known is None:
            self._known = {}
            with suppress(OSError, DamagedError):
                document = read_sealed(self._memory)
                if (document.get("format"), document.get("version")) == (FORMAT, VERSION):
                    self._known = dict(document["files"])
        return self._known


def checked_files(root: Path) -> CheckedFiles:
    """Return what this process knows of the files of a workspace; the same for all who ask."""
    return _checked_files(os.path.abspath(root))


@cache
def _checked_files(root: str) -> CheckedFiles:
    return CheckedFiles(Path(root))
