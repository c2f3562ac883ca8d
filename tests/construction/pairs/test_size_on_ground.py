"""The size of a subject in front of a new background: if there is a horizon, its foot is at the position that fits its
size.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchwright.construction.manipulation.editors.subject_transform import Move, draw_move

ROWS, COLUMNS = np.mgrid[:200, :300]


def moved(top: int, bottom: int, scale: float, **settings: Any) -> Move:
    """Return the move of a subject in these rows, 40 columns wide, at one scale."""
    mask = (top <= ROWS) & (bottom > ROWS) & (COLUMNS >= 100) & (COLUMNS < 140)
    limits = {"max_shift": 0.2, "min_scale": scale, "max_scale": scale, "horizon": 0.4}
    return draw_move(mask, np.random.default_rng(3), **(limits | settings))


def foot(move: Move) -> int:
    return move.to_xy[1] + move.size_wh[1]


@pytest.mark.parametrize("scale", [0.5, 0.7, 1.2])
def test_the_foot_is_as_much_nearer_to_the_horizon_as_the_subject_is_smaller(scale: float) -> None:
    move = moved(60, 160, scale)
    assert move.scale == scale
    assert foot(move) == pytest.approx(80 + (160 - 80) * scale, abs=1)


def test_a_subject_grows_as_far_as_it_stands_in_the_picture() -> None:
    move = moved(60, 160, 3.0)
    assert move.scale == 1.5
    assert (move.to_xy[1], foot(move)) == (50, 200)


@pytest.mark.parametrize(("top", "bottom"), [(10, 70), (100, 200), (0, 150)], ids=["flies", "cut below", "cut above"])
def test_a_subject_that_does_not_stand_in_the_picture_is_moved_as_without_a_horizon(top: int, bottom: int) -> None:
    assert moved(top, bottom, 0.7) == moved(top, bottom, 0.7, horizon=None)


def test_a_subject_that_keeps_its_size_is_moved_as_without_a_horizon() -> None:
    assert moved(60, 160, 1.0) == moved(60, 160, 1.0, horizon=None)
