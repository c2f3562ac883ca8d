"""Weights in a folder or file, which are found and hashed but never unpickled, and the message if they are missing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from benchwright.errors import PrerequisiteError
from benchwright.models.local_weights import weights_digest, weights_file_digest

BY_DIGEST = re.compile(r"sha256:([0-9a-f]{64})")
_DECIDES = (".safetensors", ".json", ".txt", ".model", ".jinja")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_DOWNLOADED = Path(".cache/huggingface/download")
"""Folder where `hf download --local-dir` records its downloads."""


class Weights(NamedTuple):
    """Weights on this machine.

    Args:
        path: A folder, or the file of a checkpoint.
        sha256: Digest of the names and SHA-256 hashes of all files that determine the model's results.
        revision: The hub's commit, if the folder states it.
    """

    path: Path
    sha256: str
    revision: str | None

    @property
    def size_mb(self) -> int:
        """Return the size of the weights on disk, in MiB; 0 if their location is unknown."""
        if not self.path.name:
            return 0
        files = [self.path] if self.path.is_file() else self.path.rglob("*.safetensors")
        return sum(file.stat().st_size for file in files) >> 20


def find_weights(path: Path, *, purpose: str, fetch: str, needs: str, otherwise: str = "") -> Weights:
    """Return the weights at a path.

    Args:
        path: A folder or a file.
        purpose: Their purpose, as worded in a message.
        fetch: The command that downloads them.
        needs: A file that a folder of this kind must have.
        otherwise: Alternatives for the user, as worded in a message.

    Raises:
        PrerequisiteError: They are missing; the message names the weights and the command to fetch them.
    """
    get = f"fetch them with `{fetch}` and name that place{otherwise}"
    if not path.exists():
        raise PrerequisiteError(f"{purpose} need weights, and there is nothing at {path}; {get}")
    if path.is_file():
        return Weights(path, weights_file_digest(path), None)
    files = _files(path)
    missing = [] if (path / needs).is_file() else [needs]
    if not any(file.suffix == ".safetensors" for file in files):
        missing.append("*.safetensors (pickled weights are not loaded)")
    if missing:
        raise PrerequisiteError(f"{purpose} need weights, and {path} lacks {' and '.join(missing)}; {get}")
    return Weights(path, weights_digest(path, files), _revision(path, needs))


def _files(folder: Path) -> list[Path]:
    return sorted(
        path
        for path in folder.rglob("*")
        if path.suffix in _DECIDES and path.is_file() and ".cache" not in path.relative_to(folder).parts
    )


def _revision(folder: Path, needs: str) -> str | None:
    """Return the commit that the hub's own tools recorded next to the files, if there is one."""
    note = folder / _DOWNLOADED / f"{needs}.metadata"
    for word in (folder.resolve().name, note.read_text(encoding="utf-8").partition("\n")[0] if note.is_file() else ""):
        if _COMMIT.fullmatch(word.strip()):
            return word.strip()
    return None
