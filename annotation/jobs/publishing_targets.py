"""Publishing targets for curators in the browser: folders and Hub organizations given to the server.

`review serve --publish-to DIR` and `--publish-to hub:ORG` name them; a name from the browser is one part of a path.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from benchwright.errors import BenchwrightError

_HUB = "hub:"
_ORGANIZATION = re.compile(r"hub:[A-Za-z0-9][A-Za-z0-9._-]{0,95}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,95}")


class PublishingTargets:
    """The destinations to which a server publishes.

    Args:
        places: Folders, and `hub:ORG`.

    Raises:
        BenchwrightError: One of them is neither.
    """

    def __init__(self, places: Sequence[str] = ()) -> None:
        self._places: dict[str, str] = {}
        for place in places:
            if place.startswith(_HUB):
                if not _ORGANIZATION.fullmatch(place):
                    raise BenchwrightError(f"--publish-to {place[:100]}: name an organization of the Hub as hub:ORG")
                self._places[place] = place
            elif Path(place).is_dir():
                self._places[Path(place).resolve().as_posix()] = place
            else:
                raise BenchwrightError(f"--publish-to {place[:200]} is not a folder; name an existing one, or hub:ORG")

    def __bool__(self) -> bool:
        return bool(self._places)

    def names(self) -> list[str]:
        """Return the names of the targets, as given."""
        return list(self._places.values())

    def target(self, place: str, name: str) -> str:
        """Return the target for `release publish`.

        Args:
            place: One of `names`.
            name: Name of the publication: a new folder, or a repository.

        Raises:
            BenchwrightError: The place is not one of `names`, or the name is invalid.
        """
        real = next((real for real, given in self._places.items() if given == place), None)
        if real is None:
            raise BenchwrightError(f"this server does not publish to {place[:100]!r}")
        if not _NAME.fullmatch(name) or name.endswith("."):
            raise BenchwrightError(
                f"{name[:100]!r}: a name consists of letters, digits, periods, hyphens and underscores"
            )
        return f"{real}/{name}"
