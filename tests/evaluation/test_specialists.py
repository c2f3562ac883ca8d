"""Each specialist answers its task from real photographs, using only what a model sees and what it claims to use."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pyarrow.parquet as pq
import pytest
from homography_items import add_correspondence, crop, sample_photographs
from skimage import data

from benchwright.errors import BenchwrightError, CheckFailed
from benchwright.evaluation.backends.base import parse_model
from benchwright.evaluation.backends.specialists.base import best_of
from benchwright.evaluation.backends.specialists.edge_continuity import corner_cost, seam_cost
from benchwright.evaluation.backends.specialists.local_features import distances
from benchwright.evaluation.backends.specialists.luminance import luminance_at
from benchwright.evaluation.backends.specialists.matching import Matches, mapped, moved_sideways
from benchwright.evaluation.run import evaluate
from benchwright.rooms import catalogue
from benchwright.statistics import wilson

pytestmark = pytest.mark.slow

SHOWN, HIDDEN = ((0, 0), (0, 1), (1, 0)), ((0, 2), (1, 2), (2, 0), (2, 1), (2, 2))


@pytest.fixture(scope="module")
def photographs() -> list[np.ndarray]:
    return sample_photographs()


def cut(pixels: np.ndarray, other: tuple[int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return reference, right piece and another piece of a photograph cut 3 by 3."""
    height, width = pixels.shape[0] // 3, pixels.shape[1] // 3

    def tile(row: int, column: int) -> np.ndarray:
        return pixels[row * height : (row + 1) * height, column * width : (column + 1) * width]

    reference = np.zeros((2 * height, 2 * width, 3), dtype=np.uint8)
    for row, column in SHOWN:
        reference[row * height : (row + 1) * height, column * width : (column + 1) * width] = tile(row, column)
    return reference, tile(1, 1), tile(*other)


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


@pytest.mark.parametrize(("model", "count"), [("local_features", 24), ("sift_matches", 24)])
def test_points_under_a_true_homography_are_found_and_shuffled_keys_are_met_by_chance(
    bench: Any, photographs: list[np.ndarray], tmp_path: Path, model: str, count: int
) -> None:
    add_correspondence(bench, photographs, np.random.default_rng(12), count)
    score = evaluate(bench.release(tmp_path / "release"), model, out=tmp_path / "out")
    assert score.asked == count
    assert score.metrics["accuracy/visual_correspondence"].value >= 0.95

    [path] = (tmp_path / "out").glob("*/predictions.parquet")
    letters = dict(
        zip(*(pq.read_table(path, columns=[name]).column(0).to_pylist() for name in ("item_id", "letter")), strict=True)
    )
    keys = np.random.default_rng(3).choice(list("ABCD"), count)
    right = sum(letters[item.item_id] == key for (item, _), key in zip(bench.items, keys, strict=True))
    low, high = wilson(right, count).interval
    assert low <= 0.25 <= high


def test_the_items_of_other_tasks_are_not_applicable_and_count_nowhere(
    bench: Any, photographs: list[np.ndarray], tmp_path: Path
) -> None:
    add_correspondence(bench, photographs, np.random.default_rng(1), 3)
    for number in range(7):
        bench.add(f"other {number}", task="counting")
    score = evaluate(bench.release(tmp_path / "release"), "local_features")
    assert (score.asked, score.items, score.error) == (3, 10, 0)
    assert score.tasks == ("visual_correspondence",)
    assert score.metrics["accuracy"].n == 3


@pytest.mark.parametrize("protocol", ["circular", "marks:color=gray,height_px=260,shape=box", "marks:shape=arrow"])
def test_neither_the_order_of_options_nor_the_shape_of_marks_changes_what_is_compared(
    bench: Any, photographs: list[np.ndarray], tmp_path: Path, protocol: str
) -> None:
    add_correspondence(bench, photographs, np.random.default_rng(1), 3)
    score = evaluate(bench.release(tmp_path / "release"), "local_features", protocol=protocol)
    assert (score.asked, score.metrics["accuracy"].value) == (3, 1)


def test_luminance_answers_by_the_label_that_an_option_names_and_calls_near_equals_equal(
    bench: Any, tmp_path: Path
) -> None:
    for number, (a, b, answer) in enumerate([(60, 180, "B"), (200, 90, "A"), (121, 123, "C")]):
        pixels = np.full((70, 110, 3), 150, dtype=np.uint8)
        pixels[:, :50], pixels[:, 60:] = a, b
        bench.add(
            f"surfaces {number}",
            task="relative_reflectance",
            pictures=[pixels],
            options=("The surface at B is darker", "The surface at A is darker", "Both are about the same"),
            answer=answer,
            marks={0: [("A", (25.5, 30.0)), ("B", (85.0, 41.5))]},
        )
    score = evaluate(bench.release(tmp_path / "release"), "luminance")
    assert score.metrics["accuracy"].value == 1


def test_luminance_is_measured_in_linear_light() -> None:
    pixels = np.full((40, 50, 3), 188, dtype=np.uint8)  # sRGB of half the light: 187.5
    assert luminance_at(pixels, (20.0, 11.0)) == pytest.approx(0.5, abs=0.01)


def test_a_perceptual_hash_takes_the_picture_of_the_same_scene(
    bench: Any, photographs: list[np.ndarray], tmp_path: Path
) -> None:
    for number, pixels in enumerate(photographs):
        other = photographs[(number + 1) % len(photographs)]
        brighter = np.clip(pixels[4:-3, 5:-6].astype(int) + 20, 0, 255).astype(np.uint8)
        bench.add(
            f"alike {number}",
            task="visual_similarity",
            pictures=[pixels, *([brighter, other] if number % 2 else [other, brighter])],
            options=(1, 2),
            answer="A" if number % 2 else "B",
        )
    assert evaluate(bench.release(tmp_path / "release"), "perceptual_hash").metrics["accuracy"].value == 1


def test_the_photograph_among_pictures_of_one_generator_has_the_odd_spectrum(
    bench: Any, photographs: list[np.ndarray], tmp_path: Path
) -> None:
    rng = np.random.default_rng(8)
    for number in range(20):
        crops = [photographs[k][: 200 + number, 30:270] for k in rng.permutation(5)[:4]]
        made = [_upsampled(pixels) for pixels in crops[1:]]
        place = number % 4
        bench.add(
            f"real {number}",
            task="forensic_detection",
            pictures=[*made[:place], crops[0], *made[place:]],
            options=(0, 1, 2, 3),
            answer="ABCD"[place],
        )
    assert evaluate(bench.release(tmp_path / "release"), "residual_spectrum").metrics["accuracy"].value >= 0.8


def _upsampled(pixels: np.ndarray) -> np.ndarray:
    """Return a picture that a decoder might have made: of half the size, and doubled."""
    height, width = pixels.shape[:2]
    small = cv2.resize(pixels, (width // 2, height // 2), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC))


def test_of_equal_fits_the_first_key_is_taken_and_differences_below_six_decimals_do_not_count() -> None:
    assert best_of({"B": 1.0, "A": 1.0, "C": 0.5}) == "A"
    assert best_of({"A": 1.0, "B": 1.0000001}) == "A"


def test_outliers_do_not_move_the_point_that_true_matches_map() -> None:
    rng = np.random.default_rng(2)
    homography = np.array([[0.9, -0.2, 30.0], [0.15, 1.1, -8.0], [1e-4, -2e-4, 1.0]])
    first = rng.uniform(0, 300, (60, 2))
    second = cv2.perspectiveTransform(first[None], homography)[0]
    second[:25] = rng.uniform(0, 300, (25, 2))
    at = mapped(Matches(first, second), (100.0, 70.0))
    assert at == pytest.approx(cv2.perspectiveTransform(np.array([[[100.0, 70.0]]]), homography).ravel(), abs=0.1)
    assert mapped(Matches(first[:7], second[:7]), (100.0, 70.0)) is None


@pytest.mark.parametrize("turn_deg", [-35.0, -15.0, 15.0, 35.0])
def test_the_side_to_which_a_camera_went_around_a_thing_follows_from_matches(turn_deg: float) -> None:
    rng = np.random.default_rng(4)
    points = rng.uniform(-1, 1, (80, 3))
    focal, size_wh = 0.9 * 640, (640, 480)

    def seen(angle: float) -> np.ndarray:
        """Return the points as seen by a camera at an angle to the right that looks at their middle."""
        c, s = np.cos(angle), np.sin(angle)
        at = points @ np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]).T + (0, 0, 4)
        return focal * at[:, :2] / at[:, 2:] + np.array(size_wh) / 2 + rng.normal(0, 0.2, (80, 2))

    # To the right of things whose z grows with distance, a camera sees the nearer side turn to the left.
    sideways = moved_sideways(Matches(seen(0.0), seen(np.deg2rad(turn_deg))), size_wh)
    assert sideways is not None
    assert sideways * turn_deg > 0


def test_sift_matches_see_to_which_side_the_camera_of_a_stereo_pair_moved(bench: Any, tmp_path: Path) -> None:
    left, right, _ = data.stereo_motorcycle()
    gap = np.full((left.shape[0], 20, 3), 255, dtype=np.uint8)
    pairs = {"right": [left, right], "left": [right, left], "beside": [np.concatenate([left, gap, right], axis=1)]}
    for name, pictures in pairs.items():
        bench.add(
            f"moved {name}",
            task="multi_view_reasoning",
            pictures=pictures,
            options=("To the left", "To the right"),
            answer="A" if name == "left" else "B",
        )
    assert evaluate(bench.release(tmp_path / "release"), "sift_matches").metrics["accuracy"].value == 1


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


CLASSICAL = ("edge_continuity", "local_features", "luminance", "perceptual_hash", "residual_spectrum", "sift_matches")


@pytest.mark.parametrize("model", CLASSICAL)
def test_where_no_item_is_of_the_kind_there_is_no_score_but_the_cause(bench: Any, tmp_path: Path, model: str) -> None:
    bench.add("words only", task=min(parse_model(model).tasks or ()))
    lacking = "has options without pictures|does not mark|does not show two frames"
    with pytest.raises(CheckFailed, match=lacking):
        evaluate(bench.release(tmp_path / "release"), model)


def test_the_table_of_specialists_names_the_tasks_the_weights_and_what_each_stands_for() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "specialists.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` (\|.*)$", guide, re.M))
    for name, entry in catalogue("backends").items():
        if entry.entry.help.startswith("Specialist for"):
            specialist = entry.load()
            cells = rows.pop(name)
            assert all(f"`{task}`" in cells for task in specialist.tasks), name
            assert (specialist.stands_for or "none") in cells, name
            assert getattr(specialist, "repository", "none") in cells, name
            assert all(
                task in entry.entry.help or "correspondence tasks" in entry.entry.help for task in specialist.tasks
            )
    assert rows == {}


@pytest.mark.parametrize("model", CLASSICAL)
def test_a_classical_specialist_takes_nothing_after_its_name(model: str) -> None:
    with pytest.raises(BenchwrightError, match="takes no argument"):
        parse_model(f"{model}:more")
