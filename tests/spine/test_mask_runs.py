"""Masks as COCO's run lengths: read, written, looked up, and absent from every record without one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from benchwright.drawing import mask_of
from benchwright.drawing.areas import Rect
from benchwright.drawing.masks import PlacedMask
from benchwright.records import MaskRuns, VisualPrompt
from benchwright.regions.rle import decode_runs, encode_runs


def ellipse_with_a_hole() -> np.ndarray:
    y, x = np.mgrid[:40, :70]
    grid = (x - 30) ** 2 / 400 + (y - 18) ** 2 / 150 < 1
    grid[(x - 30) ** 2 + (y - 18) ** 2 < 16] = False
    return grid


# As pycocotools 2.0 writes them.
SMALL = "0130O0002"
LARGE = "W>7o04M2N2N2O0O2O0O2O000O2O0000000OCE0:OH080H080H080H080H081F0;=100000001N10001N101N101N2N2N3Lch0"


def test_masks_are_written_as_coco_writes_them() -> None:
    small = np.zeros((3, 5), bool)
    small[0, 0] = small[1, 1:4] = True
    assert mask_of(small).counts == SMALL
    assert mask_of(small).size == (3, 5)
    assert mask_of(ellipse_with_a_hole()).counts == LARGE


def test_masks_of_coco_are_read() -> None:
    assert decode_runs(SMALL) == [0, 1, 3, 1, 2, 1, 2, 1, 4]
    assert sum(MaskRuns(size=(40, 70), counts=LARGE).runs[1::2]) == 722


@given(st.lists(st.integers(0, 1 << 32), max_size=30))
def test_runs_come_back_as_they_were(runs: list[int]) -> None:
    assert decode_runs(encode_runs(runs)) == runs


def spelled(runs: list[int]) -> str:
    """Spell runs as the format is described: two's complement in groups of five bits, as few as hold the number."""
    text = ""
    for place, run in enumerate(runs):
        number = run - runs[place - 2] if place > 2 else run
        groups = next(many for many in range(1, 9) if -(1 << 5 * many - 1) <= number < 1 << 5 * many - 1)
        bits = format(number % (1 << 5 * groups), f"0{5 * groups}b")
        fives = [int(bits[start : start + 5], 2) for start in range(0, len(bits), 5)][::-1]
        text += "".join(
            chr(48 + five + (32 if more else 0)) for more, five in zip(range(groups - 1, -1, -1), fives, strict=True)
        )
    return text


@pytest.mark.slow
@settings(max_examples=30)
@given(st.lists(st.integers(0, 40) | st.integers(0, 1 << 32), min_size=190, max_size=400))
def test_many_runs_are_spelled_as_few_are(runs: list[int]) -> None:
    assert encode_runs(runs) == spelled(runs)
    assert decode_runs(spelled(runs)) == runs


@pytest.mark.parametrize(
    ("end", "words"),
    [
        pytest.param("é", "counts contain 'é' at character 301", id="foreign-character"),
        pytest.param("!", "counts contain '!' at character 301", id="below-all"),
        pytest.param("P", "end within a number", id="cut"),
        pytest.param("E", "a run of -11 cells at character 301", id="negative"),
        pytest.param("P" * 40, "an unterminated number", id="endless"),
    ],
)
def test_what_is_wrong_with_many_runs_is_said_as_of_few(end: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        decode_runs("0" * 300 + end)


@pytest.mark.parametrize(
    ("size", "counts", "words"),
    [
        pytest.param((3, 5), "0130O000é", "counts contain 'é' at character 9", id="foreign-character"),
        pytest.param((3, 5), "0130O000", "counts describe 11 cells, but a grid of 3 x 5 has 15", id="too-short"),
        pytest.param((3, 5), "0130O000P", "end within a number", id="cut"),
        pytest.param((3, 5), "0O", "a run of -1 cells", id="negative"),
        pytest.param((3, 5), "P" * 40, "an unterminated number", id="endless"),
        pytest.param((3, 5), "?", "without any set cell", id="empty"),
        pytest.param((0, 5), "0", "size must be two numbers from 1 to 65,535", id="no-rows"),
        pytest.param((3, 70_000), "0", "size must be two numbers", id="wide"),
    ],
)
def test_counts_that_do_not_fill_their_grid_are_refused(size: tuple[int, int], counts: str, words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        MaskRuns(size=size, counts=counts)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(st.data())
def test_cells_are_looked_up_in_the_runs_as_in_the_grid(data: st.DataObject) -> None:
    height, width = data.draw(st.integers(1, 9)), data.draw(st.integers(1, 7))
    cells = data.draw(st.lists(st.booleans(), min_size=height * width, max_size=height * width))
    grid = np.array(cells, bool).reshape(height, width)
    if not grid.any():
        return
    placed = PlacedMask(mask_of(grid), Rect(10, 20, 10 + 3 * width, 20 + 2 * height), 0.0)
    x, y = np.arange(0, 12 + 3 * width) + 0.5, np.arange(15, 23 + 2 * height) + 0.5
    expected = np.zeros((len(y), len(x)), bool)
    expected[5 : 5 + 2 * height, 10 : 10 + 3 * width] = np.kron(grid, np.ones((2, 3), bool))
    np.testing.assert_array_equal(placed.at(x, y), expected)
    rows, columns = np.nonzero(expected)
    found = placed.bounds
    assert (found.left, found.right) == (columns.min(), columns.max() + 1)
    assert found.top <= rows.min() + 15
    assert found.bottom >= rows.max() + 16
    left, top = data.draw(st.integers(0, 20)), data.draw(st.integers(0, 12))
    part = expected[top : top + 3, left : left + 4]
    rect = Rect(left + 0.1, 15 + top + 0.1, left + 3.9, 15 + top + 2.9)
    assert placed.meets(rect) == bool(part.any())


def test_a_prompt_without_a_mask_is_written_as_before_there_were_masks() -> None:
    ring = VisualPrompt(kind="ring", image_id="0" * 64, points=((1.5, 2.5),))
    assert sorted(ring.model_dump(mode="json")) == ["image_id", "kind", "label", "points", "style"]
    assert '"mask"' not in ring.model_dump_json()


def test_a_mask_survives_being_written_and_read() -> None:
    mask = VisualPrompt(
        kind="mask", image_id="0" * 64, points=((1, 2), (8, 9)), mask=MaskRuns(size=(3, 5), counts=SMALL)
    )
    assert VisualPrompt.model_validate_json(mask.model_dump_json()) == mask
    assert mask.model_dump(mode="json")["mask"] == {"size": [3, 5], "counts": SMALL}


def test_only_masks_have_a_grid() -> None:
    with pytest.raises(ValidationError, match="kind 'ring' has no mask"):
        VisualPrompt(kind="ring", image_id="0" * 64, points=((1, 2),), mask=MaskRuns(size=(3, 5), counts=SMALL))
