"""The memory of ingest: unchanged files are recognized, all others are read again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchwright.images.formats.walking import Limits
from benchwright.pipeline.seen_files import IngestCache, SeenFile

URIS = ["a.png", "b.png", "below/c.png", "é.png"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "images"
    (root / "below").mkdir(parents=True)
    for uri in URIS:
        (root / uri).write_bytes(uri.encode())
    return root


def cache(folder: Path, limits: Limits | None = None) -> IngestCache:
    return IngestCache(folder.parent / "ingest.jsonl", folder, limits or Limits())


def seen(uri: str, **more: object) -> SeenFile:
    return SeenFile(uri, image_id=uri[0] * 64, size_bytes=5, width=3, height=2, media_type="image/png", **more)  # type: ignore[arg-type]


def remember(folder: Path, found: list[SeenFile]) -> None:
    writing = cache(folder)
    assert writing.recall([one.uri for one in found]) == [None] * len(found)
    writing.save(found, tmp=folder.parent)


def test_files_that_have_not_changed_are_known(folder: Path) -> None:
    found = [seen(uri, notes=("alpha",)) for uri in URIS]
    remember(folder, found)
    assert cache(folder).recall(URIS) == found


def test_files_come_and_go_around_what_is_known(folder: Path) -> None:
    remember(folder, [seen(uri) for uri in URIS])
    (folder / "a0.png").write_bytes(b"new")
    (folder / "b.png").unlink()
    now = ["a.png", "a0.png", "below/c.png", "é.png"]
    assert cache(folder).recall(now) == [seen("a.png"), None, seen("below/c.png"), seen("é.png")]


def test_a_file_that_changed_is_read_again(folder: Path) -> None:
    remember(folder, [seen(uri) for uri in URIS])
    times = os.stat(folder / "b.png")
    (folder / "b.png").write_bytes(b"other")
    os.utime(folder / "b.png", ns=(times.st_atime_ns, times.st_mtime_ns))
    assert cache(folder).recall(URIS)[1] is None


def test_what_was_noted_of_a_file_that_changes_while_it_is_read_does_not_count(folder: Path) -> None:
    writing = cache(folder)
    writing.recall(URIS)
    (folder / "a.png").write_bytes(b"changed after the stamp was taken")
    writing.save([seen(uri) for uri in URIS], tmp=folder.parent)
    assert cache(folder).recall(URIS)[0] is None


@pytest.mark.parametrize("reason", ["unreadable", "worker_died"])
def test_a_passing_failure_is_not_remembered(folder: Path, reason: str) -> None:
    remember(folder, [seen("a.png"), SeenFile("b.png", reason=reason)])
    assert cache(folder).recall(["a.png", "b.png"]) == [seen("a.png"), None]


def test_a_lasting_refusal_is_remembered(folder: Path) -> None:
    remember(folder, [SeenFile("a.png", reason="empty", detail="0 bytes")])
    assert cache(folder).recall(["a.png"]) == [SeenFile("a.png", reason="empty", detail="0 bytes")]


def test_a_link_is_looked_at_each_time(folder: Path) -> None:
    (folder / "link.png").symlink_to("a.png")
    remember(folder, [seen("link.png")])
    assert cache(folder).recall(["link.png"]) == [None]


def test_another_folder_and_other_limits_know_nothing(folder: Path, tmp_path: Path) -> None:
    remember(folder, [seen(uri) for uri in URIS])
    assert cache(folder, Limits(max_bytes=9)).recall(URIS) == [None] * 4
    folder.rename(tmp_path / "moved")
    elsewhere = IngestCache(tmp_path / "ingest.jsonl", tmp_path / "moved", Limits())
    assert elsewhere.recall(URIS) == [None] * 4


@pytest.mark.parametrize(
    "line", ["{torn", '"text"', '{"uri": "b.png"}', '{"uri": "b.png", "stamp": ["x"], "seen": {}}', "\\udcff"]
)
def test_a_damaged_memory_only_means_reading_again(folder: Path, line: str) -> None:
    remember(folder, [seen(uri) for uri in URIS])
    path = folder.parent / "ingest.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([*lines[:2], line, *lines[3:]]) + "\n", encoding="utf-8")
    known = cache(folder).recall(URIS)
    assert known[:2] == [seen("a.png"), None]
    path.write_bytes(b"\xff\xfe")
    assert cache(folder).recall(URIS) == [None] * 4
