"""Each specialist answers its task from real photographs, from what a model sees, and by what it claims to look at."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from skimage import data

from benchwright.errors import CheckFailed
from benchwright.evaluation.backends import parse_model
from benchwright.evaluation.backends.specialists import corner_cost, distances, seam_cost
from benchwright.evaluation.run import evaluate

pytestmark = pytest.mark.slow

SHOWN, HIDDEN = ((0, 0), (0, 1), (1, 0)), ((0, 2), (1, 2), (2, 0), (2, 1), (2, 2))


@pytest.fixture(scope="module")
def photographs() -> list[np.ndarray]:
    sources = (data.astronaut(), data.chelsea(), data.coffee(), data.rocket(), data.stereo_motorcycle()[0])
    return [np.ascontiguousarray(pixels) for pixels in sources]


def crop(pixels: np.ndarray, rng: np.random.Generator, *, least: int, most: int) -> np.ndarray:
    height, width = (int(rng.integers(least, min(most, side) + 1)) for side in pixels.shape[:2])
    top, left = (
        int(rng.integers(0, side - size + 1)) for side, size in zip(pixels.shape, (height, width), strict=False)
    )
    return pixels[top : top + height, left : left + width]


def cut(pixels: np.ndarray, other: tuple[int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return reference, right piece and another piece of a photograph cut 3 by 3."""
    height, width = pixels.shape[0] // 3, pixels.shape[1] // 3

    def tile(row: int, column: int) -> np.ndarray:
        return pixels[row * height : (row + 1) * height, column * width : (column + 1) * width]

    reference = np.zeros((2 * height, 2 * width, 3), dtype=np.uint8)
    for row, column in SHOWN:
        reference[row * height : (row + 1) * height, column * width : (column + 1) * width] = tile(row, column)
    return reference, tile(1, 1), tile(*other)


def second_view(pixels: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return another view in another light, of another size, and the homography of pixel centres that leads to it."""
    height, width = pixels.shape[:2]
    size_wh = (width - 31, height - 17)
    angle, zoom = np.deg2rad(rng.uniform(-30, 30)), rng.uniform(0.8, 1.7)
    turn = zoom * np.array([(np.cos(angle), -np.sin(angle)), (np.sin(angle), np.cos(angle))])
    shift = np.array(size_wh) / 2 - turn @ (width / 2, height / 2)
    homography = np.vstack([np.column_stack([turn, shift]), [0, 0, 1]])
    homography[2, :2] = rng.uniform(-0.1, 0.1, 2) / (width, height)
    view = cv2.warpPerspective(pixels, homography, size_wh).astype(np.float64)
    view = 255 * (view / 255) ** rng.uniform(0.7, 1.4) * rng.uniform(0.8, 1.1) + rng.normal(0, 3, view.shape)
    return np.clip(view, 0, 255).astype(np.uint8), homography


def marked_views(
    pixels: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, list[Any], list[Any]] | None:
    """Return two views, four points of the first that lie well inside both, and where the second has them."""
    view, homography = second_view(pixels, rng)
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
    found = cv2.goodFeaturesToTrack(grey, maxCorners=60, qualityLevel=0.05, minDistance=30, blockSize=7)
    corners = np.asarray(found, dtype=np.float64).reshape(-1, 2)
    mapped = cv2.perspectiveTransform(corners[None], homography)[0]
    margin = 24
    for_both = [(corners, pixels.shape), (mapped, view.shape)]
    inside = np.all(
        [((at > margin) & (at < np.array(shape[1::-1]) - margin)).all(axis=1) for at, shape in for_both], axis=0
    )
    numbers = rng.permutation(np.flatnonzero(inside))[:4]
    if len(numbers) < 4:
        return None
    return pixels, view, [tuple(corners[n] + 0.5) for n in numbers], [tuple(mapped[n] + 0.5) for n in numbers]


def test_edge_continuity_finds_nine_in_ten_pieces_of_photographs(
    bench: Any, photographs: list[np.ndarray], tmp_path: Path
) -> None:
    rng = np.random.default_rng(11)
    for number in range(60):
        pixels = crop(photographs[number % len(photographs)], rng, least=150, most=300)
        reference, right, wrong = cut(pixels, HIDDEN[number % 5])
        first = number % 3 == 0
        bench.add(
            f"piece {number}",
            task="jigsaw",
            pictures=[reference, *([right, wrong] if first else [wrong, right])],
            options=(1, 2),
            answer="A" if first else "B",
        )
    score = evaluate(bench.release(tmp_path / "release"), "edge_continuity")
    assert score.asked == 60
    assert score.metrics["accuracy/jigsaw"].value >= 0.9


def test_local_features_find_seventeen_in_twenty_points_of_photographs(
    bench: Any, photographs: list[np.ndarray], tmp_path: Path
) -> None:
    rng = np.random.default_rng(12)
    made = 0
    while made < 25:
        found = marked_views(crop(photographs[made % len(photographs)], rng, least=240, most=320), rng)
        if found is None:
            continue
        first, second, points, mapped = found
        order = rng.permutation(4)
        keys = "ABCD"
        bench.add(
            f"point {made}",
            task="visual_correspondence",
            pictures=[first, second],
            options=tuple(keys),
            answer=keys[int(np.flatnonzero(order == 0)[0])],
            marks={0: [("REF", points[0])], 1: [(keys[k], mapped[n]) for k, n in enumerate(order)]},
        )
        made += 1
    score = evaluate(bench.release(tmp_path / "release"), "local_features")
    assert score.asked == 25
    assert score.metrics["accuracy/visual_correspondence"].value >= 0.85


def test_a_slope_across_the_seam_costs_nothing_and_a_step_costs_its_height() -> None:
    slope = np.repeat(np.array([10, 14, 18, 22], dtype=np.uint8), 7 * 3).reshape(4, 7, 3)
    assert seam_cost(slope[:2], slope[2:]) == 0
    step = np.repeat(np.array([10, 10, 50, 50], dtype=np.uint8), 7 * 3).reshape(4, 7, 3)
    assert seam_cost(step[:2], step[2:]) == 40


def test_both_seams_of_the_corner_count() -> None:
    reference = np.zeros((8, 11, 3), dtype=np.uint8)
    reference[:5, 4:], reference[5:, :4] = 60, 100
    piece = np.full((3, 7, 3), 60, dtype=np.uint8)
    assert corner_cost(reference, piece) == 40


def test_a_point_is_known_again_after_a_quarter_turn_and_a_change_of_scale(photographs: list[np.ndarray]) -> None:
    pixels = photographs[0][40:300, 90:410]
    turned = cv2.resize(np.rot90(pixels), None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    points = [(100.5, 60.5), (200.5, 120.5), (130.5, 200.5)]
    # np.rot90 sends (x, y) to (y, width - x).
    seen = [(y / 2, (pixels.shape[1] - x) / 2) for x, y in points]
    for number, point in enumerate(points):
        assert distances(pixels, point, turned, seen).argmin() == number


@pytest.mark.parametrize("model", ["edge_continuity", "local_features"])
def test_where_no_item_is_of_the_kind_there_is_no_score_but_the_cause(bench: Any, tmp_path: Path, model: str) -> None:
    (task,) = parse_model(model).tasks or ()
    bench.add("words only", task=task)
    with pytest.raises(CheckFailed, match=r"is no jigsaw of one reference|does not mark one point in one picture"):
        evaluate(bench.release(tmp_path / "release"), model)
