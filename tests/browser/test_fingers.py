"""On a phone, every button and link for annotators is large enough for a finger, on every page.

The same holds for the pages on which curators try rules and thresholds, for the list of items and the page of one item.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browser.all_screens import KINDS, SCREENS, go_to
from browser.full_site import make_full_workspace
from browser.kinds_site import every_kind, make_images, open_campaigns
from browser.review_site import ReviewSite, serve
from browser.widths import FINGER, too_small

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

pytestmark = pytest.mark.thorough

CURATORS = "cur"
WITH_FIELDS = {"rules", "thresholds", "items", "one item"}
PRESSED = [name for name, screen in SCREENS.items() if screen.name != CURATORS or name in WITH_FIELDS]


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    with serve(make_full_workspace(tmp_path_factory.mktemp("fingers"))) as running:
        yield running


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    done = make_images(Path(tmp_path_factory.mktemp("fingers-kinds")))
    open_campaigns(done, every_kind(done))
    with serve(done.workspace) as running:
        yield running


@pytest.mark.parametrize("screen", PRESSED)
def test_what_a_finger_presses_is_large_enough(
    full: ReviewSite, new_context: Callable[..., BrowserContext], screen: str
) -> None:
    page = new_context(**FINGER).new_page()
    go_to(page, full, SCREENS[screen])
    assert too_small(page) == []


@pytest.mark.parametrize("screen", list(KINDS))
def test_it_is_so_in_every_kind_of_campaign(
    kinds: ReviewSite, new_context: Callable[..., BrowserContext], screen: str
) -> None:
    page = new_context(**FINGER).new_page()
    go_to(page, kinds, KINDS[screen])
    assert too_small(page) == []
