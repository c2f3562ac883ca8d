"""On a disk without locks commands end in one line that names the file and the remedy."""

from __future__ import annotations

from pathlib import Path

import pytest
from faulty_disk import Case, needs_library, run_in
from walks import RECIPE, make_photographs

from benchwright.annotation.store.review_store import open_store
from benchwright.workspace.workspace import Workspace

NO_LOCKS = {"FAULTY_NO_LOCKS": "1"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Photographs, a recipe, and a workspace `w` with a review store."""
    needs_library()
    make_photographs(tmp_path / "photographs", count=1)
    (tmp_path / "walk.yaml").write_text(RECIPE, encoding="utf-8")
    workspace = Workspace.create(tmp_path / "w")
    workspace.save_settings({})
    open_store(workspace.store_url).close()
    return tmp_path


COMMANDS = {
    "run": ("run", "walk.yaml", "--images", "photographs", "--workspace", "new", "--workers", "1"),
    "review": ("review", "users", "--workspace", "w", "--add", "ann"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_disk_without_locks_is_named_with_what_to_do(folder: Path, name: str) -> None:
    ended = run_in(folder, Case(name, COMMANDS[name], [], NO_LOCKS))
    assert (ended.code, "Traceback" in ended.err) == (2, False), ended.err
    [line] = ended.err.strip().splitlines()
    assert "lock" in line.partition(": the disk")[0] or "-turn" in line
    assert "PostgreSQL" in line
    assert "local disk" in line
