"""BLINK's tasks of all source datasets in one run: same bytes, each image once, halves of each task."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from blink_tasks import TASKS, all_tasks, write_datasets
from walks import tree_digest

from benchwright.pipeline import run_recipe
from benchwright.recipe import Recipe, step
from benchwright.records import Item
from benchwright.release import Release


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("datasets")
    write_datasets(root)
    return root


@pytest.fixture(scope="module")
def alone(root: Path) -> Path:
    """The workspace of a run with one worker."""
    return run_recipe(all_tasks(root), workspace=root / "alone", workers=1).workspace


def items_of(workspace: Path, split: str | None = None) -> list[Item]:
    [release] = (workspace / "releases").iterdir()
    return [released.item for released in Release.open(release).items(split)]


@pytest.mark.thorough
@pytest.mark.workers
def test_four_workers_give_the_bytes_of_one(root: Path, alone: Path) -> None:
    together = run_recipe(all_tasks(root), workspace=root / "together", workers=4)
    assert tree_digest(together.workspace) == tree_digest(alone)


def test_every_task_is_there(alone: Path) -> None:
    assert {item.task for item in items_of(alone)} == set(TASKS)


@pytest.mark.thorough
def test_another_seed_gives_other_items(root: Path, alone: Path) -> None:
    items = items_of(alone)
    other = run_recipe(all_tasks(root, seed=2), workspace=root / "other", workers=2)
    ids = {item.item_id for item in items_of(other.workspace)}
    assert ids.isdisjoint(item.item_id for item in items)
    shown = {item.content_hash for item in items_of(other.workspace)}
    assert len(shown & {item.content_hash for item in items}) < len(items) / 2


def test_each_image_is_in_one_item_or_one_pair(alone: Path) -> None:
    used: Counter[str] = Counter()
    for names in {
        next((key for key in item.group_keys if key.startswith("pair:")), item.item_id): item.group_keys
        for item in items_of(alone)
    }.values():
        used.update(key for key in names if key.startswith("image:"))
    assert set(used.values()) == {1}


def test_each_task_is_halved_as_far_as_its_groups_allow(alone: Path) -> None:
    halves = {split: Counter(item.task for item in items_of(alone, split)) for split in ("val", "test")}
    together = {"multi_view_reasoning": 2, "visual_correspondence": 3}  # a pair of items, a sequence's three
    for task in TASKS:
        assert abs(halves["val"][task] - halves["test"][task]) <= together.get(task, 1), task


def test_two_tasks_share_the_pictures_of_one_dataset(root: Path) -> None:
    steps = [
        step("dataset", as_="lvis", reader="lvis", folder="lvis"),
        step("object_localization", **TASKS["object_localization"]),
        step("jigsaw", **{**TASKS["jigsaw"], "dataset": "lvis"}),
        step("unique_images"),
        step("freeze", name="shared", version="1.0"),
    ]
    finished = run_recipe(Recipe("shared", steps, seed=1, folder=root, shards=2), workspace=root / "shared", workers=1)
    tasks = Counter(item.task for item in items_of(finished.workspace))
    assert abs(tasks["jigsaw"] - tasks["object_localization"]) <= 3
    [report] = [report for report in finished.steps if report.name == "unique_images"]
    assert report.dropped.keys() == {"used_already"}
