"""Passwords, hashed with argon2id and the library's default parameters; checks take as long for unknown names."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from benchwright.errors import BenchwrightError

SHORTEST, _LONGEST = 10, 1024
_HASHES_AT_ONCE, _MOST_WAITING = 2, 64
Result = TypeVar("Result")
_HASHER = PasswordHasher()


def check_new_password(password: str, *, name: str) -> None:
    """Check a new password.

    Raises:
        BenchwrightError: The password is too short, too long, too uniform, or equal to the name.
    """
    if not SHORTEST <= len(password) <= _LONGEST:
        raise BenchwrightError(f"a password has {SHORTEST} to {_LONGEST} characters; this one has {len(password)}")
    if password.casefold() == name.casefold() or len(set(password)) < 4:
        raise BenchwrightError("this password is too easy to guess; choose another")


def hash_password(password: str) -> str:
    """Return the hash of a password for the store."""
    return _HASHER.hash(password)


def is_right(password: str, password_hash: str | None) -> bool:
    """Return whether a password matches a hash; without a hash, return False after an equal time."""
    try:
        matches = _HASHER.verify(password_hash or _dummy_hash(), password[: _LONGEST + 1])
    except (VerificationError, InvalidHashError):
        return False
    return matches and password_hash is not None


@cache
def _dummy_hash() -> str:
    return _HASHER.hash("nobody has this account")


class HashingBusyError(BenchwrightError):
    """Too many passwords are waiting to be hashed or checked."""


class BoundedHashing:
    """Hashes passwords in a bounded number of separate threads; each computation takes 64 MiB.

    Args:
        at_once: Maximum number of simultaneous computations; default 2.
        most_waiting: Maximum number of waiting computations, beyond which more are refused; default 64.
    """

    def __init__(self, *, at_once: int = _HASHES_AT_ONCE, most_waiting: int = _MOST_WAITING) -> None:
        self._threads = ThreadPoolExecutor(at_once, thread_name_prefix="hashing")
        self._most = at_once + most_waiting
        self._under_way = 0

    async def hash_password(self, password: str) -> str:
        """Return the hash of a password for the store.

        Raises:
            HashingBusyError: Too many are already waiting.
        """
        return await self._run(lambda: hash_password(password))

    async def is_right(self, password: str, password_hash: str | None) -> bool:
        """Return whether a password matches a hash; see the function `is_right`.

        Raises:
            HashingBusyError: Too many are already waiting.
        """
        return await self._run(lambda: is_right(password, password_hash))

    async def _run(self, work: Callable[[], Result]) -> Result:
        if self._under_way >= self._most:
            raise HashingBusyError("too many people are signing in at this moment; try again in a few seconds")
        self._under_way += 1
        loop = asyncio.get_running_loop()

        def ended(_done: Future[Result]) -> None:  # also called if the browser has left meanwhile
            loop.call_soon_threadsafe(self._ended)

        done = self._threads.submit(work)
        done.add_done_callback(ended)
        return await asyncio.wrap_future(done)

    def _ended(self) -> None:
        self._under_way -= 1
