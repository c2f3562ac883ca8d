"""The page for choosing a threshold in a real browser: it fits, switches its outlines and sends no request."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image

from benchwright.filters.text.calibration import write_calibration
from benchwright.filters.text.report import TextReport, TextShare

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page


@pytest.fixture(scope="module")
def calibration(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty pictures, wide, high and very high, with a box each."""
    folder = tmp_path_factory.mktemp("pictures")
    shares = []
    for number in range(40):
        width, height = ((300, 200), (150, 260), (60, 900))[number % 3]
        pixels = np.full((height, width, 3), (number * 6, 120, 200 - number * 3), np.uint8)
        Image.fromarray(pixels).save(folder / f"{number:02}.png")
        end = height * number / 60
        box = ((0.0, 0.0), (float(width), 0.0), (float(width), end), (0.0, end))
        shares.append(
            TextShare(f"{number:02}.png", round(number / 60, 6), int(number > 0), (box,) if number else (), ())
        )
    out = tmp_path_factory.mktemp("page") / "calibration.html"
    write_calibration(out, folder, TextReport(tuple(shares), (), "rapidocr"), thresholds=None)
    return out


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (390, "light")])
def test_the_page_fits_its_window_and_asks_for_nothing(
    width: int, scheme: str, calibration: Path, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context(viewport={"width": width, "height": 800}, color_scheme=scheme).new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: asked.append(message.text))
    page.goto(calibration.as_uri())
    assert [url for url in asked if not url.startswith("data:")] == [calibration.as_uri()]
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.locator("#distribution .chart svg").first.is_visible()


def test_outlines_go_and_come_back_by_keyboard(calibration: Path, page: Page) -> None:
    page.goto(calibration.as_uri())
    outline = page.locator(".found").first
    assert outline.is_visible()
    page.focus("#outlines")
    page.keyboard.press("Space")
    assert not outline.is_visible()
    page.keyboard.press("Space")
    assert outline.is_visible()


def test_a_threshold_of_the_table_leads_to_its_pictures_which_are_drawn(calibration: Path, page: Page) -> None:
    page.goto(calibration.as_uri())
    page.click("table a[href='#at-0.3']")
    assert page.url.endswith("#at-0.3")
    picture = page.locator("[id='at-0.3'] svg.picture").first
    box = picture.bounding_box()
    assert box is not None
    assert box["height"] > 100
    shot = picture.screenshot()
    colors = np.unique(np.asarray(Image.open(io.BytesIO(shot)).convert("RGB")).reshape(-1, 3), axis=0)
    assert len(colors) > 3  # the picture, its ground, the outline
