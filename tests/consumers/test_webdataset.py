"""webdataset streams every sample of an export."""

from __future__ import annotations

from pathlib import Path

from consumer_runs import documents_of, run_consumer
from exported_releases import Expected

from benchwright.release import Release

FORMAT = "webdataset"


def test_every_sample_equals_the_release(
    consumer_python: Path, export: Path, release: Release, expected: list[Expected], tmp_path: Path
) -> None:
    read = run_consumer(consumer_python, "read_webdataset.py", export, *release.splits, folder=tmp_path)
    assert read == documents_of(expected)
