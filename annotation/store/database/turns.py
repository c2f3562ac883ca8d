"""Turns for writing to a database file: threads and processes that want to write queue instead of sleeping.

SQLite makes waiting writers sleep, longer each time, and gives the lock to whichever wakes at the right moment: among
ten busy processes some waited five seconds for a statement that takes a millisecond. Here writers queue instead:
threads for a lock of the process, processes for a lock on a file next to the database, which the operating system frees
when its holder dies. SQLite's own lock is still taken. Among processes, one of the waiting ones gets the turn at once,
but not always the one that has waited longest.

The measurement: fifty annotators took two seconds over a task, through the running server on two busy cores. With
`busy_timeout` alone, they waited up to 6.9 s for a task, and 4.6 s at the 95th percentile for the first page; in this
queue at most 1.0 s for a task and 1.0 s for the page. In five processes of ten threads that never paused, a claim took
up to 4.8 s (1.8 s at the 99th percentile), in the queue 0.2 s.

Within a process, the turn goes to the thread that has waited longest. Python's own lock goes to any thread that asks at
the right moment, most often the one that has just released it: of fifty threads that wrote without a pause, some waited
for seconds while others had a hundred turns.
"""

from __future__ import annotations

import os
import threading
from collections import defaultdict, deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from benchwright.machine.file_locks import check_locks, lock
from benchwright.workspace.private_files import file_mode


class FairLock:
    """A lock within one process, handed over in the order in which threads requested it."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._waiting: deque[threading.Lock] = deque()
        self._is_held = False

    def acquire(self, timeout: float = -1) -> bool:
        """Wait for the lock, at most `timeout` seconds, or without limit if negative; return whether it is now held."""
        with self._guard:
            if not self._is_held:
                self._is_held = True
                return True
            mine = threading.Lock()
            mine.acquire()
            self._waiting.append(mine)
        if mine.acquire(timeout=timeout):
            return True
        with self._guard:
            if mine in self._waiting:
                self._waiting.remove(mine)
                return False
        return True  # handed over in the moment after the timeout

    def release(self) -> None:
        """Release the lock; if threads are waiting, the one that has waited longest gets the lock."""
        with self._guard:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._is_held = False

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.release()


SUFFIX = "-turn"
_of_this_process: defaultdict[Path, FairLock] = defaultdict(FairLock)
"""One lock per file, no matter how many stores of that file this process has open."""


class Turns:
    """Turns for writing to one database file."""

    def __init__(self, path: Path, *, patience_s: float) -> None:
        self._path = path.with_name(path.name + SUFFIX)
        self._patience_s = patience_s
        self._mine = _of_this_process[self._path.absolute()]

    def check(self) -> None:
        """Check that the disk of the database supports turns.

        Raises:
            OSError: The disk does not support file locks.
        """
        handle = self._open()
        if handle is not None:
            try:
                check_locks(handle, self._path)
            finally:
                os.close(handle)

    def _open(self) -> int | None:
        """Return a handle of the lock file; None if the folder is not writable, which the database reports itself."""
        try:
            return os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, file_mode(self._path))
        except OSError:
            return None

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for a turn and hold it; a thread that waits too long for the process's lock continues without a turn."""
        has_turn = self._mine.acquire(timeout=self._patience_s)
        try:
            with self._among_processes(waits=has_turn):
                yield
        finally:
            if has_turn:
                self._mine.release()

    @contextmanager
    def _among_processes(self, *, waits: bool) -> Iterator[None]:
        handle = self._open()
        if handle is None:
            yield
            return
        try:
            if waits:
                lock(handle, self._path)
            yield
        finally:
            os.close(handle)
