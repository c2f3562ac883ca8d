"""Regions: accepted ones, those refused with a message, and measures of masks compared with grids."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.drawing import mask_of
from benchwright.records import MaskRuns
from benchwright.regions import Region, RegionError, covered_by_at_least, grid_of, mask_of_outline, read_region
from benchwright.regions.masks import mask_bounds, mask_iou

SIZE_WH = (70, 40)
MASK = {
    "size": [40, 70],
    "counts": "W>7o04M2N2N2O0O2O0O2O000O2O0000000OCE0:OH080H080H080H080H081F0;=100000001N10001N101N101N2N2N3Lch0",
}


@pytest.mark.parametrize(
    "document",
    [
        {"shape": "point", "points": [[0, 40]], "label": "cup"},
        {"shape": "points", "points": [[1, 2], [1, 2], [3, 4]]},
        {"shape": "box", "points": [[0.25, 1], [70, 40]]},
        {"shape": "polygon", "points": [[0, 0], [10, 0], [10, 10]]},
        {"shape": "mask", "mask": MASK},
    ],
)
def test_what_is_a_region_comes_back_as_it_was_sent(document: dict[str, Any]) -> None:
    assert read_region(document, [SIZE_WH]).model_dump(mode="json", exclude_unset=True) == document


@pytest.mark.parametrize(
    ("document", "why"),
    [
        ({"shape": "circle", "points": [[1, 1]]}, "shape"),
        ({"shape": "point", "points": [[1, 1], [2, 2]]}, "takes 1 point"),
        ({"shape": "point", "points": [[float("nan"), 1]]}, "finite"),
        ({"shape": "point", "points": [[1, 40.5]]}, r"\(1, 40.5\) lies outside the picture of 70 x 40"),
        ({"shape": "box", "points": [[5, 5], [5, 9]]}, "top left"),
        ({"shape": "polygon", "points": [[0, 0], [10, 10], [10, 0], [0, 10]]}, "crosses"),
        ({"shape": "polygon", "points": [[0, 0], [5, 5], [9, 9]]}, "crosses or touches|no area"),
        ({"shape": "polygon", "points": [[i, i * i % 40] for i in range(2001)]}, "2,000|2000"),
        ({"shape": "mask", "mask": {"size": [20, 70], "counts": "P\\]1"}}, "counts"),
        ({"shape": "mask", "mask": MASK, "points": [[1, 1]]}, "takes 0 point"),
        ({"shape": "mask"}, "has a mask"),
        ({"shape": "correspondence", "points": [[1, 1], [2, 2]]}, "two pictures"),
        ({"shape": "point", "points": [[1, 1]], "color": "red"}, "color"),
        ([["shape", "point"]], "Region"),
        ("point", "Region"),
    ],
)
def test_what_is_no_region_of_the_picture_is_refused_in_words(document: Any, why: str) -> None:
    with pytest.raises(RegionError, match=why):
        read_region(document, [SIZE_WH])


def test_a_correspondence_lies_within_both_pictures() -> None:
    document = {"shape": "correspondence", "points": [[69, 39], [10, 90]]}
    assert read_region(document, [SIZE_WH, (20, 100)]).bounds == (69, 39, 69, 39)
    with pytest.raises(RegionError, match=r"\(10, 90\) lies outside the picture of 20 x 80"):
        read_region(document, [SIZE_WH, (20, 80)])


grids = st.integers(1, 9).flatmap(
    lambda height: st.integers(1, 7).flatmap(
        lambda width: st.lists(
            st.lists(st.booleans(), min_size=height * width, max_size=height * width)
            .map(lambda cells: np.array(cells, bool).reshape(height, width))
            .filter(lambda grid: bool(grid.any())),
            min_size=1,
            max_size=4,
        )
    )
)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(grids, st.integers(1, 4))
def test_masks_are_measured_as_their_grids_are(grid_list: list[np.ndarray], need: int) -> None:
    masks = [mask_of(grid) for grid in grid_list]
    for grid, mask in zip(grid_list, masks, strict=True):
        assert (grid_of(mask) == grid).all()
        rows, columns = np.flatnonzero(grid.any(1)), np.flatnonzero(grid.any(0))
        assert mask_bounds(mask) == (columns[0], rows[0], columns[-1] + 1, rows[-1] + 1)
    union, both = (grid_list[0] | grid_list[-1]).sum(), (grid_list[0] & grid_list[-1]).sum()
    assert mask_iou(masks[0], masks[-1]) == pytest.approx(both / union)
    covered = np.sum(grid_list, axis=0) >= need
    voted = covered_by_at_least(masks, need)
    assert voted == (mask_of(covered) if covered.any() else None)


def test_masks_of_two_sizes_are_not_compared() -> None:
    with pytest.raises(ValueError, match="the same size"):
        mask_iou(MaskRuns(size=(2, 2), counts="021O"), MaskRuns.model_validate(MASK))


def test_a_region_states_what_a_helper_proposed() -> None:
    proposed = {"helper": "grabcut", "version": "5.0", "points": [[1, 1], [9, 9]]}
    document = {"shape": "box", "points": [[1, 1], [9, 8]], "proposal": proposed}
    region = read_region(document, [SIZE_WH])
    assert region.proposal is not None
    assert region.proposal.points == ((1, 1), (9, 9))
    assert Region.model_validate(region.model_dump(mode="json")) == region


def test_an_outline_sets_the_pixels_whose_centres_lie_inside() -> None:
    mask = mask_of_outline(((0.4, 0.5), (3.5, 0.5), (3.5, 2.5), (0.4, 2.5)), (5, 4))
    assert mask is not None
    assert grid_of(mask).astype(int).tolist() == [[1, 1, 1, 0, 0], [1, 1, 1, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]]


def test_an_outline_between_centres_sets_nothing() -> None:
    assert mask_of_outline(((0.6, 0.6), (1.4, 0.6), (1.4, 1.4)), (5, 4)) is None


SIXTEENTHS = st.integers(-48, 320).map(lambda value: value / 16)
"""Coordinates in and around a small picture; many edges run through centres of pixels."""


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(SIXTEENTHS, SIXTEENTHS), min_size=3, max_size=8))
def test_outlines_are_as_a_geometry_library_says(points: list[tuple[float, float]]) -> None:
    from shapely import Polygon, contains_xy, distance
    from shapely import points as many_points

    outline = Polygon(points)
    if not outline.is_valid or outline.area == 0:
        return
    x, y = np.meshgrid(np.arange(17) + 0.5, np.arange(12) + 0.5)
    inside = contains_xy(outline, x, y)
    mask = mask_of_outline(points, (17, 12))
    grid = np.zeros((12, 17), bool) if mask is None else grid_of(mask)
    away = distance(outline.boundary, many_points(x, y))
    assert ((grid == inside) | (away < 1e-6)).all()
