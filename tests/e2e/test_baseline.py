"""A human baseline from end to end: from the campaign `answer` into release, card and results."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from walks import RECIPE, executions, make_photographs, run_json, tree_digest

SIMULATED = """\
  - step: answer
    as: crowd
    annotators_per_item: 2
    simulate:
      annotators: 3
      accuracy: 0.8
"""


def recipe(answer: str) -> str:
    """Return the walk's recipe with a campaign of answers, and one model to score."""
    text = RECIPE.replace("  - splits\n", f"{answer}  - splits\n")
    return text.replace('[random, "constant:A", edge_continuity, local_features]', "[random]")


def run(scene: Path, text: str, workspace: str, *more: object) -> dict[str, Any]:
    (scene / "walk.yaml").write_text(text, encoding="utf-8")
    document: dict[str, Any] = run_json(
        "run", scene / "walk.yaml", "--images", scene / "photographs", "--workspace", scene / workspace, *more
    )
    return document


def baseline_in(workspace: Path) -> dict[str, Any]:
    """Return the human baseline of the only release, after verifying it."""
    [release] = (workspace / "releases").iterdir()
    assert run_json("release", "verify", release)["ok"]
    found: dict[str, Any] = json.loads((release / "human_baseline.json").read_text(encoding="utf-8"))["baseline"]
    return found


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    make_photographs(tmp_path / "photographs", count=5)
    return tmp_path


@pytest.mark.workers
def test_a_second_run_makes_nothing_again_and_another_place_makes_the_same_bytes(scene: Path) -> None:
    first = run(scene, recipe(SIMULATED), "w", "--workers", 1)
    made, jobs = tree_digest(scene / "w"), executions(scene / "w")
    final = (scene / "w" / "tables" / "freeze" / "final.json").stat()
    again = run(scene, recipe(SIMULATED), "w", "--workers", 1)
    assert (first["state"], again["state"], again["executed_shards"]) == ("done", "done", 0)
    assert executions(scene / "w") == jobs
    assert (scene / "w" / "tables" / "freeze" / "final.json").stat().st_mtime_ns == final.st_mtime_ns
    assert tree_digest(scene / "w") == made
    run(scene, recipe(SIMULATED), "elsewhere", "--workers", 2)
    assert tree_digest(scene / "elsewhere") == made


def test_other_answers_freeze_the_release_and_score_it_again_and_make_no_item_again(scene: Path) -> None:
    run(scene, recipe(SIMULATED), "w")
    before = baseline_in(scene / "w")["crowd"]
    shown = json.loads((scene / "w" / "results" / "human.json").read_text(encoding="utf-8"))
    again = run(scene, recipe(SIMULATED.replace("0.8", "0.0")), "w")
    after = baseline_in(scene / "w")["crowd"]
    assert before["items"].keys() == after["items"].keys()
    assert sum(told["right"] for told in before["items"].values()) > 0
    assert {told["right"] for told in after["items"].values()} == {0}
    assert again["decoded_images"] == 0
    then = json.loads((scene / "w" / "results" / "human.json").read_text(encoding="utf-8"))
    assert shown["campaigns"]["crowd"]["metrics"]["accuracy"]["value"] > 0
    assert then["campaigns"]["crowd"]["metrics"]["accuracy"]["value"] == 0
    assert shown["release_id"] != then["release_id"]


def test_people_answer_a_table_without_keys_and_the_release_says_how_often_they_were_right(scene: Path) -> None:
    text, place = recipe("  - step: answer\n    annotators_per_item: 1\n"), scene / "w"
    assert "campaign 'answer' waits for people" in run(scene, text, "w")["waits"][0]
    run_json("review", "export", "--workspace", place, "--campaign", "answer", "--out", scene / "tasks.csv")
    with (scene / "tasks.csv").open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert {row["answer"] for row in rows} == {""}
    with (scene / "ann.csv").open("w", encoding="utf-8", newline="") as handle:
        csv.writer(handle).writerows(
            [("annotator", "item_id", "decision"), *(("ann", row["item_id"], "a") for row in rows)]
        )
    run_json("review", "import", scene / "ann.csv", "--workspace", place, "--campaign", "answer")
    assert run(scene, text, "w")["state"] == "done"
    told = baseline_in(place)["answer"]
    assert (told["simulated"], told["annotators"], len(told["items"])) == (False, 1, len(rows))
    constant = run_json(
        "evaluate", "run", next((place / "releases").iterdir()), "--model", "constant:A", "--out", scene
    )
    assert sum(item["right"] for item in told["items"].values()) == round(
        constant["metrics"]["accuracy"]["value"] * len(rows)
    )
