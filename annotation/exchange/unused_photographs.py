"""Photographs that somebody uploaded and nobody handed in, as `gc` asks for them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from benchwright.photographs import Unused, collected_photographs
from benchwright.workspace.workspace import Workspace

from ..store import ReviewStore, open_store, store_exists
from ..store.database.audit import COMMAND_LINE, clock, record
from ..store.submissions.photo_uploads import forget_uploads, photographs_in_use

_NAME = re.compile(r"[0-9a-f]{62}")


def unused_photographs(root: Path, *, before: datetime, remove: bool) -> Unused:
    """Return which photographs of a workspace no decision and no draft refers to, and remove the older ones.

    Without a review store all stay: it may come back from a backup.

    Args:
        root: The workspace.
        before: Those that were uploaded last before this moment are old enough to go.
        remove: Whether they go; else it is only said which would.

    Raises:
        BenchwrightError: The store cannot be read.
    """
    url = Workspace(root).store_url
    if not store_exists(url):
        return Unused()
    with open_store(url) as store:
        return unused_in(store, root, before=before, remove=remove)


def unused_in(store: ReviewStore, root: Path, *, before: datetime, remove: bool) -> Unused:
    """Return what `unused_photographs` does, of the workspace that a store belongs to."""
    with store.writing() if remove else store.reading() as connection:
        in_use = photographs_in_use(connection)
        unused = {one: path for one, path in _files(root) if one not in in_use}
        old = {one: path for one, path in unused.items() if _uploaded(path) < before}
        going = (*old.values(), *(path for path in sorted(_drafts(root)) if _uploaded(path) < before))
        size = sum(path.stat().st_size for path in going)
        if remove and going:
            forget_uploads(connection, old)
            for path in going:
                path.unlink()
            record(connection, "uploads_removed", actor=COMMAND_LINE, at=clock(), photographs=len(old))
    return Unused(len(unused), len(old), going, size)


def _files(root: Path) -> Iterator[tuple[str, Path]]:
    """Yield what was taken in, by id."""
    for path in sorted(collected_photographs(root).root.glob("??/*")):
        if _NAME.fullmatch(path.name) and path.is_file():
            yield path.parent.name + path.name, path


def _drafts(root: Path) -> Iterator[Path]:
    """Yield what a process that was killed left half written."""
    return (path for path in collected_photographs(root).root.glob("tmp/*") if path.is_file())


def _uploaded(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)
