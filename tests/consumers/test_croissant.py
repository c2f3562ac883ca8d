"""mlcroissant validates an export, reads every record, and refuses a file that has changed."""

from __future__ import annotations

from pathlib import Path

from consumer_runs import documents_of, run_consumer
from exported_releases import Expected

from benchwright.release import Release

FORMAT = "croissant"


def test_every_record_equals_the_release(
    consumer_python: Path, export: Path, release: Release, expected: list[Expected], tmp_path: Path
) -> None:
    read = run_consumer(consumer_python, "read_croissant.py", export, *release.splits, folder=tmp_path)
    assert read["refused"] is None
    assert read["errors"] == []
    missing = [name for name in ("url", "creator", "datePublished") if any(name in line for line in read["warnings"])]
    assert len(read["warnings"]) == len(missing), read["warnings"]
    assert read["items"] == documents_of(expected)


def test_a_changed_file_passes_validation_and_is_refused_when_records_are_read(
    consumer_python: Path, export: Path, release: Release, tmp_path: Path
) -> None:
    path = export / "croissant.json"
    text = path.read_text(encoding="utf-8")
    digest = text.partition('"sha256": "')[2][:64]
    path.write_text(text.replace(digest, "0" * 64), encoding="utf-8")
    read = run_consumer(consumer_python, "read_croissant.py", export, *release.splits, folder=tmp_path)
    assert read["errors"] == []
    assert "0" * 64 in read["refused"] or "ash" in read["refused"]
    assert read["items"] == []
