"""Limits of the HTTP API: attempts with wrong tokens, and requests per token."""

from __future__ import annotations

from collections import OrderedDict
from datetime import datetime
from math import ceil
from typing import NamedTuple

from ..security.attempts import Attempts, SignInAttempt, address_key

REQUESTS_A_SECOND, BURST = 20.0, 200
"""Limits on a token's requests: sustained rate, in requests per second, and burst size."""
_MOST_KEPT = 10_000


class _Bucket(NamedTuple):
    left: float
    at: datetime


class ApiLimits:
    """Counters of attempts and requests, in memory; a restart resets them. Used only by the server's event loop.

    Wrong tokens are counted like wrong passwords (`security.attempts`). A token that worked from an address before has
    a separate count there: the right token passes from that address, regardless of the guesses of others.
    """

    def __init__(self) -> None:
        self._attempts = Attempts()
        self._known: OrderedDict[tuple[int, str], None] = OrderedDict()
        self._buckets: OrderedDict[int, _Bucket] = OrderedDict()

    def attempt(self, token_id: int | None, host: str) -> SignInAttempt:
        """Return an attempt from an address with the token of a given id; None means a token without an id."""
        address = address_key(host)
        number = -1 if token_id is None else token_id
        device = address if (number, address) in self._known else None
        return SignInAttempt(f"token {number}", device, address)

    def wait_s(self, attempt: SignInAttempt, *, now: datetime) -> int:
        """Return the number of seconds that an attempt must wait, or 0 if it need not wait."""
        return max(0, ceil(self._attempts.wait(attempt, now=now).total_seconds()))

    def failed(self, attempt: SignInAttempt, *, now: datetime) -> None:
        """Count an attempt with an invalid token."""
        self._attempts.failed(attempt, now=now)

    def worked(self, token_id: int, host: str) -> None:
        """Record that a token works from an address."""
        self._known[token_id, address_key(host)] = None
        self._known.move_to_end((token_id, address_key(host)))
        while len(self._known) > _MOST_KEPT:
            self._known.popitem(last=False)

    def take(self, token_id: int, *, now: datetime) -> int:
        """Count a request of a token, and return the number of seconds that it must wait, or 0 if it need not wait."""
        bucket = self._buckets.pop(token_id, _Bucket(BURST, now))
        elapsed_s = max(0.0, (now - bucket.at).total_seconds())
        left = min(BURST, bucket.left + elapsed_s * REQUESTS_A_SECOND)
        is_allowed = left >= 1
        self._buckets[token_id] = _Bucket(left - 1 if is_allowed else left, now)
        while len(self._buckets) > _MOST_KEPT:
            self._buckets.popitem(last=False)
        return 0 if is_allowed else ceil((1 - left) / REQUESTS_A_SECOND)
