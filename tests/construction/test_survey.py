"""`construct survey`: which of BLINK's fourteen tasks a folder can supply, and what the others lack.

- Photographs alone are enough for two tasks; every other line states what is missing and how to get it.
- Each source dataset supplies its task, and so do the user's own files; counts are those of the records.
- Weights on this machine supply what models can; nothing is decoded; a run leaves out exactly the steps without input.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dataset_fixtures.coco_files import write_coco, write_lvis
from dataset_fixtures.diw_files import write_diw
from dataset_fixtures.funkpoint_files import write_funkpoint
from dataset_fixtures.hpatches_files import write_hpatches
from dataset_fixtures.iiw_files import write_iiw
from dataset_fixtures.nights_files import write_nights
from dataset_fixtures.pictures import save
from dataset_fixtures.spair_files import write_spair
from dataset_fixtures.tally_files import write_tally
from dataset_fixtures.vsr_files import write_vsr
from dataset_fixtures.wikiart_files import write_wikiart
from dataset_fixtures.wild6d_files import write_wild6d
from picture_copies import photograph

from benchwright.canonical import file_digest
from benchwright.cli.main import invoke
from benchwright.construction.datasets.survey import survey_folder, survey_text
from benchwright.errors import DataError
from benchwright.pipeline import run_recipe
from benchwright.pipeline.planning.fitting import fitted_to
from benchwright.recipe import Recipe, load_recipe, step
from benchwright.recipes import bundled_recipes

OF_PICTURES = {"jigsaw", "visual_correspondence"}
FED: list[tuple[Callable[[Path], Any], set[str]]] = [
    (write_hpatches, {"visual_correspondence"}),
    (write_iiw, {"relative_reflectance"}),
    (write_diw, {"relative_depth"}),
    (write_vsr, {"spatial_relation"}),
    (write_wild6d, {"multi_view_reasoning"}),
    (write_coco, {"object_localization"}),
    (write_lvis, {"object_localization"}),
    (write_tally, {"counting"}),
    (write_wikiart, {"art_style"}),
    (write_nights, {"visual_similarity"}),
    (write_spair, {"semantic_correspondence"}),
    (write_funkpoint, {"functional_correspondence"}),
]


@pytest.fixture(autouse=True)
def _no_weights(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "no_hub"))
    monkeypatch.delenv("BENCHWRIGHT_MODELS", raising=False)


def fed(folder: Path) -> set[str]:
    return {task.task for task in survey_folder(folder, expects_items=False).tasks if task.lacks is None}


def test_photographs_alone_feed_two_tasks_and_the_other_lines_say_what_is_missing(tmp_path: Path) -> None:
    folder = tmp_path / "photographs"
    save(folder / "cup.png", 1, 320, 200)
    surveyed = survey_folder(folder, expects_items=False)
    assert (surveyed.pictures, len(surveyed.tasks)) == (1, 14)
    assert fed(folder) == OF_PICTURES
    lacks = {task.task: task.lacks or "" for task in surveyed.tasks}
    assert "the dataset iiw" in lacks["relative_reflectance"]
    assert "points `darker` and `lighter`" in lacks["relative_reflectance"]
    assert "depth-anything/Depth-Anything-V2-Small-hf" in lacks["relative_depth"]
    assert "`claims`" in lacks["spatial_relation"]
    assert "`pattern_puzzles`" in lacks["iq_test"]
    assert "facebook/dinov2-small" in lacks["visual_similarity"]
    assert "stable-diffusion-xl-base-1.0" in lacks["forensic_detection"]
    assert survey_text(surveyed).endswith("2 of 14 tasks can be built: `benchwright run blink --images DIR`")


@pytest.mark.parametrize(("write", "tasks"), FED)
def test_a_source_dataset_feeds_its_task(tmp_path: Path, write: Callable[[Path], Any], tasks: set[str]) -> None:
    folder = tmp_path / "photographs"
    write(folder / "dataset")
    assert fed(folder) == tasks | OF_PICTURES


def test_counts_are_those_of_the_records(tmp_path: Path) -> None:
    folder = tmp_path / "photographs"
    write_diw(folder / "diw")
    write_nights(folder / "nights")
    surveyed = {task.task: task for task in survey_folder(folder, expects_items=False).tasks}
    assert (surveyed["relative_depth"].records, surveyed["relative_depth"].pictures) == (41, 41)
    assert (surveyed["visual_similarity"].records, surveyed["visual_similarity"].pictures) == (31, 93)
    assert surveyed["relative_depth"].by == ("diw (diw)",)


@pytest.mark.slow
def test_weights_on_this_machine_feed_what_models_can(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "photographs"
    save(folder / "cup.png", 1, 320, 200)
    monkeypatch.setenv("BENCHWRIGHT_MODELS", str(tmp_path / "models"))
    (tmp_path / "models" / "Depth-Anything-V2-Small-hf").mkdir(parents=True)
    (tmp_path / "models" / "facebook" / "dinov2-small").mkdir(parents=True)
    pytest.importorskip("transformers", reason="transformers is not installed")
    assert fed(folder) == {*OF_PICTURES, "relative_depth", "visual_similarity"}
    fitted = fitted_to(load_recipe(bundled_recipes()["blink"]), folder)
    entries = [entry for entry, _ in fitted.recipe.steps]
    assert {
        "estimated_depth",
        "relative_depth_of_model",
        "similar_pictures",
        "visual_similarity_of_model",
    } < set(entries)
    assert {"relative_depth", "visual_similarity"}.isdisjoint(entries)


def test_no_picture_is_opened(tmp_path: Path) -> None:
    folder = tmp_path / "photographs"
    write_iiw(folder / "iiw")
    for picture in folder.rglob("*.png"):
        picture.write_bytes(b"no picture")
    assert "relative_reflectance" in fed(folder)


def test_the_command_prints_what_it_found_and_what_it_cannot_use(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "photographs"
    write_diw(folder / "diw")
    (folder / "notes.json").write_text("[]")
    assert invoke(["construct", "survey", str(folder), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    rows = {"read": 41, "used": 41, "refused": {}, "left_out": {}}
    assert document["sources"] == [{"source": "diw (diw)", "truths": {"depth": 41}, "rows": rows}]
    assert [row["file"] for row in document["unused"]] == ["notes.json"]
    assert {task["task"] for task in document["tasks"] if task["fed"]} == {*OF_PICTURES, "relative_depth"}
    with pytest.raises(DataError, match="is not a folder"):
        survey_folder(folder / "notes.json")


def test_a_run_leaves_out_the_tasks_that_the_folder_cannot_feed(tmp_path: Path) -> None:
    folder = tmp_path / "photographs"
    write_diw(folder / "diw")
    fitted = fitted_to(load_recipe(bundled_recipes()["blink"]), folder)
    lacks = dict(fitted.left_out)
    assert "'estimated_depth' gives, which is left out" in lacks["relative_depth_of_model"]
    assert lacks["spatial_relation"].startswith("nothing in the folder states `claims`; add the dataset vsr")
    made = {entry for entry, step in fitted.recipe.steps if "items" in step.makes and entry != "answer_balance"}
    assert made == fed(folder) & {entry for entry, _ in load_recipe(bundled_recipes()["blink"]).steps}
    assert dict(fitted.left_out).keys() == {
        "relative_reflectance", "spatial_relation", "counting", "art_style", "visual_similarity",
        "semantic_correspondence", "functional_correspondence", "multi_view_reasoning", "localization_of_boxes",
        "correspondence_of_sequences", "forensic_detection", "iq_test", "estimated_depth", "relative_depth_of_model",
        "similar_pictures", "visual_similarity_of_model",
    }  # fmt: skip


@pytest.mark.slow
def test_copies_are_looked_for_among_photographs_and_not_within_records_that_show_a_scene_again(tmp_path: Path) -> None:
    folder = tmp_path / "photographs"
    sequences = [np.asarray(photograph(name).resize((400, 290))) for name in ("chelsea", "astronaut")]
    write_hpatches(folder / "hpatches", 2, first_pictures=sequences)
    photograph("coffee").resize((480, 320)).save(folder / "coffee.png")
    photograph("coffee").resize((360, 240)).save(folder / "smaller.png")
    assert "near_duplicates" not in dict(fitted_to(load_recipe(bundled_recipes()["blink"]), folder).left_out)
    recipe = Recipe("copies", [step("dataset", reader="found"), "near_duplicates"], seed=2, shards=2)
    finished = run_recipe(recipe, images=folder, workspace=tmp_path / "w", workers=1)
    alike = [row for row in finished.outcomes("near_duplicates.looks") if row["confirmed"]]
    assert len(alike) > 1
    dropped = [row for row in finished.outcomes("near_duplicates.kept") if row["verdict"] != "keep"]
    assert [row["record_id"] for row in dropped] == [file_digest(folder / "smaller.png")]


def test_a_task_that_reads_a_campaign_or_a_named_dataset_stays(tmp_path: Path) -> None:
    write_iiw(tmp_path / "iiw")
    save(tmp_path / "photographs" / "cup.png", 1, 320, 200)
    recipe = Recipe(
        "named",
        [step("dataset", reader="iiw", folder="iiw"), "relative_reflectance", "relative_depth"],
        folder=tmp_path,
    )
    recipe.header = recipe.header.model_copy(update={"fitted": True})
    assert fitted_to(recipe, tmp_path / "photographs").left_out == ()
