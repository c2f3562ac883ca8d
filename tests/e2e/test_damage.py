"""Damaged and missing files of a workspace: named, restored if possible, and never read as if they were sound."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from damage import first, flip, make_workspace
from walks import as_nobody_special, command, in_process, tree_digest

from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.store.review_store import open_store
from benchwright.cli.main import invoke
from benchwright.errors import DamagedError, DataError
from benchwright.evaluation.backends.reply_log import ReplyLog
from benchwright.funnel import write_run_funnel
from benchwright.models.endpoints.completions import Completion
from benchwright.pipeline.stages.damage import require_store
from benchwright.workspace.run_results import outcomes_of
from benchwright.workspace.sealed import SEAL
from benchwright.workspace.shards import StageTable
from benchwright.workspace.stages import Stage
from benchwright.workspace.workspace import COPIED, Workspace

NOW = datetime(2026, 3, 1, tzinfo=UTC)
SOUND = {"ok": True, "problems": [], "notes": []}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with photographs, a recipe and a finished workspace, made with --copy; not to be changed."""
    folder = tmp_path_factory.mktemp("made")
    make_workspace(folder, "--copy")
    return folder


@pytest.fixture
def scene(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "s", symlinks=True)
    space = Workspace(tmp_path / "s" / "w")
    space.save_settings({**space.settings(), "images": str(tmp_path / "s" / "photographs")})
    return tmp_path / "s"


def _run(scene: Path, *more: str, copy: bool = True) -> tuple[int, str]:
    done = in_process(
        "run", scene / "damage.yaml", "--images", scene / "photographs", "--workspace", scene / "w", "--workers", "1",
        *(["--copy"] if copy else []), *more,
    )  # fmt: skip
    return done.returncode, done.stderr


def _check(scene: Path, capsys: pytest.CaptureFixture[str], *more: str) -> tuple[int, dict[str, Any]]:
    capsys.readouterr()
    code = invoke(["check", str(scene / "w"), "--json", *more])
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return code, document


def _paths(document: dict[str, Any]) -> list[str]:
    return [problem["path"] for problem in document["problems"]]


def _noted(document: dict[str, Any]) -> list[str]:
    return [note["path"] for note in document["notes"]]


def test_a_sound_workspace_has_no_problems(scene: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _check(scene, capsys) == (0, SOUND)


def test_run_makes_damaged_shards_again_says_so_and_comes_to_the_same_bytes(scene: Path) -> None:
    before = tree_digest(scene / "w")
    tables = scene / "w" / "tables"
    damaged = [
        first(tables / "splits", "*.outcomes.*.parquet"),  # a map stage
        first(tables / "exact_duplicates.groups", "*.outcomes.*.parquet"),  # a gather stage
        first(tables / "verify", "*.items.*.parquet") if list((tables / "verify").glob("*.items.*")) else
        first(tables / "verify", "*.outcomes.*.parquet"),  # a campaign
        first(tables / "ingest", "*.images.*.parquet"),
        first(tables / "jigsaw", "markers/*.json"),
        tables / "jigsaw" / "current.json",
    ]  # fmt: skip
    for path in damaged:
        flip(path, path.stat().st_size // 3, 2)
    code, told = _run(scene)
    assert code == 0, told
    for path in damaged:
        assert f"{path.relative_to(scene / 'w')} is damaged" in told
    assert "again from its inputs" in told
    assert tree_digest(scene / "w") == before


def test_a_damaged_shard_is_never_read_as_if_it_were_sound(scene: Path) -> None:
    path = first(scene / "w" / "tables" / "splits", "*.outcomes.*.parquet")
    flip(path, 200)
    with pytest.raises(DamagedError, match=r"splits.*parquet is damaged"):
        list(outcomes_of(Workspace(scene / "w"), "splits"))


def test_run_writes_damaged_settings_again_and_an_unchanged_workspace_is_up_to_date(scene: Path) -> None:
    path = scene / "w" / "workspace.json"
    flip(path, path.read_bytes().index(b'"seed"') + 9, 1)
    code, told = _run(scene)
    assert (code, "workspace.json is damaged" in told) == (0, True)
    assert _run(scene) == (0, _run(scene)[1])
    assert "damaged" not in _run(scene)[1]


def test_lost_and_damaged_pictures_are_made_again_by_a_run_that_wants_them(scene: Path) -> None:
    before = tree_digest(scene / "w")
    made = _pictures(scene, "jigsaw")[:2]
    made[0].unlink()
    flip(made[1], 50)
    flip(_pictures(scene, "ingest")[0], 40)
    shutil.rmtree(scene / "w" / "releases")
    code, told = _run(scene)
    assert code == 0, told
    assert "were lost or damaged" in told
    assert tree_digest(scene / "w") == before


def _pictures(scene: Path, stage: str) -> list[Path]:
    space = Workspace(scene / "w")
    table = StageTable(space, stage)
    ids = [
        image_id
        for marker in table.current()
        if (rows := table.read(marker, "images", ["image_id"])) is not None
        for image_id in rows.column("image_id").to_pylist()
    ]
    return sorted(space.objects.path(image_id) for image_id in ids)


def test_check_names_everything_and_repair_makes_it_again(scene: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = tree_digest(scene / "w")
    workspace = scene / "w"
    lost, flipped = _pictures(scene, "jigsaw")[:2]
    lost.unlink()
    flip(flipped, 60)
    gone = first(workspace / "tables" / "jigsaw", "*.items.*.parquet")
    gone.unlink()
    damaged = [
        flipped, first(workspace / "tables" / "ingest", "*.files.*.parquet"),
        first(workspace / "tables" / "verify", "markers/*.json"), workspace / "tables" / "verify" / "summary.json",
        first(workspace / "tables" / "exact_duplicates.groups", "*.parquet"), workspace / "cache" / "ingest.jsonl",
    ]  # fmt: skip
    for path in damaged[1:]:
        flip(path, path.stat().st_size // 2, 1)
    expected = {str(path.relative_to(workspace)) for path in (*damaged, lost, gone)}
    code, document = _check(scene, capsys)
    assert (code, document["ok"]) == (1, False)
    assert expected <= set(_paths(document))
    assert not any(problem["repaired"] for problem in document["problems"])
    code, document = _check(scene, capsys, "--repair")
    assert code == 0, document
    assert expected <= set(_paths(document))
    assert all(problem["repaired"] for problem in document["problems"])
    assert tree_digest(workspace) == before
    assert _check(scene, capsys)[0] == 0


def test_a_changed_reply_is_named_and_taken_out_and_lines_without_digest_are_noted(
    scene: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = scene / "w" / "replies" / "openai-m" / "replies.jsonl"
    with ReplyLog(path) as log:
        log.answered("r", "i", Completion("(B)", "stop", None), 1)
    path.write_bytes(path.read_bytes().replace(b"(B)", b"(C)") + b'{"kind": "error"}\n')
    code, document = _check(scene, capsys)
    assert (code, _paths(document)) == (1, ["replies/openai-m/replies.jsonl"])
    assert "has 1 line of an older version" in document["notes"][0]["what"]
    code, document = _check(scene, capsys, "--repair")
    assert (code, document["problems"][0]["repaired"], len(document["notes"])) == (0, True, 1)
    code, document = _check(scene, capsys, "--repair")
    assert (code, document["problems"], len(document["notes"])) == (0, [], 1)
    assert b"(C)" not in path.read_bytes()


def test_changed_logs_of_runs_are_named_and_what_the_next_run_writes_again_is_repaired(
    scene: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = first(scene / "w" / "runs", "2*")
    write_run_funnel(scene / "w", run)
    for name in ("events.jsonl", "run.json", "funnel.html", "../versions.json", "../funnel.json"):
        flip(run / name, 30)
        code, document = _check(scene, capsys)
        path = str((run / name).resolve().relative_to(scene / "w"))
        assert (code, _paths(document)) == (1, [path])
        code, _ = _check(scene, capsys, "--repair")
        assert code == (0 if name.startswith("..") else 1)
        if code:
            assert "no run reads it" in document["problems"][0]["what"]
            flip(run / name, 30)
    shutil.rmtree(run)
    assert _check(scene, capsys) == (0, SOUND)


def test_what_cannot_be_made_again_is_said_and_stays_a_problem(scene: Path, capsys: pytest.CaptureFixture[str]) -> None:
    workspace = scene / "w"
    release = first(workspace / "releases", "*/data/*.parquet")
    flip(release, 500)
    source = _pictures(scene, "ingest")[0]
    flip(source, 33)
    for path in (scene / "photographs").iterdir():
        path.write_bytes(path.read_bytes() + b"\0")
    code, document = _check(scene, capsys, "--repair")
    assert code == 1
    left = {problem["path"]: problem["what"] for problem in document["problems"] if not problem["repaired"]}
    assert "a release is never rewritten" in left[str(release.relative_to(workspace))]
    assert "restore the picture there" in left[str(source.relative_to(workspace))]


def _lose_copies(scene: Path) -> list[Path]:
    """Delete the workspace's copies of source pictures, and return where they lay."""
    copies = _pictures(scene, "ingest")
    for path in copies:
        path.unlink()
    return copies


def test_copies_and_sources_that_are_gone_are_each_named_and_what_holds_says_what_was_compared(
    scene: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.move(scene / "photographs", scene / "away")
    code, document = _check(scene, capsys)
    assert (code, document["problems"], _noted(document)) == (0, [], [str(scene / "photographs")])
    copies = _lose_copies(scene)
    code, document = _check(scene, capsys)
    assert (code, sorted(_paths(document))) == (1, sorted(str(path.relative_to(scene / "w")) for path in copies))
    shutil.move(scene / "away", scene / "photographs")
    code, document = _check(scene, capsys, "--repair")
    assert (code, [problem["repaired"] for problem in document["problems"]]) == (0, [True] * len(copies))
    assert invoke(["check", str(scene / "w")]) == 0
    assert f"{len(copies) + len(_pictures(scene, 'jigsaw'))} in the workspace, 0 in" in capsys.readouterr().out


def test_an_image_folder_that_is_gone_is_named_with_what_lay_there_only(
    scene: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    space = Workspace(scene / "w")
    space.save_settings({name: value for name, value in space.settings().items() if name != COPIED})
    lost = len(_lose_copies(scene))
    assert _check(scene, capsys) == (0, SOUND)
    shutil.rmtree(scene / "photographs")
    code, document = _check(scene, capsys)
    assert (code, _paths(document)) == (1, [str(scene / "photographs")])
    assert f"{lost} of the workspace's pictures" in document["problems"][0]["what"]


def test_a_repair_that_fails_leaves_what_is_sound(scene: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flip(first(scene / "w" / "tables" / "ingest", "*.files.*.parquet"), 90)
    markers = {path: path.read_bytes() for path in (scene / "w" / "tables" / "ingest").glob("markers/*.json")}
    shutil.rmtree(scene / "photographs")
    code, document = _check(scene, capsys, "--repair")
    assert code == 1
    assert ["is not a folder" in problem["what"] for problem in document["problems"]] == [True]
    assert {path: path.read_bytes() for path in (scene / "w" / "tables" / "ingest").glob("markers/*.json")} == markers


def test_gc_keeps_its_hands_off_when_an_ingest_table_is_missing(
    scene: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first(scene / "w" / "tables" / "ingest", "*.files.*.parquet").unlink()
    before = sorted((scene / "w" / "objects").glob("??/*"))
    assert invoke(["gc", str(scene / "w")]) == 2
    assert "removed nothing" in capsys.readouterr().err
    assert sorted((scene / "w" / "objects").glob("??/*")) == before


@pytest.mark.parametrize(
    "lose",
    [
        "tables/ingest/markers/0.json", "tables/jigsaw/markers/1.json", "tables/ingest/current.json", "tables/ingest",
        "tables/jigsaw/current.json", "tables/ingest/markers",
    ],
)  # fmt: skip
def test_gc_refuses_whatever_is_missing(scene: Path, capsys: pytest.CaptureFixture[str], lose: str) -> None:
    path = scene / "w" / lose
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    before = sorted((scene / "w" / "objects").glob("??/*"))
    assert invoke(["gc", str(scene / "w")]) == 2
    assert "removed nothing" in capsys.readouterr().err
    assert sorted((scene / "w" / "objects").glob("??/*")) == before


def test_gc_refuses_a_damaged_shard_and_works_after_the_repair(scene: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flip(first(scene / "w" / "tables" / "ingest", "*.images.*.parquet"), 300)
    assert invoke(["gc", str(scene / "w")]) == 2
    assert _check(scene, capsys, "--repair")[0] == 0
    assert invoke(["gc", str(scene / "w"), "--json"]) == 0


def test_a_workspace_of_an_older_program_is_right_and_stays_up_to_date(
    scene: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in (scene / "w").rglob("*.json"):
        document = json.loads(path.read_text())
        if isinstance(document, dict) and "releases" not in path.parts and document.pop(SEAL, None):
            document.pop("files", None) if path.name == "final.json" else None
            path.write_text(json.dumps(document, sort_keys=True, indent=1))
    (scene / "w" / "cache" / "checked.json").unlink()
    assert _check(scene, capsys) == (0, SOUND)
    done = in_process(
        "run", scene / "damage.yaml", "--images", scene / "photographs", "--workspace", scene / "w", "--json"
    )
    assert json.loads(done.stdout)["executed_shards"] == 0


def test_a_campaign_whose_review_store_is_gone_is_a_problem(scene: Path, capsys: pytest.CaptureFixture[str]) -> None:
    space = Workspace(scene / "w")
    recipe = space.settings()["recipe"]
    by_people = [{name: value for name, value in step.items() if name != "simulate"} for step in recipe["steps"]]
    space.save_settings({**space.settings(), "recipe": {**recipe, "steps": by_people}})
    for path in (scene / "w").glob("review.sqlite*"):
        path.unlink()
    code, document = _check(scene, capsys)
    assert (code, _paths(document)) == (1, ["tables/verify"])


def test_people_are_not_asked_everything_again_where_their_store_is_gone(tmp_path: Path) -> None:
    space = Workspace.create(tmp_path / "w")
    stage = Stage("verify", "verify", Verify())
    require_store(space, stage)
    (space.tables / "verify").mkdir()
    (space.tables / "verify" / "current.json").write_text("{}")
    with pytest.raises(DataError, match=r"the review store of .* is missing: restore it"):
        require_store(space, stage)
    (space.root / "review.sqlite").touch()
    require_store(space, stage)


def test_a_folder_that_is_no_workspace_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["check", str(tmp_path)]) == 2
    assert "is not a workspace" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "row"),
    [
        (
            "UPDATE tasks SET payload = replace(payload, '\"choices\"', '\"chomces\"') WHERE id = 3",
            "table tasks, row 3",
        ),
        ("UPDATE tasks SET category = 'x' WHERE id = 2", "table tasks, row 2"),
        ("UPDATE slots SET decision = 'reject' WHERE id = 4 AND decision <> 'reject'", "table slots, row 4"),
        ("UPDATE audit_log SET actor = 'ada' WHERE id = 2", "table audit_log, row 2"),
    ],
)
def test_rows_of_the_store_that_were_changed_are_named(
    scene: Path, capsys: pytest.CaptureFixture[str], change: str, row: str
) -> None:
    with open_store(Workspace(scene / "w").store_url) as store:
        for name in ("one", "two"):
            store.record("exported", actor="(command line)", now=NOW, campaign=name)
    with closing(sqlite3.connect(scene / "w" / "review.sqlite")) as connection:
        connection.execute("DROP TRIGGER IF EXISTS audit_log_no_update")
        changed = connection.execute(change).rowcount
        connection.commit()
    assert changed == 1
    code, document = _check(scene, capsys, "--repair")
    assert code == 1
    assert f"review.sqlite, {row}" in _paths(document)


def test_a_store_whose_pages_are_damaged_is_named(scene: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flip(scene / "w" / "review.sqlite", 4096 * 3 + 3, 6)
    code, document = _check(scene, capsys)
    assert code == 1
    assert _paths(document)[0].startswith("review.sqlite")


def test_a_read_only_copy_is_checked(scene: Path) -> None:
    for path in [scene / "w", *(scene / "w").rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    with pytest.raises(subprocess.CalledProcessError):
        subprocess.run([*as_nobody_special(), "touch", scene / "w" / "new"], check=True, capture_output=True)
    done = subprocess.run(
        [*as_nobody_special(), *command("check", scene / "w", "--json")], capture_output=True, text=True, check=False
    )
    assert (done.returncode, json.loads(done.stdout)) == (0, SOUND), done.stderr
