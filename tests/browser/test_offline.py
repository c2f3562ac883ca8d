"""Without a connection no typed text is lost: the card keeps it and saves it once the connection is back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from browser.rest import wait_for_pictures
from browser.review_site import ReviewSite, make_workspace, next_slot, say, serve, sign_in, slot_on_screen

from benchwright.annotation.app.base.state import clock
from benchwright.annotation.store.review_store import open_store
from benchwright.annotation.workflow.task_queue import TaskQueue

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

NOTE = ".card .says .note textarea"
COMMENT = ".remarks textarea"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    with serve(make_workspace(tmp_path_factory.mktemp("offline"))) as running:
        yield running


def drafted(site: ReviewSite, name: str) -> str:
    """Return the note of an annotator's draft for the task they hold."""
    with open_store(f"sqlite:///{site.workspace / 'review.sqlite'}") as store:
        task = TaskQueue(store, store.campaign("verify"), name).next(now=clock())
        assert task is not None
        return str(task.draft.get("note", ""))


def test_a_draft_that_was_not_saved_is_saved_once_the_connection_is_back_and_survives_a_reload(
    site: ReviewSite, new_context: Callable[..., BrowserContext]
) -> None:
    context = new_context()
    page = context.new_page()
    sign_in(page, site, "ann", path="/?campaign=verify")
    slot_on_screen(page)
    context.set_offline(True)
    page.locator(NOTE).fill("typed offline")
    page.get_by_text("Draft not saved").wait_for()
    assert drafted(site, "ann") == ""
    context.set_offline(False)
    page.get_by_text("Draft saved").wait_for()
    assert drafted(site, "ann") == "typed offline"
    page.route("**/drafts/*", lambda route: route.abort())  # the connection fails again, until after the reload
    page.locator(NOTE).fill("typed before a reload")
    page.get_by_text("Draft not saved").wait_for()
    page.unroute("**/drafts/*")
    page.reload()
    slot_on_screen(page)
    assert page.locator(NOTE).input_value() == "typed before a reload"


def test_what_is_typed_while_a_comment_waits_for_the_connection_stays(
    site: ReviewSite, new_context: Callable[..., BrowserContext]
) -> None:
    context = new_context()
    page = context.new_page()
    sign_in(page, site, "ben", path="/?campaign=verify")
    slot = slot_on_screen(page)
    context.set_offline(True)
    page.keyboard.press("g")
    page.locator(COMMENT).fill("a first remark")
    page.get_by_role("button", name="Send comment").click()
    page.locator(COMMENT).fill("and a second one")
    page.locator(NOTE).fill("the note")
    context.set_offline(False)
    page.locator(".told-before").get_by_text("a first remark").wait_for()
    assert slot_on_screen(page) == slot
    assert page.locator(COMMENT).input_value() == "and a second one"
    assert page.locator(NOTE).input_value() == "the note"


def test_a_card_that_was_handed_over_takes_no_text_that_would_vanish_with_it(
    site: ReviewSite, new_context: Callable[..., BrowserContext]
) -> None:
    context = new_context()
    page: Page = context.new_page()
    sign_in(page, site, "cur", path="/review?campaign=verify")
    slot = slot_on_screen(page)
    wait_for_pictures(page, of_tasks=3)
    context.set_offline(True)
    for is_last in (False, False, True):
        say(page, "a")
        slot = slot if is_last else next_slot(page, slot) or 0
    page.get_by_text("Loading the next task").wait_for()
    page.keyboard.press("n")
    page.keyboard.type("words for nobody")
    page.locator(NOTE).click(force=True)
    page.keyboard.type("words for nobody")
    assert page.locator(NOTE).input_value() == ""
    context.set_offline(False)
    assert next_slot(page, slot) is not None
    page.keyboard.press("n")
    page.keyboard.type("about the next one")
    assert page.locator(NOTE).input_value() == "about the next one"
