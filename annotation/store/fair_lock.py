"""A lock among threads that goes to whoever has waited longest.

Python's own goes to whoever asks at the right moment, which is most often the thread that has just let it go: of fifty
who write without a pause, some waited for seconds while others had a hundred turns.
"""

from __future__ import annotations

import threading
from collections import deque
from types import TracebackType


class FairLock:
    """A lock of one process, handed over in the order in which threads asked for it."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._waiting: deque[threading.Lock] = deque()
        self._is_held = False

    def acquire(self, timeout: float = -1) -> bool:
        """Wait for the lock, at most so many seconds, or for ever where negative; return whether it is held now."""
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
        return True  # handed over in the moment after patience ran out

    def release(self) -> None:
        """Let the lock go, to the one who has waited longest if there is one."""
        with self._guard:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._is_held = False

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.release()
