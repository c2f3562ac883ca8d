"""Tasks of what models estimate or paint, and generated puzzles: equal bytes for a seed, other items for another one.

Real classes of transformers and diffusers with tiny random weights; simulated people decide on the items.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from model_tasks import MODEL_TASKS, model_tasks, write_models
from walks import tree_digest

from benchwright.pipeline import run_recipe
from benchwright.records import Item
from benchwright.release import Release

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("models")
    write_models(root)
    return root


@pytest.fixture(scope="module")
def alone(root: Path) -> Path:
    """The workspace of a run with one worker."""
    return run_recipe(model_tasks(root), workspace=root / "alone", workers=1).workspace


def _items(workspace: Path) -> list[Item]:
    [release] = (workspace / "releases").iterdir()
    return [released.item for released in Release.open(release).items()]


@pytest.mark.thorough
@pytest.mark.workers
def test_four_workers_give_the_bytes_of_one(root: Path, alone: Path) -> None:
    together = run_recipe(model_tasks(root), workspace=root / "together", workers=4)
    assert tree_digest(together.workspace) == tree_digest(alone)


def test_every_task_is_there(alone: Path) -> None:
    assert {item.task for item in _items(alone)} == MODEL_TASKS.keys()


@pytest.mark.thorough
def test_another_seed_gives_other_items(root: Path, alone: Path) -> None:
    other = _items(run_recipe(model_tasks(root, seed=2), workspace=root / "other", workers=2).workspace)
    for task in MODEL_TASKS:
        items = [item for item in _items(alone) if item.task == task]
        others = [item for item in other if item.task == task]
        assert items, task
        assert others, task
        assert {item.item_id for item in items}.isdisjoint(item.item_id for item in others)
        # A pair of points, a box, a triplet or a puzzle is seldom drawn twice; of few numbers, an order of them may be.
        shared = {item.content_hash for item in items} & {item.content_hash for item in others}
        assert len(shared) < len(items) / 2, task
