"""On a slow line coarse pictures come first, those of the next tasks too, and the pictures themselves take their place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from browser.kinds_site import make_images, open_campaigns
from browser.review_site import ReviewSite, next_slot, serve, sign_in, slot_on_screen
from slow_line import Line, slow_line

from benchwright.annotation.campaigns import Screen

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

LINE = Line(round_trip_s=0.3, bytes_per_s=200_000)
_SEEN = """name => {
  const roots = [...document.querySelectorAll("*")].map((element) => element.shadowRoot).filter(Boolean);
  const images = roots.flatMap((root) => [...root.querySelectorAll(`.layer .${name}`)]);
  return images.length > 0 && images.every((image) => image.complete && image.naturalWidth > 0);
}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    done = make_images(tmp_path_factory.mktemp("slow"))
    open_campaigns(done, [Screen()])
    with serve(done.workspace) as running:
        near = int(running.url.rsplit(":", 1)[1])
        with slow_line(near, LINE) as port:
            yield ReviewSite(replace(running.server, url=f"http://127.0.0.1:{port}"), running.workspace)


def test_coarse_pictures_come_first_and_give_way(site: ReviewSite, new_context: Callable[..., BrowserContext]) -> None:
    page: Page = new_context().new_page()
    requested: list[str] = []
    arrived: list[str] = []
    page.on("request", lambda request: requested.append(request.url.removeprefix(site.url)))
    page.on("requestfinished", lambda request: arrived.append(request.url.removeprefix(site.url)))
    sign_in(page, site, "ann", path="/review")
    slot = slot_on_screen(page)
    page.wait_for_function(_SEEN, arg="picture")
    assert page.locator(".layer .coarse").count() == page.get_by_text("is on its way").count() == 0
    shown = [path for path in requested if path.startswith("/pictures/")]
    assert shown[0].endswith("/coarse")
    assert shown[0].removesuffix("/coarse") in shown[1:], "and then the picture itself"
    for _ in range(500):
        if len({path.split("/")[2] for path in arrived if path.endswith("/coarse")}) == 2:
            break
        page.wait_for_timeout(20)  # until the coarse picture of the next task is there
    else:
        pytest.fail(f"nothing of the next task: {requested}")
    page.keyboard.press("1")
    assert next_slot(page, slot) is not None
    assert page.evaluate(_SEEN, "coarse") or page.evaluate(_SEEN, "picture")
