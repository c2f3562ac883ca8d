"""Drafts of a workspace: those listed, those kept, and those removed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from small_bench import small_bench
from walks import in_process

from benchwright.errors import BenchwrightError, DataError
from benchwright.exports.drafts import drafts, remove_old
from benchwright.release import Release
from benchwright.workspace.workspace import Workspace

pytestmark = pytest.mark.slow


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Return a workspace with three drafts, the last the newest, and a release with a version."""
    root = tmp_path / "w"
    Workspace.create(root).save_settings({})
    for number in range(3):
        _draft(root, f"0+{number}")
    _draft(root, "1.0")
    return root


def _draft(root: Path, version: str, name: str = "tiny") -> Release:
    number = len(list((root / "releases").glob("*")))
    release = small_bench().write(root / "releases" / f"{name}-{version}", name=name, version=version)
    os.utime(release.path, ns=(number * 10**9, number * 10**9))
    return release


def versions(root: Path) -> list[str]:
    return sorted(folder.name for folder in (root / "releases").iterdir())


def test_all_but_the_newest_draft_go(workspace: Path) -> None:
    listed = drafts(workspace)
    assert [(draft.version, draft.kept) for draft in listed] == [("0+2", "newest"), ("0+1", None), ("0+0", None)]
    assert all(draft.size_bytes > 1000 and draft.items == 8 for draft in listed)
    assert len(versions(workspace)) == 4
    assert [draft.version for draft in remove_old(workspace)] == ["0+1", "0+0"]
    assert versions(workspace) == ["tiny-0+2", "tiny-1.0"]


def test_each_benchmark_keeps_its_own_and_more_can_stay(workspace: Path) -> None:
    _draft(workspace, "0+9", name="other")
    remove_old(workspace, keep=2)
    assert versions(workspace) == ["other-0+9", "tiny-0+1", "tiny-0+2", "tiny-1.0"]


def test_a_draft_with_results_stays(workspace: Path) -> None:
    scored = Release.open(workspace / "releases" / "tiny-0+0")
    results = workspace / "results"
    assert in_process("evaluate", "run", scored.path, "--model", "random", "--out", results).returncode == 0
    remove_old(workspace)
    assert versions(workspace) == ["tiny-0+0", "tiny-0+2", "tiny-1.0"]
    (results / "random" / "score.json").write_text("{")
    with pytest.raises(DataError, match=r"score\.json cannot be read"):
        remove_old(workspace)


def test_a_folder_that_cannot_be_read_stays(workspace: Path) -> None:
    (workspace / "releases" / "tiny-0+1" / "manifest.json").write_text("{")
    remove_old(workspace)
    assert "tiny-0+1" in versions(workspace)


def test_nothing_is_removed_while_a_run_goes_on(workspace: Path) -> None:
    with Workspace.open(workspace).locked(), pytest.raises(BenchwrightError):
        remove_old(workspace)
    assert len(versions(workspace)) == 4


def test_the_command_lists_before_it_removes(workspace: Path) -> None:
    document = json.loads(in_process("release", "drafts", workspace, "--json").stdout)
    assert (len(document["drafts"]), document["removed"]) == (3, False)
    assert len(versions(workspace)) == 4
    assert "removed 2 drafts" in in_process("release", "drafts", workspace, "--remove").stdout
