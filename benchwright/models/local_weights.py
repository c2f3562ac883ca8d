"""Model weights on this machine: lookup by the name of their repository on the hub, and digests.

The module never downloads anything.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path

from benchwright.canonical import digest, file_digest

FOLDER = "BENCHWRIGHT_MODELS"
"""Environment variable that names a folder of models, each in a subfolder with its repository's name."""


def weights_on_this_machine(repository: str) -> Path | None:
    """Return the folder with a repository's files; None if they are not on this machine.

    It searches `$BENCHWRIGHT_MODELS/<organization>/<name>`, then `$BENCHWRIGHT_MODELS/<name>`, then in the cache of the
    Hugging Face Hub.

    Args:
        repository: Name on the hub, such as `depth-anything/Depth-Anything-V2-Small-hf`.
    """
    if folder := os.environ.get(FOLDER):
        for name in (repository, repository.rpartition("/")[2]):
            if (path := Path(folder).expanduser() / name).is_dir():
                return path
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError
    except ImportError:
        return None
    try:
        return Path(snapshot_download(repository, local_files_only=True))
    except (LocalEntryNotFoundError, HFValidationError):
        return None


_FILES_AT_A_TIME = 8
"""Number of files to hash in parallel: the parts of large weights, one thread per part."""


def weights_digest(folder: Path, files: Iterable[Path]) -> str:
    """Return the digest of the names and contents of the files that determine a model's output.

    A process reads a file only once as long as its size and modification time stay the same, because weights take
    gigabytes and every stage requests their digest.

    Args:
        folder: Folder to which names are relative.
        files: Files in it, in any order.
    """
    paths = sorted(files)
    if not paths:
        return digest({})
    with ThreadPoolExecutor(min(_FILES_AT_A_TIME, len(paths))) as threads:
        digests = list(threads.map(weights_file_digest, paths))
    return digest({path.relative_to(folder).as_posix(): own for path, own in zip(paths, digests, strict=True)})


def weights_file_digest(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, read once per process until its size or modification time changes."""
    facts = path.stat()
    return _digest_of_unchanged(path.absolute(), facts.st_size, facts.st_mtime_ns)


@lru_cache(maxsize=1024)
def _digest_of_unchanged(path: Path, size: int, changed_ns: int) -> str:
    del size, changed_ns
    return file_digest(path)
