"""Files that systems and programs leave beside photographs and that are none: thumbnails, copies, what was thrown away.

The rule holds wherever photographs or files of questions are gathered from a folder. A path that somebody states is
taken as it stands.
"""

from __future__ import annotations

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
"""Names of folders of what was thrown away, which may as well be a class of pictures: who leaves them out says so."""


def is_no_photograph(name: str) -> bool:
    """Return whether a file or folder does not count by its own name; the path before it is another question.

    Args:
        name: Name of a file or folder, a folder's with or without `/` at its end. A name that starts with a dot, such
            as `.ipynb_checkpoints`, `.Trash-1000` or `._cup.jpg`, does not count.

    Example:
        >>> [is_no_photograph(name) for name in ("@eaDir/", "._cup.jpg", "cup.jpg")]
        [True, True, False]
    """
    return name.startswith(".") or name.rstrip("/").lower() in _FOLDERS or is_trash(name)


def is_trash(name: str) -> bool:
    """Return whether a folder is left out by a name that people may also give to a class of pictures."""
    return name.rstrip("/").lower() in _TRASH


def lies_apart(path: str) -> bool:
    """Return whether a file does not count by its own name or by that of a folder on the path to it.

    Args:
        path: Path below the folder that is searched, with forward slashes.
    """
    return any(map(is_no_photograph, path.split("/")))
