"""Hardened points: the marks agree with the truth, and their positions are the same whichever answer is right."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from dataset_fixtures.pictures import pixels, save
from dataset_reading import write_lines
from pydantic import ValidationError
from truth_runs import TruthRun, right_text, rings
from walks import tree_digest

from benchwright.construction.ground_truth.truths import (
    DepthComparison,
    FunctionalPoints,
    KeypointPair,
    Point,
    ReflectanceComparison,
)
from benchwright.construction.item_parts.marks.picture_views import tilt_deg
from benchwright.construction.tasks.functional_correspondence import FunctionalCorrespondence
from benchwright.construction.tasks.iq_test import IqTest
from benchwright.construction.tasks.relative_depth import RelativeDepth
from benchwright.construction.tasks.relative_reflectance import OPTIONS, RelativeReflectance
from benchwright.construction.tasks.semantic_correspondence import SemanticCorrespondence
from benchwright.drawing import lay_out
from benchwright.pipeline import run_recipe
from benchwright.recipe import Recipe, step
from benchwright.records import Item
from benchwright.release import Release

pytestmark = pytest.mark.slow

COLORS = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 0), (255, 0, 255), (0, 255, 255)]


@pytest.fixture
def run(tmp_path: Path) -> TruthRun:
    return TruthRun(tmp_path)


def dotted(run: TruthRun, number: int, points: list[Point], size_wh: tuple[int, int] = (320, 240)) -> str:
    """Add a dim picture with a bright dot of a separate color at each point."""
    picture = pixels(number, *size_wh) // 4
    ys, xs = np.mgrid[: size_wh[1], : size_wh[0]]
    for (x, y), color in zip(points, COLORS, strict=False):
        picture[np.hypot(xs + 0.5 - x, ys + 0.5 - y) <= 4] = color
    return run.add(picture, f"{number}.png")


def dot_at(run: TruthRun, item: Item, image: int, point: Point) -> int | None:
    """Return the number of the color at a place of a picture as shown; None for none of them."""
    image_id = item.images[image].image_id
    shown = run.stored[image_id] if image_id in run.stored else run.pixels_of(image_id)
    x, y = int(point[0]), int(point[1])
    away = [np.abs(shown[y, x].astype(int) - color).max() for color in COLORS]
    return int(np.argmin(away)) if min(away) < 90 else None


def seen(first: Point, second: Point, closer: str = "first") -> DepthComparison:
    return DepthComparison.model_validate({"first": first, "second": second, "closer": closer})


def test_points_of_depth_lie_level_and_equally_far_from_the_middle_and_the_closer_one_on_either_side(
    run: TruthRun,
) -> None:
    for number in range(60):
        # The closer point is always the right and lower one, nearer to the centre.
        points = [(100.0 - number % 3, 120.0), (200.0 + number % 5, 124.0 + number % 4)]
        image_id = dotted(run, number, points)
        run.state(f"diw:{number}", [image_id], seen(points[1], points[0]))
    items = run.run(RelativeDepth(tilts="any"))
    assert len(items) == 60
    on_left = 0
    for item in items:
        shown = run.made[item.images[0].image_id]
        marks = rings(item)
        (ax, ay), (bx, by) = marks["A"], marks["B"]
        assert abs(ay - by) <= 0.02
        assert abs((ax + bx) / 2 - shown.width / 2) <= 0.02
        assert item.attributes["mode"] == "hardened"
        wrong = "B" if item.answer == "A" else "A"
        assert dot_at(run, item, 0, marks[item.answer or ""]) == 1
        assert dot_at(run, item, 0, marks[wrong]) == 0
        on_left += marks[item.answer or ""][0] < marks[wrong][0]
    assert 18 <= on_left <= 42
    assert Counter(item.answer for item in items) == {"A": 30, "B": 30}


def test_pairs_that_cannot_lie_level_in_a_view_say_why(run: TruthRun) -> None:
    pairs = {
        "not_level": ((100.0, 60.0), (200.0, 160.0)),
        "off_centre": ((40.0, 120.0), (110.0, 122.0)),
        "too_close": ((150.0, 120.0), (160.0, 120.0)),
    }
    images = {reason: run.picture(number) for number, reason in enumerate(pairs)}
    for reason, points in pairs.items():
        run.state(f"diw:{reason}", [images[reason]], seen(*points))
    assert run.run(RelativeDepth(tilts="any")) == []
    assert {reason: run.reason(image_id) for reason, image_id in images.items()} == {reason: reason for reason in pairs}
    assert len(run.run(RelativeDepth(min_view=0.3, tilts="any"))) == 1
    assert len(run.run(RelativeDepth(max_tilt_deg=45, min_view=0.2, tilts="any"))) == 2


def test_a_picture_with_lettering_is_not_shown_where_it_could_be_mirrored(run: TruthRun) -> None:
    lettered = np.full((240, 320, 3), 235, np.uint8)
    cv2.putText(lettered, "THIS IS A LINE OF TEXT", (40, 200), cv2.FONT_HERSHEY_SIMPLEX, 0.6, (0, 0, 0), 2, cv2.LINE_AA)
    image_id = run.add(lettered, "lettered.png")
    run.state("diw:lettered", [image_id], seen((100.0, 100.0), (220.0, 100.0)))
    assert run.run(RelativeDepth(tilts="any")) == []
    assert run.reason(image_id) == "lettering"
    assert len(run.run(RelativeDepth(mode="paper"))) == 1


def test_a_large_picture_is_drawn_at_the_size_that_items_show(run: TruthRun) -> None:
    points = [(400.0, 700.0), (1500.0, 760.0)]
    run.state("diw:1", [dotted(run, 1, points, (2000, 1500))], seen(*points))
    [item] = run.run(RelativeDepth(max_side_px=500, tilts="any"))
    shown = run.made[item.images[0].image_id]
    assert 490 <= max(shown.width, shown.height) <= 500
    assert {label: dot_at(run, item, 0, point) for label, point in rings(item).items()} == {
        item.answer: 0,
        "B" if item.answer == "A" else "A": 1,
    }


def compared(first: Point, second: Point, darker: str, **more: Any) -> ReflectanceComparison:
    return ReflectanceComparison.model_validate(
        {"first": first, "second": second, "darker": darker, "weight": 2.0, **more}
    )


PAIRS_OF_A_PICTURE = (((90.0, 100.0), (190.0, 92.0)), ((110.0, 140.0), (215.0, 150.0)))


def two_comparisons(run: TruthRun, number: int) -> str:
    (darker, lighter), (same, also_same) = PAIRS_OF_A_PICTURE
    image_id = dotted(run, number, [darker, lighter, same, also_same])
    run.state(f"iiw:{number}", [image_id], compared(darker, lighter, "first"))
    run.state(f"iiw:{number}", [image_id], compared(same, also_same, "equal"))
    return image_id


def test_where_points_of_reflectance_lie_is_the_same_whichever_of_two_matched_comparisons_is_taken(
    tmp_path: Path,
) -> None:
    places: dict[str, set[Any]] = {"equal": set(), "differs": set()}
    outcomes: Counter[str] = Counter()
    sides: Counter[str] = Counter()
    for seed in (1, 2, 3):
        (tmp_path / str(seed)).mkdir()
        run = TruthRun(tmp_path / str(seed), seed=seed)
        for number in range(40):
            two_comparisons(run, number)
        items = run.run(RelativeReflectance())
        assert len(items) == 40
        for item in items:
            marks = rings(item)
            shown = run.made[item.images[0].image_id]
            is_same = right_text(item) == "Both are about the same"
            outcomes[item.answer or ""] += 1
            places["equal" if is_same else "differs"].add(
                (shown.width, shown.height, *sorted(round(x) for x, _ in marks.values()), round(marks["A"][1]))
            )
            dots = {label: dot_at(run, item, 0, point) for label, point in marks.items()}
            assert set(dots.values()) == ({2, 3} if is_same else {0, 1})
            if not is_same:
                assert dots[(right_text(item) or "")[len("The surface at ")]] == 0
                sides["left" if marks[item.answer or ""][0] < shown.width / 2 else "right"] += 1
            assert item.evidence["match"].startswith("iiw:")
    assert places["equal"] == places["differs"]
    assert len(places["equal"]) == 1
    assert min(outcomes[letter] for letter in "ABC") >= 28
    assert min(sides.values()) >= 25


def test_comparisons_that_nothing_matches_say_so(run: TruthRun) -> None:
    alone, far = run.picture(1), run.picture(2)
    run.state("iiw:1", [alone], compared((90.0, 70.0), (190.0, 60.0), "first"))
    run.state("iiw:2", [far], compared((90.0, 70.0), (190.0, 60.0), "second"))
    run.state("iiw:2", [far], compared((140.0, 170.0), (180.0, 170.0), "equal"))
    taken = two_comparisons(run, 3)
    assert len(run.run(RelativeReflectance())) == 1
    assert (run.reason(alone), run.reason(far)) == ("unmatched", "unmatched")
    assert run.outcomes[taken].evidence["left_out"] == {"other_of_match": 1}


def test_comparisons_of_two_pictures_are_matched_where_partners_of_any_are_asked_for(run: TruthRun) -> None:
    pictures = [run.picture(number) for number in range(60)]
    for number, image_id in enumerate(pictures):
        tilted_px = float(number % 7)
        darker = ("equal", "first", "second")[number % 3] if number % 2 else "equal"
        run.state(f"iiw:{number}", [image_id], compared((90.0, 100.0), (190.0, 100.0 + tilted_px), darker))
    assert run.run(RelativeReflectance()) == []
    items = run.run(RelativeReflectance(partners="any"))
    assert 10 <= len(items) <= 20  # of twenty comparisons that differ, each with an equal one
    assert {right_text(item) for item in items} == set(OPTIONS)
    reasons = Counter(run.reason(image_id) for image_id in pictures)
    assert reasons[None] == len(items)
    assert reasons["other_of_match"] == len(items)
    for item in items:
        (_, first_y), (_, second_y) = rings(item).values()
        assert first_y == pytest.approx(second_y, abs=0.1)


def test_people_mark_matching_comparisons_too(run: TruthRun) -> None:
    (darker, lighter), (same, also_same) = PAIRS_OF_A_PICTURE
    image_id = run.picture(1)
    marks = (("darker", darker), ("lighter", lighter), ("same", same), ("same", also_same))
    run.mark(image_id, [{"field": f, "shape": "point", "points": [list(p)]} for f, p in marks])
    [item] = run.run(RelativeReflectance(marked_by="people"))
    assert item.evidence["original"] == {"marked_by": "people"}


PLACES = [(120.0, 60.0), (170.0, 70.0), (130.0, 110.0), (190.0, 130.0)]
OTHERS = [(60.0, 60.0), (250.0, 60.0), (70.0, 190.0), (240.0, 180.0)]


def test_any_of_four_key_points_could_stand_where_the_reference_does(tmp_path: Path) -> None:
    places, asked = set(), Counter[int]()
    for seed in range(4):
        (tmp_path / str(seed)).mkdir()
        run = TruthRun(tmp_path / str(seed), seed=seed)
        for number in range(10):
            images = [dotted(run, 2 * number, PLACES), dotted(run, 2 * number + 1, OTHERS)]
            truth = KeypointPair(category="cat", first=tuple(PLACES), second=tuple(OTHERS), names=tuple("abcd"))
            run.state(f"spair:{number}", images, truth)
        items = run.run(SemanticCorrespondence())
        assert len(items) == 10
        for item in items:
            shown = run.records.get(item.images[0].image_id) or run.made[item.images[0].image_id]
            reference = rings(item)["REF"]
            places.add((shown.width, shown.height, round(reference[0]), round(reference[1])))
            options = {label: dot_at(run, item, 1, point) for label, point in rings(item, 1).items()}
            assert sorted(number for number in options.values() if number is not None) == [0, 1, 2, 3]
            assert dot_at(run, item, 0, reference) == options[item.answer or ""]
            asked[item.evidence["numbers"]["reference"]] += 1
            for image, picture in ((0, shown), (1, run.records[item.images[1].image_id])):
                lay_out(item.images[image].prompts, width=picture.width, height=picture.height)
    assert len(places) == 1
    assert set(asked) == {0, 1, 2, 3}


def test_points_that_reach_too_far_for_a_common_place_say_so(run: TruthRun) -> None:
    wide = [(30.0, 30.0), (290.0, 40.0), (40.0, 200.0), (280.0, 210.0)]
    image_id = run.picture(1)
    truth = KeypointPair(category="cat", first=tuple(wide), second=tuple(OTHERS), names=tuple("abcd"))
    run.state("spair:1", [image_id, run.picture(2)], truth)
    few = run.picture(3)
    border = [*PLACES[:3], (319.5, 100.0)]
    truth = KeypointPair(category="cat", first=tuple(border), second=tuple(OTHERS), names=tuple("abcd"))
    run.state("spair:2", [few, run.picture(4)], truth)
    assert run.run(SemanticCorrespondence()) == []
    assert (run.reason(image_id), run.reason(few)) == ("too_spread", "too_few_points")


def test_points_of_equal_place_serve_an_action_alike_in_a_crop_too(run: TruthRun) -> None:
    for number in range(8):
        shift = 3.0 * (number % 4)
        points = [(x + shift, y + shift) for x, y in (*PLACES, (90.0, 180.0))]
        category = ("cup", "ladle")[number % 2]
        truth = FunctionalPoints(action="Pour", category=category, difficulty="easy", points=tuple(points))
        run.state(f"funkpoint:{number}", [dotted(run, number, points)], truth)
    items = run.run(FunctionalCorrespondence())
    assert len(items) == 4
    for item in items:
        reference = dot_at(run, item, 0, rings(item)["REF"])
        assert reference is not None
        assert reference == dot_at(run, item, 1, rings(item, 1)[item.answer or ""])


def test_the_picture_that_can_be_cropped_is_shown_first(run: TruthRun) -> None:
    wide = [(60.0, 30.0), (300.0, 40.0), (40.0, 200.0), (280.0, 210.0)]
    compact, spread = dotted(run, 1, PLACES), dotted(run, 2, wide)
    for image_id, points in ((compact, PLACES), (spread, wide)):
        truth = FunctionalPoints(action="Pour", category="cup", points=tuple(points))
        run.state(f"funkpoint:{image_id[:6]}", [image_id], truth)
    for seed in (1, 2, 3, 4):
        run.seed = seed
        [item] = run.run(FunctionalCorrespondence())
        assert item.images[0].image_id in run.stored
        assert (item.images[1].image_id, item.made_from) == (spread, compact)
        assert dot_at(run, item, 0, rings(item)["REF"]) == dot_at(run, item, 1, rings(item, 1)[item.answer or ""])


def test_entries_of_both_modes_make_items_of_their_own_and_a_task_without_hardened_form_refuses_it() -> None:
    assert RelativeDepth().identity == RelativeDepth(mode="hardened").identity == ()
    assert RelativeDepth(mode="paper", marked_by="people").identity == ("marked_by", "mode")
    with pytest.raises(ValidationError, match="iq_test has the paper's rule only: leave out mode"):
        IqTest(mode="hardened")


@pytest.mark.workers
def test_a_run_makes_hardened_items_with_the_same_bytes_by_one_worker_and_by_two(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = []
    for number in range(12):
        save(tmp_path / "own" / f"{number}.png", number, 320, 240)
        truths: list[dict[str, Any]] = [
            {"kind": "depth", "first": [90, 120], "second": [230, 122 + number % 4], "closer": "first"},
            {"kind": "reflectance", "first": [90, 100], "second": [190, 92], "darker": "first", "weight": 1},
            {"kind": "reflectance", "first": [110, 140], "second": [215, 150], "darker": "equal", "weight": 1},
            {"kind": "counts", "question": "How many cups?", "count": number % 4},
            {
                "kind": "claims",
                "claim": f"The cup {number // 2} is on the bed.",
                "relation": "on",
                "is_true": number % 2,
            },
        ]
        rows.append({"images": [{"image": f"{number}.png"}], "truths": truths})
    write_lines(tmp_path / "own" / "table.jsonl", rows)
    tasks = ("relative_depth", "relative_reflectance", "counting", "spatial_relation")
    own = step("dataset", reader="folder", folder="own")
    steps = [own, step("relative_depth", tilts="any"), *tasks[1:], step("freeze", name="own", version="1.0")]
    digests = []
    for workers in (1, 2):
        recipe = Recipe("own", steps, seed=4, folder=tmp_path, shards=2)
        done = run_recipe(recipe, workspace=tmp_path / f"w{workers}", workers=workers)
        digests.append(tree_digest(done.workspace))
    assert digests[0] == digests[1]
    items = [row.item for row in Release.open(done.workspace / done.artifacts["release"]).items()]
    made = Counter(item.task for item in items)
    assert made.keys() == set(tasks)
    assert (made["relative_depth"], made["relative_reflectance"], made["spatial_relation"]) == (12, 12, 6)
    assert {item.attributes["mode"] for item in items} == {"hardened"}


def tilted(run: TruthRun, count: int) -> dict[str, tuple[float, bool]]:
    """State pairs of which the closer point is the lower one in four of five; return tilt and that, by record."""
    stated = {}
    for number in range(count):
        is_lower = (number // 10) % 5 > 0
        left, right = (90.0, 120.0), (210.0, 120.5 + number % 10)
        truth = DepthComparison(first=left, second=right, closer="second" if is_lower else "first")
        run.state(f"diw:{number}", [run.picture(number)], truth)
        stated[f"diw:{number}"] = (tilt_deg(left, right), is_lower)
    return stated


def test_of_tilted_pairs_as_many_have_their_closer_point_lower_as_higher(run: TruthRun) -> None:
    stated = tilted(run, 120)
    items = run.run(RelativeDepth(min_view=0.3))
    assert len(items) > 20
    lower: Counter[int] = Counter()
    for item in items:
        tilt, is_lower = stated[item.evidence["record"]]
        if tilt > 0.5:
            lower[int(tilt - 0.5)] += 1 if is_lower else -1
    assert set(lower.values()) == {0}
    assert "unmatched_tilt" in {outcome.reason for outcome in run.outcomes.values()}
    assert len(items) < 80
    assert len(run.run(RelativeDepth(min_view=0.3, tilts="any"))) == 120


def test_pairs_at_different_heights_are_matched_with_those_whose_closer_point_lies_the_other_way(
    run: TruthRun,
) -> None:
    rng = np.random.default_rng(3)
    stated = {}
    for number in range(80):
        x, y = rng.uniform((130, 90), (190, 150)).tolist()
        angle, reach = rng.uniform(0.5, 0.9) * (-1) ** number, rng.uniform(35, 50)
        across, down = reach * np.cos(angle), reach * np.sin(angle)
        points: list[Point] = [(x - across, y - down), (x + across, y + down)]
        is_lower = number % 4 > 0
        lower = int(points[1][1] > points[0][1])
        image_id = dotted(run, number, points)
        run.state(f"diw:{number}", [image_id], seen(*points, closer=("first", "second")[lower == is_lower]))
        stated[f"diw:{number}"] = is_lower
    assert run.run(RelativeDepth()) == []
    items = run.run(RelativeDepth(heights="matched"))
    by_match: dict[str, list[Item]] = {}
    for item in items:
        [match] = [key for key in item.group_keys if key.startswith("match:")]
        by_match.setdefault(match, []).append(item)
        assert {dot_at(run, item, 0, point) for point in rings(item).values()} == {0, 1}
        closer = rings(item)[item.answer or ""]
        assert stated[item.evidence["record"]] == (closer[1] == max(y for _, y in rings(item).values()))
    assert len(items) > 24
    assert "unmatched_tilt" in {outcome.reason for outcome in run.outcomes.values()}
    for first, second in by_match.values():
        assert stated[first.evidence["record"]] != stated[second.evidence["record"]]
        shown, other = (run.stored[item.images[0].image_id] for item in (first, second))
        assert np.abs(np.subtract(shown.shape, other.shape)).max() <= 1
        heights, others = (sorted(y for _, y in rings(item).values()) for item in (first, second))
        assert heights == pytest.approx(others, abs=4)
        middle = np.mean([x for x, _ in rings(first).values()])
        assert middle == pytest.approx(shown.shape[1] / 2, abs=1)


def test_twins_are_of_level_points() -> None:
    with pytest.raises(ValidationError, match="`twins` needs level points"):
        RelativeDepth(twins=True, heights="matched")
