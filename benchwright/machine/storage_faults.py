"""Faults of disks, folders and system limits, reported in one line with the path and the remedy.

Python, Arrow, Pillow and SQLite each report a full disk in their own way. `storage_fault` recognizes all of them, even
wrapped by another exception, so that every command ends in the same way: one line that names the path, exit code 2.
Once the cause is removed, the same command finishes the work.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from benchwright.errors import StorageError

_AGAIN = "then run the same command again"
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_MACHINE = _FULL | {errno.EFBIG, errno.EROFS, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOLCK}
"""Errors whose cause is not in the file being read."""
_WORDS: Mapping[int, str] = {
    errno.EDQUOT: f"the quota there is used up; remove files or have it raised, {_AGAIN}",
    errno.EFBIG: f"the file would be larger than the file system or `ulimit -f` allows; raise the limit, {_AGAIN}",
    errno.EROFS: "the disk is read-only; give a writable folder, or copy this one there",
    errno.EACCES: "permission denied; give another folder, or change who may read and write there",
    errno.EPERM: "the system does not permit it; give another folder, or change who may read and write there",
    errno.ENOLCK: "the disk does not support file locks, without which two programs could write at once (some network "
    "folders have none, or are mounted without); use a folder on a local disk, or mount this one with locks. Several "
    "machines share a review store on PostgreSQL, whose workspace still lies on a disk with locks",
    errno.EIO: f"input/output error; the disk or its connection fails: look at the system's log, {_AGAIN}",
    errno.ESTALE: f"the network folder has changed; mount it again, {_AGAIN}",
    errno.ENOTDIR: "a part of this path is a file, not a folder; give another path",
    errno.EISDIR: "this is a folder, not a file; give another path",
    errno.EEXIST: "another kind of file has this name; give another path, or move it away",
    errno.ENOENT: "no such file or folder",
    errno.ENOTEMPTY: "the folder is not empty; give another path, or move it away",
    errno.ENAMETOOLONG: "the name is too long for this file system; give a shorter one",
    errno.ELOOP: "too many links; give the path itself",
    errno.EMFILE: f"too many files are open; raise `ulimit -n`, {_AGAIN}",
    errno.ENFILE: f"the system has too many files open; end other programs, {_AGAIN}",
    errno.ENOMEM: f"the system has no memory left; end other programs, {_AGAIN}",
}
# SQLite's result codes as numbers, so that `benchwright --help` need not load SQLite.
_PERM, _READONLY, _IOERR, _CORRUPT, _SQLITE_FULL, _CANTOPEN = 3, 8, 10, 11, 13, 14
_SQLITE: Mapping[int, int] = {_SQLITE_FULL: errno.ENOSPC, _IOERR: errno.EIO, _PERM: errno.EACCES}
"""System error number for each SQLite result code."""
_SQLITE_WORDS: Mapping[int, str] = {
    _READONLY: "it, or the folder it lies in, is not writable; change that, or copy both elsewhere",
    _CANTOPEN: "the database cannot be opened; check that its folder exists and is writable",
    _CORRUPT: "the database is damaged; replace it with a copy or a backup",
}
_POSTGRESQL: Mapping[str, str] = {
    "53100": f"the server's disk is full; make room there, {_AGAIN}",
    "58030": f"the server's disk fails; look at its log, {_AGAIN}",
    "25006": "the server is read-only; give a writable one",
}


def storage_fault(error: BaseException, *, path: Path | str | None = None) -> StorageError | None:
    """Return the error to report for an exception caused by a storage fault; None if no such fault is the cause.

    Args:
        error: Caught exception, whose causes are also examined.
        path: Path being read or written, for exceptions that do not name one.
    """
    for cause in _causes(error):
        if isinstance(cause, StorageError):
            return cause
        if (words := _words(cause, path)) is not None:
            return StorageError(words)
    return None


def is_of_the_machine(error: BaseException) -> bool:
    """Return whether the machine caused the error, for example by a full disk, rather than the file being processed."""
    return any(
        isinstance(cause, StorageError)
        or (isinstance(cause, OSError) and cause.errno in _MACHINE)
        or _sqlite_code(cause) in {*_SQLITE, _READONLY, _CANTOPEN}
        for cause in _causes(error)
    )


@contextmanager
def naming(path: Path | str) -> Iterator[None]:
    """Add the path to errors raised within the block, because the system does not name it when a write fails."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno is not None:
            error.filename = os.fspath(path)
        raise


@contextmanager
def writing(path: Path | str, *drafts: Path) -> Iterator[None]:
    """Convert errors in writing a file within the block to a `StorageError` that names the file.

    Args:
        path: Path of the file to write.
        drafts: Temporary files written first; errors about any other file are raised unchanged.
    """
    try:
        yield
    except OSError as error:
        names = {os.fspath(place) for place in (path, *drafts)}
        if error.errno is None or (error.filename is not None and not {error.filename, error.filename2} & names):
            raise
        raise StorageError(_line(error.errno, os.fspath(path), error.strerror)) from error


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an exception and its causes, nearest first."""
    pending: BaseException | None = error
    met: set[int] = set()
    while pending is not None and id(pending) not in met:
        met.add(id(pending))
        yield pending
        driver = getattr(pending, "orig", None)  # the driver's exception, wrapped by SQLAlchemy
        pending = (
            driver
            if isinstance(driver, BaseException)
            else pending.__cause__ or (None if pending.__suppress_context__ else pending.__context__)
        )


def _words(error: BaseException, path: Path | str | None) -> str | None:
    if (code := _sqlite_code(error)) is not None:
        return _of_sqlite(error, code, path)
    if (words := _POSTGRESQL.get(str(getattr(error, "sqlstate", "")))) is not None:
        return f"{path or 'the review store'}: {words}"
    if not isinstance(error, OSError) or error.errno is None:
        return None
    named = error.filename2 or error.filename or path
    if named is None and error.errno not in _MACHINE | {errno.EIO}:
        return None  # such as a connection or a process: not a storage fault
    where = os.fsdecode(named) if isinstance(named, bytes | str | os.PathLike) else None
    if where is None and error.errno == errno.ENOENT:
        return str(error)
    return _line(error.errno, where, error.strerror)


def _of_sqlite(error: BaseException, code: int, path: Path | str | None) -> str | None:
    where = os.fspath(path) if path is not None else None
    if (words := _SQLITE_WORDS.get(code)) is not None:
        return f"{where or 'a database'}: {words} ({error})"
    return _line(_SQLITE[code], where, None) if code in _SQLITE else None


def _sqlite_code(error: BaseException) -> int | None:
    """Return SQLite's primary result code; None if the error is not SQLite's."""
    code = getattr(error, "sqlite_errorcode", None)
    return code & 0xFF if isinstance(code, int) else None


def _line(code: int, where: str | None, strerror: str | None) -> str:
    if code == errno.ENOSPC:
        to_do = f"make room there (`benchwright gc` tidies a workspace), {_AGAIN}"
        return f"{where or 'a file'} cannot be written: {_room(where)}; {to_do}"
    words = _WORDS.get(code) or strerror or os.strerror(code)
    return f"{where or 'a file that was being read or written'}: {words}"


def _room(where: str | None) -> str:
    """Return the free space on a path's disk or, without a path, on the disks of the current and temporary folders."""
    if where is None:
        import tempfile

        folders = [os.getcwd(), tempfile.gettempdir()]
        return "a disk is full (" + ", ".join(f"{folder}: {_free(folder)}" for folder in folders) + ")"
    folder = os.path.abspath(where)
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    return f"the disk is full ({_free(folder)})"


def _free(folder: str) -> str:
    try:
        disk = os.statvfs(folder)
    except OSError:
        return "its free space is unknown"
    if disk.f_files and not disk.f_favail:
        return "it has no room for more files"
    free, total = (blocks * disk.f_frsize / 1e6 for blocks in (disk.f_bavail, disk.f_blocks))
    return f"{free:,.1f} MB of {total:,.1f} MB free"
