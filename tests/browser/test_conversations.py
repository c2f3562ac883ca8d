"""Messages, discussions and saved views in the running app: a curator writes, annotators read, and later discuss."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browser.axe import findings
from browser.rest import at_rest
from browser.review_site import ReviewSite, make_workspace, next_slot, say, serve, sign_in, slot_on_screen
from walks import run_json

from benchwright.annotation.store.review_store import open_store

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

SCRIPT = '<img src=x onerror="window.hacked=1">'


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    with serve(make_workspace(tmp_path_factory.mktemp("talk"), photographs=6)) as running:
        yield running


def test_what_annotators_differ_on_becomes_a_line_of_the_guidelines_draft(
    site: ReviewSite, new_context: Callable[..., BrowserContext], tmp_path: Path
) -> None:
    with open_store(f"sqlite:///{site.workspace / 'review.sqlite'}") as store:
        items = [task.item_id for task in store.tasks("verify")]
    rows = ["annotator,item_id,decision,reason,note"]
    for item_id in items[:2]:
        rows += [f"dee,{item_id},accept,,", f"eve,{item_id},reject,unclear,which corner?"]
    table = tmp_path / "decisions.csv"
    table.write_text("\n".join(rows), encoding="utf-8")
    run_json("review", "import", table, "--workspace", site.workspace, "--campaign", "verify", "--new-annotators")
    page = new_context().new_page()
    sign_in(page, site, "cur", path="/guidelines-edit?campaign=verify")
    page.get_by_role("button", name="Add a line to the draft").click()
    page.wait_for_function("() => document.querySelector('textarea').value.includes('which corner?')")
    assert findings(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    at_rest(page)
    assert findings(page) == []


def test_a_message_stays_above_the_work_until_the_annotator_confirms_it(
    site: ReviewSite, new_context: Callable[..., BrowserContext]
) -> None:
    curator = new_context().new_page()
    sign_in(curator, site, "cur", path="/annotators?campaign=verify")
    curator.get_by_role("link", name="Messages").last.click()
    curator.get_by_label("Message", exact=True).fill(f"Please zoom in on small pictures. {SCRIPT}")
    curator.reload()  # what is typed outlives it
    curator.get_by_role("button", name="Send", exact=True).click()
    curator.get_by_text("The message has been sent.").wait_for()
    curator.get_by_text("Not read yet.").wait_for()
    assert findings(curator) == []

    page = new_context().new_page()
    sign_in(page, site, "ann")
    slot_on_screen(page)
    page.get_by_role("alert").get_by_text("Message from cur").wait_for()
    assert page.get_by_text(SCRIPT).count() == 1
    box, inside = (page.locator(f".notice{part}").last.bounding_box() for part in ("", " button"))
    assert box is not None
    assert inside is not None
    assert inside["y"] + inside["height"] <= box["y"] + box["height"], "the frame holds all of the message"
    assert findings(page) == []
    page.reload()
    with page.expect_response("**/work/message") as answer:
        page.get_by_role("button", name="I have read it").click()
    assert answer.value.ok
    page.reload()
    slot_on_screen(page)
    assert page.get_by_text("Message from cur").count() == 0
    listed = run_json("review", "messages", "--workspace", site.workspace, "--campaign", "verify")["messages"]
    assert [message["readers"] for message in listed] == [["ann"]]
    assert page.evaluate("() => window.hacked") is None


def test_a_message_to_one_annotator_shows_on_their_home_alone(
    site: ReviewSite, new_context: Callable[..., BrowserContext]
) -> None:
    run_json(
        "review",
        "messages",
        "--workspace",
        site.workspace,
        "--campaign",
        "verify",
        "--send",
        "Well done.",
        "--to",
        "ben",
    )
    ann, ben = new_context().new_page(), new_context().new_page()
    for page, name in ((ann, "ann"), (ben, "ben")):
        sign_in(page, site, name, path="/home")
        page.get_by_text(f"Hello {name}").or_(page.locator("[class*=st-key-home-]")).first.wait_for()
    ben.get_by_text("Well done.").wait_for()
    assert ann.get_by_text("Well done.").count() == 0
    ben.locator("[class*=st-key-read-]").get_by_role("button").last.click()
    ben.get_by_text("Well done.").wait_for(state="hidden")


def test_an_item_is_discussed_once_its_campaign_is_closed(
    site: ReviewSite, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context().new_page()
    sign_in(page, site, "ann")
    slot = slot_on_screen(page)
    say(page, "a")
    next_slot(page, slot)
    page.goto(f"{site.url}/history?campaign=verify")
    page.get_by_role("link", name="Open").first.wait_for()
    assert page.get_by_role("link", name="Discuss").count() == 0
    page.goto(f"{site.url}/home")
    page.locator("[class*=st-key-home-]").first.wait_for()
    run_json("review", "close", "--workspace", site.workspace, "--campaign", "verify")
    page.goto(f"{site.url}/history?campaign=verify")
    page.get_by_role("link", name="Discuss").first.click()
    page.get_by_text("This item is no longer judged").wait_for()
    page.get_by_text("Accept: 1").wait_for()
    page.get_by_label("Your post").fill(f"The join lies in the sky. {SCRIPT}")
    page.context.set_offline(True)
    page.get_by_role("button", name="Post", exact=True).click()
    page.wait_for_url("chrome-error://**")
    page.context.set_offline(False)
    page.go_back()
    assert page.get_by_label("Your post").input_value().startswith("The join lies"), "a lost connection loses nothing"
    page.get_by_role("button", name="Post", exact=True).dblclick()
    page.get_by_text("Your post is in the discussion.").wait_for()
    assert page.locator("[id^=post-]").count() == 1
    assert page.get_by_label("Your post").input_value() == ""
    page.locator("[id^=post-]").get_by_text("The join lies in the sky.").wait_for()
    assert findings(page) == []
    address = page.url
    page.get_by_role("link", name="My decisions").click()
    page.get_by_role("link", name="Discuss (1)").click()
    assert page.url == address
    page.go_back()
    page.get_by_role("link", name="Discuss (1)").wait_for()
    page.go_forward()
    page.get_by_text("This item is no longer judged").wait_for()

    stranger = new_context().new_page()
    sign_in(stranger, site, "ben", path="/home")
    stranger.locator("[class*=st-key-home-]").first.wait_for()
    stranger.goto(address)
    stranger.get_by_text("This item cannot be discussed").wait_for()

    curator = new_context().new_page()
    sign_in(curator, site, "cur", path="/home")
    curator.locator(".benchwright-who").wait_for()
    item = address.partition("item=")[2].partition("&")[0]
    curator.goto(f"{site.url}/item?id={item}")
    curator.get_by_role("link", name="Discuss (1)").click()
    curator.get_by_text("The join lies in the sky.").wait_for()
    assert curator.evaluate("() => window.hacked") is None


def test_a_view_of_the_list_is_saved_opened_and_removed(
    site: ReviewSite, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context().new_page()
    sign_in(page, site, "cur", path="/items?stream=images")
    page.locator(".tile").first.wait_for()
    images = page.locator(".tile").count()
    page.get_by_text("Saved views", exact=True).click()
    page.get_by_label("Name of this view").fill("The photographs")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Saved as The photographs").wait_for()
    assert findings(page) == []
    page.goto(f"{site.url}/items?sort=doubt")
    page.locator(".tile").first.wait_for()
    page.get_by_role("link", name="The photographs", exact=True).click()  # what was open stays open
    page.wait_for_url("**/items?stream=images")
    page.reload()
    page.locator(".tile").nth(images - 1).wait_for()
    at_rest(page)
    page.get_by_role("button", name="Remove The photographs").click()
    page.get_by_role("link", name="The photographs", exact=True).wait_for(state="detached")


def test_the_list_shows_as_a_table_with_the_columns_that_a_curator_chose(
    site: ReviewSite, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context().new_page()
    sign_in(page, site, "cur", path="/items?stream=items&columns=state,doubt,id,nonsense")
    table = page.get_by_role("region", name="Items")
    table.wait_for()
    assert table.locator("th").all_inner_texts() == ["", "Question", "State", "Doubt", "Id"]
    assert table.locator("tbody tr").count() == 5
    at_rest(page)
    assert findings(page) == []
    table.get_by_role("link").first.click()
    page.locator(".bw-question").wait_for()
    page.go_back()
    table.wait_for()
