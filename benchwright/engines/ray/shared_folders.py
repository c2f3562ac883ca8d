"""Check, with real files and before any work, that all nodes of a cluster share workspace and image folder."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from benchwright import __version__
from benchwright.errors import BenchwrightError, StorageError
from benchwright.machine.versions import library_versions
from benchwright.workspace.atomic import write_bytes

_FILES_TRIED = 3
_ENTRIES_LOOKED_AT = 1000


class SharedFolders(NamedTuple):
    """The folders that every node must find at the same path."""

    workspace: Path
    images: Path


class Sight(NamedTuple):
    """The result of one node's check: the first problem, if any, and the library versions on that node.

    `asked` identifies the request and names the node's reply file.
    """

    asked: str
    problem: str | None
    benchwright: str
    versions: Mapping[str, str]


@dataclass(frozen=True)
class Token:
    """Files that a node must find.

    Args:
        path: Path of the token file, in the workspace's `tmp` folder.
        content: Content of the token file.
        images: The image folder.
        samples: Relative path and size in bytes of some files below the image folder.
    """

    path: Path
    content: str
    images: Path
    samples: tuple[tuple[str, int], ...]

    def look(self, request: str) -> Sight:
        """Return the result of the check on this machine, and write it next to the token, over any older reply."""
        return Sight(request, self._problem(request), __version__, library_versions())

    def _problem(self, request: str) -> str | None:
        try:
            if self.path.read_text(encoding="ascii") != self.content:
                return f"another folder is at {self.path.parent.parent}"
        except OSError as error:
            return f"the workspace {self.path.parent.parent} is missing ({_why(error)})"
        try:
            for text in ("draft", self.content):
                write_bytes(self._reply(request), text.encode("ascii"))
        except (OSError, StorageError) as error:
            return f"files of the workspace {self.path.parent.parent} cannot be written and renamed ({_why(error)})"
        for name, size in self.samples:
            try:
                found = os.lstat(self.images / name).st_size
            except OSError as error:
                return f"{self.images / name} of the image folder is missing ({_why(error)})"
            if found != size:
                return f"{self.images / name} has {found} bytes there and {size} here"
        return None if self.images.is_dir() else f"the image folder {self.images} is missing"

    def _reply(self, request: str) -> Path:
        return self.path.with_name(f"{self.path.name}.{request}")

    def check(self, name: str, sight: Sight) -> None:
        """Raise an error if the node with the given name does not find the same files as this machine.

        Raises:
            BenchwrightError: The files differ; the message names the node, the missing files and the remedy.
        """
        problem = sight.problem
        if sight.benchwright != __version__:
            raise BenchwrightError(
                f"node {name} has Benchwright {sight.benchwright}, this machine {__version__}; install the same "
                "version on all nodes"
            )
        if problem is None and self._answer(sight.asked) != self.content:
            problem = f"files it writes to {self.path.parent} do not arrive here"
        if problem is not None:
            raise BenchwrightError(
                f"node {name} of the cluster does not share the folders: {problem}; put workspace and images on a "
                "file system that every node mounts at the same path, or stop that node"
            )

    def _answer(self, request: str) -> str | None:
        os.listdir(self.path.parent)  # refreshes a network file system's cache of missing files
        try:
            return self._reply(request).read_text(encoding="ascii")
        except (OSError, ValueError):
            return None


def _why(error: OSError | StorageError) -> str:
    return str(error) if isinstance(error, StorageError) else error.strerror or type(error).__name__


@contextmanager
def token_in(shared: SharedFolders) -> Iterator[Token]:
    """Write a token; remove it and all replies at the end of the block."""
    content = secrets.token_hex(16)
    path = shared.workspace.absolute() / "tmp" / f"token-{content[:8]}"
    token = Token(path, content, shared.images.absolute(), tuple(_samples(shared.images)))
    write_bytes(path, content.encode("ascii"))
    try:
        yield token
    finally:
        for left in path.parent.glob(f"{path.name}*"):
            left.unlink(missing_ok=True)


def _samples(images: Path) -> list[tuple[str, int]]:
    """Return the relative paths and sizes of a few regular files in the image folder or the first folders below it."""
    samples: list[tuple[str, int]] = []
    for place, (root, _, names) in enumerate(os.walk(images)):
        for name in sorted(names[:_ENTRIES_LOOKED_AT]):
            known = os.lstat(os.path.join(root, name))
            if stat.S_ISREG(known.st_mode):
                samples.append((os.path.relpath(os.path.join(root, name), images), known.st_size))
            if len(samples) >= _FILES_TRIED:
                return samples
        if place >= _ENTRIES_LOOKED_AT:
            break
    return samples
