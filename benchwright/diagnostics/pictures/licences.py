"""Whether a picture's license is among the allowed ones."""

from __future__ import annotations

from collections.abc import Collection

from benchwright.rights import normalized_licence


def is_allowed(licence: str, allowed: Collection[str]) -> bool:
    """Return whether a license is allowed, by SPDX identifier or, if that is unknown, by text regardless of case.

    Args:
        licence: The license as stated.
        allowed: Licenses, such as `CC0-1.0` or `CC BY 4.0`.
    """  # phrase: allowed
    known = {normalized_licence(each).casefold() for each in allowed}
    return normalized_licence(licence).casefold() in known
