"""Passwords: argon2id, the library's own parameters, and the same time for names that nobody has."""

from __future__ import annotations

from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from benchwright.errors import BenchwrightError

SHORTEST, LONGEST = 10, 1024
_HASHER = PasswordHasher()


def check_new_password(password: str, *, name: str) -> None:
    """Check a password that somebody chooses.

    Raises:
        BenchwrightError: It is too short, too long, or the name itself.
    """
    if not SHORTEST <= len(password) <= LONGEST:
        raise BenchwrightError(f"a password has {SHORTEST} to {LONGEST} characters; this one has {len(password)}")
    if password.casefold() == name.casefold() or len(set(password)) < 4:
        raise BenchwrightError("this password is too easy to guess; choose another")


def hash_password(password: str) -> str:
    """Return what the store keeps of a password."""
    return _HASHER.hash(password)


def is_right(password: str, password_hash: str | None) -> bool:
    """Return whether a password is the one of a hash; without a hash it takes as long and is not."""
    try:
        matches = _HASHER.verify(password_hash or _nobodys(), password[: LONGEST + 1])
    except (VerificationError, InvalidHashError):
        return False
    return matches and password_hash is not None


@cache
def _nobodys() -> str:
    return _HASHER.hash("nobody has this account")
