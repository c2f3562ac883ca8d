"""Files of a workspace that no table refers to any more."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchwright.pipeline.overrides import current_snapshot
from benchwright.shards import StageTable
from benchwright.workspace import Workspace


def orphans(workspace: Workspace) -> Iterator[Path]:
    """Yield shard files and objects that nothing refers to: what newer settings or images have replaced.

    Tables of steps that are no longer in the recipe stay: they are a curator's work, and going back to the old
    recipe finds them again.
    """
    pictures: set[str] = set()
    for folder in sorted(path for path in workspace.tables.iterdir() if path.is_dir()):
        table = StageTable(workspace, folder.name)
        markers = [
            m for path in sorted((folder / "markers").glob("*.json")) if (m := table.marker(path.stem)) is not None
        ]
        named = {file["name"] for marker in [*markers, *table.current()] for file in marker.files.values()}
        for marker in markers:
            images = table.read(marker, "images", ["image_id"])
            pictures |= set(images.column("image_id").to_pylist()) if images is not None else set()
        yield from (path for path in sorted(folder.glob("*.parquet")) if path.name not in named)
    now = current_snapshot(workspace)
    yield from (path for path in sorted(workspace.overrides.glob("*.parquet")) if path.name != now)
    for path in sorted(workspace.objects.root.glob("??/*")):
        if path.parent.name + path.name not in pictures:
            yield path
