"""Open review stores that can only be read: on a read-only disk or in another user's folder.

SQLite writes even when it only reads: it shares its log (WAL) through a file next to the database. If it cannot write,
three cases remain, and in each a reader sees every decision:

- Another process has the store open: its shared file exists and suffices.
- The log is empty, as after every orderly shutdown: the database file is complete, and nothing can change it.
- The log holds decisions and no process has them open, as in a copy of a running store: the function copies both files
  and reads the copy.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from pathlib import Path
from urllib.parse import quote

import sqlalchemy as sa

from benchwright.machine.storage_faults import naming

READ_ONLY = "benchwright_read_only"
"""Execution option of engines whose file is not writable."""


def is_read_only(path: Path) -> bool:
    """Return whether a database exists and either the database or the log next to it is not writable."""
    return path.exists() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


def reading_engine(path: Path) -> sa.Engine:
    """Return an engine that only reads a database, whether or not its disk is writable."""
    return read_only_engine(path) if is_read_only(path) else _engine(path, immutable=False)


def read_only_engine(path: Path) -> sa.Engine:
    """Return an engine that reads a database on a disk without write access."""
    log, shared = (path.with_name(path.name + suffix) for suffix in ("-wal", "-shm"))
    if shared.exists():
        return _engine(path, immutable=False)
    if not log.exists() or not log.stat().st_size:
        return _engine(path, immutable=True)
    folder = tempfile.mkdtemp(prefix="benchwright-")
    copy = Path(folder, path.name)
    for file in (path, log):
        with naming(folder):
            shutil.copyfile(file, copy.with_name(file.name))
    engine = _engine(copy, immutable=False)
    weakref.finalize(engine, shutil.rmtree, folder, ignore_errors=True)
    return engine


def _engine(path: Path, *, immutable: bool) -> sa.Engine:
    query = {"uri": "true", "mode": "ro", **({"immutable": "1"} if immutable else {})}
    address = sa.URL.create("sqlite", database=f"file:{quote(os.path.abspath(path))}", query=query)
    return sa.create_engine(address, execution_options={READ_ONLY: True})
