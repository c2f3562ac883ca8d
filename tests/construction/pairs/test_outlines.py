"""Outlines before anything is pasted: measures of planted tears, and the command that shows outlines on their
pictures.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from benchwright.cli.main import invoke
from benchwright.construction.item_parts.cutting_out import Hints, find_mask
from benchwright.construction.manipulation.outlines.outline_figures import outline_figures
from benchwright.diagnostics.pictures.outline_tears import MOST_TEAR
from benchwright.drawing import mask_of

ROWS, COLUMNS = np.mgrid[:300, :400]
BALL = (ROWS - 150) ** 2 + (COLUMNS - 200) ** 2 < 90**2
BITTEN = BALL & (COLUMNS > 170)
PATCH = BALL | ((ROWS > 150) & (abs(COLUMNS - 200) < 60) & (ROWS < 290))
BOX = (110.0, 60.0, 290.0, 240.0)


@pytest.fixture(scope="module")
def picture() -> np.ndarray:
    """A shaded ball on a meadow of noise, (300, 400, 3)."""
    grass = np.random.default_rng(1).normal(110, 6, (300, 400, 3))
    shade = (COLUMNS / 400)[..., None] * np.array([90.0, 50.0, 10.0]) + np.array([150.0, 90.0, 20.0])
    return np.clip(np.where(BALL[..., None], shade, grass), 0, 255).astype(np.uint8)


def test_a_whole_outline_has_no_fault_and_says_how_the_frame_cuts_it(picture: np.ndarray) -> None:
    hints = Hints(BOX, inside=[(200, 150)], outside=[(50, 50)])
    figures = outline_figures(picture, find_mask(picture, hints, seed=1), hints, seed=1)
    assert figures.faults(max_tear=MOST_TEAR) == []
    assert figures.parts == 1
    assert figures.stands
    assert figures.stable is not None
    assert figures.stable > 0.95
    low = np.roll(BALL, 60, axis=0)
    low[:20] = False
    cut = outline_figures(picture, low, Hints((110, 120, 290, 300)), seed=None)
    assert cut.cut_by == ("bottom",)
    assert not cut.stands


@pytest.mark.parametrize(
    ("torn", "said"),
    [
        (BITTEN, "separates nothing"),
        (PATCH, "includes a patch"),
        (BALL & ((COLUMNS < 150) | (COLUMNS > 250)), "2 parts"),
        (BALL & (ROWS < 80), "of its box"),
    ],
    ids=["bitten", "patch", "in-two", "a-sliver"],
)
def test_each_fault_is_named_of_a_programs_outline_and_of_none_that_people_drew(
    picture: np.ndarray, torn: np.ndarray, said: str
) -> None:
    hints = Hints(BOX, inside=[(200, 150)])
    assert any(said in fault for fault in outline_figures(picture, torn, hints, seed=1).faults(max_tear=MOST_TEAR))
    assert outline_figures(picture, torn, hints, seed=None).faults(max_tear=MOST_TEAR) == []


def test_holes_are_a_share_of_the_filled_area(picture: np.ndarray) -> None:
    ring = BALL & ((ROWS - 150) ** 2 + (COLUMNS - 200) ** 2 > 45**2)
    assert outline_figures(picture, ring, Hints(BOX), seed=None).holes == pytest.approx(0.25, abs=0.02)


@pytest.fixture
def folder(tmp_path: Path, picture: np.ndarray) -> Path:
    (tmp_path / "images").mkdir()
    Image.fromarray(picture).save(tmp_path / "images" / "ball.png")
    drawn = json.dumps(mask_of(BITTEN).model_dump(mode="json"))
    (tmp_path / "facts.yaml").write_text(
        "format: benchwright-facts\nversion: 1\nimages:\n  ball.png:\n    subjects:\n"
        "      - {name: ball, phrase: the ball, box: [110, 60, 290, 240], cut_out: {inside: [[200, 150]]}}\n"
        f"      - {{name: drawn, phrase: the drawn, box: [110, 60, 290, 240], cut_out: {{mask: {drawn}}}}}\n"
        "      - {name: boxed, phrase: the boxed, box: [110, 60, 290, 240], cut_out: {}}\n",
        encoding="utf-8",
    )
    return tmp_path


def test_the_command_shows_each_outline_on_its_picture_and_names_faults(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = folder / "outlines"
    words = ["construct", "outlines", str(folder / "facts.yaml"), "--images", str(folder / "images"), "--out", str(out)]
    assert invoke([*words, "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    by = {row["subject"]: row for row in document["outlines"]}
    assert (by["ball"]["by"], by["ball"]["faults"]) == ("grabcut", [])
    assert (by["drawn"]["by"], by["drawn"]["faults"]) == ("people", [])
    assert by["boxed"]["faults"] == ["is found by its box alone: add points, or outline it in the app"]
    assert (document["good"], document["with_faults"]) == (2, 1)
    with Image.open(out / "ball.png--drawn.png") as seen:
        pixels = np.asarray(seen)
    assert pixels.shape == (300, 400, 3)
    assert pixels[150, 130].mean() < 60 < pixels[150, 250].mean()
    assert invoke(words) != 0
    assert "already exists and is not overwritten" in capsys.readouterr().err
