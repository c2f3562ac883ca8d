"""Consensus of regions: by hand for each shape, polygons and grids, disputes, counts, and comparison with gold."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely import MultiPoint, Polygon, get_parts, intersection_all, union_all

from benchwright.annotation.agreement.region_comparison import compare_marks
from benchwright.annotation.agreement.region_consensus import RegionConsensus, consensus_of, consensus_region
from benchwright.annotation.agreement.region_matching import RegionTolerance
from benchwright.drawing.masks import mask_of
from benchwright.regions import MAX_CORNERS, Region, grid_of, read_region

SIZE_WH = (400, 300)


def box(x0: float, y0: float, x1: float, y1: float, label: str = "") -> Region:
    return Region(shape="box", points=((x0, y0), (x1, y1)), label=label)


def polygon(*points: tuple[float, float]) -> Region:
    return Region(shape="polygon", points=points)


def masked(rows: str) -> Region:
    return Region(shape="mask", mask=mask_of(np.array([[cell == "#" for cell in row] for row in rows.split()])))


def agreed(need: int = 2, tolerance: RegionTolerance | None = None, **marks: list[Region]) -> RegionConsensus:
    by_field = {name: {"field": regions} for name, regions in marks.items()}
    return consensus_of(by_field, sizes_wh=[SIZE_WH], need=need, tolerance=tolerance)


def test_a_box_is_the_median_of_each_edge() -> None:
    consensus = agreed(
        ann=[box(0, 1, 20, 30, "dog")], bob=[box(2, 0, 21, 33, "Dog")], cat=[box(1, 3, 28, 31, "dog")], need=3
    )
    assert consensus.is_agreed
    # Areas: 580, 627, 756; the consensus is (1, 1) to (21, 31), 600. Shared: 19 * 29, 19 * 30, 20 * 28.
    ious = [551 / (580 + 600 - 551), 570 / (627 + 600 - 570), 560 / (756 + 600 - 560)]
    assert consensus.document(SIZE_WH) == {
        "size_wh": [400, 300],
        "regions": [
            {
                "field": "field", "shape": "box", "points": [[1, 1], [21, 31]], "label": "dog", "by": 3,
                "spread": {"iou_mean": round(sum(ious) / 3, 6), "iou_least": round(min(ious), 6)},
            }
        ],
        "nothing": False,
    }  # fmt: skip


def test_two_boxes_meet_half_way() -> None:
    region = consensus_region([box(0, 0, 10, 10), box(2, 1, 14, 12)], size_wh=SIZE_WH)
    assert region == box(1, 0.5, 12, 11)


def test_a_mask_is_what_more_than_half_set() -> None:
    region = consensus_region(
        [masked("##.. ##.. ...."), masked(".##. .##. ...."), masked(".#.. ##.# ...#")], size_wh=(4, 3)
    )
    assert region is not None
    assert region.mask is not None
    assert grid_of(region.mask).astype(int).tolist() == [[0, 1, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0]]


def test_two_masks_leave_their_overlap() -> None:
    region = consensus_region([masked("##. ##."), masked(".## .##")], size_wh=(3, 2))
    assert region == masked(".#. .#.")


def test_points_are_the_mean_and_their_spread_is_in_pixels_and_of_the_picture() -> None:
    marks = {name: [Region(shape="point", points=(at,))] for name, at in
             {"ann": (10.0, 10.0), "bob": (16.0, 10.0), "cat": (10.0, 16.0)}.items()}  # fmt: skip
    [row] = agreed(3, **marks).agreed
    assert row.region.points == ((12.0, 12.0),)
    near, far = 8**0.5, 20**0.5
    assert row.spread == {
        "distance_mean_px": round((near + 2 * far) / 3, 6),
        "distance_most_px": round(far, 6),
        "distance_most": round(far / 500, 6),
    }


def test_a_correspondence_is_the_mean_in_each_picture() -> None:
    marks = [Region(shape="correspondence", points=points) for points in (((1, 2), (30, 40)), ((3, 2), (32, 44)))]
    consensus = consensus_of(
        {"ann": {"same": marks[:1]}, "bob": {"same": marks[1:]}}, sizes_wh=[SIZE_WH, (200, 100)], need=2
    )
    assert [row.region.points for row in consensus.agreed] == [((2, 2), (31, 42))]


def test_a_polygon_is_what_more_than_half_of_the_outlines_cover() -> None:
    """Three squares of 10 px: the overlap of any two, put together, is the first without its corner of 2 by 2 px."""
    square = ((0, 0), (10, 0), (10, 10), (0, 10))
    shifted = [polygon(*((x + right, y + down) for x, y in square)) for right, down in ((0, 0), (2, 0), (0, 2))]
    region = consensus_region(shifted, size_wh=SIZE_WH)
    assert region is not None
    assert Polygon(region.points).equals(Polygon([(2, 0), (10, 0), (10, 10), (0, 10), (0, 2), (2, 2)]))


def test_equal_polygons_are_their_own_consensus() -> None:
    star = polygon((0, 0), (9.5, 3.25), (20, 0), (14, 9), (20, 18), (0, 18))
    region = consensus_region([star] * 4, size_wh=SIZE_WH)
    assert region is not None
    assert Polygon(region.points).equals(Polygon(star.points))


outlines = st.lists(
    st.tuples(st.floats(0, 40, width=32), st.floats(0, 30, width=32)), min_size=3, max_size=9
).map(lambda points: MultiPoint(points).convex_hull).filter(lambda hull: isinstance(hull, Polygon) and hull.area > 9)  # fmt: skip


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(st.lists(outlines, min_size=2, max_size=6))
def test_polygons_agree_with_the_overlaps_of_every_majority(hulls: list[Polygon]) -> None:
    """What more than half cover is what all of some majority cover: the union of the intersections of every majority."""
    regions = [polygon(*list(hull.exterior.coords)[:-1]) for hull in hulls]
    region = consensus_region(regions, size_wh=(41, 31))
    overlaps = [intersection_all(chosen) for chosen in combinations(hulls, len(hulls) // 2 + 1)]
    pieces = [piece for piece in get_parts(union_all(overlaps)) if isinstance(piece, Polygon)]
    largest = Polygon(max(pieces, key=lambda piece: piece.area).exterior).area if pieces else 0
    if region is None:
        assert largest < 1e-6
        return
    assert read_region(region.model_dump(mode="json"), [(41, 31)]) == region
    found = Polygon(region.points)
    assert found.area == pytest.approx(largest, abs=1e-3)
    assert any(found.symmetric_difference(Polygon(piece.exterior)).area < 1e-3 for piece in pieces)


@pytest.mark.slow
def test_a_consensus_of_many_corners_has_no_more_than_a_region_may() -> None:
    def wheel(shift: float) -> Region:
        angles = np.linspace(0, 2 * np.pi, 1_500, endpoint=False) + shift
        radius = 100 + 3 * np.cos(40 * angles)
        return polygon(
            *zip((150 + radius * np.cos(angles)).tolist(), (150 + radius * np.sin(angles)).tolist(), strict=True)
        )

    region = consensus_region([wheel(0), wheel(0.03), wheel(0.06)], size_wh=SIZE_WH)
    assert region is not None
    assert 100 < len(region.points) <= MAX_CORNERS
    assert Polygon(region.points).area == pytest.approx(np.pi * 100**2, rel=0.03)


def test_what_fewer_than_needed_marked_is_disputed_with_who_marked_it() -> None:
    consensus = agreed(ann=[box(0, 0, 10, 10), box(50, 50, 60, 60)], bob=[box(0, 0, 10, 10)], cat=[box(0, 0, 10, 10)])
    assert not consensus.is_agreed
    assert len(consensus.agreed) == 1
    [disputed] = consensus.disputed
    assert disputed.reason == "too_few"
    assert [(member.annotator, member.place) for member in disputed.members] == [("ann", 1)]
    assert disputed.missing == ("bob", "cat")


def test_by_majority_a_lone_region_is_left_out_where_enough_marked_nothing_else() -> None:
    tolerance = RegionTolerance(counts="majority")
    same, other = box(0, 0, 10, 10), box(50, 50, 60, 60)
    consensus = agreed(tolerance=tolerance, ann=[same, other], bob=[same], cat=[same])
    assert consensus.is_agreed
    assert [row.members[0].region for row in consensus.outvoted] == [other]
    nothing = agreed(tolerance=tolerance, ann=[other], bob=[], cat=[])
    assert nothing.document(SIZE_WH) == {"size_wh": [400, 300], "regions": [], "nothing": True}


def test_by_majority_three_boxes_apart_are_disputed_not_outvoted() -> None:
    """No annotator says that nothing is there."""
    marks = {"ann": [box(0, 0, 10, 10)], "bob": [box(6, 0, 16, 10)], "cat": [box(12, 0, 22, 10)]}
    consensus = agreed(tolerance=RegionTolerance(counts="majority"), **marks)
    assert not consensus.is_agreed
    assert (len(consensus.disputed), len(consensus.outvoted)) == (3, 0)


def test_a_number_of_regions_that_nobody_marked_is_disputed() -> None:
    """Each region has two of three annotators, but all marked two where three are agreed."""
    first, second, third = (box(x, 0, x + 10, 10) for x in (0, 50, 100))
    consensus = agreed(ann=[first, second], bob=[second, third], cat=[first, third])
    assert len(consensus.agreed) == 3
    assert not consensus.is_agreed
    assert [(row.agreed, row.marked) for row in consensus.disputed_counts] == [(3, {"ann": 2, "bob": 2, "cat": 2})]


def test_all_who_found_nothing_agree_on_nothing_if_they_are_enough() -> None:
    assert agreed(ann=[], bob=[]).document(SIZE_WH)["nothing"] is True
    alone = agreed(ann=[])
    assert not alone.is_agreed
    assert alone.document(SIZE_WH)["nothing"] is False


def test_annotators_who_are_too_far_from_what_they_would_agree_on_are_disputed() -> None:
    """Each two of these masks share one cell of five, which suffices here, but no cell has more than two of them."""
    rows = ["###...", "#..##.", ".#.#.#", "..#.##"]
    marks = {name: {"field": [masked(row)]} for name, row in zip("abcd", rows, strict=True)}
    consensus = consensus_of(marks, sizes_wh=[(6, 1)], need=4, tolerance=RegionTolerance(mask_iou=0.2))
    assert consensus.agreed == ()
    assert [(row.reason, len(row.members)) for row in consensus.disputed] == [("too_far", 4)]


def test_fields_are_settled_apart() -> None:
    eye, ear = box(0, 0, 10, 10), box(0, 0, 10, 10)
    consensus = consensus_of({"ann": {"eye": [eye]}, "bob": {"ear": [ear]}}, sizes_wh=[SIZE_WH], need=2)
    assert [(row.field, row.missing) for row in consensus.disputed] == [("ear", ("ann",)), ("eye", ("bob",))]


def test_one_annotator_can_be_enough() -> None:
    star = polygon((0, 0), (9, 3), (20, 0), (10, 18))
    consensus = agreed(1, ann=[star, box(0, 0, 5, 5, "b")])
    assert consensus.is_agreed
    assert [row.region for row in consensus.agreed] == [star, box(0, 0, 5, 5, "b")]


def test_needing_nobody_is_refused() -> None:
    with pytest.raises(ValueError, match="need must be 1 or more"):
        agreed(0, ann=[])


@settings(max_examples=40, deadline=None)
@given(st.lists(outlines, min_size=1, max_size=3), st.integers(1, 5))
def test_those_who_mark_the_same_agree_on_it(hulls: list[Polygon], people: int) -> None:
    regions = [polygon(*list(hull.exterior.coords)[:-1]) for hull in {hull.wkt: hull for hull in hulls}.values()]
    consensus = agreed(people, **{f"p{number}": regions for number in range(people)})
    assert consensus.is_agreed
    assert len(consensus.agreed) == len(regions)
    assert all(row.spread["iou_least"] > 0.9999 for row in consensus.agreed)


def test_marks_are_compared_with_gold() -> None:
    gold = {"field": [box(0, 0, 10, 10, "dog"), box(50, 0, 60, 10, "cat"), box(100, 0, 110, 10, "cup")]}
    marks = {"field": [box(0, 0, 10, 8, "dog"), box(50, 0, 60, 10, "dog"), box(200, 0, 210, 10, "cup")]}
    comparison = compare_marks(marks, gold, sizes_wh=[SIZE_WH])
    assert not comparison.is_right
    assert [pair.similarity for pair in comparison.matched] == [0.8]
    assert [(pair.reference.label, pair.region.label) for pair in comparison.mislabelled] == [("cat", "dog")]
    assert [region for _, region in comparison.missed] == gold["field"][2:]
    assert [region for _, region in comparison.extra] == marks["field"][2:]
    assert comparison.share_matched == pytest.approx(2 / 6)
    assert comparison.quality == pytest.approx(0.8 / 3)
    assert comparison.mean_iou == 0.8


def test_gold_within_its_tolerance_is_right() -> None:
    gold, marks = {"field": [box(0, 0, 10, 10)]}, {"field": [box(0, 0, 10, 8)]}
    assert compare_marks(marks, gold, sizes_wh=[SIZE_WH]).is_right
    assert not compare_marks(marks, gold, sizes_wh=[SIZE_WH], tolerance=RegionTolerance(box_iou=0.9)).is_right


def test_points_are_measured_by_golds_objects_not_by_the_annotators() -> None:
    """A huge box would make every point right."""
    spots = [Region(shape="point", points=((x, 10.0),), label="eye") for x in (10.0, 14.0)]
    gold = {"boxes": [box(0, 0, 30, 40, "eye")], "points": spots[:1]}
    marks = {"boxes": [box(0, 0, 400, 300, "eye")], "points": spots[1:]}
    assert compare_marks(marks, gold, sizes_wh=[SIZE_WH]).missed[-1] == ("points", spots[0])


def test_nothing_beside_nothing_is_right_and_has_no_quality() -> None:
    comparison = compare_marks({}, {"field": []}, sizes_wh=[SIZE_WH])
    assert comparison.is_right
    assert (comparison.quality, comparison.share_matched, comparison.mean_iou) == (None, None, None)
