"""Ids by which the source of an item calls it, beside the one that Benchwright gives it.

Items of a benchmark that was brought in have them as attributes. Where a command takes ids, it takes these too, as long
as one item alone is called so.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from benchwright.errors import DataError

OWN_ID = "source_id"
"""Attribute of an item: the id of its question, unique in the source."""
STATED_ID = "stated_id"
"""Attribute of an item whose id was made unique: the id that its source states."""
_NAMES = (OWN_ID, STATED_ID, "published_id")
_SHOWN = 3


def own_id(attributes: Mapping[str, Any] | str | None) -> str | None:
    """Return the id by which an item's source calls it; None where its attributes state none.

    Args:
        attributes: Attributes of the item, or these as JSON, as a release holds them.
    """
    return next(iter(_own_ids(attributes)), None)


def _own_ids(attributes: Mapping[str, Any] | str | None) -> list[str]:
    document: Any = attributes
    if isinstance(attributes, str):
        # Most items are made here and have none: their attributes need not be read.
        document = json.loads(attributes) if any(name in attributes for name in _NAMES) else None
    if not isinstance(document, Mapping):
        return []
    return [str(document[name]) for name in _NAMES if document.get(name) not in (None, "")]


def called(item_id: str, own: str | None) -> str:
    """Return an item's id as people read it: with the source's own before it, where there is one."""
    return item_id if own is None or own == item_id else f"{own} ({item_id})"


class OwnIds:
    """Items by the ids of their source.

    Args:
        items: Id of each item, with its attributes.
    """

    def __init__(self, items: Iterable[tuple[str, Mapping[str, Any] | str | None]]) -> None:
        self._known: set[str] = set()
        self._called: dict[str, list[str]] = {}
        for item_id, attributes in items:
            self._known.add(item_id)
            for name in dict.fromkeys(_own_ids(attributes)):
                self._called.setdefault(name, []).append(item_id)

    def item_id(self, name: str) -> str:
        """Return the id of the item that is called so; the name itself where it is an item's id, or nothing's.

        Raises:
            DataError: Several items are called so.
        """
        found = self._called.get(name, [])
        if name in self._known or not found:
            return name
        if len(found) > 1:
            shown = ", ".join(found[:_SHOWN]) + (", ..." if len(found) > _SHOWN else "")
            raise DataError(f"{len(found)} items have the id {name!r} in their source; say which: {shown}")
        return found[0]
