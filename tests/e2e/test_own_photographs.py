"""`run blink` on one's own photographs and what they come with, to a scored release, with simulated annotators.

Photographs of the demo lie beside boxes in COCO's format, a table with pairs of points, and IIW's layout in a folder.

- each task that the folder feeds has items, and its keys follow from the files; the others are named with what they lack;
- splits hold half each, scores and report are there; equal folders give equal bytes, with 1 worker and with 4.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from conftest import ROOT
from PIL import Image
from walks import tree_digest

from benchwright.cli import prepare_photographs
from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe
from benchwright.recipes import bundled_recipes
from benchwright.release import Release
from benchwright.workspace.run_results import FinishedRun

pytestmark = pytest.mark.slow
COINS = [[20, 20, 40, 40], [90, 20, 40, 40], [160, 25, 40, 40], [230, 30, 40, 40]]
IIW_NUMBERS = (101, 102)


def _photographs(folder: Path) -> Path:
    """Fill a folder with six photographs and what is stated about some of them."""
    prepare_photographs(folder.parent / "all")
    folder.mkdir()
    for name in ("coffee.png", "coins.png", "rocket.jpg", "astronaut.png", "china.jpg", "flower.jpg"):
        shutil.copyfile(folder.parent / "all" / name, folder / name)
    with Image.open(folder / "coins.png") as picture:
        width, height = picture.size
    boxes = {
        "images": [{"id": 1, "file_name": "coins.png", "width": width, "height": height}],
        "categories": [{"id": 1, "name": "coin"}],
        "annotations": [
            {"id": number, "image_id": 1, "category_id": 1, "bbox": box} for number, box in enumerate(COINS)
        ],
    }
    (folder / "boxes.json").write_text(json.dumps(boxes), encoding="utf-8")
    depth = {"kind": "depth", "first": [420, 200], "second": [180, 200], "closer": "first"}
    row = {"image": "coffee.png", "licence": "CC0", "author": "Somebody", "truths": [depth]}
    (folder / "depths.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    for number in IIW_NUMBERS:
        _iiw(folder / "iiw-dataset" / "data", number)
    return folder


def _iiw(data: Path, number: int) -> None:
    data.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(number)
    coarse = Image.fromarray(rng.integers(0, 256, (9, 12, 3), dtype=np.uint8))
    smooth = np.asarray(coarse.resize((480, 360), Image.Resampling.BICUBIC)).astype(np.int64)
    sharp = np.clip(smooth + rng.integers(-20, 21, smooth.shape), 0, 255).astype(np.uint8)
    Image.fromarray(sharp).save(data / f"{number}.png")
    points = [
        {"id": place, "x": x, "y": y, "min_separation": 0.07, "opaque": True}
        for place, (x, y) in enumerate(((0.25, 0.45), (0.75, 0.45), (0.3, 0.6), (0.75, 0.6)), 1)
    ]
    comparisons = [
        {"id": number, "point1": first, "point2": first + 1, "darker": darker, "darker_score": 1.9, "darker_method": "CUBAM", "min_separation": 0.07}
        for number, first, darker in ((1, 1, "2"), (2, 3, "E"))
    ]  # fmt: skip
    document = {
        "photo": number, "image_filename": f"{number}.png", "license": {"name": "CC BY 2.0", "url": "https://cc.example/"},
        "flickr_user": "somebody", "attribution_name": "Somebody", "attribution_url": "https://flickr.example/",
        "intrinsic_points": points, "intrinsic_comparisons": comparisons,
    }  # fmt: skip
    (data / f"{number}.json").write_text(json.dumps(document), encoding="utf-8")


def _run(photographs: Path, workspace: Path, workers: int) -> FinishedRun:
    document: dict[str, Any] = yaml.safe_load(bundled_recipes()["blink"].read_text(encoding="utf-8"))
    document["steps"] = [
        {"step": entry, "simulate": {"annotators": 5}}
        if entry == "screen_items"
        else {**entry, "simulate": {"annotators": 5}}
        if isinstance(entry, dict) and entry["step"] == "answer"
        else {"step": entry, "mode": "paper"}  # one question has no counterparts
        if entry == "counting"
        else entry
        for entry in document["steps"]
    ]
    recipe = parse_recipe(yaml.safe_dump(document), "blink.yaml", ROOT / "benchwright" / "recipes")
    return run_recipe(recipe, images=photographs, workspace=workspace, workers=workers)


@pytest.fixture(scope="module")
def photographs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _photographs(tmp_path_factory.mktemp("own") / "photographs")


@pytest.fixture(scope="module")
def done(photographs: Path, tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    return _run(photographs, tmp_path_factory.mktemp("run") / "w", workers=1)


def test_each_task_that_the_folder_feeds_has_items_with_the_keys_of_the_files(done: FinishedRun) -> None:
    release = Release.open(done.workspace / done.artifacts["release"])
    items = [released.item for released in release.items()]
    assert {item.task for item in items} == {
        "counting", "relative_depth", "relative_reflectance", "jigsaw", "visual_correspondence"
    }  # fmt: skip
    right = {item.task: next(choice.text for choice in item.choices if choice.key == item.answer) for item in items}
    assert right["counting"] == str(len(COINS))
    [depth] = [item for item in items if item.task == "relative_depth"]
    assert {depth.attributes["mode"], *(item.attributes["mode"] for item in items if "reflect" in item.task)} == {
        "hardened"
    }
    [closer] = [p for p in depth.images[0].prompts if p.label == depth.answer]
    is_mirrored = depth.evidence["views"][0]["matrix"][0][0] < 0
    [farther] = [p for p in depth.images[0].prompts if p.label != depth.answer]
    assert (closer.points[0][0] > farther.points[0][0]) != is_mirrored
    for item in items:
        if item.task == "relative_reflectance":
            is_mirrored = item.evidence["views"][0]["matrix"][0][0] < 0
            on_left, on_right = sorted(item.images[0].prompts, key=lambda prompt: prompt.points[0])
            darker = on_left if is_mirrored else on_right
            assert item.answer == ("C" if item.evidence["darker"] == "equal" else darker.label)


def test_what_the_folder_does_not_feed_is_named(done: FinishedRun) -> None:
    left_out = dict(done.left_out)
    assert {
        "spatial_relation", "art_style", "visual_similarity", "semantic_correspondence", "functional_correspondence",
        "multi_view_reasoning",
    } <= left_out.keys()  # fmt: skip
    assert "`claims`" in left_out["spatial_relation"]


def test_sources_of_pictures_are_kept_and_annotations_are_no_images(done: FinishedRun) -> None:
    release = Release.open(done.workspace / done.artifacts["release"])
    sources = [row.source for row in release.provenance() if getattr(row, "source", None) is not None]
    named = {(source.dataset, source.licence) for source in sources}
    assert ("depths.jsonl", "CC0") in named
    assert any(dataset == "iiw" for dataset, _ in named)
    assert all(row["verdict"] == "keep" for row in done.files())


def test_splits_scores_and_report_are_there(done: FinishedRun) -> None:
    release = Release.open(done.workspace / done.artifacts["release"])
    splits = [released.split for released in release.items()]
    assert min(splits.count("val"), splits.count("test")) >= len(splits) // 3
    summary = json.loads((done.workspace / "results" / "summary.json").read_text(encoding="utf-8"))
    assert {"random", "constant:A", "edge_continuity", "local_features"} <= set(json.dumps(summary).split('"'))
    assert (done.workspace / done.artifacts["report"]).is_file()


@pytest.mark.workers
def test_equal_folders_give_equal_bytes_with_more_workers(done: FinishedRun, photographs: Path, tmp_path: Path) -> None:
    copied = Path(shutil.copytree(photographs, tmp_path / "elsewhere"))
    again = _run(copied, tmp_path / "w", workers=4)
    releases = [finished.workspace / finished.artifacts["release"] for finished in (done, again)]
    assert tree_digest(releases[0]) == tree_digest(releases[1])
