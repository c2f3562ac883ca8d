"""No screen of campaigns that ask other things than to accept an item has a serious finding of axe's, light or dark, or is
cut off on a tablet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from browser.axe import NOTHING, findings_by_theme
from browser.kinds_site import make_images, open_campaigns
from browser.review_site import ReviewSite, serve, sign_in, slot_on_screen
from browser.widths import TABLET, unreached

from benchwright.annotation.campaigns import Collect, Describe, Pair, Screen

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

SCREENS = {
    "screen": ("screen", "2"),
    "pair": ("pair", "m"),
    "describe": ("describe", ""),
    "describe, every field": ("describe", "17231" + "14f" + "3"),
    "collect": ("collect", ""),
    "collect, from the web": ("collect", "12"),
}
"""By name: the campaign, and keys that are pressed first."""


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
    campaign, keys = SCREENS[screen]
    page = new_context().new_page()
    sign_in(page, site, "ann", path=f"/?campaign={campaign}")
    slot_on_screen(page)
    for key in keys:
        page.keyboard.press(key)
    page.wait_for_timeout(300)
    assert findings_by_theme(page) == NOTHING
    page.set_viewport_size(TABLET)
    page.wait_for_timeout(300)
    assert unreached(page) == []
