"""Atomic writing of a folder, which appears either complete or not at all.

The folder is filled next to its final location and then renamed. A process killed at any moment leaves the old state
and at most an unfinished folder, which the next attempt empties. If two processes write the same folder at once, a lock
on the unfinished folder refuses the second; the kernel releases the lock when the process ends.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchwright.errors import BenchwrightError, StorageError
from benchwright.machine.file_locks import lock
from benchwright.machine.storage_faults import is_of_the_machine, storage_fault


@contextmanager
def unfinished(folder: Path) -> Iterator[Path]:
    """Yield an empty folder next to `folder`, locked by this process and removed at the end unless it has been moved.

    Raises:
        BenchwrightError: Another process is filling the folder.
    """
    draft = folder.with_name(f".{folder.name}.unfinished")
    draft.mkdir(parents=True, exist_ok=True)
    held = os.open(draft, os.O_RDONLY | os.O_DIRECTORY)
    try:
        if not _lock(held, draft):
            raise BenchwrightError(f"another process is writing to {folder}; wait for it to finish")
        try:
            _empty(draft)
            if folder.exists():
                _remove(_replaced(folder))
            with _naming(folder):
                yield draft
        finally:
            if _is_ours(held, draft):
                shutil.rmtree(draft)
    finally:
        os.close(held)


@contextmanager
def _naming(folder: Path) -> Iterator[None]:
    """Name the folder in errors caused by a full or failing disk, because the files in it are only temporary."""
    try:
        yield
    except Exception as error:
        if not isinstance(error, StorageError) and is_of_the_machine(error):
            raise storage_fault(error, path=folder) or error from error
        raise


def move_into_place(draft: Path, folder: Path) -> None:
    """Flush a finished folder to disk and rename it into place, replacing an old folder there."""
    for path in sorted(draft.rglob("*")):
        _flush(path)
    _flush(draft)
    old = _replaced(folder)
    _remove(old)
    if folder.exists():
        folder.rename(old)
    draft.rename(folder)
    _flush(folder.parent)
    _remove(old)


def _replaced(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.replaced")


def _lock(held: int, draft: Path) -> bool:
    try:
        lock(held, draft, waits=False)
    except BlockingIOError:
        return False
    # Between opening and locking, another process may have moved the folder into place.
    return _is_ours(held, draft)


def _is_ours(held: int, draft: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(held), draft.stat())
    except FileNotFoundError:
        return False


def _empty(folder: Path) -> None:
    for path in folder.iterdir():
        _remove(path)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
