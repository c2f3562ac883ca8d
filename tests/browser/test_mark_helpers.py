"""Programs that propose marks, from the card: GrabCut cuts out a box's content, and annotators accept or reject it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from browser.marking_site import draw, field, open_marking, open_task, save_photograph, stored, submit
from browser.review_site import ReviewSite, serve

from benchwright.regions import Region, mask_area

if TYPE_CHECKING:
    from playwright.sync_api import Page

SIZE = (900, 600)
CAMPAIGNS = {"masks": [field("mask")], "refused": [field("mask")], "points": [field("point")]}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    folder = tmp_path_factory.mktemp("helped")
    save_photograph(folder / "photographs" / "coffee.jpg", SIZE, "coffee")
    with serve(open_marking(folder, CAMPAIGNS)) as running:
        yield running


def test_a_mask_is_proposed_from_a_stroke_and_taken_over_by_a_key(site: ReviewSite, page: Page) -> None:
    open_task(page, site, "masks")
    draw(page, (300, 150), (560, 150), (560, 380), (300, 380), size=SIZE)
    page.locator(".mark-helpers button").first.wait_for()
    page.keyboard.press("h")
    proposal = page.locator(".suggestions .mark-row")
    proposal.wait_for()
    page.locator(".mark-helpers [role=status]", has_text="proposes").wait_for()
    page.keyboard.press("d")  # the stroke that it was asked with goes
    proposal.click()
    page.keyboard.press("j")
    page.locator("[data-field=mask] .mark-row", has_text="proposed by Cut out by color").wait_for()
    submit(page)
    [mask] = stored(site, "masks")["mask"]
    assert mask["proposal"]["helper"] == "grabcut"
    region = Region.model_validate(mask)
    assert region.mask is not None
    assert 0.02 < mask_area(region.mask) / (SIZE[0] * SIZE[1]) < 0.5


def test_a_proposal_that_is_rejected_leaves_nothing_behind(site: ReviewSite, page: Page) -> None:
    open_task(page, site, "refused")
    page.locator(".mark-helpers button").first.click()
    page.locator(".suggestions .mark-row").wait_for()
    page.get_by_role("button", name="Reject").first.click()
    page.locator(".suggestions .mark-row").wait_for(state="detached")
    assert page.locator("[data-field=mask] .mark-row").count() == 0


def test_no_helper_is_offered_for_what_none_can_give(site: ReviewSite, page: Page) -> None:
    open_task(page, site, "points")
    assert page.locator(".mark-helpers button:visible").count() == 0
