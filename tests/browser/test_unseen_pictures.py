"""Unseen tasks cannot be decided: deciding waits for the pictures, in the browser and at the server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from browser.review_site import ReviewSite, make_workspace, next_slot, serve, sign_in, slot_on_screen

from benchwright.annotation.store.database.schema import slots
from benchwright.annotation.store.review_store import ReviewStore, open_store

if TYPE_CHECKING:
    from playwright.sync_api import Page

_DECIDE_BY_HAND = """async ([task, campaign]) => {
  const event = { task, does: "decide", decision: "accept", reasons: [], note: "", version: 0, revision: 0 };
  const headers = { "Content-Type": "application/json", "x-benchwright-draft": "1" };
  const body = JSON.stringify({ campaign, events: [event] });
  const reply = await fetch("/work", { method: "POST", headers, body });
  return (await reply.json()).results[0];
}"""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[ReviewSite]:
    with serve(make_workspace(tmp_path, photographs=4)) as running:  # for each test: the app keeps what it has shown
        yield running


@pytest.fixture
def store(site: ReviewSite) -> Iterator[ReviewStore]:
    with open_store(f"sqlite:///{site.workspace / 'review.sqlite'}") as opened:
        yield opened


def decided_by(store: ReviewStore, name: str) -> int:
    return sum(decision.annotator == name for decision in store.decisions("verify"))


def is_refused(page: Page) -> bool:
    page.keyboard.press("y")
    assert page.locator(".status").inner_text() != ""
    return page.locator(".action.accept").get_attribute("aria-disabled") == "true"


def test_deciding_waits_until_every_picture_is_there(site: ReviewSite, store: ReviewStore, page: Page) -> None:
    page.route("**/pictures/*/1", lambda _: None)
    sign_in(page, site, "ann")
    page.locator(".card[aria-busy=true]").wait_for()
    assert is_refused(page)
    page.keyboard.press("2")  # what is not a decision does not wait
    assert page.locator(".reason[aria-pressed=true]").count() == 1
    page.unroute("**/pictures/*/1")  # lets those go that were held
    slot = slot_on_screen(page)
    assert page.locator(".status").inner_text() in {"", "Draft saved"}
    page.keyboard.press("x")
    next_slot(page, slot)
    assert decided_by(store, "ann") == 1


def test_a_task_whose_picture_is_gone_is_skipped_and_not_decided(
    site: ReviewSite, store: ReviewStore, page: Page
) -> None:
    for path in (site.workspace / "objects").glob("*/*"):
        path.unlink()
    sign_in(page, site, "ben")
    slot = slot_on_screen(page)
    page.get_by_role("alert").first.wait_for()
    assert is_refused(page)
    assert "cannot be shown" in page.locator(".status").inner_text()
    with store.reading() as connection:
        task = connection.execute(sa.select(slots.c.task_id).where(slots.c.id == slot)).scalar_one()
    reply = page.evaluate(_DECIDE_BY_HAND, [task, "verify"])
    assert (reply["refused"], "cannot be shown" in reply["words"]) == (True, True)
    page.keyboard.press("s")
    assert next_slot(page, slot) is not None
    assert decided_by(store, "ben") == 0
