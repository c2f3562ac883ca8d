"""What is stored lies where it was drawn, within half a pixel of the screen.

Photographs with white squares at known places are shown at several zooms; the mouse presses the middle of each square
as a picture of the screen shows it. So the whole way is measured: upright decoding, the picture that is sent, its tiles,
how the browser lays it out, and what the canvas makes of the press. For all eight orientations that Exif knows, and for
sides of 64 to 8,000 pixels.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest
from browser.marking_site import field, on_screen, open_marking, open_task, stored, submit
from browser.rest import at_rest
from browser.review_site import ReviewSite, serve
from picture_copies import photograph
from PIL import Image

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

pytestmark = pytest.mark.thorough

ORIENTATION = 0x0112
LAID = {
    1: None,
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}
"""How a camera lays an upright picture into a file of each orientation."""


class Case(NamedTuple):
    """A picture: its upright size, and the orientation that its file states."""

    width: int
    height: int
    orientation: int = 1

    @property
    def name(self) -> str:
        return f"p{self.width}x{self.height}o{self.orientation}"

    @property
    def side(self) -> int:
        """Side of a square, in pixels of the picture: some ten pixels of the screen where the whole picture is seen."""
        half = max(1, round(5 / min(860 / self.width, 650 / self.height)))
        return 2 * min(half, min(self.width, self.height) // 5)

    @property
    def squares(self) -> list[tuple[float, float]]:
        """The middles of the squares."""
        half = self.side / 2
        places = [(0.2, 0.3), (0.55, 0.62), (0.81, 0.4)]
        return [(round(x * self.width - half) + half, round(y * self.height - half) + half) for x, y in places]


CASES = [
    *(Case(900, 620, orientation) for orientation in LAID),
    Case(64, 90),
    Case(8000, 64),
    Case(3000, 4000, 6),
    Case(8000, 5000),
]
ZOOMS = (1, 3, 7)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    folder = tmp_path_factory.mktemp("precise")
    (folder / "photographs").mkdir()
    for case in CASES:
        _save(folder / "photographs" / f"{case.name}.jpg", case)
    campaigns = {case.name: [field("point")] for case in CASES}
    pictures = {case.name: [f"{case.name}.jpg"] for case in CASES}
    with serve(open_marking(folder, campaigns, pictures=pictures)) as running:
        yield running


def _save(path: Path, case: Case) -> None:
    upright = photograph("coffee").resize((case.width, case.height))
    for x, y in case.squares:
        # White in a black frame: colours would be halved on their way, light is not.
        for half, ink in ((case.side, "black"), (case.side // 2, "white")):
            upright.paste(ink, (round(x - half), round(y - half), round(x + half), round(y + half)))
    laid = LAID[case.orientation]
    exif = Image.Exif()
    exif[ORIENTATION] = case.orientation
    (upright if laid is None else upright.transpose(laid)).save(path, quality=95, subsampling=0, exif=exif)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_point_is_stored_where_the_screen_shows_what_was_pressed(
    site: ReviewSite, new_context: Callable[..., BrowserContext], case: Case
) -> None:
    page = new_context().new_page()
    size = (case.width, case.height)
    open_task(page, site, case.name)
    scales = []
    for place, zoom in zip(case.squares, ZOOMS, strict=True):
        page.keyboard.press("0")
        for _ in range(zoom - 1):
            _zoom_at(page, *on_screen(page, *place, size=size))
        x0, _ = on_screen(page, 0, 0, size=size)
        x1, _ = on_screen(page, case.width, 0, size=size)
        scales.append((x1 - x0) / case.width)
        page.mouse.click(*_seen_square(page, on_screen(page, *place, size=size), case.side * scales[-1]))
    submit(page)
    points = [point["points"][0] for point in stored(site, case.name)["point"]]
    assert len(points) == len(ZOOMS)
    for (x, y), (ex, ey), scale in zip(points, case.squares, scales, strict=True):
        assert max(abs(x - ex), abs(y - ey)) * scale <= 0.5, f"at {scale:.3f} pixels of the screen a pixel"


def _zoom_at(page: Page, x: float, y: float) -> None:
    """Turn the wheel once over a place, and wait until the picture's own pixels are there."""
    page.mouse.move(x, y)
    before = page.locator(".layer").first.get_attribute("style")
    page.mouse.wheel(0, -200)
    page.wait_for_function(
        "before => [...document.querySelectorAll('*')].map((each) => each.shadowRoot)"
        ".find((root) => root?.querySelector('.card')).querySelector('.layer').getAttribute('style') !== before",
        arg=before,
    )
    at_rest(page)


def _seen_square(page: Page, near: tuple[float, float], side: float) -> tuple[float, float]:
    """Return the middle of the white square that a picture of the screen shows near a place, in pixels of the window."""
    reach = max(3.0, 0.85 * side)  # all of the square, and nothing outside of its frame
    x0, y0 = max(0, round(near[0] - reach)), max(0, round(near[1] - reach))
    page.mouse.move(2, 2)  # no loupe and no ring lies over it
    shot = page.screenshot(clip={"x": x0, "y": y0, "width": round(2 * reach), "height": round(2 * reach)})
    pixels = np.asarray(Image.open(io.BytesIO(shot)).convert("RGB")).astype(float)
    light = np.clip(pixels.mean(axis=2) / 255 - 0.04, 0, 1)  # the edges of the square lie within pixels
    assert light.sum() > 4, "the square is not on the screen"
    rows, columns = np.mgrid[0 : light.shape[0], 0 : light.shape[1]] + 0.5
    return x0 + float((light * columns).sum() / light.sum()), y0 + float((light * rows).sum() / light.sum())
