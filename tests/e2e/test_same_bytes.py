"""Same bytes: a run's results depend on images, recipe and seed, and on no event during the run."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from walks import RECIPE, benchwright, command, executions, make_photographs, run_json, tree_digest, workers_of


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with photographs, a recipe, and one undisturbed run in `calm`."""
    folder = tmp_path_factory.mktemp("scene")
    make_photographs(folder / "photographs")
    (folder / "walk.yaml").write_text(RECIPE, encoding="utf-8")
    document = run_json("run", folder / "walk.yaml", "--images", folder / "photographs", "--workspace", folder / "calm")
    assert document["state"] == "done"
    return folder


def _run(scene: Path, workspace: Path, *more: object, env: dict[str, str] | None = None) -> dict[str, object]:
    arguments = ("run", scene / "walk.yaml", "--images", scene / "photographs", "--workspace", workspace, *more)
    done = benchwright(*arguments, "--json", env=env)
    assert done.returncode == 0, done.stderr[-3000:]
    document: dict[str, object] = json.loads(done.stdout)
    return document


def test_the_undisturbed_run_made_a_release_that_verifies(scene: Path) -> None:
    release = next((scene / "calm" / "releases").iterdir())
    found = run_json("release", "verify", release)
    assert found["ok"], found["problems"]


def test_one_worker_another_locale_time_zone_and_hash_seed_give_the_same_bytes(scene: Path, tmp_path: Path) -> None:
    env = {"LC_ALL": "C", "LANG": "C", "TZ": "Pacific/Kiritimati", "PYTHONHASHSEED": "4711", "PYTHONUTF8": "0"}
    _run(scene, tmp_path / "w", "--workers", 1, env=env)
    assert tree_digest(tmp_path / "w") == tree_digest(scene / "calm")


def test_another_place_and_order_of_the_images_give_the_same_bytes(scene: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for path in sorted((scene / "photographs").iterdir(), reverse=True):
        shutil.copyfile(path, elsewhere / path.name)
    run_json("run", scene / "walk.yaml", "--images", elsewhere, "--workspace", tmp_path / "w")
    assert tree_digest(tmp_path / "w") == tree_digest(scene / "calm")


def test_a_second_run_executes_nothing(scene: Path, tmp_path: Path) -> None:
    shutil.copytree(scene / "calm", tmp_path / "w")
    before = tree_digest(tmp_path / "w")
    again = _run(scene, tmp_path / "w")
    assert (again["executed_shards"], again["decoded_images"]) == (0, 0)
    assert tree_digest(tmp_path / "w") == before


def test_a_run_killed_again_and_again_ends_with_the_same_bytes_and_repeats_only_what_was_in_flight(
    scene: Path, tmp_path: Path
) -> None:
    rng = random.Random(5)
    workspace = tmp_path / "w"
    workers = 2
    calm = executions(scene / "calm")
    kills = 0
    while kills < 3:
        process = subprocess.Popen(
            command("run", scene / "walk.yaml", "--images", scene / "photographs", "--workspace", workspace, "--workers", workers),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        try:
            process.wait(timeout=rng.uniform(0.3, 2.0))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            kills += 1
    _run(scene, workspace, "--workers", workers)
    assert tree_digest(workspace) == tree_digest(scene / "calm")
    # Executions that a kill cut off leave no line in the log; finished ones must not have been repeated, but for those
    # whose line was written and whose stage had not been published: none, since a marker is written first.
    assert executions(workspace) <= calm + kills * workers


def test_workers_killed_alone_leave_no_trace_in_the_bytes(scene: Path, tmp_path: Path) -> None:
    rng = random.Random(11)
    workspace = tmp_path / "w"
    process = subprocess.Popen(
        command("run", scene / "walk.yaml", "--images", scene / "photographs", "--workspace", workspace, "--workers", 2, "--json"),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    killed = 0
    while process.poll() is None and killed < 4:
        time.sleep(rng.uniform(0.05, 0.3))
        children = workers_of(process.pid)
        if children:
            os.kill(rng.choice(children), signal.SIGKILL)
            killed += 1
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err[-2000:]
    assert killed >= 2
    assert json.loads(out)["state"] == "done"
    assert tree_digest(workspace) == tree_digest(scene / "calm")


def test_an_interrupted_run_says_so_ends_its_workers_and_goes_on(scene: Path, tmp_path: Path) -> None:
    workspace = tmp_path / "w"
    process = subprocess.Popen(
        command("run", scene / "walk.yaml", "--images", scene / "photographs", "--workspace", workspace, "--workers", 2),
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while not (workspace / "tables" / "ingest" / "current.json").exists():
        assert process.poll() is None
        time.sleep(0.01)
    workers = workers_of(process.pid)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err[-3000:]
    assert err.splitlines()[-1] == "benchwright: error: interrupted; the same command continues where it stopped"
    assert workers
    assert not any(Path(f"/proc/{pid}").exists() for pid in workers)
    _run(scene, workspace)
    assert tree_digest(workspace) == tree_digest(scene / "calm")


def test_two_runs_at_once_in_one_workspace_are_refused_and_three_workers_give_the_same_bytes(
    scene: Path, tmp_path: Path
) -> None:
    workspace = tmp_path / "w"
    first = subprocess.Popen(
        command("run", scene / "walk.yaml", "--images", scene / "photographs", "--workspace", workspace, "--workers", 3),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    while not (workspace / "workspace.json").exists():
        assert first.poll() is None
        time.sleep(0.02)
    second = benchwright("run", scene / "walk.yaml", "--images", scene / "photographs", "--workspace", workspace)
    assert first.wait(timeout=120) == 0
    assert second.returncode == 2
    assert "another benchwright run is using" in second.stderr
    assert tree_digest(workspace) == tree_digest(scene / "calm")
