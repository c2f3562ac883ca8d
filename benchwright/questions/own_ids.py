"""Ids that items have in their source, in addition to Benchwright's ids.

Items of an imported benchmark have them as attributes. Commands that accept ids also accept these, if only one item has
the id.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from benchwright.errors import DataError

OWN_ID = "source_id"
"""Attribute of an item: the id of its question, unique in the source."""
STATED_ID = "stated_id"
"""Attribute of an item whose id was made unique: its id as stated by the source."""
ENTRY_ID = "entry_id"
"""Attribute of an item that is one of several questions in an entry of its source: the id that the entry states.

Benchwright makes the id of such an item, so only the entry's id can give a key away.
"""
_NAMES = (OWN_ID, STATED_ID, "published_id")
_SHOWN = 3


def own_id(attributes: Mapping[str, Any] | str | None) -> str | None:
    """Return an item's id in its source; None if its attributes state none.

    Args:
        attributes: Attributes of the item, or their JSON from a release.
    """
    return next(iter(_own_ids(attributes)), None)


def _own_ids(attributes: Mapping[str, Any] | str | None) -> list[str]:
    document: Any = attributes
    if isinstance(attributes, str):
        # Most items are made by Benchwright and have none, so their attributes need not be read.
        document = json.loads(attributes) if any(name in attributes for name in _NAMES) else None
    if not isinstance(document, Mapping):
        return []
    return [str(document[name]) for name in _NAMES if document.get(name) not in (None, "")]


def called(item_id: str, own: str | None) -> str:
    """Return the id of an item for display, preceded by the source's own id, if any."""
    return item_id if own is None or own == item_id else f"{own} ({item_id})"


class OwnIds:
    """A lookup of items by their ids in the source.

    Args:
        items: The id and the attributes of each item.
    """

    def __init__(self, items: Iterable[tuple[str, Mapping[str, Any] | str | None]]) -> None:
        self._known: set[str] = set()
        self._called: dict[str, list[str]] = {}
        for item_id, attributes in items:
            self._known.add(item_id)
            for name in dict.fromkeys(_own_ids(attributes)):
                self._called.setdefault(name, []).append(item_id)

    def item_id(self, name: str) -> str:
        """Return the id of the item with the given name, or the name itself if it is an item's id or unknown.

        Raises:
            DataError: Several items have that id in the source.
        """
        found = self._called.get(name, [])
        if name in self._known or not found:
            return name
        if len(found) > 1:
            shown = ", ".join(found[:_SHOWN]) + (", ..." if len(found) > _SHOWN else "")
            raise DataError(f"{len(found)} items have the id {name!r} in their source; give one of {shown}")
        return found[0]
