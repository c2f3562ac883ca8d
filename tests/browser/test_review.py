"""The review app, as annotators and curators use it, in a real Chromium, down to what is in the store."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from browser.review_site import ReviewSite, make_workspace, next_slot, say, serve, sign_in, slot_on_screen
from walks import run_json

from benchwright.annotation.store.database.schema import slots, tasks
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.task_queue import TaskQueue

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

# By item, in the order of their ids: accept, reject, ask for a revision.
SAID = {"ann": "aaaaaaarrv", "ben": "aaaaaarrav"}
LETTERS = {"accept": "a", "reject": "r", "revise": "v"}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    with serve(make_workspace(tmp_path_factory.mktemp("review"))) as running:
        yield running


@pytest.fixture
def store(site: ReviewSite) -> Iterator[ReviewStore]:
    with open_store(f"sqlite:///{site.workspace / 'review.sqlite'}") as opened:
        yield opened


def letters_by_slot(store: ReviewStore, said: str) -> dict[int, str]:
    """Return an annotator's planned answer for each slot, by the place of its item among the sorted ids."""
    with store.reading() as connection:
        rows = connection.execute(sa.select(slots.c.id, tasks.c.item_id).join(tasks)).all()
    order = sorted({row.item_id for row in rows})
    assert len(order) == len(said)
    return {row.id: said[order.index(row.item_id)] for row in rows}


def review_everything(page: Page, letters: dict[int, str], *, from_: int) -> int:
    """Decide task after task by keyboard, beginning with the one on the screen; return how many."""
    slot: int | None = from_
    count = 0
    while slot is not None:
        say(page, letters[slot])
        count += 1
        slot = next_slot(page, slot)
    return count


def note_of(page: Page) -> str:
    return page.locator(".card textarea").input_value()


def test_two_annotators_review_ten_items_each_and_the_store_has_it_right(
    site: ReviewSite, store: ReviewStore, new_context: Callable[..., BrowserContext]
) -> None:
    ann, ben = new_context().new_page(), new_context().new_page()

    # Ann rejects her first item by mistake, goes on, and reloads in the middle of a note.
    letters = letters_by_slot(store, SAID["ann"])
    sign_in(ann, site, "ann")
    first = slot_on_screen(ann)
    say(ann, "r" if letters[first] == "a" else "a")
    second = next_slot(ann, first)
    assert second is not None
    ann.keyboard.press("1")
    ann.keyboard.press("n")
    ann.keyboard.type("half a thou")
    ann.reload()
    assert slot_on_screen(ann) == second
    assert note_of(ann) == "half a thou"
    assert ann.locator(".reason[aria-pressed=true]").all_inner_texts() == ["wrong answer\n1"]
    ann.keyboard.press("1")

    # She takes the mistake back: the item comes again, with what she said.
    ann.keyboard.press("u")
    assert next_slot(ann, second) == first
    assert "You decided" in ann.locator(".card .before").inner_text()
    ann.reload()
    assert slot_on_screen(ann) == first
    say(ann, letters[first])
    assert next_slot(ann, first) == second
    ann.locator(".card textarea").fill("")
    ann.keyboard.press("Escape")
    assert review_everything(ann, letters, from_=second) == 9

    letters = letters_by_slot(store, SAID["ben"])
    sign_in(ben, site, "ben")
    assert review_everything(ben, letters, from_=slot_on_screen(ben)) == 10

    decisions = store.decisions("verify")
    for name, said in SAID.items():
        own = {one.item_id: LETTERS[one.decision] for one in decisions if one.annotator == name}
        assert "".join(own[item_id] for item_id in sorted(own)) == said
    assert sorted(one.version for one in decisions) == [1] * 19 + [2]
    assert {one.reasons for one in decisions if one.decision == "reject"} == {("unclear",)}
    assert {one.note for one in decisions if one.decision == "revise"} == {"which corner?"}

    # Eight of ten agree; both say accept 7, reject 2, revise 1 times, so chance gives .49 + .04 + .01.
    curator = new_context().new_page()
    sign_in(curator, site, "cur", path="/progress")
    curator.get_by_role("heading", name="Outcomes of the tasks").wait_for()
    found = run_json("review", "agreement", "--workspace", site.workspace)
    assert (found["units"], found["raters"], found["percent"]) == (10, 2, 0.8)
    assert found["cohen_kappa"] == pytest.approx((0.8 - 0.54) / (1 - 0.54))
    folder = site.workspace.parent
    done = run_json("run", folder / "ten.yaml", "--images", folder / "photographs", "--workspace", site.workspace)
    verify = next(step for step in done["steps"] if step["name"] == "verify")
    assert (done["state"], verify["kept"]) == ("done", 6)
    assert verify["dropped"] == {"needs_revision": 1, "no_agreement": 2, "rejected": 1}


def test_the_curator_sees_progress_and_agreement_and_annotators_do_not(
    site: ReviewSite, new_context: Callable[..., BrowserContext]
) -> None:
    curator, annotator = new_context().new_page(), new_context().new_page()
    sign_in(curator, site, "cur", path="/progress")
    curator.get_by_text("Decisions in").wait_for()
    assert curator.get_by_text(re.compile(r"^\d+ / 20$")).is_visible()
    sign_in(annotator, site, "ann", path="/progress")
    annotator.get_by_role("link", name="Go to the start").click()
    annotator.get_by_role("link", name="My decisions").wait_for()
    assert annotator.get_by_role("link", name="Progress").count() == 0
    assert annotator.get_by_role("link", name="People").count() == 0
    assert annotator.get_by_text("Decisions in").count() == 0


def test_a_curator_invites_somebody_who_chooses_a_password_and_is_in(
    site: ReviewSite, new_context: Callable[..., BrowserContext]
) -> None:
    curator, guest = new_context().new_page(), new_context().new_page()
    sign_in(curator, site, "cur", path="/people")
    curator.get_by_label("Name").fill("dee <b>")
    curator.get_by_role("button", name="Add and invite").click()
    link = curator.locator(".invitations code").inner_text().strip()
    assert link.startswith(site.url + "/welcome?invitation=")
    guest.goto(link)
    assert guest.get_by_role("heading", name="Welcome, dee <b>").is_visible()
    guest.fill("#password", "dee's own password")
    guest.fill("#again", "dee's own password")
    guest.get_by_role("button").click()
    guest.get_by_text("dee <b>").wait_for()
    guest.goto(link)
    assert guest.get_by_text("has been used").is_visible()


def test_somebody_locked_out_is_out_on_the_next_key(
    site: ReviewSite, store: ReviewStore, new_context: Callable[..., BrowserContext]
) -> None:
    page, own = (new_context().new_page() for _ in range(2))
    sign_in(page, site, "cur", path="/home")
    page.get_by_text("Hello, cur").wait_for()
    sign_in(own, site, "cur", path="/history")
    own.get_by_text("not decided anything").wait_for()
    run_json("review", "users", "--workspace", site.workspace, "--add", "boss", "--role", "curator")
    run_json("review", "users", "--workspace", site.workspace, "--lock", "cur")
    page.get_by_role("link", name="Progress").click()
    page.get_by_text("session has ended").wait_for()
    assert page.get_by_text("Decisions in").count() == 0
    own.get_by_role("link", name="Progress").click()
    own.get_by_role("heading", name="Sign in").wait_for()
    run_json("review", "users", "--workspace", site.workspace, "--unlock", "cur")
    assert TaskQueue(store, store.campaign("verify"), "cur").history() == []
