"""Attempts to sign in: after a few failures the next has to wait, longer each time.

Failures are counted in three ways, so that nobody guesses faster by way of another address or account, and nobody
locks an account's owner out by guessing at it:

- by **device**: a browser in which somebody has signed in before holds a signed cookie that says so. Attempts from
  there at that account count by this device alone, whatever others do meanwhile;
- by **account**: all other attempts at one name share one count, from wherever they come, whether anybody has that name
  or not;
- by **address**: these attempts are also counted by where they come from, so that one machine cannot try one password
  on many accounts. An IPv6 network of 64 bits is one address: it is what one subscriber has.

The method is that of OWASP's "device cookies" (https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies).
Counts are in the server's memory and begin anew with it.
"""

from __future__ import annotations

import ipaddress
from collections import OrderedDict
from datetime import datetime, timedelta
from typing import NamedTuple

MOST_COUNTS = 50_000
_NO_WAIT = timedelta(0)


class WaitPolicy(NamedTuple):
    """How failures of one kind make the next attempt wait.

    Attributes:
        counts_by: What is counted.
        free: Failures after which nobody waits yet.
        longest: The waits double up to here.
        forgotten_after: So long after the last failure counting begins anew.
    """

    counts_by: str
    free: int
    longest: timedelta
    forgotten_after: timedelta


DEVICE = WaitPolicy("device", 5, timedelta(minutes=15), timedelta(days=1))
ACCOUNT = WaitPolicy("account", 5, timedelta(minutes=15), timedelta(days=1))
ADDRESS = WaitPolicy("address", 30, timedelta(minutes=1), timedelta(minutes=30))


class _Failures(NamedTuple):
    number: int
    last: datetime


class SignInAttempt(NamedTuple):
    """One attempt at an account: from a device that its owner has used before, or else from an address."""

    account: str
    device: str | None
    address: str

    @property
    def counts(self) -> tuple[tuple[WaitPolicy, str], ...]:
        """Return by what it is counted."""
        if self.device is not None:
            return ((DEVICE, f"{self.device} {self.account}"),)
        return (ACCOUNT, self.account), (ADDRESS, self.address)


class Attempts:
    """Counts failures in memory; of each kind the oldest are forgotten first.

    Not for several threads at once: the server's event loop is its only user.
    """

    def __init__(self) -> None:
        self._failures: dict[WaitPolicy, OrderedDict[str, _Failures]] = {
            policy: OrderedDict() for policy in (DEVICE, ACCOUNT, ADDRESS)
        }

    def wait(self, attempt: SignInAttempt, *, now: datetime) -> timedelta:
        """Return how long an attempt has to wait; zero or less where it need not."""
        return max(self._wait(policy, key, now) for policy, key in attempt.counts)

    def failed(self, attempt: SignInAttempt, *, now: datetime) -> None:
        """Count an attempt as failed, which is done before anybody knows, so that many at once wait too."""
        for policy, key in attempt.counts:
            failures = self._of(policy)
            before = failures.pop(key, None)
            is_old = before is None or now - before.last > policy.forgotten_after
            failures[key] = _Failures(1 if before is None or is_old else before.number + 1, now)
            while len(failures) > MOST_COUNTS:
                failures.popitem(last=False)

    def not_tried(self, attempt: SignInAttempt) -> None:
        """Take back the one failure of an attempt that came to no answer, since the server had no time for it."""
        for policy, key in attempt.counts:
            self._take_one_back(policy, key)

    def succeeded(self, attempt: SignInAttempt) -> None:
        """Forget the failures at the account, as this attempt counts them. What an address did to others stays."""
        for policy, key in attempt.counts:
            if policy is ADDRESS:
                self._take_one_back(policy, key)
            else:
                self._of(policy).pop(key, None)

    def forget_account(self, name: str) -> None:
        """Forget the failures at an account whose owner has just chosen another password."""
        self._of(ACCOUNT).pop(account_key(name), None)

    def _of(self, policy: WaitPolicy) -> OrderedDict[str, _Failures]:
        return self._failures[policy]

    def _wait(self, policy: WaitPolicy, key: str, now: datetime) -> timedelta:
        failures = self._of(policy).get(key)
        if failures is None or failures.number < policy.free or now - failures.last > policy.forgotten_after:
            return _NO_WAIT
        pause = min(timedelta(seconds=2.0 ** min(failures.number - policy.free + 1, 20)), policy.longest)
        return failures.last + pause - now

    def _take_one_back(self, policy: WaitPolicy, key: str) -> None:
        failures = self._of(policy)
        before = failures.get(key)
        if before is not None and before.number > 1:
            failures[key] = before._replace(number=before.number - 1)
        else:
            failures.pop(key, None)


def account_key(name: str) -> str:
    """Return how attempts call an account: its name, as people type it."""
    return name.strip().casefold()


def address_key(host: str) -> str:
    """Return how addresses are counted: IPv6 by its first 64 bits, and whatever is no address as one."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return "?"
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((int(address) >> 64 << 64, 64)))
    return str(address)
