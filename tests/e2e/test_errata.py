"""A wrong key from end to end: models doubt it, annotators judge it, the next version has the right one."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_bench import Bench
from walks import make_photographs, run_json

from benchwright.records import Choice, Item, ItemImage, Source
from benchwright.release import Release, verify_release
from benchwright.release.format.errata import released_errata
from benchwright.review_files.tasks import ReviewTask, TaskFileHead, write_review_tasks

ANNOTATORS = ("ann", "ben", "cas")


@pytest.fixture
def keyed_wrong(tmp_path: Path) -> tuple[Release, dict[str, str]]:
    """Return forty items of which the first three are keyed wrong, and the true letters; people answered them all."""
    bench, truth = Bench(), {}
    rng = np.random.default_rng(4)
    for number in range(40):
        source = bench.picture(12, 9, (6 * number, 10, 90), source=Source(uri=f"{number}.png"))
        letter = "ABCD"[rng.integers(4)]
        item = bench.add(
            source, "test", number, task="naming", question=f"Question {number}?",
            images=(ItemImage(image_id=source.image_id, role="view"),),
            choices=tuple(Choice(key=key, text=f"option {key}") for key in "ABCD"),
            answer="ABCD"[("ABCD".index(letter) + 1) % 4] if number < 3 else letter,
        )  # fmt: skip
        truth[item.item_id] = letter
    baseline = {
        "people": {
            "simulated": False, "annotators": 3, "answers_per_item": 3,
            "items": {
                item.item_id: {"asked": 3, "right": 3 if item.answer == truth[item.item_id] else 0}
                for item, _ in bench.items
            },
        }
    }  # fmt: skip
    return bench.write(tmp_path / "tiny-1.0", human_baseline=baseline), truth


def score_able_models(release: Release, truth: dict[str, str], folder: Path) -> None:
    rng = np.random.default_rng(7)
    for model, ability in (("able", 0.97), ("good", 0.93), ("fair", 0.9)):
        path = folder / f"{model}.jsonl"
        lines = [
            json.dumps({"item_id": item_id, "answer": letter if rng.random() < ability else "A"})
            for item_id, letter in sorted(truth.items())
        ]
        path.write_text("\n".join(lines), encoding="utf-8")
        run_json("evaluate", "score", release.path, path, "--out", folder / "results")


def judged(table: Path, items: dict[str, Item], truth: dict[str, str]) -> list[dict[str, Any]]:
    """Fill a table in as three annotators would who know better; one item they find ambiguous."""
    with table.open(newline="", encoding="utf-8") as handle:
        rows = list(csv.DictReader(handle))
    wrong = sorted(row["item_id"] for row in rows if items[row["item_id"]].answer != truth[row["item_id"]])
    found = []
    for row in rows:
        item_id = row["item_id"]
        finding, instead = ("key_wrong", truth[item_id]) if item_id in wrong else ("key_right", "")
        if item_id == wrong[0]:
            finding, instead = "ambiguous", ""
        found += [
            {"annotator": name, "item_id": item_id, "finding": finding, "instead": instead, "reason": "I looked."}
            for name in ANNOTATORS
        ]
    return found


def test_a_doubted_key_is_set_right_in_the_next_version(
    keyed_wrong: tuple[Release, dict[str, str]], tmp_path: Path
) -> None:
    release, truth = keyed_wrong
    items = {released.item.item_id: released.item for released in release.items()}
    score_able_models(release, truth, tmp_path)
    suspects, results = tmp_path / "suspects.jsonl", tmp_path / "results"
    told = run_json("evaluate", "suspects", results, "--release", release.path, "--out", suspects)
    wrong = {item_id for item_id, item in items.items() if item.answer != truth[item_id]}
    assert {one["item_id"] for one in told["suspects"][:3]} == wrong

    place = ("--workspace", tmp_path / "review")
    opened = run_json("review", "open", suspects, "--release", release.path, *place)
    assert (opened["campaign"], opened["annotators"]) == ("errata", 3)
    run_json("review", "export", *place, "--out", tmp_path / "tasks.csv")
    rows = judged(tmp_path / "tasks.csv", items, truth)
    with (tmp_path / "judged.csv").open("w", newline="", encoding="utf-8") as handle:
        writer = csv.DictWriter(handle, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    assert run_json("review", "import", tmp_path / "judged.csv", *place)["refused"] == []
    [status] = run_json("review", "status", *place)["campaigns"]
    assert (status["kind"], status["tasks"]["open"]) == ("errata", 0)
    errata = tmp_path / "errata.json"
    summary = run_json("review", "results", *place, "--out", errata)["summary"]
    assert {row["finding"]: row["items"] for row in summary}["key_wrong"] == 2

    done = run_json(
        "release", "correct", release.path, "--errata", errata, "--version", "1.1", "--out", tmp_path / "tiny-1.1"
    )  # fmt: skip
    assert done["errata"] == {"key_set": 2, "left_out": 1}
    assert verify_release(tmp_path / "tiny-1.1").ok
    after = Release.open(tmp_path / "tiny-1.1")
    corrected = {released.item.item_id: released.item for released in after.items()}
    assert set(items) - set(corrected) == {sorted(wrong)[0]}
    for item_id, item in corrected.items():
        assert item.answer == truth[item_id]
        assert item.revision == (1 if item_id in wrong else 0)
    assert {one.item_id: one.became for one in released_errata(after)} == {
        item_id: "left_out" if item_id == sorted(wrong)[0] else "key_set" for item_id in wrong
    }
    again = run_json("evaluate", "run", after.path, "--model", "random", "--out", tmp_path / "after")
    assert again["items"] == 39


def test_a_recipe_runs_in_a_workspace_that_was_made_for_review(
    keyed_wrong: tuple[Release, dict[str, str]], tmp_path: Path
) -> None:
    release, _ = keyed_wrong
    item = next(release.items()).item
    head = TaskFileHead(kind="errata", name="errata", release="tiny 1.0", release_id=release.release_id)
    tasks, workspace = tmp_path / "tasks.jsonl", tmp_path / "review"
    write_review_tasks(tasks, head, [ReviewTask(item_id=item.item_id, content_hash=item.content_hash)])
    run_json("review", "open", tasks, "--release", release.path, "--workspace", workspace)
    make_photographs(tmp_path / "photographs", count=2)
    recipe = tmp_path / "two.yaml"
    recipe.write_text("name: two\nseed: 1\nshards: 2\nsteps:\n  - exact_duplicates\n", encoding="utf-8")
    done = run_json("run", recipe, "--images", tmp_path / "photographs", "--workspace", workspace)
    assert done["state"] == "done"
    run_json("gc", workspace)
    assert run_json("review", "open", tasks, "--release", release.path, "--workspace", workspace)["new"] == 0
    kept = [path for path in (workspace / "review-pictures").rglob("*") if path.is_file()]
    assert len(kept) == len(item.images)
