"""Files and folders for their owner's eyes only: the review store, replies, predictions, and the folder of a workspace.

New ones are made so from the first byte; ones that are there and open to others are closed, with one line that says so.

A group may share a workspace: the set-group-ID bit of a folder (`chmod g+s`, mode 2770) says that it was meant, as it
does for shared folders anywhere on Unix. Then the group keeps what it may do, and only everybody else is shut out.
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
"""What was said of files that cannot be closed; once a process is enough."""


def is_shared(folder: Path) -> bool:
    """Return whether a folder was given to a group on purpose; a folder that is not there was not."""
    try:
        return bool(folder.stat().st_mode & stat.S_ISGID)
    except OSError:
        return False


def file_mode(path: Path) -> int:
    """Return the mode of a new private file: its owner's, and in a shared folder its group's."""
    return 0o660 if is_shared(path.parent) else 0o600


def make_private_file(path: Path) -> None:
    """Make an empty private file, unless there is a file. What prevents it is for whoever writes to the file to say."""
    with suppress(OSError):
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, file_mode(path))
        try:
            os.fchmod(handle, file_mode(path))  # a umask may have taken the group's share
        finally:
            os.close(handle)


def make_private_folder(folder: Path) -> None:
    """Make a folder, its parents too; only the folder itself is private, and one that is there stays as it is."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        folder.mkdir(mode=0o770 if is_shared(folder.parent) else 0o700)


def keep_private(*paths: Path) -> None:
    """Close files and folders that others may read or write, and say so; those that are not there are passed over."""
    for path in paths:
        try:
            state = path.stat()
        except OSError:
            continue
        closed_to = _OTHERS if is_shared(path if stat.S_ISDIR(state.st_mode) else path.parent) else _OTHERS | _GROUP
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
                "%s is open to other users of this machine (mode %04o) and cannot be closed from here (%s); its owner "
                "should run: chmod %04o %s",
                path,
                mode,
                error.strerror or error,
                closed,
                path,
            )
        return
    logger.warning(
        "%s was open to other users of this machine (mode %04o); it is its owner's only now (%04o). To share a "
        "workspace with a group on purpose, see docs/security.md",
        path,
        mode,
        closed,
    )
