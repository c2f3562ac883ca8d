"""Reflectance, depth and correspondences by the paper's rule: keys derived independently from the truth, and marks that
people can distinguish.
"""

from __future__ import annotations

from collections import Counter
from math import dist
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from truth_runs import TruthRun, right_text, rings

from benchwright.construction.ground_truth.truths import (
    DepthComparison,
    FunctionalPoints,
    KeypointPair,
    ReflectanceComparison,
)
from benchwright.construction.tasks.functional_correspondence import FunctionalCorrespondence
from benchwright.construction.tasks.relative_depth import RelativeDepth
from benchwright.construction.tasks.relative_reflectance import RelativeReflectance
from benchwright.construction.tasks.semantic_correspondence import SemanticCorrespondence
from benchwright.drawing import lay_out

pytestmark = pytest.mark.slow


@pytest.fixture
def run(tmp_path: Path) -> TruthRun:
    return TruthRun(tmp_path)


def compared(**changes: Any) -> ReflectanceComparison:
    usual = {"first": (60.0, 50.0), "second": (200.0, 160.0), "darker": "first", "weight": 2.0}
    return ReflectanceComparison.model_validate(usual | changes)


def seen(**changes: Any) -> DepthComparison:
    return DepthComparison.model_validate(
        {"first": (60.0, 50.0), "second": (200.0, 160.0), "closer": "second"} | changes
    )


def test_the_darker_surface_is_the_one_that_the_comparison_calls_darker(run: TruthRun) -> None:
    darker = {}
    for number in range(36):
        image_id = run.picture(number)
        first, second = (40.0 + number, 50.0), (200.0, 160.0 + number)
        side = ("first", "second", "equal")[number % 3]
        run.state(f"iiw:{number}", [image_id], compared(first=first, second=second, darker=side))
        darker[image_id] = {"first": first, "second": second, "equal": None}[side]
    items = run.run(RelativeReflectance(mode="paper"))
    assert len(items) == 36
    for item in items:
        expected = darker[item.images[0].image_id]
        if expected is None:
            assert right_text(item) == "Both are about the same"
        else:
            letter = (right_text(item) or "")[len("The surface at ")]
            assert rings(item)[letter] == expected
    assert Counter(item.answer for item in items) == {"A": 12, "B": 12, "C": 12}


def test_the_closer_point_is_the_one_that_the_comparison_calls_closer(run: TruthRun) -> None:
    closer = {}
    for number in range(21):
        image_id = run.picture(number)
        truth = seen(first=(30.0 + number, 40.0), closer=("first", "second")[number % 5 == 0])
        run.state(f"diw:{number}", [image_id], truth)
        closer[image_id] = truth.first if truth.closer == "first" else truth.second
    items = run.run(RelativeDepth(mode="paper"))
    assert {rings(item)[(right_text(item) or "")[0]] == closer[item.images[0].image_id] for item in items} == {True}
    assert abs(Counter(item.answer for item in items)["A"] - 10.5) < 1


def test_points_are_those_of_the_picture_as_it_is_shown(run: TruthRun) -> None:
    image_id = run.picture(1, 2000, 1500)
    run.state("diw:1", [image_id], seen(first=(400.0, 300.0), second=(1200.0, 900.0), closer="first"))
    [item] = run.run(RelativeDepth(mode="paper", max_side_px=500))
    shown = run.made[item.images[0].image_id]
    assert (shown.width, shown.height) == (500, 375)
    assert rings(item)[item.answer or ""] == (100.0, 75.0)
    assert set(rings(item).values()) == {(100.0, 75.0), (300.0, 225.0)}


def test_pairs_that_cannot_be_asked_about_say_why(run: TruthRun) -> None:
    bad = {
        "too_close": compared(second=(70.0, 55.0)),
        "at_border": compared(second=(319.0, 160.0)),
        "unsure": compared(weight=0.1),
    }
    images = {}
    for number, (reason, truth) in enumerate(bad.items()):
        images[reason] = run.picture(number)
        run.state(f"iiw:{number}", [images[reason]], truth)
    images["contradicted"] = run.picture(7)
    run.state("iiw:7", [images["contradicted"]], compared())
    run.state("iiw:7", [images["contradicted"]], compared(first=(200.0, 160.0), second=(60.0, 50.0)))
    images["too_small"] = run.picture(8, 120, 100)
    run.state("iiw:8", [images["too_small"]], compared(second=(90.0, 80.0)))
    images["nothing_stated"] = run.picture(9)
    assert run.run(RelativeReflectance(mode="paper")) == []
    assert {reason: run.reason(image_id) for reason, image_id in images.items()} == {
        reason: reason for reason in images
    }
    [unsure] = run.run(RelativeReflectance(mode="paper", min_weight=0.1))
    assert unsure.root_image_id == images["unsure"]


def test_the_same_comparison_twice_is_no_contradiction_and_makes_one_item(run: TruthRun) -> None:
    image_id = run.picture(1)
    run.state("iiw:1", [image_id], compared())
    run.state("iiw:1", [image_id], compared(first=(200.0, 160.0), second=(60.0, 50.0), darker="second"))
    [item] = run.run(RelativeReflectance(mode="paper"))
    assert rings(item)[item.answer or ""] == (60.0, 50.0)


def test_a_picture_is_used_as_often_as_asked(run: TruthRun) -> None:
    image_id = run.picture(1)
    for number in range(5):
        run.state("iiw:1", [image_id], compared(first=(40.0, 40.0 + 30 * number)))
    assert len(run.run(RelativeReflectance(mode="paper"))) == 1
    assert len(run.run(RelativeReflectance(mode="paper", uses=3))) == 3
    assert len({item.item_id for item in run.run(RelativeReflectance(mode="paper", uses=None))}) == 5


def test_people_mark_what_is_closer_and_what_is_darker(run: TruthRun) -> None:
    image_id = run.picture(1)
    points = {"closer": (50, 60), "farther": (200, 150), "darker": (70, 60), "lighter": (220, 100)}
    run.mark(image_id, [{"field": f, "shape": "point", "points": [p]} for f, p in points.items()])
    [depth] = run.run(RelativeDepth(mode="paper", marked_by="people"))
    assert rings(depth)[depth.answer or ""] == (50.0, 60.0)
    [reflectance] = run.run(RelativeReflectance(mode="paper", marked_by="people"))
    assert rings(reflectance)[reflectance.answer or ""] == (70.0, 60.0)
    assert depth.evidence["original"] == {"marked_by": "people"}


def test_marks_of_equal_labels_belong_together_and_the_same_is_two_points_of_one(run: TruthRun) -> None:
    image_id = run.picture(1)
    marks = [("darker", (40, 40), "a"), ("darker", (80, 80), "b"), ("lighter", (200, 40), "b"), ("lighter", (90, 190), "a"),
             ("same", (150, 50), "c"), ("same", (250, 200), "c"), ("same", (20, 20), "alone")]  # fmt: skip
    run.mark(image_id, [{"field": f, "shape": "point", "points": [p], "label": label} for f, p, label in marks])
    items = run.run(RelativeReflectance(mode="paper", marked_by="people", uses=None))
    pairs = {frozenset(rings(item).values()): right_text(item) for item in items}
    assert set(pairs) == {
        frozenset({(40.0, 40.0), (90.0, 190.0)}), frozenset({(80.0, 80.0), (200.0, 40.0)}),
        frozenset({(150.0, 50.0), (250.0, 200.0)}),
    }  # fmt: skip
    assert pairs[frozenset({(150.0, 50.0), (250.0, 200.0)})] == "Both are about the same"


PLACES = [(40.0, 40.0), (120.0, 60.0), (200.0, 40.0), (60.0, 180.0), (160.0, 190.0), (260.0, 150.0)]


def keypoints(number: int, category: str = "cat") -> KeypointPair:
    rng = np.random.default_rng(number)
    return KeypointPair(
        category=category,
        first=tuple((x + number % 7, y + number % 5) for x, y in PLACES),
        second=tuple(PLACES[n] for n in rng.permutation(len(PLACES))),
        names=tuple(f"{2 * n}" for n in range(len(PLACES))),
    )


def test_the_right_point_has_the_name_of_the_reference_and_the_wrong_ones_have_others(run: TruthRun) -> None:
    truths = {}
    for number in range(24):
        images = [run.picture(2 * number), run.picture(2 * number + 1)]
        truths[images[0]] = (images, keypoints(number))
        run.state(f"spair:{number}", images, truths[images[0]][1])
    items = run.run(SemanticCorrespondence(mode="paper"))
    assert len(items) == 24
    for item in items:
        images, truth = truths[item.images[0].image_id]
        assert [image.image_id for image in item.images] == images
        [name] = [n for point, n in zip(truth.first, truth.names, strict=True) if point == rings(item)["REF"]]
        place = truth.names.index(name)
        options = rings(item, 1)
        assert [letter for letter, point in options.items() if point == truth.second[place]] == [item.answer]
        assert set(options.values()) < set(truth.second)
        assert min(dist(a, b) for a in options.values() for b in options.values() if a != b) >= 24
        assert item.group_keys == tuple(sorted(f"image:{image_id}" for image_id in images))
    assert Counter(item.answer for item in items) == {"A": 6, "B": 6, "C": 6, "D": 6}
    assert len({item.evidence["numbers"]["reference"] for item in items}) > 3


def test_every_picture_serves_in_one_pair_only(run: TruthRun) -> None:
    pictures = [run.picture(number) for number in range(6)]
    for first in pictures:
        for second in pictures:
            if first != second:
                run.state(f"spair:{first[:5]}-{second[:5]}", [first, second], keypoints(1))
    items = run.run(SemanticCorrespondence(mode="paper"))
    used = Counter(image.image_id for item in items for image in item.images)
    assert len(items) >= 2
    assert set(used.values()) == {1}
    assert len(run.run(SemanticCorrespondence(mode="paper", uses=None))) == 30


def test_pairs_without_four_clear_points_say_why(run: TruthRun) -> None:
    few = keypoints(1).model_copy(
        update={"first": tuple(PLACES[:3]), "second": tuple(PLACES[:3]), "names": ("1", "2", "3")}
    )
    close = keypoints(1).model_copy(update={"second": tuple((100.0 + n, 100.0) for n in range(6))})
    border = keypoints(1).model_copy(update={"second": (*PLACES[:3], *((319.5, 100.0 + 20 * n) for n in range(3)))})
    pairs = {"few": few, "close": close, "border": border}
    firsts = {}
    for number, (name, truth) in enumerate(pairs.items()):
        firsts[name] = run.picture(2 * number)
        run.state(f"spair:{name}", [firsts[name], run.picture(2 * number + 1)], truth)
    assert run.run(SemanticCorrespondence(mode="paper")) == []
    assert [run.reason(firsts[name]) for name in pairs] == ["too_few_points", "too_close", "too_few_points"]


def test_a_pair_whose_second_picture_left_the_run_is_left_out(run: TruthRun) -> None:
    first, second = run.picture(1), run.picture(2)
    run.state("spair:1", [first, second], keypoints(1))
    assert run.run(SemanticCorrespondence(mode="paper"), without=(second,)) == []
    assert run.reason(first) == "picture_missing"


def test_people_join_points_of_two_pictures(run: TruthRun) -> None:
    first, second = run.picture(1), run.picture(2, 400, 300)
    truth = keypoints(3)
    marks = [{"field": "chair", "shape": "correspondence", "points": [list(a), list(b)]}
             for a, b in zip(truth.first, truth.second, strict=True)]  # fmt: skip
    run.mark(first, marks, other=second)
    [item] = run.run(SemanticCorrespondence(mode="paper", marked_by="people"))
    assert "Both images show a chair." in item.question
    place = truth.first.index(rings(item)["REF"])
    assert rings(item, 1)[item.answer or ""] == truth.second[place]


def function(number: int, action: str, category: str, difficulty: Any = "easy") -> FunctionalPoints:
    points = tuple((x + number, y) for x, y in PLACES[:5])
    return FunctionalPoints(action=action, category=category, difficulty=difficulty, points=points)


def test_points_of_equal_place_serve_an_action_alike(run: TruthRun) -> None:
    truths = {}
    for number in range(12):
        image_id = run.picture(number)
        truths[image_id] = function(
            number, ("Pour", "Pull out a nail")[number % 2], ("cup", "hammer", "ladle")[number % 3]
        )
        run.state(f"funkpoint:{number}", [image_id], truths[image_id])
    items = run.run(FunctionalCorrespondence(mode="paper"))
    assert len(items) == 6
    for item in items:
        first, second = (truths[image.image_id] for image in item.images)
        assert first.action == second.action == item.attributes["action"]
        assert f'"{first.action.lower()}"' in item.question
        place = first.points.index(rings(item)["REF"])
        assert rings(item, 1)[item.answer or ""] == second.points[place]


def test_objects_of_one_kind_and_difficulties_can_be_left_out(run: TruthRun) -> None:
    for number in range(4):
        run.state(f"f:{number}", [run.picture(number)], function(number, "Pour", "cup", ("easy", "hard")[number % 2]))
    lonely = run.picture(9)
    run.state("f:9", [lonely], function(9, "Scoop", "ladle"))
    assert len(run.run(FunctionalCorrespondence(mode="paper"))) == 2
    assert run.reason(lonely) == "no_partner"
    assert run.run(FunctionalCorrespondence(mode="paper", same_category=False)) == []
    [item] = run.run(FunctionalCorrespondence(mode="paper", difficulties=("easy",)))
    assert len(item.images) == 2


def test_every_mark_that_items_show_can_be_drawn_with_its_label(run: TruthRun) -> None:
    rng = np.random.default_rng(5)
    for number in range(30):
        images = [run.picture(2 * number, 160, 128), run.picture(2 * number + 1, 140, 200)]
        sides = [
            tuple((float(x), float(y)) for x, y in rng.uniform(0, size, (8, 2))) for size in ((160, 128), (140, 200))
        ]
        truth = KeypointPair(category="cow", first=sides[0], second=sides[1], names=tuple("abcdefgh"))
        run.state(f"spair:{number}", images, truth)
    items = run.run(SemanticCorrespondence(mode="paper", min_distance=0.02))
    assert len(items) > 5
    for item in items:
        for image in item.images:
            record = run.records[image.image_id]
            lay_out(image.prompts, width=record.width, height=record.height)


def test_equal_seeds_make_equal_items_and_another_seed_others(tmp_path: Path) -> None:
    made = []
    for place, seed in enumerate((1, 1, 2)):
        (tmp_path / str(place)).mkdir()
        run = TruthRun(tmp_path / str(place), seed=seed)
        for number in range(8):
            run.state(f"spair:{number}", [run.picture(2 * number), run.picture(2 * number + 1)], keypoints(number))
        made.append(run.run(SemanticCorrespondence(mode="paper")))
    assert made[0] == made[1]
    assert [(item.answer, item.images) for item in made[0]] != [(item.answer, item.images) for item in made[2]]
