"""Whether a picture's licence is among those that are allowed."""

from __future__ import annotations

from collections.abc import Collection

from benchwright.rights import normalized_licence


def is_allowed(licence: str, allowed: Collection[str]) -> bool:
    """Return whether a licence is among some, compared by SPDX identifiers or, where unknown, without regard to case.

    Args:
        licence: The licence as it is stated.
        allowed: Licences, such as `CC0-1.0` or `CC BY 4.0`.
    """
    known = {normalized_licence(each).casefold() for each in allowed}
    return normalized_licence(licence).casefold() in known
