"""``benchwright gc``."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from benchwright.cli.output import emit, json_option


@click.command()
@click.argument("workspace", type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="Only say what would be removed.")
@click.option(
    "--older-than",
    type=click.FloatRange(min=0),
    default=7.0,
    show_default=True,
    metavar="DAYS",
    help="Photographs that people uploaded and never handed in go when they are older than this.",
)
@json_option
def gc(workspace: Path, dry_run: bool, older_than: float, as_json: bool) -> None:
    """Remove files of WORKSPACE that no table refers to any more, and photographs that nobody handed in.

    Tables, images that a table names, releases, results and everything that people said stay; so do photographs that
    a decision, in any version, or a draft refers to.
    """
    from benchwright.photographs import unused_photographs
    from benchwright.pipeline.garbage import orphans
    from benchwright.workspace import Workspace

    space = Workspace.open(workspace)
    with space.locked():
        found = list(orphans(space))
        size = sum(path.stat().st_size for path in found)
        if not dry_run:
            for path in found:
                path.unlink()
        before = datetime.now(UTC) - timedelta(days=older_than)
        unused = unused_photographs(space.root, before=before, remove=not dry_run)
    found += [path for one in unused for path in one.files]
    size += sum(one.size_bytes for one in unused)
    photographs = {"unused": sum(one.photographs for one in unused), "old": sum(one.old for one in unused)}
    verb = "would remove" if dry_run else "removed"
    document = {"removed": [str(path.relative_to(workspace)) for path in found], "bytes": size, "dry_run": dry_run}
    text = f"{verb} {len(found)} files, {size / 1e6:.1f} MB"
    if young := photographs["unused"] - photographs["old"]:
        text += f"; {young} photographs that nobody handed in are no older than {older_than:g} days, and stay"
    emit({**document, "photographs": photographs}, as_json=as_json, text=text)
