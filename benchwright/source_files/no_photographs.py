"""Files that systems and programs leave beside photographs and that are none: thumbnails, copies, what was thrown away.

The rule holds wherever photographs or files of questions are gathered from a folder. A path that somebody states is
taken as it stands.
"""

from __future__ import annotations

import logging
from functools import lru_cache

logger = logging.getLogger(__name__)

_FOLDERS = frozenset(
    {
        "@eadir", "@__thumb", "@tmp",  # Synology and QNAP: thumbnails
        "__macosx",  # macOS: what it adds to ZIP archives
        "#recycle", "@recycle", "$recycle.bin", "recycler", "trashes",  # thrown away
        "system volume information", "lost+found",
        "__pycache__",
    }
)  # fmt: skip
"""Names of folders, in small letters, whose contents do not count; those that start with a dot do not either."""

_TRASH = frozenset({"trash", "recycled"})
"""Names of folders of what was thrown away, or of a class of pictures: they are left out with a warning."""


def is_no_photograph(name: str) -> bool:
    """Return whether a file or folder does not count by its own name; the path before it is another question.

    Args:
        name: Name of a file or folder, a folder's with or without `/` at its end. A name that starts with a dot, such
            as `.ipynb_checkpoints`, `.Trash-1000` or `._cup.jpg`, does not count.

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
    """Warn once in a process of a folder that is left out by a name that a class of pictures may have."""
    logger.warning("left out %s: what was thrown away; rename the folder to take it in", name)


def lies_apart(path: str) -> bool:
    """Return whether a file does not count by its own name or by that of a folder on the path to it.

    Args:
        path: Path below the folder that is searched, with forward slashes.
    """
    return any(map(is_no_photograph, path.split("/")))
