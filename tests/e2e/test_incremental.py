"""Resuming: changed work runs again, and nothing else."""

from __future__ import annotations

import dataclasses
import json
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from walks import RECIPE, in_process, live_digest, make_photographs, tree_digest

from benchwright.pipeline import open_view
from benchwright.pipeline.run import stages_of_workspace
from benchwright.workspace.sealed import read_sealed, write_sealed
from benchwright.workspace.shards import StageTable


@pytest.fixture(scope="module")
def first_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A folder with photographs, a recipe and the workspace `w` of its first run, and what that run said."""
    folder = tmp_path_factory.mktemp("first")
    make_photographs(folder / "photographs", count=9)
    (folder / "walk.yaml").write_text(RECIPE, encoding="utf-8")
    return folder, _run(folder)


@pytest.fixture
def first(first_run: tuple[Path, dict[str, Any]]) -> dict[str, Any]:
    """What the first run said."""
    return first_run[1]


@pytest.fixture
def scene(first_run: tuple[Path, dict[str, Any]], tmp_path: Path) -> Path:
    """A copy of the folder after its first run, for one test."""
    return Path(shutil.copytree(first_run[0], tmp_path / "scene"))


def _run(scene: Path, workspace: str = "w") -> dict[str, Any]:
    arguments = ("run", scene / "walk.yaml", "--images", scene / "photographs", "--workspace", scene / workspace)
    done = in_process(*arguments, "--json")
    assert done.returncode == 0, done.stderr[-3000:]
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def _jobs(scene: Path) -> list[str]:
    log = max((scene / "w" / "runs").glob("*/events.jsonl"), key=lambda path: path.stat().st_mtime_ns)
    events = [json.loads(line) for line in log.read_text().split("\n") if line]
    return [event["name"] for event in events if event["event"] == "job" and " shard " in event["name"]]


def test_one_more_image_touches_its_own_shard_only_and_the_rest_is_not_decoded(scene: Path) -> None:
    pixels = np.random.default_rng(1).integers(0, 255, (203, 241, 3), dtype=np.uint8)
    Image.fromarray(pixels).resize((482, 406)).save(scene / "photographs" / "new.png")
    again = _run(scene)
    shards = {name.rpartition(" ")[2] for name in _jobs(scene)}
    assert len(shards) == 1
    assert again["decoded_images"] == 1
    fresh = _run(scene, "fresh")
    assert fresh["state"] == "done"
    assert {k: v for k, v in tree_digest(scene / "w").items() if "current.json" in k} == {
        k: v for k, v in tree_digest(scene / "fresh").items() if "current.json" in k
    }


def _add(scene: Path) -> None:
    pixels = np.random.default_rng(1).integers(0, 255, (203, 241, 3), dtype=np.uint8)
    Image.fromarray(pixels).resize((482, 406)).save(scene / "photographs" / "new.png")


def _remove(scene: Path) -> None:
    (scene / "photographs" / "piece-04.jpg").unlink()


def _set(scene: Path) -> None:
    text = RECIPE.replace("min_tile_px: 16", "min_tile_px: 16\n    per_image: 2")
    assert text != RECIPE
    (scene / "walk.yaml").write_text(text, encoding="utf-8")


@pytest.mark.parametrize("change", [_add, _remove, _set])
def test_a_small_change_ends_in_the_very_bytes_of_a_run_from_nothing(
    scene: Path, change: Callable[[Path], None]
) -> None:
    before = live_digest(scene / "w")
    change(scene)
    _run(scene)
    _run(scene, "fresh")
    after = live_digest(scene / "w")
    assert after == live_digest(scene / "fresh")
    assert after.keys() - before.keys()
    assert {Path(path).name for path in after} >= {
        "manifest.json",
        "predictions.parquet",
        "report.html",
        "report.json",
        "items.csv",
    }


def test_a_run_that_changed_nothing_starts_no_worker_and_loads_neither_plots_nor_readers_of_replies(
    scene: Path,
) -> None:
    settled = _run(scene)  # which has seen the copies of the files
    recipe = [str(scene / "walk.yaml"), "--images", str(scene / "photographs"), "--workspace", str(scene / "w")]
    code = (
        "import json, sys\n"
        "from benchwright.cli.run import run\n"
        f"run.main({recipe!r}, standalone_mode=False)\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(json.loads(done.stdout.splitlines()[-1]))
    assert f"funnel: {settled['funnel']}\n" in done.stdout
    heavy = (
        "jinja2",
        "benchwright.pages.charts",
        "pandas",
        "scipy",
        "cv2",
        "benchwright.replies.stated_answers",
        "benchwright.funnel.writing",
    )
    assert loaded & {*heavy, "multiprocessing.popen_forkserver"} == set()
    assert _jobs(scene) == []


def test_workers_get_no_step_behind_the_last_that_they_run(scene: Path) -> None:
    view = open_view(scene / "w")
    around = dataclasses.replace(view._worker, stages=stages_of_workspace(scene / "w"))
    assert [stage.id for stage in around.stages][-4:] == ["verify", "splits", "freeze", "evaluate"]
    sent = pickle.loads(pickle.dumps(around.for_workers()))
    assert sent.stages[-1].id == "visual_correspondence"
    assert [stage.id for stage in around.stages if stage.kind == "map"] == [
        stage.id for stage in sent.stages if stage.kind == "map"
    ]


def test_a_view_reads_the_tables_of_a_shard_once_however_often_a_final_step_goes_over_its_items(
    scene: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    view, read = open_view(scene / "w"), []
    table_read = StageTable.read
    monkeypatch.setattr(StageTable, "read", lambda *given: read.append(given) or table_read(*given))
    first, reads = list(view.items()), len(read)
    assert list(view.items()) == first
    assert first
    assert len(read) == reads > 0


def test_with_a_damaged_cache_a_run_ends_in_the_same_bytes(scene: Path) -> None:
    _add(scene)
    cache = scene / "w" / "cache" / "items.sqlite"
    data = bytearray(cache.read_bytes())
    data[len(data) // 3 :: 997] = bytes(len(data[len(data) // 3 :: 997]))
    cache.write_bytes(data)
    _run(scene)
    _run(scene, "fresh")
    assert live_digest(scene / "w") == live_digest(scene / "fresh")


def test_another_rule_of_what_is_kept_looks_at_no_picture_again(scene: Path) -> None:
    dropped = "near_duplicate"
    with Image.open(scene / "photographs" / "piece-01.jpg") as image:
        image.crop((6, 4, image.width, image.height)).save(scene / "photographs" / "piece-01-cropped.jpg")
    cropped = _run(scene)
    text = RECIPE.replace("  - near_duplicates\n", "  - step: near_duplicates\n    protected: ['*']\n")
    assert text != RECIPE
    (scene / "walk.yaml").write_text(text, encoding="utf-8")
    again = _run(scene)
    before, after = cropped["steps"][2], again["steps"][2]
    assert (before["dropped"], after["dropped"]) == ({dropped: 1}, {})
    assert after["asked"][dropped] == before["asked"].get(dropped, 0) + 1
    assert [name for name in _jobs(scene) if "near_duplicates" in name] == []  # who stays goes on to other steps


def test_an_image_taken_away_leaves_the_release_and_nothing_is_decoded(scene: Path, first: dict[str, Any]) -> None:
    (scene / "photographs" / "piece-04.jpg").unlink()
    again = _run(scene)
    assert again["decoded_images"] == 0
    assert again["steps"][0]["in"] == first["steps"][0]["in"] - 1


def test_another_library_version_is_a_warning_and_runs_nothing(scene: Path) -> None:
    versions = scene / "w" / "runs" / "versions.json"
    write_sealed(versions, {**read_sealed(versions), "pillow": "1.2.3"})
    done = in_process(
        "run", scene / "walk.yaml", "--images", scene / "photographs", "--workspace", scene / "w", "--json"
    )
    assert "warning: pillow was 1.2.3, is " in done.stderr
    assert json.loads(done.stdout)["executed_shards"] == 0


def test_a_file_changed_in_place_with_its_old_times_is_another_image(scene: Path) -> None:
    _run(scene)  # which has seen the copies of the files
    path = scene / "photographs" / "piece-03.png"
    times = path.stat()
    path.write_bytes(path.read_bytes() + b"!")
    os.truncate(path, times.st_size)
    with path.open("r+b") as handle:
        handle.seek(times.st_size // 2)
        handle.write(b"\0\0\0\0")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    again = _run(scene)
    assert [failure["path"] for failure in again["failed"]] == ["piece-03.png"]


def test_another_model_to_score_changes_no_byte_of_the_release_and_one_less_leaves_no_score(scene: Path) -> None:
    before = {path: digest for path, digest in tree_digest(scene / "w").items() if path.startswith("releases/")}
    manifest = json.loads(next((scene / "w" / "releases").glob("*/manifest.json")).read_text(encoding="utf-8"))
    made_by = [step["as"] for step in manifest["recipe"]["steps"]]
    assert made_by[-2:] == ["verify", "splits"]  # what made the items, and none of the final steps
    assert not {"freeze", "evaluate"} & set(made_by)
    models = 'models: [random, "constant:A", edge_continuity, local_features]'
    assert models in RECIPE
    (scene / "walk.yaml").write_text(RECIPE.replace(models, 'models: [random, "constant:B"]'), encoding="utf-8")
    _run(scene)
    after = tree_digest(scene / "w")
    assert {path: digest for path, digest in after.items() if path.startswith("releases/")} == before
    scored = json.loads((scene / "w" / "results" / "summary.json").read_text(encoding="utf-8"))
    assert sorted(scored) == ["constant:B", "random"]
    assert len(list((scene / "w" / "results").glob("*/score.json"))) == 2


def test_the_number_of_shards_is_fixed_once_images_are_in(scene: Path) -> None:
    (scene / "walk.yaml").write_text(RECIPE.replace("shards: 4", "shards: 64"), encoding="utf-8")
    done = in_process("run", scene / "walk.yaml", "--images", scene / "photographs", "--workspace", scene / "w")
    assert done.returncode == 2
    assert "was made with 4 shards but the recipe sets 64" in done.stderr
