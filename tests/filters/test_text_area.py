"""The union of clipped polygons: hand-computed cases, properties, and an independent implementation (shapely)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shapely import GEOSException
from shapely.geometry import Polygon, box
from shapely.ops import unary_union

from benchwright.diagnostics.picture_text.area import union_ratio

WIDTH, HEIGHT = 40, 25


def rectangle(x0: float, y0: float, x1: float, y1: float) -> list[tuple[float, float]]:
    return [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]


def ratio(*polygons: Any, width: int = WIDTH, height: int = HEIGHT) -> float:
    return union_ratio(polygons, width=width, height=height)


@pytest.mark.parametrize(
    ("polygons", "pixels"),
    [
        pytest.param([], 0, id="nothing"),
        pytest.param([[]], 0, id="no corners"),
        pytest.param([[(3, 3), (9, 9)]], 0, id="two corners"),
        pytest.param([rectangle(5, 5, 5, 20)], 0, id="no width"),
        pytest.param([rectangle(2, 3, 12, 7)], 40, id="one"),
        pytest.param([rectangle(2, 3, 12, 7), rectangle(2, 3, 12, 7)], 40, id="twice the same"),
        pytest.param([rectangle(0, 0, 20, 10), rectangle(10, 5, 30, 15)], 350, id="overlapping"),
        pytest.param([rectangle(0, 0, 20, 10), rectangle(5, 2, 9, 4)], 200, id="one in the other"),
        pytest.param([rectangle(0, 0, 20, 10), rectangle(20, 0, 40, 10)], 400, id="side by side"),
        pytest.param([rectangle(-10, -10, 10, 5)], 50, id="over the corner"),
        pytest.param([rectangle(-500, 10, 900, 12)], 80, id="across and beyond"),
        pytest.param([rectangle(50, 3, 60, 9)], 0, id="right of it"),
        pytest.param([rectangle(3, -90, 9, -5)], 0, id="above it"),
        pytest.param([rectangle(-9, -9, 99, 99)], WIDTH * HEIGHT, id="around it"),
        pytest.param([[(10, 0), (20, 10), (10, 20), (0, 10)]], 200, id="turned by 45 degrees"),
        pytest.param([[(0, 0), (20, 0), (20, 20), (10, 4), (0, 20)]], 240, id="concave"),
        pytest.param([[(0, 0), (10, 10), (10, 0), (0, 10)]], 50, id="crossing itself"),
        pytest.param([rectangle(1.25, 2, 3.5, 4)], 4.5, id="between pixels"),
    ],
)
def test_hand_worked_areas(polygons: list[Any], pixels: float) -> None:
    assert ratio(*polygons) == pytest.approx(pixels / (WIDTH * HEIGHT), abs=1e-12)


def test_the_direction_of_corners_does_not_matter() -> None:
    shape = [(3, 1), (31, 6), (22, 24), (9, 13)]
    assert ratio(shape) == ratio(shape[::-1]) == ratio(shape[2:] + shape[:2]) > 0


coordinates = st.floats(-30, 70, allow_nan=False, width=32)
corners = st.lists(st.tuples(coordinates, coordinates), min_size=3, max_size=7)


@pytest.mark.slow
@given(st.lists(corners, max_size=6), st.integers(1, 60), st.integers(1, 50))
def test_a_ratio_lies_between_the_largest_polygon_and_the_sum_and_ignores_order(
    polygons: list[Any], width: int, height: int
) -> None:
    both = ratio(*polygons, width=width, height=height)
    alone = [ratio(one, width=width, height=height) for one in polygons]
    assert max(alone, default=0.0) - 1e-9 <= both <= min(1.0, sum(alone)) + 1e-9
    assert ratio(*polygons[::-1], *polygons, width=width, height=height) == pytest.approx(both, abs=1e-9)


@given(st.lists(corners, min_size=1, max_size=5))
def test_the_area_is_that_of_an_independent_implementation_to_a_pixel_per_edge_and_row(polygons: list[Any]) -> None:
    try:
        shapes = [Polygon(one) for one in polygons]
        if not all(shape.is_valid for shape in shapes):
            return
        expected = unary_union(shapes).intersection(box(0, 0, WIDTH, HEIGHT)).area
    except GEOSException:
        return
    # Rows are sampled at their middle: each edge may be wrong by its slant within the two rows where it ends.
    slack = sum(abs(a[0] - b[0]) for one in polygons for a, b in zip(one, one[1:] + one[:1], strict=True)) + 1
    assert ratio(*polygons) * WIDTH * HEIGHT == pytest.approx(expected, abs=slack)


@given(st.floats(0, 2 * math.pi), st.floats(100, 600), st.floats(100, 300))
def test_a_turned_rectangle_keeps_its_area(angle: float, wide: float, high: float) -> None:
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    shape = (np.array(rectangle(-wide / 2, -high / 2, wide / 2, high / 2)) @ turn.T) + (350.3, 352.8)
    found = ratio(shape, width=710, height=720) * 710 * 720
    assert found == pytest.approx(wide * high, rel=0.02)  # a row more or less is one in a hundred


def test_a_huge_picture_with_many_boxes_needs_little_memory() -> None:
    import tracemalloc

    strips = [rectangle(0, 100 * number, 11_000, 100 * number + 50) for number in range(90)]
    tracemalloc.start()
    found = ratio(*strips, width=11_000, height=9_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == pytest.approx(0.5)
    assert peak < 60e6  # a mask alone would take 99 MB


@pytest.mark.parametrize(
    ("polygon", "size"),
    [([(0, 0), (1, 1), (2, math.nan)], (9, 9)), ([(0, 0, 0)], (9, 9)), (rectangle(0, 0, 1, 1), (0, 9))],
    ids=["not finite", "three numbers a corner", "no pixels"],
)
def test_what_is_no_polygon_or_no_picture_is_refused(polygon: Any, size: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match=r"polygon must be|no area"):
        ratio(polygon, width=size[0], height=size[1])
