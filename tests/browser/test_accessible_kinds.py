"""No screen of campaigns that ask other things than to accept an item has a serious finding of axe's, light or dark, or is
cut off on a tablet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from browser.axe import NOTHING, findings_by_theme
from browser.kinds_site import make_images, open_campaigns
from browser.rest import at_rest
from browser.review_site import ReviewSite, serve, sign_in, slot_on_screen
from browser.widths import TABLET, unreached

from benchwright.annotation.campaigns.collect.step import Collect
from benchwright.annotation.campaigns.describe.step import Describe
from benchwright.annotation.campaigns.pair import Pair
from benchwright.annotation.campaigns.screen import Screen

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

pytestmark = pytest.mark.thorough

CHOSEN = ".reason[aria-pressed=true]"
SCREENS = {
    "screen": ("screen", "2", CHOSEN),
    "pair": ("pair", "m", ".viewer[data-mode=slider]"),
    "describe": ("describe", "", ".card"),
    "describe, every field": ("describe", "17231" + "14f" + "3", CHOSEN),
    "collect": ("collect", "", ".card"),
    "collect, from the web": ("collect", "12", CHOSEN),
}
"""By name: the campaign, keys that are pressed first, and what they show."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    done = make_images(tmp_path_factory.mktemp("kinds"))
    open_campaigns(done, [Screen(), Pair(), Describe(), Collect(prompts=("a red cup",), min_side_px=64)])
    with serve(done.workspace) as running:
        yield running


@pytest.mark.parametrize("screen", SCREENS)
def test_a_form_has_no_serious_finding_and_fits_a_tablet(
    site: ReviewSite, new_context: Callable[..., BrowserContext], screen: str
) -> None:
    campaign, keys, shows = SCREENS[screen]
    page = new_context().new_page()
    sign_in(page, site, "ann", path=f"/?campaign={campaign}")
    slot_on_screen(page)
    for key in keys:
        page.keyboard.press(key)
    page.locator(shows).first.wait_for()
    assert findings_by_theme(page) == NOTHING
    page.set_viewport_size(TABLET)
    at_rest(page)
    assert unreached(page) == []
