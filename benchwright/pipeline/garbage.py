"""Files of a workspace that no table refers to any more."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchwright.errors import DataError
from benchwright.pipeline.check import table_problems
from benchwright.pipeline.overrides import current_snapshot
from benchwright.shards import StageTable
from benchwright.workspace import Workspace


def orphans(workspace: Workspace) -> Iterator[Path]:
    """Yield shard files and objects that nothing refers to: what newer settings or images have replaced.

    Tables of steps that are no longer in the recipe stay: they are a curator's work, and going back to the old
    recipe finds them again.

    Raises:
        DataError: Something is damaged or missing, so that it is not known what is still wanted.
    """
    if (problem := next(table_problems(workspace, afresh=False), None)) is not None:
        raise DataError(
            f"nothing is removed, because {workspace.root / problem.path} {problem.what}: what is still wanted cannot "
            f"be told; run the recipe again, or `benchwright check {workspace.root} --repair`, and then this"
        )
    pictures: set[str] = set()
    for folder in sorted(path for path in workspace.tables.iterdir() if path.is_dir()):
        table = StageTable(workspace, folder.name)
        listed = [marker for shard in table.marked() if (marker := table.marker(shard)) is not None] + table.current()
        named = {file["name"] for marker in listed for file in marker.files.values()}
        for marker in listed:
            images = table.read(marker, "images", ["image_id"])
            pictures |= set(images.column("image_id").to_pylist()) if images is not None else set()
        yield from (path for path in sorted(folder.glob("*.parquet")) if path.name not in named)
    # Earlier versions kept small pictures of funnel pages here, each in a file.
    yield from sorted((workspace.cache / "funnel").glob("*.jpg"))
    now = current_snapshot(workspace)
    yield from (path for path in sorted(workspace.overrides.glob("*.parquet")) if path.name != now)
    for path in sorted(workspace.objects.root.glob("??/*")):
        if path.parent.name + path.name not in pictures:
            yield path
