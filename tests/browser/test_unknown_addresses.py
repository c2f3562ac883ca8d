"""An unknown address claims no task, shows no key, says so, and offers a way on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from browser.rest import at_rest
from browser.review_site import ReviewSite, make_workspace, serve, sign_in, slot_on_screen

from benchwright.annotation.store.review_store import open_store

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

ADDRESSES = [
    "/nothing-of-that-name", "/review/1", "/items", "/item?id=0123", "/review?campaign=nothing", "/review?campaign=verify&task=999999",
    "/adjudicate", "/review?task=x",
]  # fmt: skip
"""Of no page, of a curator's page, of an unknown campaign, task or item."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    with serve(make_workspace(tmp_path_factory.mktemp("unknown"))) as running:
        yield running


def claimed(site: ReviewSite) -> int:
    """Return the number of held tasks."""
    with open_store(f"sqlite:///{site.workspace / 'review.sqlite'}") as store, store.reading() as connection:
        return int(connection.exec_driver_sql("SELECT count(*) FROM slots WHERE annotator_id IS NOT NULL").scalar_one())


def test_an_unknown_address_claims_no_task_and_leads_on(
    site: ReviewSite, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context().new_page()
    sign_in(page, site, "ann", path="/home")
    page.locator("[class*=st-key-home-]").wait_for()
    for address in ADDRESSES:
        reply = page.goto(site.url + address)
        page.get_by_role("link", name="Go to the start").wait_for()
        at_rest(page)
        assert reply is not None
        assert reply.status == (200 if address.startswith("/review?") else 404), address
        assert page.locator(".card, .right").count() == 0, address
        assert claimed(site) == 0, address
    page.get_by_role("link", name="Go to the start").click()
    slot_on_screen(page)
    assert claimed(site) > 0
