"""Matching of regions: similarity by hand, the optimal assignment against brute force, groups of several annotators."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.annotation.agreement.region_matching import (
    PlacedRegion,
    RegionTolerance,
    grouped_regions,
    match_regions,
    placed_regions,
)
from benchwright.drawing.masks import mask_of
from benchwright.regions import Region

SIZE_WH = (400, 300)  # its diagonal is 500 px
ANY = RegionTolerance()


def box(x0: float, y0: float, x1: float, y1: float, label: str = "") -> Region:
    return Region(shape="box", points=((x0, y0), (x1, y1)), label=label)


def point(x: float, y: float, label: str = "") -> Region:
    return Region(shape="point", points=((x, y),), label=label)


def polygon(*points: tuple[float, float]) -> Region:
    return Region(shape="polygon", points=points)


def mask(x0: int, y0: int, x1: int, y1: int) -> Region:
    grid = np.zeros(SIZE_WH[::-1], bool)
    grid[y0:y1, x0:x1] = True
    return Region(shape="mask", mask=mask_of(grid))


def placed(*regions: Region, annotator: str = "ann", tolerance: RegionTolerance = ANY) -> list[PlacedRegion]:
    return placed_regions(annotator, {"field": regions}, tolerance=tolerance)["field"]


def matches(
    first: list[Region], second: list[Region], *, tolerance: RegionTolerance = ANY, with_labels: bool = True
) -> list[tuple[int, int, float]]:
    rows = match_regions(
        placed(*first, tolerance=tolerance), placed(*second, tolerance=tolerance),
        sizes_wh=[SIZE_WH], tolerance=tolerance, with_labels=with_labels,
    )  # fmt: skip
    return [(row.place, row.other_place, pytest.approx(row.similarity)) for row in rows]


@pytest.mark.parametrize(
    ("first", "second", "iou"),
    [
        pytest.param(box(0, 0, 10, 10), box(0, 0, 10, 8), 80 / 100, id="boxes"),
        pytest.param(box(0, 0, 10, 10), box(2, 2, 12, 12), 64 / 136, id="boxes-apart"),
        pytest.param(polygon((0, 0), (10, 0), (0, 10)), polygon((0, 0), (10, 0), (10, 10)), 25 / 75, id="triangles"),
        pytest.param(polygon((0, 0), (10, 0), (0, 10)), box(0, 0, 10, 10), 50 / 100, id="polygon-in-box"),
        pytest.param(mask(0, 0, 10, 10), mask(5, 0, 15, 10), 50 / 150, id="masks"),
        pytest.param(mask(0, 0, 10, 10), box(0, 0, 10, 6.2), 60 / 100, id="mask-and-box-by-pixel-centres"),
    ],
)
def test_areas_are_compared_by_intersection_over_union(first: Region, second: Region, iou: float) -> None:
    low = RegionTolerance(box_iou=0.01, polygon_iou=0.01, mask_iou=0.01)
    assert matches([first], [second], tolerance=low) == [(0, 0, iou)]
    assert matches([second], [first], tolerance=low) == [(0, 0, iou)]


def test_a_pair_counts_from_the_least_similarity_on() -> None:
    exactly_half = [box(0, 0, 10, 10)], [box(0, 0, 10, 5)]
    assert matches(*exactly_half) == [(0, 0, 0.5)]
    assert matches(*exactly_half, tolerance=RegionTolerance(box_iou=0.51)) == []


def test_points_are_measured_by_the_picture_where_no_object_is_marked() -> None:
    assert matches([point(100, 100)], [point(100, 125)]) == [(0, 0, 1 - 25 / 500)]
    assert matches([point(100, 100)], [point(100, 125.1)]) == []


def test_points_are_measured_by_the_object_with_their_label_around_them() -> None:
    tolerance = RegionTolerance(distance=0.1)
    dog, far_dog, cat = box(90, 90, 120, 130, "dog"), box(200, 0, 400, 300, "dog"), box(0, 0, 400, 300, "cat")
    first, second = (
        placed_regions(name, {"boxes": [dog, far_dog, cat], "points": [spot]}, tolerance=tolerance)["points"]
        for name, spot in (("x", point(100, 100, "dog")), ("y", point(104, 103, "Dog")))
    )
    rows = match_regions(first, second, sizes_wh=[SIZE_WH], tolerance=tolerance)
    assert [row.similarity for row in rows] == [pytest.approx(1 - 5 / 50)]  # the dog's box is 30 x 40, its diagonal 50
    picture = RegionTolerance(distance=0.1, relative_to="picture")
    first, second = (
        placed_regions(name, {"boxes": [dog], "points": [spot]}, tolerance=picture)["points"]
        for name, spot in (("x", point(100, 100, "dog")), ("y", point(104, 103, "dog")))
    )
    rows = match_regions(first, second, sizes_wh=[SIZE_WH], tolerance=picture)
    assert [row.similarity for row in rows] == [pytest.approx(1 - 5 / 500)]


def test_of_ordered_points_every_one_must_be_near_and_their_number_equal() -> None:
    def points(*listed: tuple[float, float]) -> Region:
        return Region(shape="points", points=listed)

    line = points((10, 10), (50, 50), (90, 10))
    assert matches([line], [points((10, 10), (50, 60), (90, 10))]) == [(0, 0, 1 - 10 / 500)]
    assert matches([line], [points((10, 10), (50, 80), (90, 10))]) == []
    assert matches([line], [points((90, 10), (50, 50), (10, 10))]) == []
    assert matches([line], [points((10, 10), (50, 50))]) == []


def test_a_correspondence_is_measured_in_each_of_its_pictures() -> None:
    first = Region(shape="correspondence", points=((10, 10), (20, 20)))
    second = Region(shape="correspondence", points=((10, 15), (20, 24)))
    rows = match_regions(
        placed(first), placed(second), sizes_wh=[SIZE_WH, (60, 80)], tolerance=ANY
    )  # 5 of 500 px, 4 of 100 px
    assert [row.similarity for row in rows] == [pytest.approx(1 - 4 / 100)]


def test_other_labels_are_other_things_and_a_missing_label_goes_with_any() -> None:
    cat, dog, bare = box(0, 0, 10, 10, "cat"), box(0, 0, 10, 10, "dog"), box(0, 0, 10, 10)
    assert matches([cat], [dog]) == []
    assert matches([cat], [dog], with_labels=False) == [(0, 0, 1.0)]
    assert matches([cat], [box(0, 0, 10, 10, " Cat ")]) == [(0, 0, 1.0)]
    assert matches([cat], [bare]) == [(0, 0, 1.0)]


def test_a_point_is_no_area() -> None:
    assert matches([point(5, 5)], [box(0, 0, 10, 10)]) == []


def test_as_many_pairs_as_possible_go_before_the_most_similar_pair() -> None:
    """The best single pair is (0, 0); taking it would leave the other two alone."""
    first = [box(0, 0, 10, 10), box(0, 0, 10, 19)]
    second = [box(0, 0, 10, 11), box(0, 0, 10, 5)]
    assert matches(first, second) == [(0, 1, 0.5), (1, 0, 11 / 19)]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 20), st.integers(4, 12)), min_size=1, max_size=8), st.integers(1, 4))
def test_the_assignment_is_as_good_as_the_best_of_all(spans: list[tuple[int, int]], many: int) -> None:
    regions = [box(start, 0, start + length, 5) for start, length in spans]
    first, second = regions[:many], regions[many:]
    tolerance = RegionTolerance(box_iou=0.3)
    rows = match_regions(placed(*first), placed(*second), sizes_wh=[SIZE_WH], tolerance=tolerance)

    def overlap(a: Region, b: Region) -> float:
        (a0, a1), (b0, b1) = ((region.points[0][0], region.points[1][0]) for region in (a, b))
        shared = max(0, min(a1, b1) - max(a0, b0))
        return shared / (a1 - a0 + b1 - b0 - shared)

    best = (0, 0.0)
    if second:
        short, long = sorted((first, second), key=len)
        for chosen in permutations(long, len(short)):
            ious = [iou for a, b in zip(short, chosen, strict=True) if (iou := overlap(a, b)) >= 0.3]
            best = max(best, (len(ious), sum(ious)))
    assert len(rows) == best[0]
    assert sum(row.similarity for row in rows) == pytest.approx(best[1])


def groups(marks: dict[str, list[Region]]) -> list[list[tuple[str, int]]]:
    rows = {name: placed(*regions, annotator=name) for name, regions in marks.items()}
    return [
        [(member.annotator, member.place) for member in group]
        for group in grouped_regions(rows, sizes_wh=[SIZE_WH], tolerance=ANY)
    ]


def test_groups_hold_one_region_of_each_annotator() -> None:
    marks = {
        "ann": [box(0, 0, 10, 10), box(100, 0, 110, 10)],
        "bob": [box(101, 0, 111, 10), box(0, 0, 10, 9)],
        "cat": [box(0, 1, 10, 10), box(50, 50, 60, 60), box(0, 0, 10, 10)],
    }
    assert groups(marks) == [
        [("cat", 0)],
        [("ann", 1), ("bob", 0)],
        [("ann", 0), ("bob", 1), ("cat", 2)],
        [("cat", 1)],
    ]


def test_a_chain_does_not_join_what_is_apart_on_average() -> None:
    """Neighbors share 7 of 13, the ends 4 of 16: (7/13 + 4/16) / 2 = 0.39."""
    assert groups({"ann": [box(0, 0, 10, 10)], "bob": [box(3, 0, 13, 10)], "cat": [box(6, 0, 16, 10)]}) == [
        [("ann", 0), ("bob", 0)],
        [("cat", 0)],
    ]


def test_no_label_joins_two_labels() -> None:
    marks = {"ann": [box(0, 0, 10, 10)], "bob": [box(0, 0, 10, 10, "cup")], "cat": [box(0, 0, 10, 10, "dog")]}
    assert sorted(map(len, groups(marks))) == [1, 2]


def test_nobody_and_nothing_are_no_groups() -> None:
    assert groups({}) == []
    assert groups({"ann": [], "bob": []}) == []


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_groups_do_not_depend_on_the_order_drawn(data: st.DataObject) -> None:
    start = st.integers(0, 30)
    marks = {
        name: [box(x, 0, x + 10, 10) for x in data.draw(st.lists(start, max_size=4, unique=True))] for name in "abcd"
    }
    shuffled = {name: data.draw(st.permutations(regions)) for name, regions in marks.items()}

    def as_regions(of: dict[str, list[Region]]) -> set[tuple[tuple[str, Region], ...]]:
        return {tuple((name, of[name][place]) for name, place in group) for group in groups(of)}

    assert as_regions(marks) == as_regions(shuffled)
    assert sum(len(group) for group in groups(marks)) == sum(map(len, marks.values()))
