"""Number of requests under way: reduced after a server answers "too many requests", then slowly raised again."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable

_CUT, _GROWTH = 0.7, 0.25
"""What a 429 leaves of the number under way, and what each reply adds to it."""


class Pace:
    """Turns for requests, within one event loop.

    A 429 cuts the number that may be under way (once for all requests that were under way together) and holds back
    every request until the pause that the server asks for is over: a rate limit belongs to the account, not to the
    request. Other failures say nothing about the rate and leave it alone.

    Args:
        most: Requests under way at a time, at most and in the beginning.
        now: Seconds on a clock that only goes forward.
    """

    def __init__(self, most: int, now: Callable[[], float] = time.monotonic) -> None:
        self._most, self._now = most, now
        self._allowed = float(most)
        self._under_way = 0
        self._resume_at = self._cut_at = now()
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._stopped_by: Exception | None = None
        self.alone = False
        """No second request may be under way, whatever the number says."""

    @property
    def allowed(self) -> int:
        """Return how many requests may be under way now."""
        return 1 if self.alone else max(1, int(self._allowed))

    async def turn(self, *, first: bool = False) -> float:
        """Wait for a turn, before all others if asked to, and return when it began; `over` ends it.

        Raises:
            Exception: The one that `stop` was given.
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
                # The turn was given already, and is given on.
                self.over()
            raise
        return self._now()

    def over(self) -> None:
        """End a turn."""
        self._under_way -= 1
        self._wake()

    def stop(self, error: Exception) -> None:
        """Give no more turns; all who wait for a turn, or ask for one later, get the error."""
        self._stopped_by = error
        while self._waiting:
            future = self._waiting.popleft()
            if not future.done():
                future.set_exception(error)

    def went_well(self) -> None:
        """Record a reply."""
        self._allowed = min(float(self._most), self._allowed + _GROWTH)
        self._wake()

    def too_many(self, began: float, pause_s: float | None) -> None:
        """Record a 429 to a request whose turn began at `began`.

        Args:
            began: Moment that `turn` returned.
            pause_s: Seconds of pause that the server asks for; None if it does not say.
        """
        if began >= self._cut_at:
            self._allowed = max(1.0, self._allowed * _CUT)
            self._cut_at = self._now()
        if pause_s is not None and pause_s > 0:
            self._resume_at = max(self._resume_at, self._now() + pause_s)
            asyncio.get_running_loop().call_later(pause_s, self._wake)

    def wake(self) -> None:
        """Give waiting requests their turns after `alone` has changed."""
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
