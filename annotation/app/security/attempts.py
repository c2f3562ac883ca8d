"""Sign-in attempts: after a few failures, each further attempt must wait longer.

Failures are counted in three ways. So an attacker gains no speed by changing the address or the account, and cannot
lock out an account's owner by guessing their password:

- by **device**: a browser in which the account's owner signed in before holds a signed cookie. Attempts from this
  browser at that account count by device alone, regardless of what others do in the meantime;
- by **account**: all other attempts at one name share one count, regardless of their source and of whether an account
  has that name;
- by **address**: these attempts also count by source, so that one machine cannot try one password on many accounts. An
  IPv6 network of 64 bits counts as one address, because a subscriber gets a network of that size.

The method is OWASP's "device cookies"
(https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies).
The counts are in the server's memory; a restart resets them.
"""

from __future__ import annotations

import ipaddress
from collections import OrderedDict
from datetime import datetime, timedelta
from typing import NamedTuple

_MOST_COUNTS = 50_000
_NO_WAIT = timedelta(0)


class WaitPolicy(NamedTuple):
    """Waiting times after failures, for one kind of counter.

    Attributes:
        counts_by: Kind of the count: `device`, `account` or `address`.
        free: Number of failures before the first wait.
        longest: Maximum wait, up to which waits double.
        forgotten_after: Time after the last failure at which the count resets.
    """

    counts_by: str
    free: int
    longest: timedelta
    forgotten_after: timedelta


_DEVICE = WaitPolicy("device", 5, timedelta(minutes=15), timedelta(days=1))
_ACCOUNT = WaitPolicy("account", 5, timedelta(minutes=15), timedelta(days=1))
ADDRESS = WaitPolicy("address", 30, timedelta(minutes=1), timedelta(minutes=30))


class _Failures(NamedTuple):
    number: int
    last: datetime


class SignInAttempt(NamedTuple):
    """An attempt to sign in to an account, from a device that its owner has used before or else from an address."""

    account: str
    device: str | None
    address: str

    @property
    def counts(self) -> tuple[tuple[WaitPolicy, str], ...]:
        """Return the policies that count the attempt, each with its key."""
        if self.device is not None:
            return ((_DEVICE, f"{self.device} {self.account}"),)
        return (_ACCOUNT, self.account), (ADDRESS, self.address)


class Attempts:
    """Counters of failures, in memory; if there are too many of one kind, the oldest are dropped.

    Not thread-safe: only the server's event loop uses it.
    """

    def __init__(self) -> None:
        self._failures: dict[WaitPolicy, OrderedDict[str, _Failures]] = {
            policy: OrderedDict() for policy in (_DEVICE, _ACCOUNT, ADDRESS)
        }

    def wait(self, attempt: SignInAttempt, *, now: datetime) -> timedelta:
        """Return the time for which an attempt must wait; zero or less if it need not wait."""
        return max(self._wait(policy, key, now) for policy, key in attempt.counts)

    def failed(self, attempt: SignInAttempt, *, now: datetime) -> None:
        """Count an attempt as failed. Callers do this before checking it, so that simultaneous attempts also wait."""
        for policy, key in attempt.counts:
            failures = self._failures[policy]
            before = failures.pop(key, None)
            is_old = before is None or now - before.last > policy.forgotten_after
            failures[key] = _Failures(1 if before is None or is_old else before.number + 1, now)
            while len(failures) > _MOST_COUNTS:
                failures.popitem(last=False)

    def not_tried(self, attempt: SignInAttempt) -> None:
        """Remove the failure of an attempt that the server was too busy to check."""
        for policy, key in attempt.counts:
            self._decrement(policy, key)

    def succeeded(self, attempt: SignInAttempt) -> None:
        """Reset the account's failures in this attempt's counters; the address keeps failures for other accounts."""
        for policy, key in attempt.counts:
            if policy is ADDRESS:
                self._decrement(policy, key)
            else:
                self._failures[policy].pop(key, None)

    def forget_account(self, name: str) -> None:
        """Reset the failures for an account whose owner has just chosen another password."""
        self._failures[_ACCOUNT].pop(account_key(name), None)

    def _wait(self, policy: WaitPolicy, key: str, now: datetime) -> timedelta:
        failures = self._failures[policy].get(key)
        if failures is None or failures.number < policy.free or now - failures.last > policy.forgotten_after:
            return _NO_WAIT
        pause = min(timedelta(seconds=2.0 ** min(failures.number - policy.free + 1, 20)), policy.longest)
        return failures.last + pause - now

    def _decrement(self, policy: WaitPolicy, key: str) -> None:
        failures = self._failures[policy]
        before = failures.get(key)
        if before is not None and before.number > 1:
            failures[key] = before._replace(number=before.number - 1)
        else:
            failures.pop(key, None)


def account_key(name: str) -> str:
    """Return the key for counting attempts on an account: its case-folded name without surrounding spaces."""
    return name.strip().casefold()


def address_key(host: str) -> str:
    """Return the key for counting an address: the first 64 bits of IPv6, or `?` for an invalid address."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return "?"
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((int(address) >> 64 << 64, 64)))
    return str(address)
