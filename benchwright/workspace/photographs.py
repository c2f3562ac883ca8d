"""Photographs that users upload or that a step brings into a run.

The run ingests them together with its image folder.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from benchwright.records import Source
from benchwright.rooms import catalogue
from benchwright.workspace.objects import ObjectStore
from benchwright.workspace.store_place import has_store

FOLDER = "collected"
"""Folder of a workspace that contains them, named by hash, including those not yet submitted."""


@dataclass(frozen=True)
class BroughtPhotograph:
    """One photograph: an upload that the receiving room has decoded and re-encoded, or a dataset's own file.

    Args:
        path: Path of its file.
        source: Stated source; its URI is unique in the run and names the photograph in the tables.
    """

    path: Path
    source: Source


class Unused(NamedTuple):
    """Uploaded photographs to which nothing refers.

    Args:
        photographs: Number of photographs.
        old: Number of those old enough to remove.
        files: Files to remove, including half-written files of killed processes.
        size_bytes: Total size of these files in bytes.
    """

    photographs: int = 0
    old: int = 0
    files: tuple[Path, ...] = ()
    size_bytes: int = 0


def collected_photographs(root: Path) -> ObjectStore:
    """Return the store of photographs uploaded to a workspace, which never overwrites a file."""
    folder = root / FOLDER
    # Not the workspace's folder for drafts: each run empties that one, and uploads arrive at any time.
    return ObjectStore(folder, tmp=folder / "tmp")


def photographs_of(root: Path) -> list[BroughtPhotograph]:
    """Return the distinct photographs of every room that collects them, sorted by URI.

    Raises:
        BenchwrightError: A review store cannot be read.
    """
    if not has_store(root):
        return []
    photographs: dict[str, BroughtPhotograph] = {}
    for room in catalogue("photographs").values():
        for photograph in room.load()(root):
            photographs.setdefault(photograph.source.uri, photograph)
    return [photographs[uri] for uri in sorted(photographs)]


def unused_photographs(root: Path, *, before: datetime, remove: bool) -> list[Unused]:
    """Return the unreferenced photographs of every room that collects them; remove the old ones on request.

    Args:
        root: Folder of the workspace.
        before: Time before which a photograph must have been last uploaded to be old enough for removal.
        remove: Whether to remove the old ones; otherwise they are only counted.

    Raises:
        BenchwrightError: A review store cannot be read.
    """
    if not has_store(root):
        return []
    return [room.load()(root, before=before, remove=remove) for room in catalogue("unused_photographs").values()]
