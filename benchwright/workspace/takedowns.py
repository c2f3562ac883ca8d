"""Images withdrawn from a workspace's next releases: they are in `takedowns.json`, whose entries are never removed.

An item is withdrawn as long as any picture that it shows or derives from is withdrawn. Its records and decisions are
kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from benchwright.errors import DamagedError, DataError
from benchwright.records import ImageRecord, Item, Record, Sha256
from benchwright.workspace.sealed import read_sealed, write_sealed
from benchwright.workspace.workspace import Workspace

FORMAT, VERSION = "benchwright/takedowns", 1
FILE = "takedowns.json"


class Takedown(Record):
    """One withdrawal.

    Attributes:
        image_id: Withdrawn source image, which includes everything made from it.
        uri: URI of its file at ingest.
        why: Reason, on one line.
        by: Name of the person who withdrew it.
        at: Time of the withdrawal, in UTC (ISO 8601).
        undone_by: Name of the person who reversed the withdrawal; None while it is in effect.
        undone_at: Time of the reversal, in UTC (ISO 8601); None while it is in effect.
        undone_why: Reason for the reversal; None while it is in effect.
    """

    image_id: Sha256
    uri: str
    why: str
    by: str
    at: str
    undone_by: str | None = None
    undone_at: str | None = None
    undone_why: str | None = None

    @property
    def holds(self) -> bool:
        """Return whether the image is currently withdrawn."""
        return self.undone_at is None


_Takedowns = TypeAdapter(list[Takedown])


def takedowns_of(space: Workspace) -> list[Takedown]:
    """Return all withdrawals, including reversed ones, in order.

    Raises:
        DataError: The file is damaged or of a newer version.
    """
    path = space.root / FILE
    try:
        document = read_sealed(path)
    except FileNotFoundError:
        return []
    except DamagedError as error:
        raise DamagedError(path, f"{error.what}; restore a copy, or withdraw its images again") from error
    if document.get("format") != FORMAT or document.get("version") != VERSION:
        raise DataError(f"{path} does not state format {FORMAT!r} in version {VERSION}; upgrade benchwright")
    try:
        return _Takedowns.validate_python(document.get("takedowns"))
    except ValidationError as error:
        raise DataError(f"{path}: {str(error).splitlines()[0]}; restore a copy of it") from error


def save_takedowns(space: Workspace, takedowns: Sequence[Takedown]) -> None:
    """Write all withdrawals; the caller must have locked the workspace."""
    entries: list[Any] = _Takedowns.dump_python(list(takedowns), mode="json")
    document = {"format": FORMAT, "version": VERSION, "takedowns": entries}
    write_sealed(space.root / FILE, document, tmp=space.tmp)


def withdrawn_images(root: Path) -> frozenset[str]:
    """Return the ids of the withdrawn source images."""
    return frozenset(takedown.image_id for takedown in takedowns_of(Workspace(root)) if takedown.holds)


def goes_back_to(item: Item, image_ids: Iterable[str], image: Callable[[str], ImageRecord]) -> bool:
    """Return whether an item shows, or was made from, any of the given images.

    Args:
        item: The item.
        image_ids: Ids of images.
        image: Function that returns the record of an image that the item shows or derives from.
    """
    wanted = set(image_ids)
    waiting, seen = [item.root_image_id, *(shown.image_id for shown in item.images)], set[str]()
    while waiting:
        image_id = waiting.pop()
        if image_id in wanted:
            return True
        if image_id not in seen:
            seen.add(image_id)
            waiting += image(image_id).derived_from
    return False
