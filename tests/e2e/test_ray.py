"""A Ray cluster gives the local engine's bytes, also where a node is lost midway or another engine goes on."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from blink_tasks import all_tasks, write_datasets
from conftest import ROOT
from model_tasks import model_tasks, write_models
from odd_steps import Deadly, OnGpu, PowerCut, Width
from planned_ideas import PlannedIdeas
from ray_cluster import add, cluster, kill, lines, need_ray, wait_until
from walks import RECIPE, benchwright, command, make_photographs, run_json, tree_digest

from benchwright.cli import prepare_photographs
from benchwright.construction.manipulation.ideas.step import Ideas
from benchwright.construction.manipulation.manipulate import Manipulate
from benchwright.construction.manipulation.manipulated import unpacked
from benchwright.construction.stated_facts.facts import StatedFacts
from benchwright.engines.ray.cluster import joined
from benchwright.errors import BenchwrightError
from benchwright.pipeline import run_recipe, run_steps
from benchwright.recipe import load_recipe
from benchwright.steps import FOLDER, Step
from benchwright.workspace.run_results import FinishedRun

need_ray()
pytestmark = [
    pytest.mark.workers,
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning", "ignore::FutureWarning"),
]


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with photographs, a recipe, and what the local engine makes of them in `calm`."""
    folder = tmp_path_factory.mktemp("scene")
    make_photographs(folder / "photographs")
    (folder / "walk.yaml").write_text(re.sub(r"models: .*", "models: [random]", RECIPE), encoding="utf-8")
    run_json(*_run(folder, folder / "calm"))
    return folder


@pytest.fixture(scope="module")
def machines() -> Iterator[Any]:
    """A head with processors only, and a node with GPUs."""
    with cluster(cpus=2) as found:
        add(found, cpus=2, gpus=1)
        yield found


@pytest.fixture
def here(machines: Any) -> Iterator[None]:
    """This process is part of the cluster."""
    with joined(machines.address, None):
        yield


@pytest.fixture
def frail() -> Iterator[Any]:
    """A cluster for one test, which ends a node; this process is part of it."""
    with cluster(cpus=2) as found, joined(found.address, None):
        yield found


def _run(scene: Path, workspace: Path, *more: object) -> tuple[object, ...]:
    return ("run", scene / "walk.yaml", "--images", scene / "photographs", "--workspace", workspace, *more)


def _on(machines: Any, *more: object) -> tuple[object, ...]:
    return ("--engine", "ray", "--address", machines.address, *more)


@pytest.mark.parametrize("workers", [1, 4])
def test_any_number_of_workers_on_a_cluster_gives_the_local_engines_bytes(
    scene: Path, machines: Any, tmp_path: Path, workers: int
) -> None:
    document = run_json(*_run(scene, tmp_path / "w", *_on(machines, "--workers", workers)))
    assert document["state"] == "done"
    assert tree_digest(tmp_path / "w") == tree_digest(scene / "calm")


@pytest.mark.server
def test_a_cluster_of_this_machine_alone_needs_no_address_and_tells_nobody(scene: Path, tmp_path: Path) -> None:
    """Standard output is one JSON document, though an actor is ended by force, of which Ray makes many words."""
    arguments = _run(scene, tmp_path / "w", "--engine", "ray", "--workers", 2, "--json")
    with subprocess.Popen(command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        wait_until(lambda: _holding(tmp_path / "w", "worker-?.log") or process.poll() is not None)
        os.kill(next(iter(_holding(tmp_path / "w", "worker-?.log"))), signal.SIGKILL)
        out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err[-2000:]
    assert json.loads(out)["state"] == "done"
    assert "usage" not in err
    assert "dashboard" not in err.lower()
    assert tree_digest(tmp_path / "w") == tree_digest(scene / "calm")


def _with_power_cut(scene: Path, diary: Path, workspace: Path, engine: str) -> FinishedRun:
    recipe = load_recipe(scene / "walk.yaml")
    cut = ("power_cut", PowerCut(lines=str(diary)))
    recipe.steps = (*recipe.steps[:2], cut, *recipe.steps[2:])
    return run_recipe(recipe, images=scene / "photographs", workspace=workspace, engine=engine)


def test_a_node_that_is_lost_midway_changes_no_byte_and_repeats_only_the_record_under_way(
    scene: Path, frail: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    from concurrent.futures import ThreadPoolExecutor

    diary = tmp_path / "diary.txt"
    doomed = add(frail, cpus=2, called="doomed")
    with ThreadPoolExecutor(1) as aside:
        running = aside.submit(_with_power_cut, scene, diary, tmp_path / "ray", "ray")
        try:
            wait_until(lambda: diary.with_suffix(".doomed").exists() or running.done())
        finally:
            kill(frail, doomed)
        finished = running.result(timeout=300)
    assert finished.state == "done"
    assert "was lost with" in caplog.text
    seen = Counter(lines(diary))
    assert sorted(seen.values())[-2:] in ([1, 2], [2, 2])  # two workers were on that node
    assert sum(seen.values()) - len(seen) <= 2
    diary.unlink()
    _with_power_cut(scene, diary, tmp_path / "local", "local")
    assert Counter(lines(diary)).keys() == seen.keys()
    assert tree_digest(tmp_path / "ray") == tree_digest(tmp_path / "local")


def _interrupted(scene: Path, workspace: Path, *more: object) -> None:
    """Run until a table is there, interrupt, and check that it says so and leaves no worker."""
    arguments = command(*_run(scene, workspace, *more))
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    table = workspace / "tables" / "exact_duplicates.candidates" / "current.json"
    wait_until(lambda: table.exists() or process.poll() is not None)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=180)
    assert process.returncode == 130, err[-2000:]
    assert err.splitlines()[-1] == "benchwright: error: interrupted; the same command continues where it stopped"
    assert list((workspace / "runs").rglob("worker-*.log"))
    wait_until(lambda: not _holding(workspace, "worker-*.log"), seconds=30)


def _holding(workspace: Path, logs: str) -> set[int]:
    """Return the processes that have such logs of a workspace open; a worker has its own open as long as it lives."""
    found = set()
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            target = link.readlink()
        except OSError:
            continue
        if target.is_relative_to(workspace) and target.match(logs):
            found.add(int(link.parts[2]))
    return found


@pytest.mark.parametrize("first", ["ray", "local"])
def test_what_one_engine_was_interrupted_in_the_other_goes_on_with(
    scene: Path, machines: Any, tmp_path: Path, first: str
) -> None:
    arguments = {"ray": _on(machines), "local": ()}
    _interrupted(scene, tmp_path / "w", *arguments.pop(first))
    [then] = arguments.values()
    run_json(*_run(scene, tmp_path / "w", *then))
    assert tree_digest(tmp_path / "w") == tree_digest(scene / "calm")


def _steps(folder: Path) -> tuple[Step, ...]:
    return Deadly(width=209), OnGpu(lines=str(folder / "gpu.txt")), Width(at_most=220, diary=str(folder / "wide.txt"))


def test_a_record_that_ends_its_worker_is_failed_and_gpu_steps_run_where_gpus_are(
    scene: Path, here: None, tmp_path: Path
) -> None:
    images = scene / "photographs"
    on_ray = run_steps(_steps(tmp_path), images=images, workspace=tmp_path / "ray", engine="ray")
    told = Counter(lines(tmp_path / "gpu.txt"))
    run_steps(_steps(tmp_path), images=images, workspace=tmp_path / "local")
    assert on_ray.steps[1].dropped == {"worker_died": 1}
    assert told.pop("opened") <= 2  # once a worker, and two share the GPU
    assert told == {"second:0": on_ray.steps[1].kept}
    assert tree_digest(tmp_path / "ray") == tree_digest(tmp_path / "local")


def test_manipulated_pictures_have_the_local_engines_bytes(scene: Path, here: None, tmp_path: Path) -> None:
    steps = PlannedIdeas(), Manipulate(candidates=2)
    for engine in ("ray", "local"):
        run_steps(steps, images=scene / "photographs", workspace=tmp_path / engine, engine=engine, workers=2)
    assert tree_digest(tmp_path / "ray") == tree_digest(tmp_path / "local")


def test_composed_pairs_have_equal_bytes_with_one_and_four_workers_and_on_ray(here: None, tmp_path: Path) -> None:
    prepare_photographs(tmp_path / "photographs")
    for path in (tmp_path / "photographs").iterdir():
        if path.name not in {"flower.jpg", "china.jpg", "coffee.png"}:
            path.unlink()
    facts = StatedFacts.model_validate({"file": "mvp-bench.facts.yaml"}, context={FOLDER: ROOT / "benchwright/recipes"})
    steps = facts, Ideas(people_only=False), Manipulate(max_side_px=320, min_visible=0.1)
    for name, engine, workers in (("one", "local", 1), ("four", "local", 4), ("ray", "ray", 4)):
        done = run_steps(
            steps, images=tmp_path / "photographs", workspace=tmp_path / name, engine=engine, workers=workers, seed=3
        )
        made = [pair for row in done.outcomes("manipulate") for pair in unpacked(row["pairs"])]
        assert "composite" in {pair.editor for pair in made}
    assert tree_digest(tmp_path / "one") == tree_digest(tmp_path / "four") == tree_digest(tmp_path / "ray")


def test_tasks_of_source_datasets_have_the_local_engines_bytes(here: None, tmp_path: Path) -> None:
    write_datasets(tmp_path)
    for engine in ("ray", "local"):
        run_recipe(all_tasks(tmp_path), workspace=tmp_path / "workspaces" / engine, engine=engine, workers=2)
    workspaces = tmp_path / "workspaces"
    assert tree_digest(workspaces / "ray") == tree_digest(workspaces / "local")


def test_tasks_of_models_have_the_local_engines_bytes(here: None, tmp_path: Path) -> None:
    write_models(tmp_path)
    for engine in ("ray", "local"):
        run_recipe(model_tasks(tmp_path), workspace=tmp_path / "workspaces" / engine, engine=engine, workers=2)
    workspaces = tmp_path / "workspaces"
    assert tree_digest(workspaces / "ray") == tree_digest(workspaces / "local")


def test_a_node_that_does_not_see_the_workspace_is_named_before_anything_runs(
    scene: Path, here: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Below /proc/self/cwd lies another folder for each process: what a folder of one machine only looks like."""
    monkeypatch.chdir(tmp_path)
    workspace = Path("/proc/self/cwd/w")
    with pytest.raises(BenchwrightError, match=r"node .* does not share the folders: the workspace .*cwd/w is mis"):
        run_steps([Deadly(width=1)], images=scene / "photographs", workspace=workspace, engine="ray")
    assert not (tmp_path / "w" / "tables" / "ingest").exists()
    assert not list((tmp_path / "w" / "tmp").iterdir())


def test_an_address_for_the_local_engine_is_refused(scene: Path, tmp_path: Path) -> None:
    found = benchwright(*_run(scene, tmp_path / "w", "--address", "head:6379"))
    assert found.returncode == 2
    assert "--address head:6379 is for --engine ray" in found.stderr
