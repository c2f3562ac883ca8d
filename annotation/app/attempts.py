"""Failed attempts to sign in: after a few, the next has to wait, longer each time."""

from __future__ import annotations

from collections import OrderedDict
from datetime import datetime, timedelta
from typing import NamedTuple

LONGEST_WAIT = timedelta(minutes=15)
MOST_KEYS = 10_000


class _Failures(NamedTuple):
    number: int
    last: datetime


class Attempts:
    """Counts failures by key, such as a name at an address; in memory, the oldest forgotten first.

    Not for several threads at once: the server's event loop is its only user.
    """

    def __init__(self) -> None:
        self._failures: OrderedDict[str, _Failures] = OrderedDict()

    def wait(self, key: str, *, free: int, now: datetime) -> timedelta:
        """Return how long the next attempt has to wait, after so many free ones; zero or less where it need not."""
        failures = self._failures.get(key)
        if failures is None or failures.number < free:
            return timedelta(0)
        pause = min(timedelta(seconds=2.0 ** min(failures.number - free + 1, 20)), LONGEST_WAIT)
        return failures.last + pause - now

    def failed(self, key: str, *, now: datetime) -> None:
        """Count a failure; after a quiet spell counting begins anew."""
        before = self._failures.pop(key, None)
        is_old = before is None or now - before.last > 2 * LONGEST_WAIT
        self._failures[key] = _Failures(1 if before is None or is_old else before.number + 1, now)
        while len(self._failures) > MOST_KEYS:
            self._failures.popitem(last=False)

    def succeeded(self, key: str) -> None:
        """Forget the failures of a key."""
        self._failures.pop(key, None)
