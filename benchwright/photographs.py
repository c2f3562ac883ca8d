"""Photographs that people bring while a benchmark is built, as a run takes them in beside its image folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchwright.objects import ObjectStore
from benchwright.records import Source
from benchwright.rooms import catalogue
from benchwright.store_place import has_store

FOLDER = "collected"
"""Folder of a workspace that holds them, by hash: those that nobody handed in yet among them."""


@dataclass(frozen=True)
class Photograph:
    """One photograph, decoded and encoded anew by whoever took it from people.

    Args:
        path: Its file.
        source: What people said of it; its URI names it in the tables, and no other file of the run.
    """

    path: Path
    source: Source


def collected_photographs(root: Path) -> ObjectStore:
    """Return the store of photographs that people brought to a workspace; nothing in it is ever overwritten."""
    folder = root / FOLDER
    # Not the workspace's folder for drafts: each run empties that one, and people bring photographs at any time.
    return ObjectStore(folder, tmp=folder / "tmp")


def photographs_of(root: Path) -> list[Photograph]:
    """Ask every room that collects photographs for them; by URI, each once.

    Raises:
        BenchwrightError: A review store cannot be read.
    """
    if not has_store(root):
        return []
    found: dict[str, Photograph] = {}
    for room in catalogue("photographs").values():
        for one in room.load()(root):
            found.setdefault(one.source.uri, one)
    return [found[uri] for uri in sorted(found)]
