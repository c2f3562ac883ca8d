"""Forecasts of the number of items of each task before a run, in both modes, compared with the run.

- If records and sizes decide, the number is exact; if pixels decide, it is estimated from a sample, with an interval.
- `run --dry-run` and `construct survey` state it, with the reason for a small number, and suggest mode `paper` if that
  helps.
- A folder that is not examined gets no number.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from blink_tasks import TASKS, WRITERS, write_datasets
from dataset_fixtures.coco_files import write_coco
from dataset_fixtures.diw_files import write_diw
from dataset_fixtures.pictures import save
from dataset_fixtures.vsr_files import write_vsr
from picture_copies import photograph
from PIL import Image

from benchwright.cli.main import invoke
from benchwright.construction.datasets import survey
from benchwright.construction.datasets.survey import survey_folder, survey_text
from benchwright.pipeline import plan_requests, run_recipe
from benchwright.pipeline.run import open_view
from benchwright.recipe import Recipe, step


def both_modes(task: str) -> list[dict[str, Any]]:
    """Return the entries of a recipe that make a task's items in each mode that it has."""
    settings = {name: value for name, value in TASKS[task].items() if name not in ("mode", "pictures")}
    if task in ("art_style", "visual_similarity"):
        return [step(task, **settings)]
    return [step(task, as_=f"{task}_{mode}", mode=mode, **settings) for mode in ("hardened", "paper")]


@pytest.mark.slow
def test_what_is_expected_is_what_a_run_makes_in_either_mode(tmp_path: Path) -> None:
    write_datasets(tmp_path)
    tasks = sorted(TASKS.keys() - {"jigsaw"})
    datasets = [
        step("dataset", as_=name, reader=name, folder=name, records=14)
        for name in (*WRITERS, "hpatches")
        if name != "tara"
    ]
    steps = [*datasets, *(entry for task in tasks for entry in both_modes(task))]
    recipe = Recipe("forecast", steps, seed=3, folder=tmp_path, shards=1)
    expected = {entry: items for entry, items in plan_requests(recipe).expected if items.is_set}
    finished = run_recipe(recipe, workspace=tmp_path / "w", workers=1)
    assert open_view(finished.workspace).seed == 3  # what the run wrote of every task's settings is read back
    made = {report.name: report.made for report in finished.steps}
    assert {entry: items.items for entry, items in expected.items()} == {entry: made[entry] for entry in expected}
    assert expected.keys() == {entry.get("as", entry["step"]) for task in tasks for entry in both_modes(task)}
    assert all(items.least == items.items == items.most for items in expected.values())
    assert sum(items.items for items in expected.values()) > 60


def test_a_sample_of_photographs_gives_an_interval_that_holds_what_a_run_makes(tmp_path: Path) -> None:
    for number in range(30):
        picture = np.asarray(photograph(("chelsea", "coffee", "astronaut")[number % 3]).convert("RGB"))
        save(tmp_path / "p" / f"small{number}.png", number, 60, 60) if number % 4 == 0 else None
        if number % 4:
            Image.fromarray(picture[number : number + 280, :400]).save(tmp_path / "p" / f"{number}.png")
    recipe = Recipe("sampled", [step("jigsaw")], shards=1)
    [(_, hardened), (_, paper)] = plan_requests(recipe, images=tmp_path / "p").expected
    finished = run_recipe(recipe, images=tmp_path / "p", workspace=tmp_path / "w", workers=1)
    assert (hardened.mode, hardened.is_set, paper.mode, paper.is_set) == ("hardened", True, "paper", False)
    assert (hardened.looked_at, hardened.of) == (24, 30)
    assert hardened.least < hardened.items < hardened.most
    assert hardened.least <= finished.steps[-1].made <= hardened.most
    assert hardened.left_out.keys() >= {"too_small"}


def test_few_items_are_explained_and_paper_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_diw(tmp_path / "diw")
    recipe = Recipe(
        "few", [step("dataset", reader="diw", folder="diw"), step("relative_depth", max_tilt_deg=0.1, min_side_px=16)]
    )
    (tmp_path / "few.yaml").write_text(recipe.to_yaml(), encoding="utf-8")
    assert invoke(["run", str(tmp_path / "few.yaml"), "--dry-run"]) == 0
    said = capsys.readouterr().out
    assert "relative_depth: hardened " in said
    assert "relative_depth: with another `mode`, paper " in said
    assert "`mode: paper` needs less" in said
    assert invoke(["run", str(tmp_path / "few.yaml"), "--dry-run", "--json"]) == 0
    hardened, paper = json.loads(capsys.readouterr().out)["expected"]
    assert hardened["items"] < paper["items"]
    assert hardened["left_out"]["not_level"] > 0
    assert not (tmp_path / "workspaces").exists()


def test_a_survey_says_it_and_says_why_where_it_cannot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_diw(tmp_path / "diw")
    surveyed = survey_folder(tmp_path)
    [depth] = [task for task in surveyed.tasks if task.task == "relative_depth"]
    assert [items.mode for items in depth.expected] == ["hardened", "paper"]
    assert depth.expected[0].of == depth.records
    assert "items: hardened 0 of 41; too_small 40" in survey_text(surveyed)
    write_coco(tmp_path / "coco", 2)
    monkeypatch.setattr(survey, "MOST_BYTES", 0)
    large = survey_folder(tmp_path)
    assert not any(task.expected for task in large.tasks)
    assert "items are not counted: coco (coco) is large" in survey_text(large)
    assert "items" not in survey_text(survey_folder(tmp_path, expects_items=False))


def test_a_single_pair_that_is_not_level_gives_no_item_and_the_reason_is_said(tmp_path: Path) -> None:
    photograph("astronaut").save(tmp_path / "a.png")
    truth = {"kind": "depth", "first": [130, 262], "second": [380, 254], "closer": "first"}
    (tmp_path / "t.jsonl").write_text(json.dumps({"image": "a.png", "truths": [truth]}), encoding="utf-8")
    said = survey_text(survey_folder(tmp_path))
    assert "items: hardened 0 of 1; unmatched_tilt 1" in said
    assert "few: 0 items, and unmatched_tilt 1: " in said
    assert "items: paper 1 of 1" in said


def test_pictures_with_many_comparisons_are_counted_and_what_one_of_them_lacks_is_no_reason(tmp_path: Path) -> None:
    photograph("coffee").save(tmp_path / "a.png")
    sides = [("first", [200, 90]), ("second", [220, 91]), ("equal", [200, 90])] * 3
    truths = [
        {"kind": "reflectance", "first": [100, y + 20 * number], "second": [x + 100, y + 20 * number],
         "darker": darker, "weight": 1.0}
        for number, (darker, (x, y)) in enumerate(sides)
    ]  # fmt: skip
    (tmp_path / "t.jsonl").write_text(json.dumps({"image": "a.png", "truths": truths}), encoding="utf-8")
    surveyed = survey_folder(tmp_path)
    [task] = [task for task in surveyed.tasks if task.task == "relative_reflectance"]
    hardened = task.expected[0]
    assert (hardened.items, hardened.of, hardened.pictures, hardened.advice) == (1, 9, 1, None)
    assert "items: hardened 1 of 9 in 1 picture; " in survey_text(surveyed)


def test_pictures_of_a_dataset_that_is_the_folder_itself_are_counted_once(tmp_path: Path) -> None:
    write_vsr(tmp_path)
    save(tmp_path / "cup.png", 1, 320, 200)
    surveyed = survey_folder(tmp_path, expects_items=False)
    [jigsaw] = [task for task in surveyed.tasks if task.task == "jigsaw"]
    assert (surveyed.pictures, jigsaw.pictures) == (1, 22)
