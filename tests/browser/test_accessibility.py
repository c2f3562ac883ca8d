"""No screen of the review app, light or dark, has a serious finding of axe's, and each works on a tablet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from browser.axe import NOTHING, findings, findings_by_theme
from browser.full_site import DISCUSSED, make_full_workspace
from browser.rest import at_rest
from browser.review_site import PASSWORDS, ReviewSite, serve, sign_in, slot_on_screen
from browser.widths import TABLET, unreached
from walks import run_json

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

Open = Callable[["Page"], None]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    """A workspace with content for every screen."""
    with serve(make_full_workspace(tmp_path_factory.mktemp("accessible"))) as running:
        yield running


def of_task(page: Page) -> None:
    slot_on_screen(page)
    page.locator("img.picture").first.wait_for()


def of_task_after(key: str, *, shows: str) -> Open:
    """Wait for a task, press a key, and wait for its effect."""

    def opened(page: Page) -> None:
        of_task(page)
        page.keyboard.press(key)
        page.locator(shows).first.wait_for()

    return opened


def of_votes(page: Page) -> None:
    """Answer a task blind, and give the first of its votes."""
    of_task_after("1", shows=".option[aria-pressed=true]")(page)
    page.keyboard.press("Enter")
    page.locator(".card[aria-busy=false] [data-field=accurate]").wait_for()
    page.keyboard.press("1")
    page.locator("[data-field=accurate] [aria-pressed=true]").wait_for()


def of_text(text: str) -> Open:
    """Wait for a visible text: a table drawn on a canvas holds its cells as hidden elements too."""
    return lambda page: page.get_by_text(text).filter(visible=True).first.wait_for()


SCREENS: dict[str, tuple[str, str, Open]] = {
    "home": ("ann", "/home", of_text("Hello, ann")),
    "verify": ("ann", "/?campaign=verify", of_task),
    "answer": ("ben", "/?campaign=baseline", of_task),
    "form": ("ben", "/?campaign=form", of_task),
    "edits": ("ben", "/?campaign=verify", of_task_after("v", shows=".editor textarea:focus")),
    "remarks": ("ben", "/?campaign=verify", of_task_after("g", shows=".remarks textarea:focus")),
    "review, blind": ("ben", "/?campaign=review", of_task),
    "review, votes": ("ann", "/?campaign=review", of_votes),
    "history": ("ann", "/history?campaign=verify", of_text("Accept")),
    "discussion": ("ann", f"/discussion?campaign=talked&item={DISCUSSED}", of_text("See the")),
    "progress, rounds": ("cur", "/progress?campaign=verify", of_text("Adjudicators' decisions")),
    "progress, review": ("cur", "/progress?campaign=voted", of_text("failed the review")),
    "agreement": ("cur", "/agreement?campaign=verify", of_text("percent")),
    "agreement, votes": ("cur", "/agreement?campaign=voted", of_text("Votes by criterion")),
    "annotators": ("cur", "/annotators?campaign=verify", of_text("ben")),
    "reasons": ("cur", "/reasons?campaign=verify", of_text("unclear")),
    "flags": ("cur", "/flags?campaign=verify", of_text("⚑ ben")),
    "adjudicate": ("cur", "/adjudicate?campaign=verify", of_task),
    "adjudicate, edits": ("cur", "/adjudicate?campaign=verify", of_task_after("v", shows=".editor textarea:focus")),
    "people": ("cur", "/people", of_text("Add and invite")),
    "sign out": ("ann", "/logout", of_text("You are signed in")),
}  # fmt: skip


@pytest.mark.parametrize("screen", SCREENS)
def test_a_screen_has_no_serious_finding_and_fits_a_tablet(
    site: ReviewSite, new_context: Callable[..., BrowserContext], screen: str
) -> None:
    name, path, is_there = SCREENS[screen]
    page = new_context().new_page()
    sign_in(page, site, name, path=path)
    is_there(page)
    assert findings_by_theme(page) == NOTHING
    page.set_viewport_size(TABLET)
    at_rest(page)
    assert unreached(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("page_name", ["sign in", "refused", "invitation", "no invitation"])
def test_a_sign_in_page_has_no_serious_finding(
    site: ReviewSite, new_context: Callable[..., BrowserContext], page_name: str, scheme: str
) -> None:
    page = new_context(color_scheme=scheme).new_page()
    if page_name == "invitation":
        page.goto(
            run_json("review", "users", "--workspace", site.workspace, "--invite", "new", "--url", site.url)[
                "invitation"
            ]
        )
    else:
        page.goto(site.url + ("/welcome?invitation=x" if page_name == "no invitation" else "/login"))
    if page_name == "refused":
        page.fill("#name", "ann")
        page.fill("#password", "not " + PASSWORDS["ann"])
        page.click("button")
        page.get_by_role("alert").wait_for()
    assert findings(page) == []
