"""Look-ups of source images in other shards: each shard's table is read once, however many images are requested."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from benchwright.filters.duplicates.exact_duplicates import ExactDuplicates
from benchwright.images.formats.walking import Limits
from benchwright.pipeline import run_steps
from benchwright.pipeline.stages.worker_context import WorkerContext
from benchwright.workspace.shards import shard_of
from benchwright.workspace.workspace import Workspace

pytestmark = pytest.mark.slow

SHARDS = 16


def test_a_table_of_images_is_read_once_for_all_that_are_looked_up(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    for number in range(60):
        Image.fromarray(np.full((20, 30), 4 * number, np.uint8)).save(tmp_path / "images" / f"{number}.png")
    done = run_steps([ExactDuplicates()], images=tmp_path / "images", workspace=tmp_path / "work", workers=1)
    ids = sorted(file["image_id"] for file in done.files())
    tables = sorted((tmp_path / "work").rglob("tables/ingest/*.images.parquet"))
    worker = WorkerContext(Workspace(tmp_path / "work"), tmp_path / "images", (), 0, SHARDS, Limits())
    same_shard = [known for known in ids if shard_of(known, SHARDS) == shard_of(ids[0], SHARDS)]
    assert len(same_shard) > 1
    assert worker.source_image(ids[0]) is not None
    for path in tables:
        path.write_bytes(b"damaged since")
    found = [worker.source_image(known) for known in same_shard]
    assert [record.image_id for record in found if record is not None] == same_shard
