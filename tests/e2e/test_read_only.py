"""A read-only workspace: reading commands work as usual, writing ones say so in a line."""

from __future__ import annotations

import shutil
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest
from read_only_mounts import read_only
from walks import RECIPE, make_photographs, run_json

from benchwright.annotation.store.accounts.accounts import Accounts
from benchwright.annotation.store.database.migrate import REVISIONS
from benchwright.annotation.store.review_store import open_store
from benchwright.cli.main import invoke


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a finished workspace `w` and what it was made from."""
    folder = tmp_path_factory.mktemp("read-only")
    make_photographs(folder / "photographs", count=5)
    text = RECIPE.replace('[random, "constant:A", edge_continuity, local_features]', '[random, "constant:A"]')
    (folder / "walk.yaml").write_text(text, encoding="utf-8")
    run_json("run", folder / "walk.yaml", "--images", folder / "photographs", "--workspace", folder / "w")
    return folder


@pytest.fixture
def copy(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made / "w", tmp_path / "w")
    return tmp_path / "w"


def item_of(workspace: Path) -> str:
    """Return the id of an item that was released."""
    outcomes = run_json("outcomes", workspace, "--step", "verify", "--verdict", "keep")["outcomes"]
    return str(outcomes[0]["record"])


def test_what_only_reads_works_as_where_it_can_be_written(
    made: Path, copy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    [release] = (copy / "releases").iterdir()
    commands = [
        ["outcomes", copy], ["trace", item_of(made / "w"), "--workspace", copy], ["filter", "funnel", copy],
        ["filter", "overrides", copy], ["gc", copy, "--dry-run"],
        *(["review", name, "--workspace", copy] for name in
          ("status", "agreement", "annotators", "reasons", "flags", "kept", "audit", "users", "guidelines")),
        ["release", "verify", release], ["release", "show", release],
        ["evaluate", "summary", copy / "results"], ["evaluate", "compare", copy / "results"],
    ]  # fmt: skip
    expected = []
    for command in commands:
        code = invoke(list(map(str, command)))
        expected.append((command, code, capsys.readouterr().out))
    ended = read_only(copy, commands)
    assert [(command, end.code, end.out) for command, end in zip(commands, ended, strict=True)] == expected
    assert [command for command, code, _ in expected if code] == []
    writing = [
        ["filter", "funnel", copy, "--out", tmp_path / "funnel.html"],
        ["review", "export", "--workspace", copy, "--out", tmp_path / "tasks.csv"],
        ["review", "export", "--workspace", copy, "--out", tmp_path / "all", "--all"],
        ["review", "backup", tmp_path / "backup.zip", "--workspace", copy],
        ["evaluate", "report", copy / "results", "--release", release, "--out", tmp_path / "report.html"],
    ]
    assert [(end.code, end.err) for end in read_only(copy, writing) if end.code] == []
    for name in ("funnel.html", "tasks.csv", "all/manifest.json", "backup.zip", "report.html"):
        assert (tmp_path / name).is_file(), name


def test_what_writes_says_so_in_one_line(made: Path, copy: Path) -> None:
    commands = [
        ["run", made / "walk.yaml", "--images", made / "photographs", "--workspace", copy],
        ["gc", copy],
        ["release", "freeze", "--workspace", copy, "--name", "other"],
        ["review", "users", "--add", "ann", "--workspace", copy],
    ]
    for command, end in zip(commands, read_only(copy, commands), strict=True):
        errors = [line for line in end.err.splitlines() if line.startswith("benchwright: error")]
        assert (end.code, len(errors)) == (2, 1), (command, end)
        assert "Traceback" not in end.err
        assert "read-only" in errors[0] or "not writable" in errors[0]


def test_decisions_that_are_still_in_the_log_of_a_running_store_are_read(copy: Path) -> None:
    live = copy.with_name("live.sqlite")
    shutil.copyfile(copy / "review.sqlite", live)
    with open_store(f"sqlite:///{live}") as store:
        Accounts(store).add("nadia", "annotator", now=datetime.now(UTC))
        for suffix in ("", "-wal"):
            shutil.copyfile(f"{live}{suffix}", copy / f"review.sqlite{suffix}")
    assert (copy / "review.sqlite-wal").stat().st_size > 0
    [end] = read_only(copy, [["review", "users", "--workspace", copy]])
    assert end.code == 0
    assert "nadia" in end.out
    shutil.copyfile(
        copy / "review.sqlite-wal", copy / "review.sqlite-shm"
    )  # a shared file of nobody's, and no sound one
    [end] = read_only(copy, [["review", "users", "--workspace", copy]])
    assert (end.code, "nadia" in end.out) == (0, True)


def test_an_older_store_that_cannot_be_brought_up_to_date_says_so(copy: Path) -> None:
    with sqlite3.connect(copy / "review.sqlite") as database:
        database.execute("UPDATE alembic_version SET version_num = ?", [REVISIONS[-2]])
    database.close()
    [end] = read_only(copy, [["review", "status", "--workspace", copy]])
    assert end.code == 2
    assert f"is of an older version ({REVISIONS[-2]})" in end.err
    assert "copy the workspace" in end.err
