"""The page of one item keeps input, focus and the way back, and does nothing that it did not show."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
import sqlalchemy as sa
from browser.axe import NOTHING, findings_by_theme
from browser.full_site import DISCUSSED, make_full_workspace
from browser.review_site import ReviewSite, serve, sign_in
from browser.widths import FINGER, too_small, unreached

from benchwright.annotation.app.base.state import clock
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.campaigns.overrides import OverrideStore
from benchwright.annotation.store.database.records import Task
from benchwright.annotation.store.database.schema import audit_log
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.store.submissions.examples import Examples

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

Opened = Callable[..., "Page"]
VOTES = {
    "accepted": ("accept", "accept"),
    "divided": ("accept", "reject"),
    "also accepted": ("accept", "accept"),
    "also divided": ("accept", "reject"),
    "untouched": (),
}
WHY = "it names a brand"


class Asked(NamedTuple):
    """A workspace, and the task of `verify` about each item, by name in `VOTES`."""

    workspace: Path
    tasks: dict[str, Task]


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Asked:
    workspace = make_full_workspace(tmp_path_factory.mktemp("one"))
    with open_store(f"sqlite:///{workspace / 'review.sqlite'}") as store:
        first_round = [task for task in store.tasks("verify") if task.round == 1]
        tasks = dict(zip(VOTES, first_round, strict=False))
        for name, decisions in VOTES.items():
            for annotator, decision in zip(("ann", "ben"), decisions, strict=False):
                reasons = ("unclear",) if decision == "reject" else ()
                store.decide("verify", tasks[name].id, annotator, Submission(decision, reasons=reasons), now=clock())
    return Asked(workspace, tasks)


@pytest.fixture(scope="module")
def site(asked: Asked) -> Iterator[ReviewSite]:
    with serve(asked.workspace) as running:
        yield running


def opened_store(site: ReviewSite) -> ReviewStore:
    return open_store(f"sqlite:///{site.workspace / 'review.sqlite'}")


def overridden(site: ReviewSite, item: str) -> list[str]:
    """Return the decisions by hand about an item that are in force."""
    with opened_store(site) as store:
        stored = OverrideStore(store).in_force()
    return [one.override.action for one in stored if one.override.record_id == item]


def acts_of(site: ReviewSite, act: str) -> int:
    with opened_store(site) as store, store.reading() as connection:
        query = sa.select(sa.func.count()).select_from(audit_log).where(audit_log.c.act == act)
        return int(connection.execute(query).scalar_one())


def sent_by_hand(page: Page, site: ReviewSite, path: str, **fields: str) -> int:
    """Send a form that the page may not show, with the session's token, and return the status of the answer."""
    token = page.locator("input[name=token]").first.input_value()
    return page.request.post(site.url + path, form={"token": token, **fields}, max_redirects=0).status


def test_a_plan_holds_for_what_it_showed_and_nothing_else(site: ReviewSite, asked: Asked, curator: Opened) -> None:
    page = curator(f"/item?id={asked.tasks['accepted'].item_id}")
    page.get_by_role("link", name="Source picture").click()
    page.locator("h1", has_text="piece-").wait_for()
    item = page.url.partition("id=")[2]
    page.fill("#why", WHY)
    page.press("#why", "Enter")
    page.get_by_text("1 would be withdrawn.").wait_for()
    assert page.input_value("#why") == WHY
    assert page.evaluate("document.activeElement.id") == "why", "the focus stays where it was"
    page.get_by_text("Restore: overrule the step").click()
    page.get_by_role("button", name="Withdraw 1").click()
    page.get_by_text("0 would be restored.").wait_for()
    assert page.get_by_role("button", name="Restore", exact=False).count() == 0
    assert overridden(site, item) == [], "an act that was not planned is not done"
    page.get_by_text("Withdraw: exclude from the next run").click()
    page.get_by_role("button", name="Preview the effect").click()
    page.get_by_role("button", name="Withdraw 1").dblclick()
    page.get_by_text("1 withdrawn.").wait_for()
    assert page.url == f"{site.url}/item?id={item}"
    assert overridden(site, item) == ["drop"]
    assert page.input_value("#why") == ""
    page.reload()
    other = curator(f"/item?id={item}")
    other.get_by_text("Undo a curator's decision").click()
    other.get_by_role("button", name="Preview the effect").click()
    other.get_by_role("button", name="Undo 1").click()
    other.get_by_text("1 undone.").wait_for()
    assert overridden(site, item) == []
    page.get_by_role("button", name="Undo this").click()
    page.get_by_text("Annotators' decisions").wait_for()
    assert overridden(site, item) == []
    assert acts_of(site, "override_undone") == 1, "what another window undid is not undone twice"


def test_what_is_typed_outlives_reload_back_and_a_lost_connection(
    site: ReviewSite, asked: Asked, curator: Opened
) -> None:
    item = asked.tasks["divided"].item_id
    page = curator(f"/items?stream=items&words={item[:10]}")
    page.locator(".tile .open").click()
    page.locator("[id^=note-]").wait_for()
    page.fill("#why", WHY)
    page.get_by_text("Reject", exact=True).click()
    page.get_by_role("checkbox", name="wrong answer").check()
    page.locator("[id^=note-]").fill("ملاحظة <b>both</b>")
    page.reload()
    assert page.input_value("#why") == WHY
    assert page.get_by_role("radio", name="Reject", exact=True).is_checked()
    assert page.get_by_role("checkbox", name="wrong answer").is_checked()
    assert page.locator("[id^=note-]").input_value() == "ملاحظة <b>both</b>"
    page.get_by_role("link", name="Source picture").click()
    page.locator("h1", has_text="piece-").wait_for()
    page.get_by_role("link", name="Back to the list").wait_for()
    page.go_back()
    page.locator("[id^=note-]").wait_for()
    assert page.get_by_role("checkbox", name="wrong answer").is_checked()
    page.context.set_offline(True)
    page.get_by_role("button", name="Yes, do it").click()
    page.wait_for_url("chrome-error://**")
    page.context.set_offline(False)
    page.go_back()
    page.locator("[id^=note-]").wait_for()
    assert page.locator("[id^=note-]").input_value() == "ملاحظة <b>both</b>", "a lost connection loses nothing"
    page.get_by_role("link", name="Back to the list").click()
    page.wait_for_url(f"{site.url}/items?stream=items&words={item[:10]}")
    page.locator(".tile").first.wait_for()
    page.go_back()
    page.locator("[id^=note-]").wait_for()


def test_a_curator_sends_a_divided_item_back(site: ReviewSite, asked: Asked, curator: Opened) -> None:
    item = asked.tasks["divided"].item_id
    page = curator(f"/item?id={item}")
    page.get_by_text("This is final").wait_for()
    page.get_by_text("Send back to further annotators", exact=True).click()
    page.get_by_text("Further annotators will be asked").wait_for()
    assert not page.get_by_text("This is final").is_visible()
    assert not page.get_by_role("checkbox", name="wrong answer").is_visible()
    page.get_by_role("button", name="Yes, do it").click()
    page.get_by_text("Sent back.", exact=True).wait_for()
    page.get_by_text("Sent back to further annotators once.").wait_for()
    assert page.get_by_text("Decide as adjudicator").count() == 0
    page.reload()
    assert page.get_by_text("Sent back.", exact=True).count() == 0


def test_open_tasks_about_it_are_assigned_and_taken_back(site: ReviewSite, asked: Asked, curator: Opened) -> None:
    page = curator(f"/item?id={asked.tasks['untouched'].item_id}")
    page.get_by_text("You may be asked to judge this yourself").wait_for()
    page.get_by_role("button", name="Assign", exact=True).click()
    page.get_by_text("Choose an annotator").last.wait_for()
    assert page.locator("#person").get_attribute("aria-invalid") == "true"
    page.select_option("#person", "ben")
    page.get_by_role("button", name="Assign", exact=True).click()
    page.get_by_text("Tasks assigned to ben: 1.").wait_for()
    page.get_by_role("button", name="Take back").click()
    page.get_by_text("Tasks assigned to ben: 1.").wait_for(state="detached")
    page.get_by_text("You may be asked to judge this yourself").wait_for()
    assert acts_of(site, "assigned_task") == 1


def test_hidden_parts_cannot_be_reached_by_forms_either(
    site: ReviewSite, asked: Asked, curator: Opened, new_context: Callable[..., BrowserContext]
) -> None:
    task = asked.tasks["untouched"]
    page = curator(f"/item?id={task.item_id}")
    page.get_by_text("You may be asked to judge this yourself").wait_for()
    body = page.locator("body").inner_text()
    assert "· right" not in body
    assert "Annotators' decisions" not in body
    address = f"id={task.item_id}&task={task.id}"
    decision: dict[str, Any] = {f"decision-{task.id}": "accept"}
    for form, fields in (
        ("decide", decision),
        ("example", {f"words-{task.id}": "One.", f"kind-{task.id}": "accepted"}),
        ("no-example", {}),
        ("reopen", {"again_why": "why not"}),
    ):
        assert sent_by_hand(page, site, f"/item/{form}?{address}", **fields) == 303, form
    assert page.request.post(f"{site.url}/item/look?{address}", form={"token": "x"}, max_redirects=0).status == 403
    page.reload()
    page.get_by_text("You may be asked to judge this yourself").wait_for()
    with opened_store(site) as store:
        assert [one for one in store.decisions("verify") if one.item_id == task.item_id] == []
        assert Examples(store).of_tasks([task.id]) == {}
    annotator = new_context().new_page()
    sign_in(annotator, site, "ann", path="/history")
    annotator.locator("header").wait_for()
    for form in ("", "/plan", "/decide", "/look"):
        assert annotator.request.get(f"{site.url}/item{form}?{address}").status == 404
        assert annotator.request.post(f"{site.url}/item{form}?{address}", form=decision).status in {404, 405}


def test_a_refused_example_keeps_its_input_and_an_accepted_one_is_shown_once(
    site: ReviewSite, asked: Asked, curator: Opened
) -> None:
    task = asked.tasks["also accepted"]
    page = curator(f"/item?id={task.item_id}")
    page.get_by_text("Show as an example").click()
    page.get_by_text("What is rejected").click()
    page.get_by_role("button", name="Show it", exact=True).click()
    page.get_by_text("give a reason in a sentence").wait_for()
    assert page.get_by_role("radio", name="What is rejected").is_checked()
    page.get_by_label("Why, in a sentence").fill("Only one fits.")
    page.get_by_role("button", name="Show it", exact=True).dblclick()
    page.get_by_role("button", name="Show it no more").wait_for()
    assert acts_of(site, "example_shown") == 1
    with opened_store(site) as store:
        [example] = Examples(store).of_tasks([task.id]).values()
    assert (example.is_accepted, example.words) == (False, "Only one fits.")


def test_an_item_that_is_gone_and_one_of_a_closed_campaign(site: ReviewSite, asked: Asked, curator: Opened) -> None:
    page = curator("/item?id=0123")
    page.get_by_text("This workspace has no such item or image").wait_for()
    assert page.get_by_role("link", name="Back to the list").get_attribute("href") == "/items"
    reply = page.goto(f"{site.url}/item?id={DISCUSSED}")
    assert reply is not None
    assert reply.status == 200
    page.get_by_role("link", name="Discuss (1)").wait_for()
    page.get_by_text("Only the annotator who made a decision").wait_for()


@pytest.mark.parametrize("width", [390, 1366, 1920])
def test_it_is_accessible_and_fits(site: ReviewSite, asked: Asked, curator: Opened, width: int) -> None:
    item, locale = asked.tasks["also divided"].item_id, "ar" if width < 500 else "en"
    page = curator(f"/item?id={item}", viewport={"width": width, "height": 900}, locale=locale)
    page.locator("[id^=note-]").wait_for()
    page.fill("#why", WHY)
    page.click("#plan")
    page.locator("#planned").wait_for()
    assert findings_by_theme(page) == NOTHING
    assert unreached(page) == []


def test_a_finger_hits_everything_on_it(
    site: ReviewSite, asked: Asked, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context(**FINGER).new_page()
    sign_in(page, site, "cur", path=f"/item?id={asked.tasks['accepted'].item_id}")
    page.fill("#why", WHY)
    page.click("#plan")
    page.locator("#planned").wait_for()
    page.locator("summary").first.click()
    assert too_small(page) == []
