"""Who decides by a command, and why: `--by` and `--why`."""

from __future__ import annotations

import getpass

from benchwright.errors import BenchwrightError

_LONGEST_WHY = 2000
"""Characters of a reason."""


def name_of_decider(by: str | None) -> str:
    """Return the name given with `--by`, else that of the login.

    Raises:
        BenchwrightError: The login has no name.
    """
    if by is not None:
        return by
    try:
        return getpass.getuser()
    except (KeyError, OSError) as error:
        raise BenchwrightError("this login has no name; say who decides with --by NAME") from error


def checked_why(why: str, *, needed: bool = False) -> str:
    """Return a reason on one line.

    Raises:
        BenchwrightError: It is too long, not printable, or empty where it is needed.
    """
    text = " ".join(why.split())
    if (needed and not text) or len(text) > _LONGEST_WHY or not text.isprintable():
        raise BenchwrightError(f"--why takes 1 to {_LONGEST_WHY} printable characters; say in a line why")
    return text
