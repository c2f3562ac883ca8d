"""Correspondence items: the right point follows from the homography, the others cannot be mistaken for it, and the
position of the reference does not reveal the right one, except by the paper's rule.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from step_context import StepContext

from benchwright.construction.item_parts.marks.points import similarity
from benchwright.construction.tasks.visual_correspondence import VisualCorrespondence
from benchwright.errors import UnreadableImage
from benchwright.records import Item
from benchwright.steps import Outcome

pytestmark = pytest.mark.slow

NO_LIGHT = {"max_gamma": 1, "max_contrast": 1, "max_brightness": 0, "max_blur_px": 0, "max_noise": 0}


def made(context: StepContext, pixels: np.ndarray, **settings: Any) -> Outcome:
    return context.run(VisualCorrespondence(**settings), context.add(pixels))


def marks(item: Item) -> dict[str, tuple[float, float]]:
    """Points by label, over both views."""
    return {prompt.label or "": prompt.points[0] for image in item.images for prompt in image.prompts}


def mapped(item: Item, point: tuple[float, float]) -> np.ndarray:
    x, y, w = np.array(item.evidence["homography"]) @ (*point, 1)
    return np.array([x / w, y / w])


@pytest.fixture
def item(context: StepContext, photo: np.ndarray) -> Item:
    [item] = made(context, photo).items
    return item


@pytest.mark.parametrize("mode", ["hardened", "paper"])
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
def test_the_right_point_is_the_reference_under_the_recorded_homography(
    tmp_path: Path, photo: np.ndarray, mode: str, seed: int
) -> None:
    for item in made(StepContext(tmp_path, seed=seed), photo, mode=mode).items:
        points = marks(item)
        assert np.abs(mapped(item, points["REF"]) - points[item.answer or ""]).max() < 0.01


@pytest.mark.parametrize(
    "views_of_one_scale",
    [
        pytest.param({"mode": "hardened", "view_part": 0.7, "min_zoom": 1.43, "max_zoom": 1.44}, id="hardened"),
        pytest.param({"mode": "paper", "min_zoom": 1.02, "max_zoom": 1.05}, id="paper"),
    ],
)
def test_the_second_view_shows_at_the_right_point_what_the_first_shows_at_the_reference(
    context: StepContext, photo: np.ndarray, views_of_one_scale: dict[str, Any]
) -> None:
    step = {"max_rotation_deg": 0, "max_perspective": 0, "per_image": 6, **views_of_one_scale}
    items = made(context, photo, **NO_LIGHT, **step).items
    assert len(items) >= 4
    for item in items:
        views = [context.stored[image.image_id].mean(axis=2) for image in item.images]
        side_by_side = np.hstack(views).astype(np.uint8)
        shift = np.array([views[0].shape[1], 0])
        alike = {
            key: similarity(side_by_side, np.array(marks(item)["REF"]), np.array(point) + shift, radius_px=12)
            for key, point in marks(item).items()
            if key != "REF"
        }
        assert max(alike, key=lambda key: alike[key]) == item.answer
        assert alike[item.answer or ""] > 0.7


def test_a_reference_is_marked_in_the_first_view_and_four_options_in_the_second(item: Item) -> None:
    assert [[prompt.label for prompt in image.prompts] for image in item.images] == [["REF"], [*"ABCD"]]
    assert {prompt.kind for image in item.images for prompt in image.prompts} == {"ring"}


def test_choices_are_the_labels(item: Item) -> None:
    assert [(choice.key, choice.text) for choice in item.choices] == [(key, f"Point {key}") for key in "ABCD"]


def test_points_are_given_to_a_hundredth_of_a_pixel(item: Item) -> None:
    assert all(round(value, 2) == value for point in marks(item).values() for value in point)


def test_points_keep_away_from_the_borders_of_both_views(item: Item) -> None:
    width, height = item.evidence["size_wh"]
    margin = 0.08 * min(width, height)
    for x, y in marks(item).values():
        assert margin <= x <= width - margin
        assert margin <= y <= height - margin


def test_options_keep_away_from_each_other(context: StepContext, photo: np.ndarray) -> None:
    for item in made(context, photo, per_image=8).items:
        options = np.array([point for label, point in marks(item).items() if label != "REF"])
        away = np.hypot(*(options[:, None] - options[None]).transpose(2, 0, 1)) + 1000 * np.eye(4)
        assert away.min() >= 0.15 * min(item.evidence["size_wh"])


def test_no_wrong_point_is_more_like_the_reference_than_allowed(context: StepContext, photo: np.ndarray) -> None:
    for item in made(context, photo, per_image=8, max_likeness=0.4).items:
        assert max(wrong["likeness"] for wrong in item.evidence["wrong"]) <= 0.4


def test_a_large_photograph_gives_views_of_the_stated_size(context: StepContext) -> None:
    from skimage.data import coffee

    large = np.kron(coffee(), np.ones((3, 2, 1), np.uint8))
    outcome = made(context, large, max_side_px=480)
    assert [(image.width, image.height) for image in outcome.images] == [(480, 480)] * 2


def test_the_photograph_is_decoded_once_for_all_of_its_views(context: StepContext, photo: np.ndarray) -> None:
    outcome = made(context, photo, per_image=4)
    assert context.images.asked == 1
    assert len(outcome.items) == 4
    assert context.store_calls == len(context.stored) == len(outcome.images) == 8


def test_as_in_the_paper_the_whole_photograph_is_the_first_view_of_all_items(
    context: StepContext, photo: np.ndarray
) -> None:
    outcome = made(context, photo, per_image=4, mode="paper")
    assert np.array_equal(context.stored[outcome.items[0].images[0].image_id], photo)
    assert context.images.asked == 1
    assert len(outcome.items) == 4
    assert context.store_calls == len(context.stored) == len(outcome.images) == 5
    assert len({item.images[0].image_id for item in outcome.items}) == 1


def test_more_items_an_image_leave_the_first_ones_as_they_are(context: StepContext, photo: np.ndarray) -> None:
    assert made(context, photo).items == made(context, photo, per_image=3).items[:1]


def test_equal_seeds_make_equal_items_and_pictures(tmp_path: Path, photo: np.ndarray) -> None:
    first, second = StepContext(tmp_path, seed=8), StepContext(tmp_path, seed=8)
    assert made(first, photo, per_image=2) == made(second, photo, per_image=2)


def test_every_label_is_right_at_times(tmp_path: Path, photo: np.ndarray) -> None:
    answers = {
        item.answer for seed in range(4) for item in made(StepContext(tmp_path, seed=seed), photo, per_image=6).items
    }
    assert answers == set("ABCD")


def test_items_of_one_photograph_share_a_group_key(context: StepContext, photo: np.ndarray) -> None:
    record = context.add(photo)
    [item] = context.run(VisualCorrespondence(), record).items
    assert item.group_keys == (f"image:{record.image_id}",)


def test_one_flat_colour_has_too_few_points(context: StepContext) -> None:
    outcome = made(context, np.full((300, 401, 3), 90, np.uint8))
    assert (outcome.verdict, outcome.reason) == ("drop", "too_few_points")
    assert outcome.values == {"side_px": 300, "points": 0}


def test_a_pattern_of_equal_spots_is_ambiguous(context: StepContext) -> None:
    pattern = np.full((300, 450, 3), 230, np.uint8)
    for x, y in np.ndindex(15, 10):
        pattern[30 * y + 12 : 30 * y + 18, 30 * x + 12 : 30 * x + 18] = (180, 30, 30)
    outcome = made(context, pattern)
    assert (outcome.verdict, outcome.reason) == ("drop", "ambiguous")
    assert outcome.values["points"] >= 4
    assert outcome.evidence["points_in_both_views"] >= 4


def test_a_small_photograph_is_enlarged_until_its_views_are_large_enough(
    context: StepContext, photo: np.ndarray
) -> None:
    sizes = [(image.width, image.height) for image in made(context, photo, min_view_px=280).images]
    assert sizes == [(421, 280)] * 2
    assert made(context, photo, min_view_px=280, max_enlargement=1.5).reason == "too_small"


def test_each_of_the_four_points_could_have_been_at_the_place_of_the_reference(
    context: StepContext, photo: np.ndarray
) -> None:
    height, width = photo.shape[:2]
    items = made(context, photo, per_image=8, min_view_px=180).items
    assert len(items) == 8
    for item in items:
        view_width, view_height = item.evidence["size_wh"]
        assert (view_width, view_height) == (270, 180)
        to_photograph = np.linalg.inv(np.array(item.evidence["homography"]))
        for label, point in marks(item).items():
            if label != "REF":
                x, y, w = to_photograph @ (*point, 1)
                corner = np.array(item.evidence["corner"]) + np.array([x / w, y / w]) - item.evidence["reference"]
                assert (corner >= -0.1).all()
                assert (corner <= np.array([width - view_width, height - view_height]) + 0.1).all()


@pytest.mark.parametrize(("mode", "least", "most"), [("hardened", 0.13, 0.37), ("paper", 0.6, 1.0)])
def test_the_ring_where_the_reference_lies_is_right_no_oftener_than_others_unless_as_in_the_paper(
    tmp_path: Path, photo: np.ndarray, mode: str, least: float, most: float
) -> None:
    """Four standard deviations of a guess among four, of some 200 items, are 0.12."""
    items = [
        item
        for seed in range(10)
        for item in made(StepContext(tmp_path, seed=seed), photo, per_image=20, mode=mode).items
    ]
    right = 0
    for item in items:
        points = marks(item)
        reference = points.pop("REF")
        right += min(points, key=lambda label: np.hypot(*np.subtract(points[label], reference))) == item.answer
    assert len(items) > 180
    assert least <= right / len(items) <= most


@pytest.mark.parametrize("mode", ["hardened", "paper"])
def test_an_item_says_in_which_mode_it_was_made(context: StepContext, photo: np.ndarray, mode: str) -> None:
    [item] = made(context, photo, mode=mode).items
    assert item.attributes["mode"] == mode


@pytest.mark.parametrize(
    ("shape", "side_px"),
    [
        pytest.param((1, 1, 3), 1, id="one-pixel"),
        pytest.param((239, 600, 3), 239, id="one-pixel-short"),
        pytest.param((2400, 300, 3), 133, id="extremely-tall"),
        pytest.param((2, 5000, 3), 0, id="extremely-wide"),
    ],
)
def test_a_small_or_extremely_long_photograph_is_too_small_and_not_decoded(
    context: StepContext, shape: tuple[int, int, int], side_px: int
) -> None:
    outcome = made(context, np.zeros(shape, np.uint8))
    assert (outcome.verdict, outcome.reason) == ("drop", "too_small")
    assert outcome.values == {"side_px": side_px}
    assert context.images.asked == 0


def test_a_broken_photograph_is_left_to_the_engine_with_its_reason(context: StepContext, photo: np.ndarray) -> None:
    record = context.add(photo)
    file = context.path(record)
    file.write_bytes(file.read_bytes()[:-1000])
    with pytest.raises(UnreadableImage):
        context.run(VisualCorrespondence(), record)


@pytest.mark.parametrize(
    "settings",
    [
        {"per_image": 0},
        {"min_zoom": 1.5, "max_zoom": 1.2},
        {"min_side_px": 900, "max_side_px": 800},
        {"min_zoom": 0.9},
        {"max_rotation_deg": -1},
        {"max_perspective": 0.3},
        {"max_gamma": 0.5},
        {"max_brightness": 0.6},
        {"max_noise": float("inf")},
        {"max_likeness": 0},
        {"mode": "easy"},
        {"view_part": 0.95},
        {"homography": [1, 0, 0]},
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        VisualCorrespondence.model_validate(settings)
