"""Photographs that were uploaded but never submitted, which `gc` lists and removes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from benchwright.workspace.photographs import Unused, collected_photographs
from benchwright.workspace.workspace import Workspace

from ..store.database.audit import COMMAND_LINE, clock, record
from ..store.database.locks import hold_uploads
from ..store.review_store import ReviewStore, open_store, store_exists
from ..store.submissions.photo_uploads import forget_uploads, photographs_in_use

_NAME = re.compile(r"[0-9a-f]{62}")


def unused_photographs(root: Path, *, before: datetime, remove: bool) -> Unused:
    """Return a workspace's photographs to which no decision or draft refers, and remove the older ones.

    Without a review store, all photographs are kept, since the store may be restored from a backup.

    Args:
        root: Folder of the workspace.
        before: Remove photographs last uploaded before this time.
        remove: Whether to remove the photographs or only list them.

    Raises:
        BenchwrightError: The store is unreadable.
    """
    url = Workspace(root).store_url
    if not store_exists(url):
        return Unused()
    with open_store(url) as store:
        return unused_in(store, root, before=before, remove=remove)


def unused_in(store: ReviewStore, root: Path, *, before: datetime, remove: bool) -> Unused:
    """Return the result of `unused_photographs` for the workspace of a store."""
    with store.writing() if remove else store.reading() as connection:
        if remove:
            hold_uploads(connection)
        in_use = photographs_in_use(connection)
        unused = {image_id: path for image_id, path in _files(root) if image_id not in in_use}
        old = {image_id: path for image_id, path in unused.items() if _uploaded(path) < before}
        to_remove = (*old.values(), *(path for path in sorted(_drafts(root)) if _uploaded(path) < before))
        size = sum(path.stat().st_size for path in to_remove)
        if remove and to_remove:
            forget_uploads(connection, old)
            for path in to_remove:
                path.unlink()
            record(connection, "uploads_removed", actor=COMMAND_LINE, at=clock(), photographs=len(old))
    return Unused(len(unused), len(old), to_remove, size)


def _files(root: Path) -> Iterator[tuple[str, Path]]:
    """Yield the id and path of each stored photograph, sorted by path."""
    for path in sorted(collected_photographs(root).root.glob("??/*")):
        if _NAME.fullmatch(path.name) and path.is_file():
            yield path.parent.name + path.name, path


def _drafts(root: Path) -> Iterator[Path]:
    """Yield incomplete files left by a killed process."""
    return (path for path in collected_photographs(root).root.glob("tmp/*") if path.is_file())


def _uploaded(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)
