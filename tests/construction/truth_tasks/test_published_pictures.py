"""Tasks about published pictures: jigsaw and correspondence from the pictures alone, the other tasks from marks on
them.

The marks are those of simulated annotators, who see no picture: the tests check that a key equals what was marked.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from truth_runs import right_text, rings

from benchwright.construction.item_parts.wording.english_words import count_question, count_wordings
from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe
from benchwright.records import Item
from benchwright.release import Release
from benchwright.workspace.run_results import FinishedRun

pytestmark = pytest.mark.slow

RECIPE = """
name: published
seed: 3
steps:
  - exact_duplicates
  - step: mark
    as: points
    fields:
      - {name: closer, label: Closer, shape: point, max_count: 1}
      - {name: farther, label: Farther, shape: point, max_count: 1}
    rule: unanimous(2)
    simulate: {annotators: 2, jitter: 0.002}
  - step: mark
    as: boxes
    fields:
      - {name: figures, label: Figures, shape: box, options: [{code: figure, words: Figure}], max_count: 1}
      - {name: things, label: Things, shape: box, options: [{code: thing, words: Thing}], max_count: 6}
    rule: unanimous(2)
    simulate: {annotators: 2, jitter: 0.002}
  - {step: facts, stated_by: [boxes]}
  - {step: jigsaw}
  - {step: visual_correspondence}
  - {step: object_localization, mode: paper}
  - {step: counting, marked_by: boxes, mode: paper}
  - {step: relative_depth, marked_by: points, mode: paper}
  - {step: freeze, name: published, description: Items of published pictures.}
"""
PICTURES = 16


@pytest.fixture(scope="module")
def finished(ii_bench: Path, tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    """A run over some of II-Bench's pictures, JPEG and WebP."""
    folder = tmp_path_factory.mktemp("published")
    shown = sorted((ii_bench / "images" / "dev").iterdir())
    (folder / "pictures").mkdir()
    for path in shown[:: max(1, len(shown) // PICTURES)]:
        shutil.copyfile(path, folder / "pictures" / path.name)
    recipe = parse_recipe(RECIPE, "published.yaml", folder=folder)
    done = run_recipe(recipe, images=folder / "pictures", workspace=folder / "workspace", workers=1)
    assert done.state == "done"
    return done


@pytest.fixture(scope="module")
def items(finished: FinishedRun) -> dict[str, list[Item]]:
    """The items by task."""
    by_task: dict[str, list[Item]] = {}
    for released in Release.open(finished.workspace / finished.artifacts["release"]).items():
        by_task.setdefault(released.item.task, []).append(released.item)
    return by_task


@pytest.fixture(scope="module")
def shown_scale(finished: FinishedRun) -> dict[str, float]:
    """By how much each picture is scaled down where it is shown, by its id."""
    return {image.image_id: min(1.0, 1024 / max(image.width, image.height)) for image in finished.images()}


def marks(finished: FinishedRun, campaign: str) -> dict[str, dict[str, list[dict[str, object]]]]:
    """Return the regions that count by field, for each picture, as the campaign's table has them."""
    by_picture: dict[str, dict[str, list[dict[str, object]]]] = {}
    for row in finished.outcomes(campaign):
        fields = by_picture.setdefault(row["record_id"], {})
        for region in json.loads(row["regions"])["regions"]:
            fields.setdefault(region["field"], []).append(region)
    return by_picture


def test_pictures_alone_make_jigsaws_and_correspondences(items: dict[str, list[Item]]) -> None:
    for task, options in (("jigsaw", 2), ("visual_correspondence", 4)):
        assert len({item.root_image_id for item in items[task]}) >= PICTURES // 2
        assert all(len(item.choices) == options for item in items[task])


def test_the_closer_point_is_the_one_that_was_marked_closer(
    finished: FinishedRun, items: dict[str, list[Item]], shown_scale: dict[str, float]
) -> None:
    marked = marks(finished, "points")
    assert len(items["relative_depth"]) >= PICTURES // 3
    for item in items["relative_depth"]:
        [closer] = marked[item.root_image_id]["closer"]
        scale = shown_scale[item.root_image_id]
        place = [side * scale for side in closer["points"][0]]  # type: ignore[index]
        assert right_text(item) == f"{item.answer} is closer"
        assert rings(item)[item.answer] == pytest.approx(place, abs=0.02 if scale == 1 else 1.0)
        assert item.evidence["original"] == {"marked_by": "points", "simulated": True}


def test_the_number_is_that_of_the_boxes_that_were_marked(finished: FinishedRun, items: dict[str, list[Item]]) -> None:
    marked = marks(finished, "boxes")
    assert len(items["counting"]) >= PICTURES // 2
    for item in items["counting"]:
        field = "figures" if "figures" in item.question else "things"
        wordings = count_wordings(count_question(field.removesuffix("s")))
        assert wordings is not None
        assert item.question in wordings.templates
        assert right_text(item) == str(len(marked[item.root_image_id][field]))


def test_the_fitting_box_is_the_one_that_was_marked(
    finished: FinishedRun, items: dict[str, list[Item]], shown_scale: dict[str, float]
) -> None:
    marked = marks(finished, "boxes")
    assert items["object_localization"]
    for item in items["object_localization"]:
        field = "figures" if "figure" in item.question else "things"
        scale = shown_scale[item.root_image_id]
        [box] = [prompt for prompt in item.images[0].prompts if prompt.label == item.answer]
        [region] = marked[item.root_image_id][field]
        place = [side * scale for point in region["points"] for side in point]  # type: ignore[attr-defined]
        assert [side for point in box.points for side in point] == pytest.approx(place, abs=0.02 if scale == 1 else 1.0)
