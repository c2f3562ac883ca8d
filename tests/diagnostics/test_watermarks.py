"""Watermarks that repeat over a photograph are measured; the content of the photograph is not."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont
from skimage import data

from benchwright.diagnostics.pictures.watermarks import MOST_WATERMARK, watermark

PHOTOGRAPHS: dict[str, np.ndarray] = {
    name: getattr(data, name)() for name in ("astronaut", "chelsea", "coffee", "rocket")
}


def overlaid(pixels: np.ndarray, *, opacity: float, turn: float, once: bool = False) -> np.ndarray:
    """Return a picture under a white text that repeats in rows, as agencies print their names."""
    height, width = pixels.shape[:2]
    side = 2 * max(height, width)
    layer = Image.new("L", (side, side), 0)
    draw, font = ImageDraw.Draw(layer), ImageFont.load_default(size=26)
    rows = [side // 2] if once else range(0, side, 80)
    for number, y in enumerate(rows):
        for x in [side // 2] if once else range(-(number % 2) * 90, side, 180):
            draw.text((x, y), "stock photo", fill=255, font=font)
    left, top = (side - width) // 2, (side - height) // 2
    shows = layer.rotate(turn).crop((left, top, left + width, top + height))
    alpha = np.asarray(shows, np.float32)[..., None] / 255 * opacity
    return np.clip(pixels * (1 - alpha) + 255 * alpha, 0, 255).astype(np.uint8)


def measured(pixels: NDArray[np.uint8]) -> float:
    value = watermark(pixels)
    assert value is not None
    return value


@pytest.mark.parametrize("name", PHOTOGRAPHS)
def test_a_text_that_repeats_is_found_and_the_photograph_alone_is_clean(name: str) -> None:
    pixels = PHOTOGRAPHS[name]
    assert measured(pixels) <= MOST_WATERMARK
    for turn in (0, 30):
        assert measured(overlaid(pixels, opacity=0.35, turn=turn)) > MOST_WATERMARK


def test_a_single_line_of_text_repeats_nowhere() -> None:
    assert measured(overlaid(PHOTOGRAPHS["coffee"], opacity=0.35, turn=0, once=True)) <= MOST_WATERMARK


def test_a_plain_picture_has_none_and_a_strip_is_not_measured() -> None:
    assert measured(np.full((300, 400, 3), 90, np.uint8)) == pytest.approx(0, abs=1e-3)
    assert watermark(np.full((4, 400, 3), 90, np.uint8)) is None  # too narrow to measure
