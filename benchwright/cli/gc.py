"""``benchwright gc``."""

from __future__ import annotations

import os
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from benchwright.terminal.output import emit, json_option
from benchwright.texts.normalization import counted


@click.command()
@click.argument("workspace", type=click.Path(path_type=Path), help="Workspace to clean.")
@click.option("--dry-run", is_flag=True, help="Only report what would be removed.")
@click.option(
    "--older-than",
    type=click.FloatRange(min=0),
    default=7.0,
    show_default=True,
    metavar="DAYS",
    help="Days without use after which the command removes an unreferenced uploaded photograph or an entry of the "
    "cache.",
)
@json_option(
    """
    `{"removed": [path], "bytes", "dry_run", "photographs": {"unused", "old"}, "cache": {"entries", "size_bytes"}}`;
    `photographs` counts unreferenced ones, and those of them removed; `cache` counts the removed entries
    """
)
def gc(workspace: Path, dry_run: bool, older_than: float, as_json: bool) -> None:
    """Remove unreferenced files of a workspace, which newer settings or images have replaced.

    Tables, images that a table names, releases, results, models' replies and people's decisions stay. The command
    removes results for single items in `cache/` without recent use. If a table is damaged or one of its files is
    missing, it removes nothing and names the cause, because it cannot tell which files are still needed.

    It also removes old photographs that contributors uploaded in a `collect` campaign and never submitted. It never
    removes one that a draft or any version of a decision names, and without a review store it removes none. A
    contributor who submits one at that very moment either comes first or is asked to upload it again.
    """
    from benchwright.pipeline.mending.check import orphans
    from benchwright.workspace.item_cache import FILE_NAMES, ItemCache, UnusedEntries
    from benchwright.workspace.photographs import unused_photographs
    from benchwright.workspace.workspace import Workspace

    space = Workspace.open(workspace)
    # In a read-only workspace nothing runs, and no process can take the lock.
    only_read = dry_run and not os.access(space.root, os.W_OK)
    with nullcontext() if only_read else space.locked():
        paths = list(orphans(space))
        size = sum(path.stat().st_size for path in paths)
        if not dry_run:
            for path in paths:
                path.unlink()
        before = datetime.now(UTC) - timedelta(days=older_than)
        unused = unused_photographs(space.root, before=before, remove=not dry_run)
        cached = UnusedEntries(0, 0)
        for cache_file in filter(Path.exists, (space.cache / name for name in FILE_NAMES)):
            with ItemCache(cache_file) as cache:
                more = cache.unused_since(older_than, remove=not dry_run)
            cached = UnusedEntries(cached.entries + more.entries, cached.size_bytes + more.size_bytes)
    paths += [path for kind in unused for path in kind.files]
    size += sum(kind.size_bytes for kind in unused) + cached.size_bytes
    photographs = {"unused": sum(kind.photographs for kind in unused), "old": sum(kind.old for kind in unused)}
    verb = "would remove" if dry_run else "removed"
    document = {"removed": [str(path.relative_to(workspace)) for path in paths], "bytes": size, "dry_run": dry_run}
    text = (
        f"{verb} {counted(len(paths), 'file')} and {counted(cached.entries, 'entry', 'entries')} of the "
        f"cache, {size / 1e6:.1f} MB"
    )
    if young := photographs["unused"] - photographs["old"]:
        text += f"; {counted(young, 'photograph')} never submitted, no older than {counted(older_than, 'day')}, kept"
    document |= {"photographs": photographs, "cache": cached._asdict()}
    emit(document, as_json=as_json, text=text)
