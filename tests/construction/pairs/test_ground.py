"""The ground under a subject in front of a new background."""

from __future__ import annotations

import numpy as np
import pytest

from benchwright.construction.item_parts.idea import Donor
from benchwright.construction.manipulation.editors.compositing import has_ground

DONOR = np.zeros((100, 200, 3), np.uint8)


def subject(top: int, bottom: int) -> np.ndarray:
    shows = np.zeros((200, 400), np.float32)
    shows[top:bottom, 150:250] = 1
    return shows


@pytest.mark.parametrize(
    ("bottom", "row", "has"),
    [(150, 0.5, True), (90, 0.5, False), (150, 1.0, False), (200, 1.0, True), (90, 0.0, True)],
    ids=["on the ground", "above it", "no ground", "cut off below", "needs none"],
)
def test_a_subject_stands_below_the_row_where_the_ground_begins(bottom: int, row: float, has: bool) -> None:
    assert has_ground(DONOR, row, subject(20, bottom)) is has


def test_the_row_follows_the_crop_of_a_background_that_is_too_high() -> None:
    tall = np.zeros((400, 200, 3), np.uint8)  # covers 200 x 400 rows at twice its size: 300 rows are cut off above
    assert has_ground(tall, 0.5, subject(20, 120))
    assert not has_ground(tall, 0.5, subject(20, 80))


def test_a_donor_that_needs_no_ground_keeps_its_document() -> None:
    assert "ground" not in Donor(image_id="a").model_dump(mode="json")
    assert Donor(image_id="a", ground=1).model_dump(mode="json")["ground"] == 1
