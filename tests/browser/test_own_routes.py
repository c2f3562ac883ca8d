"""Pages with our own routes are in Streamlit's menu like its own; back, forward and reload lead to the right page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from browser.all_screens import SCREENS, go_to
from browser.axe import NOTHING, findings_by_theme
from browser.full_site import DISCUSSED, make_full_workspace
from browser.review_site import ReviewSite, serve
from browser.widths import unreached

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

Opened = Callable[..., "Page"]
STREAMLITS = {"progress", "progress, review", "adjudicate"}
"""Screens of curators that Streamlit shows."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    with serve(make_full_workspace(tmp_path_factory.mktemp("menu"))) as running:
        yield running


def test_links_of_a_campaigns_pages_lead_to_the_same_campaign(curator: Opened, site: ReviewSite) -> None:
    page = curator("/annotators?campaign=voted")
    for name, path in (("Guidelines", "guidelines-edit"), ("Connections", "connections"), ("Messages", "messages")):
        page.locator("header").get_by_role("link", name=name).click()
        page.wait_for_url(f"{site.url}/{path}?campaign=voted")
    page.go_back()
    page.go_back()
    page.wait_for_url(f"{site.url}/guidelines-edit?campaign=voted")
    page.locator("header").get_by_role("link", name="Rules").click()
    page.locator("#rule").wait_for()
    assert page.url == f"{site.url}/rules?campaign=voted"
    page.go_back()
    page.select_option("#campaign", "verify")
    page.locator("#show-campaign").press("Enter")
    page.wait_for_url(f"{site.url}/guidelines-edit?campaign=verify")
    page.locator("header").get_by_role("link", name="Progress").click()
    page.get_by_role("link", name="Connections").first.click()
    page.locator("#make-token").wait_for()
    assert page.url == f"{site.url}/connections?campaign=verify", "Streamlit's pages lead there too"


def test_the_menu_leads_to_them_and_back_leads_from_them(curator: Opened, site: ReviewSite) -> None:
    page = curator("/progress?campaign=voted", viewport={"width": 1600, "height": 900})
    page.locator(".chart-place figure").first.wait_for()
    page.get_by_role("link", name="Flags").first.click()
    page.get_by_role("heading", name="Flags").wait_for()
    assert page.url == f"{site.url}/flags?campaign=voted", "the campaign goes along"
    page.go_back()
    page.locator(".chart-place figure").first.wait_for()
    assert page.url.startswith(f"{site.url}/progress")
    page.go_forward()
    page.get_by_role("heading", name="Flags").wait_for()
    page.select_option("#campaign", "verify")
    page.get_by_role("button", name="Show").click()
    page.locator("#settle-chosen").wait_for()
    page.get_by_role("link", name="People").click()
    page.get_by_role("heading", name="People").wait_for()
    page.fill("#name", "somebody")
    page.reload()
    assert page.input_value("#name") == "somebody", "what is typed outlives a reload"
    page.go_back()
    page.locator("#settle-chosen").wait_for()
    assert page.url == f"{site.url}/flags?campaign=verify"


@pytest.mark.parametrize(
    "path",
    [
        "/people",
        "/items",
        "/items?columns=state,reason,doubt&stream=items",
        "/flags?campaign=verify",
        "/annotators?campaign=verify",
        "/guidelines-edit?campaign=verify",
        "/rules?campaign=voted&sureness=yes",
        "/thresholds?threshold=quality.min_side_px&at=250",
        "/history?campaign=verify",
        "/reasons?campaign=verify",
        "/agreement?campaign=voted",
        f"/discussion?campaign=talked&item={DISCUSSED}",
        f"/item?id={DISCUSSED}",
    ],
)
@pytest.mark.parametrize("width", [390, 1366])
def test_a_page_is_accessible_and_within_reach(curator: Opened, path: str, width: int) -> None:
    page = curator(path, viewport={"width": width, "height": 800})
    page.locator("main button").first.wait_for()
    assert findings_by_theme(page) == NOTHING
    assert unreached(page) == []
    small = page.evaluate(
        "() => [...document.querySelectorAll('button, select, input:is([type=text], [type=number]), .button, header a')]"
        ".filter((one) => one.checkVisibility())"
        ".map((one) => [one.textContent, one.getBoundingClientRect()]).filter(([, box]) => box.height < 43.5)"
        ".map(([words]) => words)"
    )
    assert small == []


OWN = [name for name, screen in SCREENS.items() if screen.name == "cur" and name not in STREAMLITS]


@pytest.mark.parametrize("width", [390, 1366])
def test_every_own_page_names_the_account_and_leads_to_itself_in_another_language(
    site: ReviewSite, new_context: Callable[..., BrowserContext], width: int
) -> None:
    page = new_context(viewport={"width": width, "height": 800}).new_page()
    go_to(page, site, SCREENS["rules"])
    assert len(OWN) > 15
    for name in OWN:
        go_to(page, site, SCREENS[name]._replace(name=""))
        assert page.locator("header .who bdi").inner_text() == "cur", name
        assert page.locator("header .who a[lang]").all_inner_texts() == ["العربية"], name
    address = page.url
    page.locator("header .who a[lang=ar]").click()
    page.wait_for_function("document.documentElement.dir === 'rtl'")
    assert page.url == address
    assert page.locator("header .who bdi").inner_text() == "cur"
    assert unreached(page) == []
    page.locator("header .who a[lang=en]").click()
    page.wait_for_function("document.documentElement.dir === 'ltr'")


def test_on_a_phone_the_links_are_one_row_that_shows_the_own_one(curator: Opened) -> None:
    page = curator("/recipe", viewport={"width": 390, "height": 800})
    head, own = (page.locator(part).bounding_box() for part in ("header", "nav [aria-current]"))
    assert head is not None
    assert own is not None
    assert head["height"] < 120
    assert own["x"] >= 0
    assert own["x"] + own["width"] <= 390
    assert page.evaluate("scrollY") == 0
