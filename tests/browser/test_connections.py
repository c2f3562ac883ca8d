"""The curator's page of tokens, webhooks, entries and pay, and the path of a worker of Prolific, in Chromium."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from api_client import ApiClient
from browser.axe import NOTHING, findings_by_theme
from browser.rest import at_rest
from browser.review_site import ReviewSite, make_workspace, next_slot, serve, sign_in, slot_on_screen
from browser.widths import FINGER, too_small, unreached
from walks import run_json

from benchwright.annotation.store.integrations.crowd import CrowdEntries
from benchwright.annotation.store.review_store import open_store

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

HACK = '<img src=x onerror="window.hacked=1">'
pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    with serve(make_workspace(tmp_path_factory.mktemp("connections"))) as running:
        yield running


@pytest.fixture
def page(site: ReviewSite, new_context: Callable[..., BrowserContext]) -> Page:
    opened = new_context(viewport={"width": 1280, "height": 2200}).new_page()
    sign_in(opened, site, "cur", path="/connections?campaign=verify")
    opened.get_by_role("heading", name="Tokens of the HTTP API").wait_for()
    at_rest(opened)
    return opened


def test_a_curator_makes_a_token_that_works_and_revokes_it(page: Page, site: ReviewSite, tmp_path: Path) -> None:
    page.get_by_label("Purpose").fill("nightly export")
    page.get_by_role("button", name="Make a token").click()
    page.get_by_text("Your new token. Copy it now").wait_for()
    token = page.locator("#secret").inner_text().strip()
    page.locator("#make-token:focus").wait_for()
    page.reload()  # a reload by mistake does not lose it
    assert page.locator("#secret").inner_text().strip() == token
    client = ApiClient(site.url, token)
    assert client.get("/campaigns/verify").status == 200
    page.screenshot(path=tmp_path / "connections.png", full_page=True)
    assert findings_by_theme(page) == NOTHING
    page.get_by_role("button", name="Revoke").click()
    at_rest(page)
    assert client.get("/campaigns/verify").status == 401
    assert token not in page.content()


def test_an_address_that_may_not_be_is_refused_in_words(page: Page) -> None:
    page.get_by_label("Address", exact=True).fill("https://127.0.0.1/hook")
    page.get_by_role("button", name="Add a webhook").click()
    page.get_by_text("not on a public network").wait_for()
    assert page.get_by_label("Address", exact=True).input_value() == "https://127.0.0.1/hook"
    page.get_by_label("Code for completed work").fill(HACK)
    page.reload()
    assert page.get_by_label("Code for completed work").input_value() == HACK, "what is typed outlives a reload"
    page.get_by_role("button", name="Make an entry").press("Enter")
    page.get_by_role("alert").get_by_text(HACK).wait_for()
    assert page.evaluate("window.hacked") is None
    assert page.get_by_label("Code for completed work").input_value() == HACK


def test_pay_follows_the_rate_in_the_address_and_is_a_file_too(page: Page) -> None:
    page.get_by_label("Pay per hour").fill("much")
    page.locator("#show-pay").click()
    page.locator("#rate-problem").wait_for()
    assert page.get_by_label("Pay per hour").input_value() == "much"
    page.get_by_label("Pay per hour").fill("12")
    page.locator("#show-pay").press("Enter")
    page.wait_for_url("**rate=12*")
    page.go_back()
    page.locator("#rate-problem").wait_for()


@pytest.mark.parametrize("width", [390, 1366])
def test_the_page_is_accessible_and_within_reach(
    site: ReviewSite, new_context: Callable[..., BrowserContext], width: int
) -> None:
    page = new_context(**(FINGER if width < 500 else {"viewport": {"width": width, "height": 800}})).new_page()
    sign_in(page, site, "cur", path="/connections?campaign=verify")
    page.locator("#make-token").wait_for()
    assert findings_by_theme(page) == NOTHING
    assert unreached(page) == []
    assert too_small(page) == []


def test_nobody_but_a_curator_sees_or_changes_connections(
    site: ReviewSite, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context().new_page()
    sign_in(page, site, "ann", path="/connections?campaign=verify")
    page.get_by_role("link", name="Go to the start").wait_for()
    for path in ("token", "revoke", "webhook", "remove", "entry", "close-entry", "close"):
        assert page.request.post(f"{site.url}/connections/{path}", form={"campaign": "verify"}).status == 404
    assert page.request.get(f"{site.url}/connections/pay.csv?campaign=verify").status == 404


def test_a_campaign_is_closed_and_opened(page: Page, site: ReviewSite) -> None:
    page.get_by_role("button", name="Close the campaign").click()
    page.get_by_text("This campaign is closed").wait_for()
    page.get_by_role("button", name="Open it again").click()
    page.get_by_text("Tasks of this campaign are handed out").wait_for()


def test_a_worker_of_prolific_goes_from_the_study_to_the_code(
    page: Page, site: ReviewSite, new_context: Callable[..., BrowserContext]
) -> None:
    page.get_by_label("Code for completed work").fill("DONE77")
    page.get_by_label("Tasks per submission").fill("2")
    page.get_by_role("button", name="Make an entry").click()
    page.get_by_text("Prolific, DONE77").wait_for()
    page.locator("#make-entry:focus").wait_for()
    with open_store(f"sqlite:///{site.workspace / 'review.sqlite'}") as store:
        [entry] = CrowdEntries(store).of_campaign("verify")
    worker = new_context().new_page()
    worker.goto(f"{site.url}/enter/{entry.key}?PROLIFIC_PID=p77&STUDY_ID=s&SESSION_ID=t")
    worker.get_by_role("button", name="Begin").click()
    slot = slot_on_screen(worker)
    for _ in range(2):
        worker.keyboard.press("y")
        slot = next_slot(worker, slot) or 0 if _ == 0 else slot
    worker.get_by_role("link", name="Finish and get your code").click()
    worker.get_by_text("DONE77").wait_for()
    link = worker.get_by_role("link", name="Back to Prolific")
    assert link.get_attribute("href") == "https://app.prolific.com/submissions/complete?cc=DONE77"
    [row] = run_json("review", "pay", "--workspace", site.workspace, "--rate", "15", "--worker-ids")["people"]
    assert (row["service"], row["worker"], row["tasks"]) == ("prolific", "p77", 2)
    page.get_by_role("button", name="Close to new workers").click()
    page.get_by_text("Closed", exact=True).wait_for()
    with page.expect_download() as download:
        page.locator("#pay-table").click()
    assert download.value.suggested_filename == "pay-verify.csv"
