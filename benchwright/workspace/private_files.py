"""Private files and folders: the review store, replies, predictions, and the folder of a workspace.

Only their owner may read and write them. New files are private from the first byte; existing files that others may read
or write are made private, with one line of warning.

A group may share a workspace: the set-group-ID bit of a folder (`chmod g+s`, mode 2770) shows that this is intended, as
it does for shared folders anywhere on Unix. The group then keeps its permissions, and only all others lose theirs.
"""

from __future__ import annotations

import logging
import os
import stat
from contextlib import suppress
from pathlib import Path

logger = logging.getLogger(__name__)

_OTHERS, _GROUP = 0o007, 0o070
_told: set[Path] = set()
"""Files that could not be made private, each reported once per process."""


def _is_shared(folder: Path) -> bool:
    """Return whether a folder is intentionally shared with a group; False for a folder that does not exist."""
    try:
        return bool(folder.stat().st_mode & stat.S_ISGID)
    except OSError:
        return False


def file_mode(path: Path) -> int:
    """Return the mode of a new private file: permissions for the owner, and in a shared folder for the group."""
    return 0o660 if _is_shared(path.parent) else 0o600


def make_private_file(path: Path) -> None:
    """Create an empty private file unless the file exists; errors are left to the code that then writes to the file."""
    with suppress(OSError):
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, file_mode(path))
        try:
            os.fchmod(handle, file_mode(path))  # the umask may have removed the group's permissions
        finally:
            os.close(handle)


def make_private_folder(folder: Path) -> None:
    """Create a private folder and its parents, which are not private; an existing folder is left unchanged."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        folder.mkdir(mode=0o770 if _is_shared(folder.parent) else 0o700)


def keep_private(*paths: Path) -> None:
    """Make private, and report, the files and folders that others may read or write; skip missing ones."""
    for path in paths:
        try:
            state = path.stat()
        except OSError:
            continue
        closed_to = _OTHERS if _is_shared(path if stat.S_ISDIR(state.st_mode) else path.parent) else _OTHERS | _GROUP
        mode = stat.S_IMODE(state.st_mode)
        if mode & closed_to:
            _close(path, mode, mode & ~closed_to)


def _close(path: Path, mode: int, closed: int) -> None:
    try:
        path.chmod(closed)
    except OSError as error:
        if path not in _told:
            _told.add(path)
            logger.warning(
                "%s is open to other users of this machine (mode %04o) and this user cannot change that (%s); its "
                "owner should run: chmod %04o %s",
                path,
                mode,
                error.strerror or error,
                closed,
                path,
            )
        return
    logger.warning(
        "%s was open to other users of this machine (mode %04o); now only its owner has access (%04o). To share a "
        "workspace with a group on purpose, see docs/security.md",
        path,
        mode,
        closed,
    )
