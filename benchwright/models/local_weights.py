"""Weights that lie on this machine already, by the name of their repository on the hub; nothing is ever fetched."""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = "BENCHWRIGHT_MODELS"
"""Variable of the environment that names a folder with models, each in a folder called as its repository is."""


def weights_on_this_machine(repository: str) -> Path | None:
    """Return the folder with a repository's files, or None where this machine has none.

    It looks for `$BENCHWRIGHT_MODELS/<organisation>/<name>`, then `$BENCHWRIGHT_MODELS/<name>`, then in the cache of
    the Hugging Face Hub.

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
