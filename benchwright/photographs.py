"""Photographs that people bring while a benchmark is built, as a run takes them in beside its image folder."""

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
"""Folder of a workspace that holds them, by hash: those that nobody handed in yet among them."""


@dataclass(frozen=True)
class BroughtPhotograph:
    """One photograph, decoded and encoded anew by whoever took it from people.

    Args:
        path: Path of its file.
        source: What people said of it; its URI names it in the tables, and no other file of the run.
    """

    path: Path
    source: Source


class Unused(NamedTuple):
    """Photographs that were brought and that nothing refers to.

    Args:
        photographs: Number of photographs.
        old: Number of those that are old enough to be removed.
        files: What goes, half-written files of killed processes among it.
        size_bytes: Bytes of these files together.
    """

    photographs: int = 0
    old: int = 0
    files: tuple[Path, ...] = ()
    size_bytes: int = 0


def collected_photographs(root: Path) -> ObjectStore:
    """Return the store of photographs that people brought to a workspace; nothing in it is ever overwritten."""
    folder = root / FOLDER
    # Not the workspace's folder for drafts: each run empties that one, and people bring photographs at any time.
    return ObjectStore(folder, tmp=folder / "tmp")


def photographs_of(root: Path) -> list[BroughtPhotograph]:
    """Ask every room that collects photographs for them; by URI, each once.

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
    """Ask every room that collects photographs for those that nothing refers to, and have it remove the older ones.

    Args:
        root: The workspace.
        before: Moment; photographs that were last brought before it are old enough to be removed.
        remove: Whether they go; else it is only said which would.

    Raises:
        BenchwrightError: A review store cannot be read.
    """
    if not has_store(root):
        return []
    return [room.load()(root, before=before, remove=remove) for room in catalogue("unused_photographs").values()]
