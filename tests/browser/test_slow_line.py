"""On a slow line coarse pictures come first, those of the next tasks too, and the full pictures replace them.

Pictures no longer needed do not delay those that are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from browser.kinds_site import make_images, open_campaigns
from browser.review_site import ReviewSite, next_slot, serve, sign_in, slot_on_screen
from slow_line import Line, slow_line

from benchwright.annotation.campaigns.screen import Screen

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

pytestmark = pytest.mark.thorough

LINE = Line(round_trip_s=0.3, bytes_per_s=200_000)
_SEEN = """name => {
  const roots = [...document.querySelectorAll("*")].map((element) => element.shadowRoot).filter(Boolean);
  const images = roots.flatMap((root) => [...root.querySelectorAll(`.layer .${name}`)]);
  return images.length > 0 && images.every((image) => image.complete && image.naturalWidth > 0);
}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    done = make_images(
        tmp_path_factory.mktemp("slow"), sizes={f"{side} px": (side, side) for side in (1500, 1600, 1700)}
    )
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
    assert page.locator(".layer .coarse").count() == page.get_by_text("is still loading").count() == 0
    shown = [path for path in requested if path.startswith("/pictures/")]
    assert shown[0].endswith("/coarse")
    assert shown[0].removesuffix("/coarse") in shown[1:], "and then the picture itself"
    for _ in range(500):
        if len({path.split("/")[2] for path in arrived if path.endswith("/coarse")}) >= 2:
            break
        page.wait_for_timeout(20)  # until the coarse picture of the next task is there
    else:
        pytest.fail(f"nothing of the next task: {requested}")
    page.keyboard.press("1")
    assert next_slot(page, slot) is not None
    assert page.evaluate(_SEEN, "coarse") or page.evaluate(_SEEN, "picture")


def test_the_picture_of_a_task_that_was_left_gives_the_line_free(
    site: ReviewSite, new_context: Callable[..., BrowserContext]
) -> None:
    page: Page = new_context().new_page()
    happened: list[tuple[str, str]] = []
    for event in ("request", "requestfinished", "requestfailed"):
        page.on(event, lambda request, event=event: happened.append((event, request.url.removeprefix(site.url))))
    sign_in(page, site, "ben", path="/review")
    slot = int(page.locator(".card[data-slot]").get_attribute("data-slot") or 0)
    page.wait_for_function(_SEEN, arg="coarse")
    whole = next(path for _, path in happened if path.endswith("/coarse")).removesuffix("/coarse")
    for _ in range(100):
        if ("request", whole) in happened:
            break
        page.wait_for_timeout(10)
    assert ("requestfinished", whole) not in happened
    with page.expect_event("requestfailed", lambda request: request.url.endswith(whole)):
        page.keyboard.press("s")
    assert next_slot(page, slot) is not None
    page.wait_for_function(_SEEN, arg="picture")
    requested = [path for event, path in happened if event == "request" and path.startswith("/pictures/")]
    shown, later = [path.removesuffix("/coarse") for path in dict.fromkeys(requested) if path.endswith("/coarse")][1:3]
    assert happened.index(("requestfinished", shown)) < happened.index(("request", later)), "whole ones wait in turn"
