"""Boxes: overlaps computed by hand, noise within its limits, and two boxes that could exchange positions."""

from __future__ import annotations

import numpy as np
import pytest

from benchwright.construction.item_parts.marks.boxes import (
    MOST_DEVIATIONS,
    Box,
    BoxNoise,
    BoxView,
    ViewSizes,
    exchangeable_boxes,
    iou,
    noised_box,
)


def test_the_agreement_of_boxes_that_share_a_corner() -> None:
    # 20 x 10 and 20 x 30 share 10 x 5 = 50 of 200 + 600 - 50 = 750.
    assert iou((0, 0, 20, 10), (10, 5, 30, 35)) == pytest.approx(50 / 750)


def test_boxes_that_only_touch_share_nothing() -> None:
    assert iou((0, 0, 20, 10), (20, 0, 25, 10)) == 0


@pytest.mark.parametrize("seed", range(40))
def test_a_noised_box_lies_in_the_picture_and_within_its_limits(seed: int) -> None:
    box, noise = (12.0, 30.0, 90.0, 55.0), BoxNoise(0.2, 0.3, 0.65)
    noised = noised_box(box, (100, 61), noise, np.random.default_rng(seed))
    assert noised is not None
    x0, y0, x1, y1 = noised
    assert 0 <= x0 < x1 <= 100
    assert 0 <= y0 < y1 <= 61
    assert 0.3 <= iou(box, noised) <= 0.65
    moved = np.abs(np.subtract(noised, box)) / (78, 25, 78, 25)
    assert moved.max() <= MOST_DEVIATIONS * 0.2 + 0.001


def test_where_noise_is_too_small_to_tell_boxes_apart_there_is_none() -> None:
    assert noised_box((10, 10, 90, 50), (100, 61), BoxNoise(0.001, 0.3, 0.65), np.random.default_rng(1)) is None


NOISE = BoxNoise(0.2, 0.3, 0.65)
PICTURE_WH = (1000, 710)
SIZES = ViewSizes(max_side_px=900, min_view_px=300, max_enlargement=3.0, min_box_px=24)


def views(boxes: list[Box], seed: int = 5) -> list[BoxView]:
    """Return the views of those boxes that make one."""
    rng = np.random.default_rng(seed)
    made = (exchangeable_boxes(box, PICTURE_WH, NOISE, SIZES, rng=rng) for box in boxes)
    return [view for view in made if isinstance(view, BoxView)]


def things(count: int, seed: int = 2) -> list[Box]:
    """Return boxes as things have them: about the middle, cut off at the border, of all proportions and sizes."""
    rng = np.random.default_rng(seed)
    size, proportion = np.exp(rng.normal(5.2, 0.5, count)), np.exp(rng.normal(0, 0.5, count))
    half = np.column_stack([size * proportion, size / proportion]) / 2
    middle = rng.normal((500, 400), (220, 150), (count, 2))
    corners = np.hstack([np.maximum(middle - half, 0), np.minimum(middle + half, PICTURE_WH)]).round()
    return [(x0, y0, x1, y1) for x0, y0, x1, y1 in corners.tolist() if x1 - x0 > 30 and y1 - y0 > 30]


def size_of(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


MEASURES = {
    "size": lambda box, view: size_of(box),
    "size beside the usual": lambda box, view: (
        -size_of(box) if size_of(view.right) * size_of(view.wrong) > 3e8 else size_of(box)
    ),
    "proportions": lambda box, view: abs(np.log((box[2] - box[0]) / (box[3] - box[1]))),
    "distance from the middle": lambda box, view: np.hypot(
        *(np.array(box).reshape(2, 2).mean(axis=0) - np.array(view.size_wh) / 2)
    ),
    "distance from the border": lambda box, view: min(*box[:2], *(np.array(view.size_wh) - box[2:])),
    "further right": lambda box, view: box[0] + box[2],
    "further down": lambda box, view: box[1] + box[3],
    "whole numbers": lambda box, view: sum(abs(side - round(side)) for side in box),
}


@pytest.fixture(scope="module", params=[800, pytest.param(3000, marks=pytest.mark.thorough)])
def made(request: pytest.FixtureRequest) -> list[BoxView]:
    return views(things(request.param))


@pytest.mark.slow
@pytest.mark.parametrize("measure", MEASURES)
def test_no_measure_of_the_boxes_alone_tells_which_of_exchangeable_boxes_is_right(
    made: list[BoxView], measure: str
) -> None:
    values = [[MEASURES[measure](box, view) for box in (view.right, view.wrong)] for view in made]
    share = np.mean([0.5 if np.isclose(right, wrong, rtol=1e-3) else right > wrong for right, wrong in values])
    assert len(made) > 400
    assert abs(share - 0.5) < 3.5 * 0.5 / np.sqrt(len(made))


def test_the_same_measures_tell_boxes_with_noise_on_their_sides() -> None:
    rng = np.random.default_rng(3)
    pairs = [(box, noised_box(box, PICTURE_WH, NOISE, rng)) for box in things(1500)]
    larger = np.mean([size_of(box) > size_of(wrong) for box, wrong in pairs if wrong is not None])
    assert larger > 0.55


def test_a_view_lies_in_its_picture_and_is_as_large_whichever_box_is_the_larger() -> None:
    sizes: dict[bool, list[float]] = {True: [], False: []}
    for view in views([(400.0, 300.0, 480.0, 420.0)] * 400):
        assert min(view.corner) > -1
        assert (np.add(view.corner, view.size_wh) <= np.array(view.scaled_wh) + 1).all()
        sizes[size_of(view.right) > size_of(view.wrong)].append(view.size_wh[0] * view.size_wh[1])
    assert len(sizes[True]) > 150
    assert np.mean(sizes[True]) == pytest.approx(np.mean(sizes[False]), rel=0.05)


def test_views_are_as_large_as_asked_for_and_no_small_thing_is_enlarged_without_end(made: list[BoxView]) -> None:
    shorter = [min(view.size_wh) for view in made]
    assert min(shorter) >= SIZES.min_view_px
    assert max(max(view.size_wh) for view in made) <= SIZES.max_side_px
    assert max(view.scaled_wh[0] / PICTURE_WH[0] for view in made) <= SIZES.max_enlargement
    tiny = (500.0, 400.0, 512.0, 410.0)
    assert exchangeable_boxes(tiny, PICTURE_WH, NOISE, SIZES, rng=np.random.default_rng(1)) == "too_small"


def test_the_sides_of_a_box_stated_in_whole_pixels_do_not_stay_whole(made: list[BoxView]) -> None:
    """Of numbers to a hundredth, some three in a hundred lie so near to a whole one."""
    widths = np.array([view.right[2] - view.right[0] for view in made])
    assert np.mean(np.abs(widths - widths.round()) < 0.015) < 0.06


def test_a_box_at_the_border_has_no_room_around() -> None:
    rng = np.random.default_rng(1)
    view = exchangeable_boxes((0, 300, 80, 420), PICTURE_WH, NOISE, SIZES, rng=rng)
    assert view == "no_room_around"
