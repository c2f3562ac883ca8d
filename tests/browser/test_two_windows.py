"""One annotator, two windows on one task: neither overwrites the other's decision or text, and no word is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from browser.review_site import ReviewSite, make_workspace, next_slot, say, serve, sign_in, slot_on_screen

from benchwright.annotation.app.base.state import clock
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.task_queue import TaskQueue

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    with serve(make_workspace(tmp_path_factory.mktemp("windows"))) as running:
        yield running


@pytest.fixture
def store(site: ReviewSite) -> Iterator[ReviewStore]:
    with open_store(f"sqlite:///{site.workspace / 'review.sqlite'}") as opened:
        yield opened


@pytest.fixture
def windows(site: ReviewSite, new_context: Callable[..., BrowserContext]) -> Callable[[str], tuple[Page, Page, int]]:
    """Open two windows of one annotator on the task that they hold."""

    def opened(name: str) -> tuple[Page, Page, int]:
        context = new_context()
        first = context.new_page()
        sign_in(first, site, name, path="/?campaign=verify")
        slot = slot_on_screen(first)
        second = context.new_page()
        second.goto(site.url + "/review?campaign=verify")
        assert slot_on_screen(second) == slot
        return first, second, slot

    return opened


def write(page: Page, words: str) -> None:
    page.keyboard.press("n")
    page.keyboard.type(words)
    page.keyboard.press("Escape")


def note(page: Page) -> str:
    return page.locator(".card .note textarea").first.input_value()


def status(page: Page) -> str:
    return page.locator(".card .status").inner_text()


def other(page: Page) -> str:
    """Return the card's text from another window."""
    return page.get_by_role("group", name="Written in another window").inner_text()


def test_a_decision_is_not_overwritten_from_a_window_that_has_not_seen_it(
    store: ReviewStore, windows: Callable[[str], tuple[Page, Page, int]]
) -> None:
    first, second, slot = windows("ann")
    say(first, "a")
    assert next_slot(first, slot) != slot
    second.keyboard.press("1")
    write(second, "I would not")
    second.get_by_text("You have since decided this in another window").first.wait_for()
    second.keyboard.press("x")
    second.get_by_text("You decided “Accept” before.").wait_for()
    [said] = store.decisions("verify")
    assert (said.decision, said.version) == ("accept", 1)
    assert note(second) == "I would not"
    assert second.locator(".reason[aria-pressed=true]").count() == 1
    assert slot_on_screen(second) == slot
    second.keyboard.press("x")  # now that both were seen
    assert next_slot(second, slot) != slot
    [said] = store.decisions("verify")
    assert (said.decision, said.version, said.note) == ("reject", 2, "I would not")


def test_what_is_written_in_two_windows_is_kept_and_shown_in_both(
    store: ReviewStore, windows: Callable[[str], tuple[Page, Page, int]]
) -> None:
    first, second, slot = windows("ben")
    task = TaskQueue(store, store.campaign("verify"), "ben").next(now=clock())
    assert task is not None
    write(first, "seen from the left")
    first.get_by_text("Draft saved").wait_for()
    write(second, "seen from the right")
    second.get_by_text("You wrote something about this in another window too").wait_for()
    assert (note(second), other(second)) == ("seen from the right", "seen from the left")
    with first.expect_response(lambda answer: "/drafts/" in answer.url):
        write(first, ", closely")
    kept = TaskQueue(store, store.campaign("verify"), "ben").open(task.task_id, now=clock()).draft
    assert kept["note"] == "seen from the left, closely"
    assert kept["other"]["note"] == "seen from the right"
    second.keyboard.press("1")
    second.keyboard.press("x")  # decided without having seen what was added meanwhile
    second.get_by_text("in another window; both texts are kept").wait_for()
    assert "ben" not in {one.annotator for one in store.decisions("verify")}
    assert note(second) == "seen from the right"
    assert other(second) == note(first)
    first.reload()
    assert slot_on_screen(first) == slot
    assert note(first) == "seen from the left, closely"
    assert other(first).splitlines()[-1] == "seen from the right"
    second.keyboard.press("x")
    assert next_slot(second, slot) != slot
    [said] = [one for one in store.decisions("verify") if one.annotator == "ben"]
    assert (said.decision, said.note) == ("reject", "seen from the right")
