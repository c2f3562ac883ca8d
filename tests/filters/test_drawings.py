"""The step `drawings`: drawings have flat areas and few, hard edges; photographs do not.

- The demo's photographs are kept, even if reduced, cropped or strongly compressed.
- A logo, a page of text, a diagram and a picture of one color are dropped, with value and bound; null removes a bound.
- On II-Bench's drawings that were not used to choose the bounds, precision and recall are as the description states.
"""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT, SHARED
from PIL import Image, ImageDraw, ImageFont

from benchwright.cli import prepare_photographs
from benchwright.filters.drawings import Drawings, measures
from benchwright.images import decode_rgb

II_BENCH = SHARED / "ii_bench"
PHOTOGRAPHS = ("astronaut.png", "camera.png", "chelsea.png", "china.jpg", "coffee.png", "coins.png", "flower.jpg",
               "hubble_deep_field.jpg", "ihc.png", "motorcycle_left.png", "motorcycle_right.png", "retina.jpg",
               "rocket.jpg")  # fmt: skip


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    prepare_photographs(folder)
    return folder


def reason(pixels: np.ndarray, **settings: Any) -> str | None:
    return Drawings(**settings).judge(measures(pixels)).reason


def drawn(name: str) -> np.ndarray:
    picture = Image.new("RGB", (420, 260), "white")
    pen = ImageDraw.Draw(picture)
    if name == "logo":
        pen.ellipse((120, 40, 300, 220), fill=(200, 30, 40))
        pen.rectangle((180, 90, 240, 170), fill=(250, 220, 30))
    elif name == "page":
        for line in range(9):
            pen.text(
                (8, 4 + 27 * line), "Nothing here is as it seems to be", fill="black", font=ImageFont.load_default(22)
            )
    elif name == "diagram":
        for column in range(8):
            pen.line((30 + 50 * column, 10, 400 - 50 * column, 250), fill=(20, 20, 20), width=3)
    return np.asarray(picture)


@pytest.mark.parametrize("name", PHOTOGRAPHS)
def test_a_photograph_stays(demo: Path, name: str) -> None:
    assert reason(decode_rgb(demo / name)) is None


def test_a_photograph_stays_when_it_is_smaller_or_compressed_hard(demo: Path) -> None:
    picture = Image.fromarray(decode_rgb(demo / "coffee.png"))
    small = picture.resize((240, 160), Image.Resampling.LANCZOS)
    assert reason(np.asarray(small)) is None
    file = io.BytesIO()
    picture.save(file, "JPEG", quality=40)
    assert reason(np.asarray(Image.open(file))) is None


@pytest.mark.parametrize("name", ["logo", "page", "diagram", "blank"])
def test_what_is_drawn_goes(name: str) -> None:
    outcome = Drawings().judge(measures(drawn(name)))
    assert (outcome.verdict, outcome.reason) == ("drop", "flat_color")
    passed = outcome.evidence["passed"]["flat_color"]
    assert passed["value"] > passed["bound"] == 0.2


def test_each_bound_can_be_taken_away_and_people_asked() -> None:
    page = drawn("page")
    without: dict[str, Any] = {"max_flat": None, "max_sparse": None, "max_hard": None}
    assert reason(page, **without) is None
    assert reason(page, **{**without, "max_sparse": 0.3}) == "sparse_steps"
    assert reason(page, **{**without, "max_hard": 0.5}) == "hard_edges"
    assert Drawings(ask=True).judge(measures(page)).verdict == "ask"


@pytest.mark.slow
def test_held_out_drawings_of_ii_bench_go_as_the_description_says(demo: Path) -> None:
    if not II_BENCH.is_dir():
        pytest.skip(f"II-Bench's images are not here: {II_BENCH.relative_to(ROOT.parent)}")
    gone: list[bool] = []
    for table in sorted((II_BENCH / "data").glob("*.json")):
        for row in json.loads(table.read_text(encoding="utf-8")):
            kinds = row["meta_data"]["image_type"]
            kind = kinds if isinstance(kinds, str) else kinds[0]
            path = II_BENCH / row["local_path"]
            is_held_out = int(hashlib.sha256(path.name.encode()).hexdigest(), 16) % 2 == 0
            # Memes are photographs with words as often as they are drawn.
            if is_held_out and kind != "Meme":
                gone.append(reason(decode_rgb(path)) is not None)
    kept = sum(reason(decode_rgb(demo / name)) is not None for name in PHOTOGRAPHS)
    assert len(gone) > 100
    assert round(sum(gone) / len(gone), 2) == 0.70
    assert sum(gone) / (sum(gone) + kept) == 1
