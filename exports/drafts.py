"""Drafts: releases without a version, which a run writes if the remaining items have changed.

The newest draft of each benchmark is kept, and so is every draft with results in the workspace. The others can be
removed; releases with a version are never removed.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

from benchwright.errors import DataError
from benchwright.release import Release
from benchwright.release.format.identity import DRAFT
from benchwright.workspace.workspace import Workspace

Kept = Literal["newest", "has_results"]


class DraftRelease(NamedTuple):
    """A draft in a workspace.

    Args:
        path: Folder of the draft.
        name: Name of the benchmark.
        version: Version of the draft, derived from its content.
        release_id: SHA-256 of its manifest.
        items: Number of items.
        size_bytes: Size of all its files in bytes.
        kept: Reason it is kept; None for an old draft that can be removed.
    """

    path: Path
    name: str
    version: str
    release_id: str
    items: int
    size_bytes: int
    kept: Kept | None


def drafts(root: Path, *, keep: int = 1) -> list[DraftRelease]:
    """Return the drafts in a workspace, the newest of each benchmark first.

    A folder that cannot be read as a release is skipped and kept.

    Args:
        root: Folder of the workspace.
        keep: Number of newest drafts to keep of each benchmark.

    Raises:
        BenchwrightError: The folder is not a workspace.
        DataError: A results file cannot be read, so it is unknown which draft it belongs to.
    """
    space = Workspace.open(root)
    scored = frozenset(_scored(space.root))
    found = sorted(_releases(space.root), key=lambda release: (release.name, -release.path.stat().st_mtime_ns))
    counts: dict[str, int] = {}
    listed = []
    for release in found:
        counts[release.name] = counts.get(release.name, 0) + 1
        listed.append(_draft(release, scored, is_newest=counts[release.name] <= keep))
    return listed


def remove_old(root: Path, *, keep: int = 1) -> list[DraftRelease]:
    """Remove and return the drafts that `drafts` does not mark as kept; no run may be active at the time.

    Raises:
        BenchwrightError: The folder is not a workspace, or a run is active in it.
        DataError: A results file cannot be read.
    """
    space = Workspace.open(root)
    with space.locked():
        old = [draft for draft in drafts(root, keep=keep) if draft.kept is None]
        for draft in old:
            gone = draft.path.with_name(f".{draft.path.name}.removed")
            draft.path.rename(gone)  # a draft is whole or absent, never partial
            shutil.rmtree(gone)
    return old


def _draft(release: Release, scored: Collection[str], *, is_newest: bool) -> DraftRelease:
    files = (path for path in release.path.rglob("*") if path.is_file())
    return DraftRelease(
        release.path,
        release.name,
        release.version,
        release.release_id,
        len(release),
        sum(path.stat().st_size for path in files),
        "newest" if is_newest else "has_results" if release.release_id in scored else None,
    )


def _releases(root: Path) -> Iterator[Release]:
    for folder in sorted((root / "releases").glob(f"[!.]*-{DRAFT}*")):
        try:
            release = Release.open(folder)
        except DataError:
            continue
        if release.version.startswith(DRAFT):
            yield release


def _scored(root: Path) -> Iterator[str]:
    """Yield the ids of the releases for which a workspace has results."""
    for path in sorted((root / "results").glob("*/score.json")):
        try:
            score: Any = json.loads(path.read_bytes())
            yield str(score["release_id"])
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise DataError(f"{path} cannot be read ({error}); repair or remove it, then list drafts again") from error
