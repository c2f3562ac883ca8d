"""The number of simultaneous requests: reduced after a server answers "too many requests", then slowly increased."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable

_CUT, _GROWTH = 0.7, 0.25
"""Factor by which the number of simultaneous requests is reduced after a 429, and increment after each reply."""


class Pace:
    """Turns for requests, within one event loop.

    A 429 cuts the number of simultaneous requests (once for all requests in progress together) and holds back every
    request until the end of the pause that the server requests: a rate limit belongs to the account, not to the
    request. Other failures reveal nothing about the rate and leave the number unchanged.

    Args:
        most: Largest and initial number of simultaneous requests.
        now: Monotonic clock, in seconds.
    """

    def __init__(self, most: int, now: Callable[[], float] = time.monotonic) -> None:
        self._most, self._now = most, now
        self._allowed = float(most)
        self._under_way = 0
        self._resume_at = self._cut_at = now()
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._stopped_by: Exception | None = None
        self.alone = False
        """Whether only one request may be in progress, regardless of the number allowed."""

    @property
    def allowed(self) -> int:
        """Return the number of simultaneous requests that are currently allowed."""
        return 1 if self.alone else max(1, int(self._allowed))

    async def turn(self, *, first: bool = False) -> float:
        """Wait for a turn, ahead of all others if `first`, and return the time at which it began; `over` ends it.

        Raises:
            Exception: The exception passed to `stop`.
        """
        if self._stopped_by is not None:
            raise self._stopped_by
        if self._may_go() and (first or not self._waiting):
            self._under_way += 1
            return self._now()
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if first:
            self._waiting.appendleft(future)
        else:
            self._waiting.append(future)
        try:
            await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled() and future.exception() is None:
                # This turn was already granted; pass it on.
                self.over()
            raise
        return self._now()

    def over(self) -> None:
        """End a turn."""
        self._under_way -= 1
        self._wake()

    def stop(self, error: Exception) -> None:
        """Grant no more turns; all current and later waiters get the given error."""
        self._stopped_by = error
        while self._waiting:
            future = self._waiting.popleft()
            if not future.done():
                future.set_exception(error)

    def went_well(self) -> None:
        """Record the arrival of a reply."""
        self._allowed = min(float(self._most), self._allowed + _GROWTH)
        self._wake()

    def too_many(self, began: float, pause_s: float | None) -> None:
        """Record a 429 in response to a request whose turn began at `began`.

        Args:
            began: The time that `turn` returned.
            pause_s: Pause that the server requests, in seconds; None if it states none.
        """
        if began >= self._cut_at:
            self._allowed = max(1.0, self._allowed * _CUT)
            self._cut_at = self._now()
        if pause_s is not None and pause_s > 0:
            self._resume_at = max(self._resume_at, self._now() + pause_s)
            asyncio.get_running_loop().call_later(pause_s, self._wake)

    def wake(self) -> None:
        """Grant waiting requests their turns after `alone` has changed."""
        self._wake()

    def _may_go(self) -> bool:
        return self._under_way < self.allowed and self._now() >= self._resume_at

    def _wake(self) -> None:
        while self._waiting and self._may_go():
            future = self._waiting.popleft()
            if not future.done():
                self._under_way += 1
                future.set_result(None)
        if self._waiting and self._under_way < self.allowed and self._now() < self._resume_at:
            # A timer may fire a little early by this clock.
            asyncio.get_running_loop().call_later(max(0.001, self._resume_at - self._now()), self._wake)
