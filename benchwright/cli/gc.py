"""``benchwright gc``."""

from __future__ import annotations

from pathlib import Path

import click

from benchwright.cli.output import emit, json_option


@click.command()
@click.argument("workspace", type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="Only say what would be removed.")
@json_option
def gc(workspace: Path, dry_run: bool, as_json: bool) -> None:
    """Remove files of WORKSPACE that no table refers to any more.

    Tables, images that a table names, releases, results and everything that people said stay.
    """
    from benchwright.pipeline.garbage import orphans
    from benchwright.workspace import Workspace

    space = Workspace.open(workspace)
    with space.locked():
        found = list(orphans(space))
        size = sum(path.stat().st_size for path in found)
        if not dry_run:
            for path in found:
                path.unlink()
    verb = "would remove" if dry_run else "removed"
    document = {"removed": [str(path.relative_to(workspace)) for path in found], "bytes": size, "dry_run": dry_run}
    emit(document, as_json=as_json, text=f"{verb} {len(found)} files, {size / 1e6:.1f} MB")
