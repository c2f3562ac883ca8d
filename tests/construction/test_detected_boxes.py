"""The step `detected_boxes`: boxes and counts of objects, found by a detector for the phrases of the recipe.

- Overlapping boxes with the same label count as one; labels with a medium score, a nested or a contested box are
  uncertain.
- Counts are stated only for certain labels, and items state what estimated them.
- A real Grounding DINO from transformers runs, and only an unreadable picture fails.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from dataset_fixtures.pictures import pixels
from pydantic import ValidationError
from step_context import StepContext
from tiny_detectors import make_grounding_dino, make_owlv2
from truth_runs import TruthRun, right_text

from benchwright.construction.estimated.detected_boxes import DetectedBoxes, FoundThing
from benchwright.construction.ground_truth.truths import CountQuestion, LabelledBoxes
from benchwright.construction.ground_truth.values import RecordTruth, read_truths
from benchwright.construction.tasks.counting import Counting
from benchwright.construction.tasks.localization_of_boxes import LocalizationOfBoxes
from benchwright.errors import PrerequisiteError, RecipeError
from benchwright.pipeline.planning.plan import plan
from benchwright.recipe import Recipe, step
from benchwright.steps import Outcome

DIGEST = f"sha256:{'b' * 64}"
SETTINGS = DetectedBoxes(weights=DIGEST, phrases=("cup", "a traffic light"))
CUP, LIGHT = "cup", "traffic light"
LEFT, SHIFTED, RIGHT, INNER = (10, 10, 60, 60), (12, 10, 62, 60), (100, 10, 160, 60), (15, 15, 40, 40)


def stated(tmp_path: Path, *things: tuple[str, Any, float]) -> tuple[LabelledBoxes | None, dict[str, int], Outcome]:
    record = StepContext(tmp_path).add(pixels(1, 200, 120), "1.png")
    outcome = SETTINGS.stated(record, [FoundThing(label, box, score) for label, box, score in things])
    boxes = [truth.truth for truth in read_truths(str(outcome.values.get("boxes", "[]")), LabelledBoxes)]
    counts = read_truths(str(outcome.values.get("counts", "[]")), CountQuestion)
    return boxes[0] if boxes else None, {truth.truth.question: truth.truth.count for truth in counts}, outcome


CUPS, LIGHTS = "How many cups are there in the picture?", "How many traffic lights are there in the picture?"


@pytest.mark.parametrize(
    ("things", "labels", "incomplete", "counts"),
    [
        pytest.param([(CUP, LEFT, 0.8), (CUP, RIGHT, 0.6)], [CUP, CUP], (), {CUPS: 2}, id="sure"),
        pytest.param([(CUP, LEFT, 0.8), (CUP, SHIFTED, 0.6)], [CUP], (), {CUPS: 1}, id="found twice"),
        pytest.param([(CUP, LEFT, 0.8), (CUP, SHIFTED, 0.3)], [CUP], (), {CUPS: 1}, id="found twice, once weakly"),
        pytest.param([(CUP, LEFT, 0.45)], [CUP], (), {CUPS: 1}, id="just sure enough"),
        pytest.param([(CUP, LEFT, 0.4)], [CUP], (), {}, id="a box, but no number"),
        pytest.param([(CUP, LEFT, 0.8), (CUP, RIGHT, 0.3)], [CUP], (CUP,), {}, id="perhaps another one"),
        pytest.param([(CUP, LEFT, 0.8), (CUP, INNER, 0.7)], [CUP, CUP], (CUP,), {}, id="one within the other"),
        pytest.param(
            [(CUP, LEFT, 0.8), (LIGHT, SHIFTED, 0.6)], [CUP, LIGHT], (LIGHT,), {CUPS: 1}, id="more likely another thing"
        ),
        pytest.param(
            [(LIGHT, RIGHT, 0.9), (CUP, LEFT, 0.9)], [CUP, LIGHT], (), {CUPS: 1, LIGHTS: 1}, id="in the phrases' order"
        ),
    ],
)
def test_what_is_sure_is_stated(
    tmp_path: Path, things: list[Any], labels: list[str], incomplete: tuple[str, ...], counts: dict[str, int]
) -> None:
    boxes, numbers, outcome = stated(tmp_path, *things)
    assert boxes is not None
    assert [labelled.label for labelled in boxes.boxes] == labels
    assert (boxes.incomplete, numbers) == (incomplete, counts)
    assert boxes.original["estimated_by"] == outcome.evidence["estimated_by"] == f"grounding_dino {DIGEST}"


def test_a_picture_without_a_box_says_so(tmp_path: Path) -> None:
    for things in ([], [(CUP, LEFT, 0.3)]):
        boxes, numbers, outcome = stated(tmp_path, *things)
        assert (boxes, numbers, outcome.evidence) == (None, {}, {"left_out": "nothing_found"})


def test_items_say_who_estimated_and_unsure_labels_are_not_asked_about(tmp_path: Path) -> None:
    run = TruthRun(tmp_path)
    for number in range(6):
        image_id = run.picture(number, 320, 240)
        things = [FoundThing(CUP, (100, 60, 200, 160), 0.9), FoundThing(LIGHT, (20, 20, 80, 90), 0.8)]
        if number % 2:
            things.append(FoundThing(LIGHT, (240, 20, 300, 90), 0.3))
        values = SETTINGS.stated(run.records[image_id], things).values
        for kind in (LabelledBoxes, CountQuestion):
            truth: RecordTruth[Any]
            for truth in read_truths(str(values[kind.kind]), kind):
                run.state(truth.record, list(truth.image_ids), truth.truth, dataset="detected_boxes")
    located = run.run(LocalizationOfBoxes(dataset="detected_boxes"))
    counted = run.run(Counting(mode="paper", dataset="detected_boxes", uses=None))
    assert (len(located), len(counted)) == (6, 9)
    for item in (*located, *counted):
        assert item.attributes["estimated_by"] == f"grounding_dino {DIGEST}"
    odd = {run_id for number, run_id in enumerate(run.records) if number % 2}
    assert {item.attributes["object"] for item in located if item.made_from in odd} == {CUP}
    assert {right_text(item) for item in counted} == {"1"}
    assert {item.written_by["question"] for item in counted} == {"template"}


@pytest.mark.parametrize("task", ["object_localization", "counting"])
def test_a_recipe_that_freezes_them_without_people_is_refused(task: str) -> None:
    steps = [
        step("detected_boxes", weights=DIGEST, phrases=["cup"]),
        step(task, dataset="detected_boxes"),
        step("freeze", name="boxes", version="1.0"),
    ]
    with pytest.raises(RecipeError, match=f"'{task}' makes items from a model's estimates"):
        plan(Recipe("d", steps, seed=5, shards=2).steps)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"phrases": ()}, "at least 1 item"),
        ({"phrases": ("a cup", "Cup")}, "'cup' appears twice"),
        ({"phrases": (" ",)}, "contains no word"),
        ({"phrases": ("cup",), "threshold": 0.1, "unsure": 0.2}, "unsure 0.2 is too wide"),
    ],
)
def test_settings_that_say_nothing_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        DetectedBoxes(**settings)


@pytest.mark.slow
def test_a_real_detector_finds_the_same_in_any_batch_and_a_broken_picture_fails_alone(tmp_path: Path) -> None:
    folder = make_grounding_dino(tmp_path / "model")
    context: Any = StepContext(tmp_path)
    records = [context.add(pixels(number, 96, 64), f"{number}.png") for number in range(3)]
    (tmp_path / "1.png").write_bytes(b"no picture")
    results = []
    for batch_size in (1, 8):
        settings = DetectedBoxes(
            weights=str(folder), phrases=("cup", "dog"), threshold=0.3, unsure=0.2, batch_size=batch_size, device="cpu"
        )
        context.opened = settings.open(context)
        found = context.opened.work([pixels(0, 96, 64)])
        assert found[0]
        assert all(0 <= x0 < x1 <= 96 and 0 <= y0 < y1 <= 64 for _, (x0, y0, x1, y1), _ in found[0])
        outcomes = settings.many(records, context)
        assert [outcome.verdict for outcome in outcomes] == ["keep", "failed", "keep"]
        results.append([outcome.values for outcome in outcomes])
    assert [set(values) for values in results[0]] == [set(values) for values in results[1]]
    with pytest.raises(PrerequisiteError, match="of type owlv2, not grounding-dino"):
        DetectedBoxes(weights=str(make_owlv2(tmp_path / "owl")), phrases=("cup",)).open(context)
