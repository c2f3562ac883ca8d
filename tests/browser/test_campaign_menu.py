"""After sign-in an annotator lands at open work, sees what waits where, and moves from one campaign to the next."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from browser.review_site import ReviewSite, make_workspace, next_slot, say, serve, sign_in, slot_on_screen

from benchwright.annotation.app.base.state import clock
from benchwright.annotation.campaigns.answer import Answer
from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.records import Item
from benchwright.steps import CampaignContext

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

LISTENS_TO_ENTER = "() => window.hotkeys.getAllKeyCodes().some(({ shortcut }) => shortcut === 'enter')"
"""Whether a button of Streamlit's has taken the key; it does so a moment after it shows."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    """The ten items of `verify`, and three campaigns whose names come before: all decided, two left, three left."""
    workspace = make_workspace(tmp_path_factory.mktemp("menu"))
    url = f"sqlite:///{workspace / 'review.sqlite'}"
    with open_store(url) as store:
        pattern = Item.model_validate(store.tasks("verify")[0].payload)
        several = [pattern.model_copy(update={"item_id": f"{n:032x}"}) for n in range(9)]
        context = CampaignContext(seed=1, stage="", workspace=workspace, store_url=url)
        Verify(rule="unanimous(1)").advance(several[:2], context._replace(stage="a decided one"))
        Verify(rule="unanimous(1)").advance(several[4:6], context._replace(stage="checks"))
        Answer(annotators_per_item=1).advance(several[6:], context._replace(stage="baseline"))
        queue = TaskQueue(store, store.campaign("a decided one"), "ben")
        for _ in range(2):
            task = queue.next(now=clock())
            assert task is not None
            queue.submit(task.slot_id, Submission("accept"), now=clock())
    with serve(workspace) as running:
        yield running


@pytest.fixture
def store(site: ReviewSite) -> Iterator[ReviewStore]:
    with open_store(f"sqlite:///{site.workspace / 'review.sqlite'}") as opened:
        yield opened


def menu(page: Page) -> list[str]:
    """Open the menu of campaigns and return its text for each."""
    page.locator("[data-testid=stSelectbox] [role=combobox]").click()
    options = page.locator("[role=option]")
    options.first.wait_for()
    found = options.all_inner_texts()
    page.keyboard.press("Escape")
    page.evaluate("document.activeElement.blur()")
    return found


def held(store: ReviewStore) -> int:
    return sum(store.status(one.name, now=clock()).slots["leased"] for one in store.campaigns())


def test_a_curator_lands_on_progress_and_holds_nothing(
    site: ReviewSite, store: ReviewStore, new_context: Callable[..., BrowserContext]
) -> None:
    before = held(store)
    page = new_context().new_page()
    sign_in(page, site, "cur")
    page.get_by_text("Decisions in").wait_for()
    assert page.url == site.url + "/progress"
    assert page.get_by_role("dialog").count() == 0
    assert menu(page) == ["Verify", "A decided one · done", "Checks · 2 open", "Baseline · 3 open"]
    page.goto(site.url + "/progress?campaign=checks")
    page.get_by_text("0 / 2").first.wait_for()
    assert held(store) == before


def test_an_annotator_goes_from_campaign_to_campaign_by_keyboard_until_nothing_is_left(
    site: ReviewSite, store: ReviewStore, new_context: Callable[..., BrowserContext]
) -> None:
    queue = TaskQueue(store, store.campaign("checks"), "ann")
    begun = queue.next(now=clock())
    assert begun is not None
    page = new_context().new_page()
    sign_in(page, site, "ann")
    slot: int | None = slot_on_screen(page)
    assert slot == begun.slot_id, "what was begun comes first"
    page.get_by_text("0 decided, 1 of your part to go (open to you: 2)").wait_for()  # two may decide here
    assert menu(page) == ["Verify · 10 to go", "A decided one · nothing to do", "Checks", "Baseline · 2 to go"]
    say(page, "a")
    slot = next_slot(page, slot)
    page.get_by_text("1 decided: your part is done (also open to you: 1)").wait_for()
    while slot is not None:
        say(page, "a")
        slot = next_slot(page, slot)
    told = page.locator("[data-testid=stAlert]").inner_text()
    assert told.split("\n") == [
        "All done in Checks. Your decisions here: 2. There are no more tasks for you.", "Waiting in Verify: 10.",
        "Waiting in Baseline: 2.",
    ]  # fmt: skip
    assert "Thank you" not in told
    page.wait_for_function(LISTENS_TO_ENTER)
    page.keyboard.press("Enter")
    slot = slot_on_screen(page)
    page.get_by_text("0 decided, 10 to go").wait_for()
    assert "campaign=verify" in page.url
    page.get_by_role("link", name="My decisions").click()
    page.get_by_text("You have not decided anything yet").wait_for()  # of the same campaign, not of the first one
    page.get_by_role("link", name="Review").click()
    slot = slot_on_screen(page)
    while slot is not None:
        say(page, "a")
        slot = next_slot(page, slot)
    page.get_by_text("Your decisions here: 10").wait_for()
    page.get_by_role("button", name="Go on to Baseline").click()
    slot = slot_on_screen(page)
    while slot is not None:
        page.keyboard.press("a")
        page.keyboard.press("Enter")
        slot = next_slot(page, slot)
    told = page.locator("[data-testid=stAlert]").inner_text()
    assert told.split("\n") == [
        "All done in Baseline. Your decisions here: 3. There are no more tasks for you.",
        "Nothing is waiting for you in any other campaign either. Thank you.",
    ]  # fmt: skip
    assert page.get_by_role("button", name=re.compile("Go on")).count() == 0


def test_old_addresses_still_lead_to_the_review_of_a_campaign(
    site: ReviewSite, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context().new_page()
    sign_in(page, site, "ben", path="/?campaign=verify")
    slot = slot_on_screen(page)
    assert "campaign=verify" in page.url
    page.reload()
    assert slot_on_screen(page) == slot
    assert page.get_by_role("dialog").count() == 0
