"""The bundled recipes on every source dataset: each can be planned and read back, and `run blink` on several of them at
once, HPatches among them, ends in a release whose workspace opens.
"""

from __future__ import annotations

import inspect
import json
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from blink_tasks import WRITERS
from dataset_fixtures.coco_files import write_coco
from dataset_fixtures.folder_files import write_folder
from dataset_fixtures.genome_files import write_genome
from dataset_fixtures.hpatches_files import write_hpatches
from dataset_fixtures.vqa_files import write_vqa
from picture_copies import photograph

from benchwright.pipeline import run_recipe
from benchwright.pipeline.planning.fitting import fitted_to
from benchwright.pipeline.planning.plan import plan
from benchwright.pipeline.run import open_view, stages_of_workspace
from benchwright.recipe import load_recipe, parse_recipe, read_resolved
from benchwright.recipes import bundled_recipes
from benchwright.release import Release
from benchwright.rooms import catalogue


def _sequences(root: Path) -> None:
    pictures = [np.asarray(photograph(name).resize((400, 290))) for name in ("chelsea", "coffee", "astronaut")]
    write_hpatches(root, 3, first_pictures=pictures)


_ALL = {
    **WRITERS, "coco": write_coco, "folder": write_folder, "hpatches": _sequences, "visual_genome": write_genome,
    "vqa": write_vqa,
}  # fmt: skip
SOURCES = {
    name: partial(write, count=6) if "count" in inspect.signature(write).parameters else write
    for name, write in _ALL.items()
}
TOGETHER = ("coco", "hpatches", "iiw")
"""Sources of the run: boxes and captions, sequences, and comparisons of points."""
BLINK = yaml.safe_load(bundled_recipes()["blink"].read_text(encoding="utf-8"))
SMALL = {"simulate": {"annotators": 5}}
SETTINGS: dict[str, dict[str, Any]] = {
    "art_style": {"min_side_px": 16}, "counting": {"mode": "paper", "min_side_px": 16},
    "functional_correspondence": {"mode": "paper", "min_side_px": 16, "margin": 0.0, "min_distance": 0.02},
    "multi_view_reasoning": {"min_side_px": 16}, "object_localization": {"mode": "paper", "min_box_px": 8},
    "relative_depth": {"mode": "paper", "min_side_px": 16, "margin": 0.0},
    "freeze": {"redistribute": "all"}, "relative_reflectance": {"mode": "paper", "min_side_px": 16}, "screen_items": SMALL, "answer": SMALL,
    "semantic_correspondence": {"mode": "paper", "min_side_px": 16, "margin": 0.0, "min_distance": 0.02},
    "spatial_relation": {"mode": "paper", "min_side_px": 16}, "visual_similarity": {"min_side_px": 16},
    "visual_correspondence": {"max_side_px": 300, "min_side_px": 64, "min_view_px": 38},
}  # fmt: skip
"""Settings with which the tasks take pictures of a few pixels, and nobody is waited for."""


WITHOUT = ("quality", "shortcuts", "unique_images", "evaluate")
"""Steps that would drop pictures of noise and items that share a picture, or that only cost time here."""


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one folder for each reader of source datasets, but for the one of all that is found."""
    root = tmp_path_factory.mktemp("sources")
    for name, write in SOURCES.items():
        (root / name).mkdir()
        write(root / name / name)
    assert SOURCES.keys() == catalogue("dataset_readers").keys() - {"found"}
    return root


@pytest.fixture(autouse=True)
def _no_weights(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "no_hub"))
    monkeypatch.delenv("BENCHWRIGHT_MODELS", raising=False)


def test_every_recipe_can_be_planned_and_read_back_on_every_source(sources: Path) -> None:
    for name, path in bundled_recipes().items():
        recipe = load_recipe(path)
        folders = sorted(sources.iterdir())
        for folder in folders if recipe.header.fitted else folders[:1]:  # others are the same on any folder
            fitted = fitted_to(recipe, folder).recipe
            assert plan(fitted.steps), (name, folder.name)
            document = json.loads(json.dumps(fitted.resolved()))
            again = read_resolved(document, "workspace.json", folder)
            assert again.resolved() == document, (name, folder.name)
            assert [stage.id for stage in plan(again.steps)] == [stage.id for stage in plan(fitted.steps)]


def _entries() -> Iterator[dict[str, Any]]:
    for entry in BLINK["steps"]:
        named: dict[str, Any] = {"step": entry} if isinstance(entry, str) else entry
        if named["step"] in WITHOUT:
            continue
        settings: dict[str, Any] = {"records": 3} if named["step"] == "dataset" else SETTINGS.get(named["step"], {})
        yield {**named, **settings}


@pytest.mark.slow
def test_blink_runs_on_several_at_once_to_a_release_of_a_workspace_that_opens(sources: Path, tmp_path: Path) -> None:
    recipe = parse_recipe(json.dumps({**BLINK, "shards": 1, "steps": list(_entries())}), "blink.yaml", tmp_path)
    for name in TOGETHER:
        shutil.copytree(sources / name / name, tmp_path / "photographs" / name)
    finished = run_recipe(recipe, images=tmp_path / "photographs", workspace=tmp_path / "w", workers=1)
    entries = {stage.entry for stage in stages_of_workspace(finished.workspace)}
    assert {"correspondence_of_sequences", "visual_correspondence", "localization_of_boxes"} < entries
    assert open_view(finished.workspace).seed == BLINK["seed"]
    items = [released.item for released in Release.open(finished.workspace / finished.artifacts["release"]).items()]
    views = [item for item in items if item.task == "visual_correspondence"]
    assert {"record" in item.evidence for item in views} == {True, False}  # pairs of a dataset, and drawn ones
    assert len({item.item_id for item in items}) == len(items)
    assert {item.task for item in items} >= {"jigsaw", "object_localization", "relative_reflectance"}
    counts = json.loads((finished.workspace / "datasets" / "dataset.counts.json").read_text(encoding="utf-8"))
    assert counts["read"] == counts["used"] + sum(counts["refused"].values()) + sum(counts["left_out"].values())
