"""Twins: two items that show the same options and differ only in which of these is right."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest
from step_context import StepContext
from truth_runs import TruthRun, rings

from benchwright.construction.ground_truth.truths import (
    CountQuestion,
    DepthComparison,
    LabelledBox,
    LabelledBoxes,
    SpatialClaim,
)
from benchwright.construction.tasks.counting import Counting
from benchwright.construction.tasks.jigsaw import Jigsaw
from benchwright.construction.tasks.localization_of_boxes import LocalizationOfBoxes
from benchwright.construction.tasks.object_localization import ObjectLocalization
from benchwright.construction.tasks.relative_depth import RelativeDepth
from benchwright.construction.tasks.spatial_relation import SpatialRelation
from benchwright.construction.tasks.visual_correspondence import VisualCorrespondence
from benchwright.records import Item


def are_twins(items: Sequence[Item]) -> bool:
    """Return whether two items have separate ids and one key of twins."""
    keys = [[key for key in item.group_keys if key.startswith("twin:")] for item in items]
    return len({item.item_id for item in items}) == 2 and len(keys[0]) == 1 and keys[0] == keys[1]


@pytest.fixture
def photo() -> np.ndarray:
    from skimage.data import chelsea

    return chelsea()


def test_both_pieces_of_a_jigsaw_are_missing_once(tmp_path: Path, photo: np.ndarray) -> None:
    context = StepContext(tmp_path)
    items = context.run(Jigsaw(twins=True), context.add(photo)).items
    assert are_twins(items)
    pieces = [{choice.image_id for choice in item.choices} for item in items]
    right = [next(choice.image_id for choice in item.choices if choice.key == item.answer) for item in items]
    assert pieces[0] == pieces[1] == set(right)


def test_two_of_four_points_are_the_reference_at_one_place(tmp_path: Path, photo: np.ndarray) -> None:
    context = StepContext(tmp_path)
    first, second = context.run(VisualCorrespondence(twins=True), context.add(photo)).items
    assert are_twins([first, second])
    assert first.images[1].image_id == second.images[1].image_id
    assert rings(first, 1) == rings(second, 1)
    assert rings(first) == rings(second)
    assert first.answer != second.answer
    for item in (first, second):
        mapped = np.array(item.evidence["homography"]) @ (*rings(item)["REF"], 1)
        assert mapped[:2] / mapped[2] == pytest.approx(rings(item, 1)[item.answer or ""], abs=0.05)


def test_a_mirrored_view_has_the_rings_at_the_same_places_and_the_other_one_closer(tmp_path: Path) -> None:
    run = TruthRun(tmp_path)
    truth = DepthComparison(first=(100.0, 100.0), second=(220.0, 101.0), closer="first")
    run.state("diw:1", [run.picture(1)], truth)
    first, second = run.run(RelativeDepth(twins=True))
    assert are_twins([first, second])
    assert {first.answer, second.answer} == {"A", "B"}
    for label, point in rings(first).items():
        assert rings(second)[label] == pytest.approx(point, abs=0.02)
    mirrored = run.stored[second.images[0].image_id][:, ::-1]
    away = np.abs(mirrored.astype(int) - run.stored[first.images[0].image_id])
    assert np.quantile(away, 0.99) <= 2


def test_a_claim_is_asked_about_the_picture_of_which_it_is_true_and_the_other(tmp_path: Path) -> None:
    run = TruthRun(tmp_path)
    for number, is_true in enumerate((True, False)):
        claim = SpatialClaim(claim="The cat is behind the bed.", relation="behind", is_true=is_true)
        run.state(f"vsr:{number}", [run.picture(number)], claim)
    items = run.run(SpatialRelation(twins=True))
    assert are_twins(items)
    assert {item.answer for item in items} == {"A", "B"}
    assert len({item.question for item in items}) == 1
    assert len(run.run(SpatialRelation())) == 1


@pytest.mark.parametrize("of", ["facts", "dataset"])
def test_the_other_of_two_boxes_fits_the_thing_that_lies_where_it_is(
    tmp_path: Path, photo: np.ndarray, of: str
) -> None:
    stated = (150.0, 90.0, 290.0, 200.0)
    marked = photo.copy()
    cv2.rectangle(marked, (150, 90), (289, 199), (255, 0, 255), -1)
    if of == "dataset":
        run = TruthRun(tmp_path)
        run.state("one", [run.add(marked, "a.png")], LabelledBoxes(boxes=(LabelledBox(label="cup", box=stated),)))
        first, second = run.run(LocalizationOfBoxes(dataset="dataset", twins=True))
        pictures = run.stored
    else:
        subjects = json.dumps([{"name": "cup", "phrase": "the cup", "box": stated}])
        record = StepContext(tmp_path).add(marked)
        context = StepContext(tmp_path, values={(record.image_id, "facts.subjects"): subjects})
        context.add(marked)
        first, second = context.run(ObjectLocalization(twins=True), record).items
        pictures = context.stored
    assert are_twins([first, second])
    assert {first.answer, second.answer} == {"A", "B"}
    assert first.question == second.question
    assert [(prompt.label, prompt.points, prompt.style) for prompt in first.images[0].prompts] == [
        (prompt.label, prompt.points, prompt.style) for prompt in second.images[0].prompts
    ]
    for item in (first, second):
        pixels = pictures[item.images[0].image_id].astype(int)
        is_thing = (pixels[..., 0] > 200) & (pixels[..., 1] < 60) & (pixels[..., 2] > 200)
        rows, columns = np.flatnonzero(is_thing.any(axis=1)), np.flatnonzero(is_thing.any(axis=0))
        [box] = [prompt.points for prompt in item.images[0].prompts if prompt.label == item.answer]
        seen = (columns[0], rows[0], columns[-1] + 1, rows[-1] + 1)
        assert np.abs(np.array(box).ravel() - seen).max() <= 2


def test_one_question_has_two_right_numbers_of_the_same_four(tmp_path: Path) -> None:
    run = TruthRun(tmp_path)
    for number in range(240):
        thing = ("cups", "birds")[number % 2]
        question = CountQuestion(question=f"How many {thing} are there?", count=(1, 2, 2, 3, 4, 5)[number // 2 % 6])
        run.state(f"tallyqa:{number}", [run.picture(number)], question)
    items = run.run(Counting(twins=True))
    pairs: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        [key] = [key for key in item.group_keys if key.startswith("twin:")]
        pairs[key].append(item)
    assert len(pairs) >= 30
    ranks: Counter[int] = Counter()
    for first, second in pairs.values():
        assert are_twins([first, second])
        assert first.question == second.question
        assert first.choices == second.choices
        assert first.answer != second.answer
        assert first.images != second.images
        for item in (first, second):
            numbers = {choice.key: int(choice.text or "") for choice in item.choices}
            assert numbers[item.answer or ""] == item.evidence["count"]
            ranks[sorted(numbers.values()).index(item.evidence["count"])] += 1
    assert max(ranks.values()) - min(ranks.values()) <= 8


def test_a_count_without_a_twin_says_so(tmp_path: Path) -> None:
    run = TruthRun(tmp_path)
    for number in range(4):
        image_id = run.picture(number)
        run.state(f"tallyqa:{number}", [image_id], CountQuestion(question=f"How many {number}?", count=number))
    assert run.run(Counting(twins=True)) == []
    assert {outcome.reason for outcome in run.outcomes.values()} == {"no_twin"}
