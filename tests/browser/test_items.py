"""The curator's list of all items and images, and the page of one: found, opened, withdrawn, restored, many at once.

Only curators see it, hostile texts are shown as text, and both pages are accessible, light and dark, on phones too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa
from browser.axe import NOTHING, findings_by_theme
from browser.rest import at_rest
from browser.review_site import PASSWORDS, ReviewSite, add_account, make_workspace, serve, sign_in

from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.items.item_index import ItemIndex
from benchwright.annotation.items.item_search import ItemQuery, search
from benchwright.annotation.store.campaigns.overrides import OverrideStore
from benchwright.annotation.store.database.records import RefusedError
from benchwright.annotation.store.database.schema import audit_log
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.settlement.revisions import open_next_rounds
from benchwright.annotation.workflow.task_queue import TaskQueue

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

HACK = '<img src=x onerror="window.hacked=1">'
RECIPE = """\
name: ten
seed: 5
steps:
  - exact_duplicates
  - near_duplicates
  - step: quality
    min_side_px: 200
  - step: jigsaw
    mode: paper
    min_tile_px: 16
  - repeated_options
  - step: verify
    rule: adjudicated(unanimous(2))
    form: {reasons: [wrong_answer, unclear]}
"""
START = datetime(2026, 3, 2, 9, tzinfo=UTC)
Opened = Callable[..., "Page"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    """A workspace with dropped images and items that people accept, reject, differ about, edit and comment."""
    workspace = make_workspace(tmp_path_factory.mktemp("items"), photographs=20, recipe=RECIPE)
    add_account(workspace, "ada", "ada's long password", role="adjudicator")
    with opened_store(workspace) as store:
        for number, task in enumerate(store.tasks("verify")[:5]):
            for name in ("ann", "ben"):
                rejects = number == 1 or (number == 2 and name == "ben")
                say = Submission("reject", reasons=("unclear",), note=HACK) if rejects else Submission("accept")
                if number == 3:
                    say = Submission("revise", edits={"question": f"{HACK} Which zebra fits?"})
                store.decide("verify", task.id, name, say, now=START + timedelta(minutes=9 * number))
        open_next_rounds(store, "verify")
        queue = TaskQueue(store, store.campaign("verify"), "ann")
        task_of_ann = queue.next(now=datetime.now(UTC))
        assert task_of_ann is not None
        queue.remark(task_of_ann.task_id, f"{HACK} Look here", is_flag=True, now=datetime.now(UTC))
    with serve(workspace) as running:
        yield running


def opened_store(workspace: Any) -> ReviewStore:
    return open_store(f"sqlite:///{workspace / 'review.sqlite'}")


def found(site: ReviewSite, **query: Any) -> list[str]:
    """Return the ids that a query finds, in its order."""
    with opened_store(site.workspace) as store:
        index = ItemIndex(site.workspace, store)
        index.refresh()
        hits = index.reading(lambda connection: search(connection, ItemQuery(**query), page_size=1000))
    return [record.record_id for record in hits.records]


def acts(site: ReviewSite) -> list[tuple[str, str]]:
    """Return the audit log's entries about overrides: act and actor, in order."""
    with opened_store(site.workspace) as store, store.reading() as connection:
        query = sa.select(audit_log.c.act, audit_log.c.actor).where(audit_log.c.act.like("overrid%"))
        return [(row.act, row.actor) for row in connection.execute(query.order_by(audit_log.c.id))]


def shown(page: Page, count: int) -> None:
    """Wait until the list shows this many tiles."""
    page.wait_for_function("count => document.querySelectorAll('.tile').length === count", arg=count)
    at_rest(page)


def pick(page: Page, label: str, option: str) -> None:
    """Pick the option of a menu whose words begin so."""
    menu = page.get_by_role("combobox", name=label, exact=True)
    menu.select_option(menu.locator("option", has_text=re.compile(f"^{option}")).first.get_attribute("value"))


def confirm_on_list(page: Page, act: str, why: str, button: str) -> None:
    """Choose an act on the selected items, give the reason, look at the plan and confirm it."""
    page.get_by_text(act).click()
    page.get_by_role("textbox", name="Why", exact=True).fill(why)
    page.get_by_role("button", name="Preview the effect").click()
    page.get_by_role("button", name=button, exact=True).click()


def confirm(page: Page, act: str, why: str, button: str) -> None:
    """Choose an act, give the reason, look at the plan and confirm it by the button with these words."""
    page.get_by_text(act, exact=False).first.click()
    at_rest(page)
    page.get_by_role("textbox", name="Why", exact=True).fill(why)
    page.get_by_role("textbox", name="Why", exact=True).press("Enter")
    at_rest(page)
    page.get_by_role("button", name="Preview the effect").click()
    page.get_by_role("button", name=button, exact=True).click()


def test_a_curator_searches_filters_and_sends_a_link(site: ReviewSite, curator: Opened) -> None:
    every = found(site)
    page = curator("/items")
    page.get_by_text(f"{len(every)} items and images", exact=True).wait_for()
    shown(page, min(24, len(every)))
    page.wait_for_function(
        """() => {
          const images = [...document.querySelectorAll(".tile img")].slice(0, 8);
          return images.length === 8 && images.every((image) => image.complete && image.naturalWidth > 0);
        }"""
    )
    page.get_by_role("textbox", name="Search").fill("zebra")
    page.get_by_role("textbox", name="Search").press("Enter")
    page.get_by_text("1 found", exact=True).wait_for()
    shown(page, 1)
    assert "words=zebra" in page.url
    assert HACK in page.locator(".tile").inner_text() or "zebra" not in page.locator(".tile").inner_text()
    page.get_by_role("link", name="Show everything").click()
    page.get_by_text("items and images").wait_for()
    page.get_by_text("Filters", exact=True).click()
    pick(page, "State", "Dropped by a filter")
    dropped = found(site, state="dropped")
    page.get_by_text(f"{len(dropped)} found", exact=True).wait_for()
    pick(page, "Reason", "too small")
    small = found(site, state="dropped", reason="too_small")
    page.get_by_text(f"{len(small)} found", exact=True).wait_for()
    link = page.url
    other = curator(link.removeprefix(site.url))
    other.get_by_text(f"{len(small)} found", exact=True).wait_for()
    shown(other, len(small))
    assert page.evaluate("window.hacked") is None


def test_a_picture_is_looked_for_by_its_looks(site: ReviewSite, curator: Opened) -> None:
    page = curator("/items?stream=images")
    name = next(iter(sorted((site.workspace.parent / "photographs").glob("*.jpg"))))
    page.get_by_text("Find images similar to a picture", exact=True).click()
    page.locator("input[type=file]").set_input_files(name)
    page.get_by_role("link", name="Similar to a picture, most similar first").wait_for()
    page.locator(".tile").first.wait_for()
    assert "like=hash-" in page.url
    assert name.name in page.locator(".tile").first.inner_text()


def test_an_item_is_withdrawn_and_that_is_undone(site: ReviewSite, curator: Opened) -> None:
    item = found(site, state="accepted")[0]
    before = len(acts(site))
    page = curator(f"/items?words={item[:10]}")
    page.locator(".tile .open").click()
    page.get_by_text("Annotators' decisions").wait_for()
    assert page.url.endswith(f"/item?id={item}")
    body = page.locator("body").inner_text()
    assert "Accepted" in body
    assert "· right" in body
    assert {"ann", "ben"} <= set(re.findall(r"\b(ann|ben)\b", body))
    assert "2026-03-02 09:" in body
    assert "repeated_options" in body  # a step that judged it, with its measures
    confirm(page, "Withdraw: exclude from the next run", "it names a brand", "Withdraw 1")
    page.get_by_text("1 withdrawn.").wait_for()
    assert found(site, state="withdrawn") == [item]
    assert acts(site)[before:] == [("overridden", "cur")]
    page.get_by_role("button", name="Undo this").click()
    page.get_by_text("1 undone.").wait_for()
    assert found(site, state="withdrawn") == []
    assert acts(site)[before:] == [("overridden", "cur"), ("override_undone", "cur")]
    page.get_by_text("it names a brand").wait_for()  # both stay on record


def test_many_are_restored_at_once_with_their_count(site: ReviewSite, curator: Opened) -> None:
    small = found(site, state="dropped", reason="too_small")
    assert len(small) >= 2
    page = curator("/items?state=dropped&reason=too_small")
    shown(page, len(small))
    for place in (0, 1):
        page.locator(".tile input").nth(place).check()
    page.get_by_text("2 selected").first.wait_for()
    confirm_on_list(page, "Restore: overrule the step", "large enough for this", "Restore 2")
    page.get_by_text("2 restored.").wait_for()
    assert set(found(site, state="pending")) == set(small[:2])
    with opened_store(site.workspace) as store:
        stored = [stored.override for stored in OverrideStore(store).in_force()]
    assert {(override.record_id, override.action, override.by, override.why) for override in stored} == {
        (record_id, "keep", "cur", "large enough for this") for record_id in small[:2]
    }
    page.get_by_role("button", name="Undo this").click()
    page.get_by_text("2 undone.").wait_for()
    assert found(site, state="pending") == []


def test_a_plan_says_what_cannot_be_done_and_nothing_happens_without_a_reason(
    site: ReviewSite, curator: Opened
) -> None:
    before = acts(site)
    page = curator("/items?stream=items")
    page.locator(".tile input").first.check()
    page.get_by_text("Restore: overrule the step").click()
    page.get_by_role("button", name="Preview the effect").click()
    page.get_by_text("give a reason in one line").wait_for()
    page.get_by_role("textbox", name="Why", exact=True).fill("why not")
    page.get_by_role("textbox", name="Why", exact=True).press("Enter")
    page.get_by_text("0 would be restored.").wait_for()
    page.get_by_text("1 stays as it is: nothing dropped it or asked about it").wait_for()
    assert page.get_by_role("button", name="Restore", exact=False).count() == 0
    assert acts(site) == before


def test_a_curator_decides_a_divided_task_and_sees_the_revision(site: ReviewSite, curator: Opened) -> None:
    [divided] = found(site, state="divided")
    page = curator(f"/item?id={divided}")
    page.get_by_text("Decide as adjudicator").wait_for()
    page.get_by_text("Reject", exact=True).click()
    at_rest(page)
    page.get_by_role("checkbox", name="unclear").check()
    page.get_by_role("button", name="Yes, do it").click()
    page.get_by_text("cur (adjudicator)").wait_for()
    assert divided in found(site, state="rejected")
    [revised] = found(site, state="revised")
    page = curator(f"/item?id={revised}")
    page.get_by_role("button", name="Show all; I will not judge it").click()
    page.get_by_text("Version 2").wait_for()
    assert f"{HACK} Which zebra fits?" in page.locator("body").inner_text()
    assert page.evaluate("window.hacked") is None


def test_a_curator_assigns_items_to_somebody_and_takes_that_back(site: ReviewSite, curator: Opened) -> None:
    page = curator("/items?campaign=verify&state=waiting")
    page.locator(".tile input").first.check()
    page.get_by_role("button", name="Assign", exact=True).scroll_into_view_if_needed()
    pick(page, "Ask one annotator first", "ben")
    page.get_by_role("button", name="Assign", exact=True).click()
    page.get_by_text("Tasks assigned to ben: 1.").wait_for()
    with opened_store(site.workspace) as store, store.reading() as connection:
        acts_of = sa.select(audit_log.c.actor, audit_log.c.about).where(audit_log.c.act == "assigned_task")
        [(actor, about)] = connection.execute(acts_of).all()
    assert actor == "cur"
    assert '"annotator":"ben"' in about
    page.get_by_role("button", name="Take back").click()
    page.get_by_text("Tasks assigned to ben: 1.").wait_for(state="detached")


def test_a_curator_has_a_decided_item_asked_again(site: ReviewSite, curator: Opened) -> None:
    accepted = found(site, state="accepted")[0]
    page = curator(f"/item?id={accepted}")
    page.get_by_role("button", name="Ask again").scroll_into_view_if_needed()
    page.get_by_role("button", name="Ask again").click()
    page.get_by_text("give a reason in one line").wait_for()
    page.get_by_label("Ask again about decided tasks: reason").fill("the picture was poor on a phone")
    page.get_by_role("button", name="Ask again").click()
    page.get_by_text("Tasks reopened: 1.").wait_for()
    assert accepted not in found(site, state="accepted")
    assert accepted in found(site, state="waiting")


def test_flags_reasons_and_annotators_lead_to_items(site: ReviewSite, curator: Opened) -> None:
    page = curator("/flags?campaign=verify")
    page.get_by_role("link", name="See the item").click()
    page.get_by_text("Act on this record").wait_for()
    assert "/item?id=" in page.url
    page = curator("/reasons?campaign=verify")
    page.get_by_role("link", name="See these items").click()
    page.get_by_text(f"{len(found(site, campaign='verify', reason='unclear'))} found", exact=True).wait_for()
    page = curator("/annotators?campaign=verify")
    page.get_by_role("link", name="See these items").click()
    page.get_by_text("found", exact=False).first.wait_for()
    assert "annotator=" in page.url
    assert page.evaluate("window.hacked") is None


def test_a_curator_who_may_be_asked_sees_neither_key_nor_votes_before_they_renounce(
    site: ReviewSite, curator: Opened
) -> None:
    [begun] = found(site, state="flagged")
    with opened_store(site.workspace) as store:
        task = next(task for task in store.tasks("verify") if task.item_id == begun)
        store.upsert_annotator("cur")
        assert store.claim("verify", "cur", now=datetime.now(UTC), task=task.id) is not None
        store.release(store.claim("verify", "cur", now=datetime.now(UTC), task=task.id).slot_id, "cur")  # type: ignore[union-attr]
    page = curator(f"/item?id={begun}")
    page.get_by_text("You may be asked to judge this yourself").wait_for()
    at_rest(page)
    body = page.locator("body").inner_text()
    assert "· right" not in body
    assert "Look here" not in body
    page.get_by_role("button", name="Show all; I will not judge it").click()
    page.get_by_text("Look here").wait_for()
    page.get_by_text("you will not be asked to judge this").wait_for()
    with opened_store(site.workspace) as store, pytest.raises(RefusedError):
        store.claim("verify", "cur", now=datetime.now(UTC), task=task.id)


@pytest.mark.parametrize("name", ["ann", "ada"])
def test_nobody_but_a_curator_sees_the_list_an_item_or_a_picture(
    site: ReviewSite, new_context: Callable[..., BrowserContext], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setitem(PASSWORDS, "ada", "ada's long password")
    item = found(site, state="accepted")[0]
    for path in ("/items", f"/item?id={item}", "/items?words=zebra"):
        page = new_context().new_page()
        sign_in(page, site, name, path=path)
        page.get_by_role("link", name="Go to the start").wait_for()
        assert "piece-" not in page.content()
        assert "too_small" not in page.content()
        for form in ("small", "full", "marks"):
            answer = page.request.get(f"{site.url}/curator/pictures/{item}/0/{form}")
            assert answer.status == 404
            assert answer.text() == "there is no such picture for you\n"


def test_items_are_selected_by_keys_in_ranges_and_all_at_once(site: ReviewSite, curator: Opened) -> None:
    page = curator("/items?stream=images")
    boxes = page.locator(".tile input")
    boxes.nth(1).press("Space")
    boxes.nth(4).press("Shift+Space")
    page.get_by_text("4 selected").first.wait_for()
    assert [boxes.nth(place).is_checked() for place in range(6)] == [False, True, True, True, True, False]
    page.get_by_role("button", name="Select this page").click()
    assert page.locator(".tile input:checked").count() == boxes.count()
    page.get_by_role("button", name="Select none").click()
    page.get_by_text("Act on the selection").first.wait_for(state="hidden")
    every = found(site)
    assert len(every) > 24
    page.goto(f"{site.url}/items")
    page.get_by_label(f"Select all {len(every)} found").check()
    confirm_plan = page.get_by_role("button", name="Preview the effect")
    page.get_by_role("textbox", name="Why", exact=True).fill("a try")
    confirm_plan.click()
    plan = page.locator("#planned")
    counts = [int(count) for count in re.findall(r"^(\d+)", plan.inner_text(), re.MULTILINE)]
    assert sum(counts) == len(every)
    page.get_by_label(f"Select all {len(every)} found").uncheck()
    plan.wait_for(state="hidden")
    page.go_back()
    page.locator(".tile").first.wait_for()
    page.go_forward()
    page.locator(".tile").first.wait_for()
    assert page.url == f"{site.url}/items"


def test_filters_keep_the_focus_and_back_and_forward_lead_through_them(site: ReviewSite, curator: Opened) -> None:
    page = curator("/items?stream=items")
    page.get_by_text("Filters", exact=True).click()
    state = page.get_by_role("combobox", name="State", exact=True)
    state.focus()
    state.press("W")  # waiting for review, by the keyboard alone
    page.wait_for_url("**/items?state=waiting&stream=items")
    waiting = len(found(site, stream="items", state="waiting"))
    page.get_by_text(f"{waiting} found", exact=True).wait_for()
    assert page.evaluate("document.activeElement.id") == "state"
    search = page.get_by_role("textbox", name="Search")
    search.press_sequentially("the")
    page.wait_for_url("**/items?words=the&state=waiting&stream=items")
    assert page.evaluate("document.activeElement.id") == "words"
    page.locator(".tile .open, .tile").first.wait_for(state="attached")
    page.go_back()
    page.wait_for_url("**/items?state=waiting&stream=items")
    page.get_by_text(f"{waiting} found", exact=True).wait_for()
    assert (search.input_value(), state.input_value()) == ("", "waiting")
    page.go_forward()
    page.wait_for_url("**/items?words=the&state=waiting&stream=items")
    page.wait_for_function("document.querySelector('#words').value === 'the'")
    page.get_by_role("link", name="Search: the").click()
    page.wait_for_url("**/items?state=waiting&stream=items")
    page.locator(".tile .open").first.click()
    page.wait_for_url("**/item?id=*")
    page.get_by_role("link", name="Back to the list").click()
    page.wait_for_url("**/items?state=waiting&stream=items")
    assert page.get_by_role("combobox", name="State", exact=True).input_value() == "waiting"


@pytest.mark.parametrize("width", [1280, 390])
def test_the_list_and_the_page_of_an_item_are_accessible(site: ReviewSite, curator: Opened, width: int) -> None:
    page = curator("/items?state=accepted", viewport={"width": width, "height": 800})
    page.locator(".tile img").first.wait_for()
    page.locator(".tile input").first.check()
    page.get_by_role("button", name="Preview the effect").wait_for()
    page.get_by_text("Filters", exact=True).click()
    page.get_by_role("combobox", name="State").wait_for()
    assert findings_by_theme(page) == NOTHING
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator(".tile .open").first.click()
    page.get_by_text("Origin").wait_for()
    assert findings_by_theme(page) == NOTHING
    assert page.evaluate("document.documentElement.scrollWidth") <= width
