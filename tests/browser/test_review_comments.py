"""Comments, flags, one's own history and the time on a task, in the running app, down to what is in the store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from browser.review_site import ReviewSite, make_workspace, next_slot, say, serve, sign_in, slot_on_screen
from walks import run_json

from benchwright.annotation.app.task_card import card as card_module
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.task_queue import TaskQueue

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page, Route

SCRIPT = '<img src=x onerror="window.hacked=1">'


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    with serve(make_workspace(tmp_path_factory.mktemp("remarks"))) as running:
        yield running


@pytest.fixture
def store(site: ReviewSite) -> Iterator[ReviewStore]:
    with open_store(f"sqlite:///{site.workspace / 'review.sqlite'}") as opened:
        yield opened


def queue_of(store: ReviewStore, name: str) -> TaskQueue:
    return TaskQueue(store, store.campaign("verify"), name)


def remarks_of(page: Page) -> list[str]:
    return page.locator(".card .told-before li").all_inner_texts()


def test_comments_and_flags_leave_the_decision_as_it_is_and_reach_the_curator_alone(
    site: ReviewSite, store: ReviewStore, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context().new_page()
    sign_in(page, site, "ann")
    slot = slot_on_screen(page)
    drafts: list[Route] = []

    def hold(route: Route) -> None:
        drafts.append(route)

    page.route("**/drafts/*", hold, times=1)
    with page.expect_request("**/drafts/*"):
        page.keyboard.press("2")
    page.keyboard.press("g")
    page.keyboard.type(f"which of the two? {SCRIPT} axes")
    page.get_by_role("button", name="Send comment").click()
    page.get_by_text("Comment saved.").wait_for()
    drafts.pop().continue_()
    page.get_by_text("Comment saved. · Draft saved").wait_for()
    page.locator(".card .told-before li").wait_for()
    assert remarks_of(page) == [f"You commented: which of the two? {SCRIPT} axes"]
    assert page.get_by_role("button", name="unclear").get_attribute("aria-pressed") == "true"
    page.keyboard.press("g")
    page.get_by_role("button", name="Flag for a curator").click()
    page.get_by_text("Flagged. A curator will look.").wait_for()
    page.locator(".card .told-before li").nth(1).wait_for()
    assert remarks_of(page)[1].strip() == "⚑ You flagged this."
    assert slot_on_screen(page) == slot
    page.keyboard.press("x")
    assert next_slot(page, slot) != slot
    assert store.decisions("verify")[0].decision == "reject"

    other = new_context().new_page()
    sign_in(other, site, "ben", path="/flags")
    other.get_by_role("link", name="Go to the start").wait_for()
    assert other.get_by_text("Flags").count() == 0, "only curators have the page"

    curator = new_context().new_page()
    sign_in(curator, site, "cur", path="/flags")
    curator.get_by_text("⚑ ann").wait_for()
    curator.get_by_text(SCRIPT).wait_for()
    assert curator.get_by_text(SCRIPT).count() == 1
    assert curator.evaluate("() => window.hacked") is None
    curator.wait_for_function(
        "() => [...document.querySelectorAll('img.bw-small')].some((image) => image.complete && image.naturalWidth > 9)"
    )
    curator.get_by_role("button", name="Settle").first.click()
    curator.get_by_text("⚑ ann").wait_for(state="hidden")
    [left] = store.remarks("verify")
    assert (left.is_flag, left.annotator) == (False, "ann")
    document = run_json("review", "flags", "--workspace", site.workspace, "--settle", left.id)
    assert document["flags"] == []
    assert [one.settled_by for one in store.remarks("verify", settled=True)] == ["cur", "(command line)"]


def test_the_history_shows_versions_and_finds_words_and_a_decision_is_changed_from_there(
    site: ReviewSite, store: ReviewStore, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context().new_page()
    sign_in(page, site, "ben")
    slot = slot_on_screen(page)
    for letter in "ava":
        say(page, letter, note="which corner of the tower?")
        following = next_slot(page, slot)
        assert following is not None
        slot = following
    page.get_by_role("link", name="My decisions").click()
    page.get_by_role("link", name="Open").nth(2).wait_for()
    page.get_by_label("Find").fill("OF the tower")
    page.keyboard.press("Enter")
    page.wait_for_url("**/history?*find=OF+the+tower")
    assert page.get_by_role("link", name="Open").count() == 1
    assert page.evaluate("document.activeElement.id") == "find", "the field keeps the focus"
    page.get_by_role("link", name="Open").click()
    page.get_by_text("You decided “Revise” before").wait_for()
    opened = slot_on_screen(page)
    page.keyboard.press("y")
    next_slot(page, opened)
    page.get_by_role("link", name="My decisions").click()
    page.get_by_text("Before: Revise").wait_for()
    assert page.get_by_text("Accept (changed)").count() == 1
    newest = queue_of(store, "ben").history()[0]
    assert [one.decision for one in (*newest.earlier, newest.annotation)] == ["revise", "accept"]


def test_time_on_task_leaves_pauses_out_outlives_a_reload_and_is_never_more_than_the_lease_knows(
    site: ReviewSite, store: ReviewStore, new_context: Callable[..., BrowserContext]
) -> None:
    context = new_context()
    page = context.new_page()
    page.clock.install()
    sign_in(page, site, "cur", path="/review")
    slot = slot_on_screen(page)
    page.mouse.move(200, 300)
    page.clock.fast_forward(7_000)
    page.mouse.move(210, 310)
    page.clock.fast_forward(900_000)  # a long lunch counts as so many seconds as a pause may last
    page.mouse.move(220, 320)
    counted = page.evaluate(
        "() => Number(Object.entries(sessionStorage).find(([k]) => k.startsWith('benchwright-active'))[1])"
    )
    assert 37_000 <= counted < 45_000
    assert card_module.IDLE_AFTER_S == 30
    page.keyboard.press("y")
    next_slot(page, slot)
    [said] = [one for one in store.decisions("verify") if one.annotator == "cur"]
    elapsed = (said.submitted_at - said.started_at).total_seconds()
    assert said.active_s is not None
    assert said.active_s == elapsed, "the browser's clock ran ahead: no more counts than passed here"
