"""Atomic writing: a file appears complete or not at all.

Bytes go to a temporary file, are flushed to disk and moved into place. The temporary file is in the workspace's `tmp`
folder (same file system), or next to the file if that is outside the workspace. A process that is killed at any moment
leaves the old or the new file, and at most a stray temporary file. The next run empties `tmp`; outside a workspace, the
file's next writer on this machine removes the stray file. A disk that is full or fails leaves the old file and raises a
`StorageError`.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from glob import escape
from pathlib import Path
from typing import Any
from zlib import crc32

from benchwright.machine.storage_faults import naming, writing
from benchwright.workspace.private_files import make_private_file


def flush_to_disk(path: Path) -> None:
    """Wait until a file's bytes are on the disk, because the system reports some write errors only then."""
    with naming(path), path.open("rb") as handle:
        os.fsync(handle.fileno())


@contextmanager
def replacing(path: Path, *, tmp: Path | None = None, private: bool = False) -> Iterator[Path]:
    """Yield a temporary path for writing; the file is moved to `path` if the block ends without an exception.

    Args:
        path: Path of the file.
        tmp: Folder of the temporary file, on the same file system; by default the file's own.
        private: Whether only the owner may read the file, from the first byte.

    Raises:
        StorageError: The file cannot be written.
    """
    folder = tmp or path.parent
    draft = folder / f".{path.name[:80]}.{os.getpid()}-{_host()}.{secrets.token_hex(4)}.tmp"
    with writing(path, draft):
        try:
            if tmp is None:
                _remove_left_behind(path)
            if private:
                make_private_file(draft)
            yield draft
            flush_to_disk(draft)
            draft.replace(path)
        finally:
            with suppress(OSError):  # the earlier error is the one to report; the next run empties `tmp`
                draft.unlink(missing_ok=True)


def _remove_left_behind(path: Path) -> None:
    """Remove temporary drafts of a file that writers on this machine left behind when they were killed."""
    for draft in path.parent.glob(f".{escape(path.name[:80])}.*-{_host()}.*.tmp"):
        process = draft.name.split(".")[-3].partition("-")[0]
        if process.isdecimal() and not _is_running(int(process)):
            with suppress(OSError):
                draft.unlink()


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # a process of another user
        return True
    return True


@cache
def _host() -> str:
    """Return a name that distinguishes this machine from others that share a folder with it."""
    return f"{crc32(os.uname().nodename.encode()):08x}"


def write_bytes(path: Path, data: bytes, *, tmp: Path | None = None, private: bool = False) -> None:
    """Write a file atomically; see `replacing`."""
    with replacing(path, tmp=tmp, private=private) as draft:
        draft.write_bytes(data)


def write_json(path: Path, document: Mapping[str, Any], *, tmp: Path | None = None) -> None:
    """Write a JSON document atomically: sorted keys, indented, the same bytes for the same value."""
    text = json.dumps(document, sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False)
    write_bytes(path, (text + "\n").encode("utf-8", "surrogatepass"), tmp=tmp)
