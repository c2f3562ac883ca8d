"""Locks on files, which the kernel releases when a process ends for any reason.

Not every disk supports them: some network folders return ENOLCK. All locks are therefore taken through this module. It
reports such a disk with the path and the remedy, and never mistakes the error for a lock held by another process.
"""

from __future__ import annotations

import fcntl
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from benchwright.machine.storage_faults import naming


class HasFileno(Protocol):
    """An open file with a descriptor."""

    def fileno(self) -> int:
        """Return the file's descriptor."""


def lock(file: int | HasFileno, path: Path, *, shared: bool = False, waits: bool = True) -> None:
    """Lock an open file until it is closed.

    Args:
        file: An open file or its descriptor.
        path: Path of the file, for messages.
        shared: Whether others may hold a shared lock at the same time; default False.
        waits: Whether to wait for others to release theirs; default True.

    Raises:
        BlockingIOError: Another process holds the lock, and `waits` is False.
        OSError: The disk does not support locks; `storage_faults` has the message.
    """
    how = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    with naming(path):
        fcntl.flock(file, how if waits else how | fcntl.LOCK_NB)


def check_locks(file: int, path: Path) -> None:
    """Check that the disk of an open file supports locks, both those of `lock` and those that SQLite uses.

    SQLite itself would report that the database is locked, after waiting for half a minute. The file must not be one
    that SQLite has open: closing it releases the process's own locks of the second kind.

    Raises:
        OSError: The disk does not support locks; `storage_faults` has the message.
    """
    with suppress(BlockingIOError):  # held by another process, so the disk has locks
        lock(file, path, shared=True, waits=False)
    fcntl.flock(file, fcntl.LOCK_UN)
    with naming(path), suppress(BlockingIOError, PermissionError):
        fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        fcntl.lockf(file, fcntl.LOCK_UN)
