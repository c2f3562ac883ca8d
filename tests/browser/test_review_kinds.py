"""Campaigns of other kinds in the running app, by keyboard: images screened, pairs compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from browser.kinds_site import make_images, open_campaigns
from browser.review_site import ReviewSite, next_slot, serve, sign_in, slot_on_screen

from benchwright.annotation.pairing import Pair
from benchwright.annotation.screening import Screen
from benchwright.annotation.store import ReviewStore, open_store

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    done = make_images(tmp_path_factory.mktemp("kinds"))
    open_campaigns(done, [Screen(), Pair()])
    with serve(done.workspace) as running:
        yield running


@pytest.fixture
def store(site: ReviewSite) -> Iterator[ReviewStore]:
    with open_store(f"sqlite:///{site.workspace / 'review.sqlite'}") as opened:
        yield opened


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def test_images_are_screened_by_keyboard(
    site: ReviewSite, store: ReviewStore, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context().new_page()
    sign_in(page, site, "ann", path="/?campaign=screen")
    first = slot_on_screen(page)
    assert page.get_by_role("heading", name="Does this image belong in the benchmark?").is_visible()
    page.get_by_text("Guidelines").first.wait_for()
    press(page, "1", "Enter")
    second = next_slot(page, first)
    assert second is not None
    press(page, "2")
    assert page.locator(".field.active").get_attribute("data-field") == "reasons"
    press(page, "Enter")
    assert "Pick an option of “Why”" in page.locator(".card .status").inner_text()
    press(page, "2", "4", "n")
    page.keyboard.type("blurred")
    press(page, "Control+Enter")
    assert next_slot(page, second) is not None
    found = sorted((dict(one.fields or {}) for one in store.decisions("screen")), key=str)
    assert found == [
        {"verdict": "discard", "reasons": ["poor_quality", "offensive"], "note": "blurred"},
        {"verdict": "keep"},
    ]
    curator = new_context().new_page()
    sign_in(curator, site, "cur", path="/progress?campaign=screen")
    curator.get_by_role("heading", name="What was found").wait_for()


def test_a_pair_is_compared_under_the_slider_and_blinking_and_decided_by_keyboard(
    site: ReviewSite, store: ReviewStore, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context().new_page()
    sign_in(page, site, "ben", path="/?campaign=pair")
    slot = slot_on_screen(page)
    page.get_by_role("heading", name="Is this the same picture?").wait_for()
    modes = page.get_by_role("group", name="How to compare").get_by_role("button")
    chosen = []
    for _ in range(3):
        chosen += [one.inner_text() for one in modes.all() if one.get_attribute("aria-pressed") == "true"]
        press(page, "m")
        page.wait_for_timeout(200)
    assert sorted(chosen) == ["Blink", "Side by side", "Slider"]
    press(page, "1", "Enter")
    assert next_slot(page, slot) is None
    assert [one.fields for one in store.decisions("pair")] == [{"verdict": "same"}]
