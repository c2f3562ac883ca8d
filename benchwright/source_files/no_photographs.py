"""Files that systems and programs leave next to photographs: thumbnails, copies, deleted files.

The rule applies whenever a folder is searched for photographs or question files. A path that a user names is exempt.
"""

from __future__ import annotations

import logging
from functools import lru_cache

logger = logging.getLogger(__name__)

_FOLDERS = frozenset(
    {
        "@eadir", "@__thumb", "@tmp",  # Synology and QNAP: thumbnails
        "__macosx",  # macOS: additions to ZIP archives
        "#recycle", "@recycle", "$recycle.bin", "recycler", "trashes",  # deleted files
        "system volume information", "lost+found",
        "__pycache__",
    }
)  # fmt: skip
"""Names of folders, in lower case, whose contents are ignored; folders that start with a dot are ignored as well."""

_TRASH = frozenset({"trash", "recycled"})
"""Names of folders for deleted files, or for a class of pictures; they are omitted with a warning."""


def is_no_photograph(name: str) -> bool:
    """Return whether to ignore a file or folder because of its name alone, whatever its path.

    Args:
        name: Name of a file or folder, a folder's with or without `/` at its end. A name that starts with a dot, such
            as `.ipynb_checkpoints`, `.Trash-1000` or `._cup.jpg`, is ignored.

    Example:
        >>> [is_no_photograph(name) for name in ("@eaDir/", "._cup.jpg", "cup.jpg")]
        [True, True, False]
    """
    plain = name.rstrip("/")
    if plain.lower() in _TRASH:
        tell_of_trash(plain)
        return True
    return name.startswith(".") or plain.lower() in _FOLDERS


@lru_cache(maxsize=256)
def tell_of_trash(name: str) -> None:
    """Warn, once per process, about an omitted folder whose name could be that of a class of pictures."""
    logger.warning("left out %s, a folder of deleted files; rename it to include it", name)


def lies_apart(path: str) -> bool:
    """Return whether to ignore a file because of its name or the name of a folder on its path.

    Args:
        path: Path below the searched folder, with forward slashes.
    """
    return any(map(is_no_photograph, path.split("/")))
