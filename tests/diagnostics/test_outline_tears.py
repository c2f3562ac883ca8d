"""Measures of a torn outline: whole, with a bite, with a patch of its background, too short, or without a thin part."""

from __future__ import annotations

import numpy as np
import pytest

from benchwright.construction.manipulation.manipulation_settings import Masking
from benchwright.diagnostics.pictures.outline_tears import MOST_TEAR, edges_followed, outline_tear
from benchwright.filters.pairs.pair_gates import PairGates

ROWS, COLUMNS = np.mgrid[:300, :400]
BALL = (ROWS - 150) ** 2 + (COLUMNS - 200) ** 2 < 90**2
PATCH = BALL | ((ROWS > 150) & (abs(COLUMNS - 200) < 60) & (ROWS < 290))
BOX = (110.0, 60.0, 290.0, 240.0)


@pytest.fixture(scope="module")
def picture() -> np.ndarray:
    """A shaded ball on a meadow of noise, (300, 400, 3)."""
    grass = np.random.default_rng(1).normal(110, 6, (300, 400, 3))
    shade = (COLUMNS / 400)[..., None] * np.array([90.0, 50.0, 10.0]) + np.array([150.0, 90.0, 20.0])
    return np.clip(np.where(BALL[..., None], shade, grass), 0, 255).astype(np.uint8)


@pytest.mark.parametrize("scale", [1, 4])
def test_a_whole_outline_looks_whole_in_any_size(picture: np.ndarray, scale: int) -> None:
    large, mask = (np.repeat(np.repeat(each, scale, 0), scale, 1) for each in (picture, BALL))
    torn = outline_tear(large, mask, [side * scale for side in BOX])
    assert torn is not None
    assert torn.tear < 0.1
    assert max(torn.faint, torn.patch, torn.short) < 0.02
    assert edges_followed(large, mask) > 0.95


@pytest.mark.parametrize(
    ("torn", "by"),
    [(BALL & (COLUMNS > 170), "faint"), (PATCH, "patch"), (PATCH, "faint"), (BALL & (ROWS > 110), "faint")],
    ids=["a-third-bitten-off", "with-a-patch-of-grass", "along-the-grass", "without-its-top"],
)
def test_a_torn_outline_looks_torn_and_says_why(picture: np.ndarray, torn: np.ndarray, by: str) -> None:
    found = outline_tear(picture, torn)
    assert found is not None
    assert found.tear > MOST_TEAR
    assert getattr(found, by) > 0.1
    assert ("separates nothing" if by == "faint" else "includes a patch") in found.words


def test_an_outline_that_follows_edges_and_ends_within_its_box_looks_torn(picture: np.ndarray) -> None:
    whole, short = (outline_tear(picture, BALL, box) for box in (BOX, (110.0, 60.0, 290.0, 490.0)))
    assert whole is not None
    assert short is not None
    assert whole.tear < MOST_TEAR
    assert short.short == pytest.approx(0.58, abs=0.02)
    assert short.tear > whole.tear
    assert "inside its box" in short.words


def test_of_an_outline_on_the_frame_alone_nothing_is_told(picture: np.ndarray) -> None:
    assert outline_tear(picture, np.ones((300, 400), bool)) is None
    assert edges_followed(picture, np.ones((300, 400), bool)) == 1.0


def test_the_step_that_cuts_and_the_gate_that_judges_share_one_bound() -> None:
    assert Masking().max_tear == PairGates().max_tear == MOST_TEAR


HORNS = (abs(COLUMNS - 200) > 36) & (abs(COLUMNS - 200) < 44) & (ROWS > 10) & (ROWS < 100) & ~BALL


def with_horns(picture: np.ndarray, color: tuple[int, int, int]) -> np.ndarray:
    """Return the picture with two strokes, 8 px wide, that begin at the top of the ball."""
    return np.where(HORNS[..., None], np.array(color, np.uint8), picture)


def test_an_outline_without_the_subjects_thin_parts_looks_torn_and_says_why(picture: np.ndarray) -> None:
    horned = with_horns(picture, (190, 113, 24))
    whole, cut = (outline_tear(horned, mask) for mask in (BALL | HORNS, BALL))
    assert whole is not None
    assert cut is not None
    assert whole.thin < 0.03
    assert whole.tear < MOST_TEAR
    assert cut.thin == pytest.approx(60 / np.sqrt(BALL.sum()), abs=0.06)
    assert cut.tear > MOST_TEAR
    assert "thin part" in cut.words


def test_thin_things_of_another_color_are_no_part_of_the_subject(picture: np.ndarray) -> None:
    beside = outline_tear(with_horns(picture, (60, 90, 200)), BALL)
    assert beside is not None
    assert beside.thin == 0


def test_of_a_thin_part_only_what_lies_in_the_stated_box_counts(picture: np.ndarray) -> None:
    horned = with_horns(picture, (190, 113, 24))
    free, boxed = (outline_tear(horned, BALL, box) for box in (None, BOX))
    assert free is not None
    assert boxed is not None
    assert boxed.thin < 0.4 * free.thin
