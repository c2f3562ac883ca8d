"""The person who decides by a command, and the reason: `--by` and `--why`."""

from __future__ import annotations

import getpass

from benchwright.errors import BenchwrightError

_LONGEST_WHY = 2000
"""Largest number of characters in a reason."""


def name_of_decider(by: str | None) -> str:
    """Return the name given with `--by`, otherwise the login name.

    Raises:
        BenchwrightError: The login has no name.
    """
    if by is not None:
        return by
    try:
        return getpass.getuser()
    except (KeyError, OSError) as error:
        raise BenchwrightError("this login has no name; give yours with --by NAME") from error


def checked_why(why: str, *, needed: bool = False) -> str:
    """Return a reason as a single line.

    Raises:
        BenchwrightError: The reason is too long, contains unprintable characters, or is empty although required.
    """
    text = " ".join(why.split())
    if (needed and not text) or len(text) > _LONGEST_WHY or not text.isprintable():
        raise BenchwrightError(f"--why takes 1 to {_LONGEST_WHY} printable characters; give a reason in one line")
    return text
