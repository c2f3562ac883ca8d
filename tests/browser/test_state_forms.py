"""The long form of `state` in the running app: filled in by mouse, by touch and by keys, from nothing and from drafts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from browser.axe import NOTHING, findings_by_theme
from browser.rest import at_rest, hacked
from browser.review_site import ReviewSite, next_slot, serve, sign_in, slot_on_screen
from browser.state_site import DRAFT, SCRIPT, begin, make_site, section, unfold
from browser.widths import TABLET, unreached

from benchwright.annotation.store.review_store import ReviewStore, open_store

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

pytestmark = pytest.mark.thorough

PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    with serve(make_site(tmp_path_factory.mktemp("state"))) as running:
        yield running


@pytest.fixture
def store(site: ReviewSite) -> Iterator[ReviewStore]:
    with open_store(f"sqlite:///{site.workspace / 'review.sqlite'}") as opened:
        yield opened


def status(page: Page) -> str:
    return str(page.locator(".card .status").inner_text())


def saved(page: Page) -> None:
    """Wait until all that was written is kept."""
    with page.expect_response(lambda response: "/drafts/" in response.url and response.ok):
        pass


def values(page: Page, words: str) -> list[str]:
    return [area.input_value() for area in section(page, words).locator("textarea, select").all()]


def test_a_picture_is_stated_in_full_by_mouse_and_a_reload_in_the_middle_loses_nothing(
    site: ReviewSite, store: ReviewStore, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context().new_page()
    sign_in(page, site, "ann", path="/?campaign=state")
    slot = slot_on_screen(page)
    page.get_by_role("button", name="State what it shows").click()
    unfold(page, "Caption").locator("textarea").fill("A cup on a table.")
    subjects = unfold(page, "Subjects")
    subjects.get_by_role("button", name="Add: subject").click()
    subjects.locator("textarea").nth(0).fill("Cup of Coffee")
    subjects.locator("textarea").nth(1).fill("the cup")
    assert subjects.locator("textarea").nth(0).input_value() == "cup_of_coffee"  # a short name, from what was written
    found = subjects.get_by_role("searchbox")
    found.fill("piece")
    offered = subjects.locator(".offer").first
    other = offered.inner_text()
    offered.click()
    assert other in subjects.locator(".taken").inner_text()
    unfold(page, "Background").locator("textarea").fill("a wooden table")
    questions = unfold(page, "that it does not answer")
    for number, (name, ask) in enumerate([("taste", "How does it taste?"), ("price", "What did it cost?")]):
        if number:
            questions.get_by_role("button", name="Add: question").click()
        entry = questions.locator(".entry").nth(number)
        entry.locator("textarea").nth(0).fill(name)
        entry.locator("select").select_option("other_modality" if number == 0 else "background_information")
        entry.locator("textarea").nth(1).fill(ask)
        entry.locator("textarea").nth(2).fill("Little\nMuch\nNothing")
    questions.get_by_role("button", name="Move Question 2 up").click()
    saved(page)
    page.reload()
    assert slot_on_screen(page) == slot
    assert values(page, "that it does not answer")[:3] == ["price", "background_information", "What did it cost?"]
    assert "✓ complete" in section(page, "that it does not answer").locator("summary").inner_text()
    pairs = unfold(page, "What is seen and inferred")
    pairs.locator("textarea").nth(0).fill("cup_of_coffee")
    pairs.locator("textarea").nth(1).fill("0")
    pairs.get_by_role("button", name="Add: attribute").click()
    pairs.locator("select").select_option("scenario")
    pairs.locator(".entry textarea").fill("a coffee break")
    page.get_by_role("button", name="Done").click()
    next_slot(page, slot or 0)
    [decision] = store.decisions("state")
    fields = decision.fields or {}
    assert [question["name"] for question in fields["unanswerable"]] == ["price", "taste"]
    assert fields["unanswerable"][0]["wrong"] == ["Little", "Much", "Nothing"]
    assert (fields["subjects"][0]["name"], len(fields["subjects"][0]["onto"])) == ("cup_of_coffee", 1)
    assert fields["seen"] == [{"of": "scenario", "value": "a coffee break"}]
    page.goto(f"{site.url}/history?campaign=state")
    page.get_by_text("What did it cost?").first.wait_for()


def test_a_picture_is_stated_by_keys_alone(
    site: ReviewSite, store: ReviewStore, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context().new_page()
    sign_in(page, site, "ben", path="/?campaign=state")
    slot = slot_on_screen(page)
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    assert "“Caption”" in status(page)  # what is missing is named, and has the cursor
    page.keyboard.type("A cat.")
    page.keyboard.press("Control+Enter")
    assert "“Question 1: Short name”" in status(page)
    assert section(page, "that it does not answer").get_attribute("open") is not None
    page.keyboard.type("name")
    page.keyboard.press("Tab")
    page.keyboard.press("b")  # "Before or after", by its first letter
    page.keyboard.press("Tab")
    page.keyboard.type("What will it do next?")
    page.keyboard.press("Enter")
    page.keyboard.type("Sleep\nEat")
    page.keyboard.press("Alt+Enter")  # another question behind this one
    page.keyboard.type("second")
    page.keyboard.press("Alt+ArrowUp")
    assert values(page, "that it does not answer")[0] == "second"
    page.locator(".entry textarea").first.focus()
    page.keyboard.press("Alt+Delete")
    assert values(page, "that it does not answer") == [
        "name",
        "temporal_unpredictability",
        "What will it do next?",
        "Sleep\nEat",
    ]
    page.keyboard.press("Control+Enter")
    next_slot(page, slot or 0)
    [decision] = [one for one in store.decisions("state") if one.annotator == "ben"]
    assert (decision.fields or {})["unanswerable"] == [
        {
            "name": "name", "why": "temporal_unpredictability", "ask": "What will it do next?", "wrong": ["Sleep", "Eat"],
        }
    ]  # fmt: skip


def test_drafts_are_accepted_edited_and_discarded_by_mouse_and_the_store_says_whose_each_statement_is(
    site: ReviewSite, store: ReviewStore, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context(bypass_csp=True).new_page()
    sign_in(page, site, "ann", path="/?campaign=drafted")
    slot = slot_on_screen(page)
    page.get_by_role("button", name="State what it shows").click()
    assert "Drafted by tiny-vlm; not yet accepted by an annotator" in unfold(page, "Caption").inner_text()
    page.get_by_role("button", name="Done").click()
    assert "Accept (A), edit or discard (D) the draft of “Caption”" in status(page)
    page.get_by_role("button", name="Accept: Caption").click()
    assert "Accepted from tiny-vlm" in section(page, "Caption").inner_text()
    unfold(page, "Background").locator("textarea").fill("a wooden table")  # an edit takes the draft up
    unfold(page, "Subjects").get_by_role("button", name="Accept all 2 drafts").click()
    answerable = unfold(page, "that the picture answers")
    answerable.get_by_role("button", name="Discard: Question 2").click()
    answerable.get_by_role("button", name="Accept: Question 1").click()
    answerable.get_by_role("button", name="Add: question").click()
    own = answerable.locator(".entry").nth(1)
    for place, text in enumerate(["cups", "How many cups are there?", "One", "Two\nThree\nFour"]):
        own.locator("textarea").nth(place).fill(text)
    answerable.get_by_role("button", name="Move Question 2 up").click()
    saved(page)
    page.reload()  # what was accepted, edited and discarded is as it was
    assert slot_on_screen(page) == slot
    assert values(page, "that the picture answers")[0] == "cups"
    assert len(section(page, "that the picture answers").locator(".entry").all()) == 2
    assert "Edited from a draft by tiny-vlm" in unfold(page, "Background").inner_text()
    unfold(page, "that it does not answer").get_by_role("button", name="Accept: Question 1").click()
    page.get_by_role("button", name="Done").click()
    next_slot(page, slot or 0)
    [decision] = [one for one in store.decisions("drafted") if one.annotator == "ann"]
    fields = decision.fields or {}
    assert [question["name"] for question in fields["answerable"]] == ["cups", "table"]
    edited = {place: origin["edited"] for place, origin in fields["drafts"].items()}
    assert edited == {
        "background": True, "caption": False, "subjects/1": False, "subjects/2": False, "answerable/2": False,
        "unanswerable/1": False,
    }  # fmt: skip
    assert {origin["model"] for origin in fields["drafts"].values()} == {"tiny-vlm"}
    page.keyboard.press("u")
    page.get_by_text("You decided “State what it shows”").wait_for()
    assert "Accepted from tiny-vlm" in unfold(page, "Caption").inner_text()
    assert hacked(page) is None


def test_drafts_are_gone_through_by_two_keys(
    site: ReviewSite, store: ReviewStore, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context(bypass_csp=True).new_page()
    sign_in(page, site, "ben", path="/?campaign=drafted")
    slot = slot_on_screen(page)
    page.keyboard.press("1")
    for key in "aaadada":  # caption, subjects, background, questions
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    assert "“Background”" in status(page)  # what was discarded is missing now
    page.keyboard.type("a table")
    page.keyboard.press("Control+Enter")
    next_slot(page, slot or 0)
    [decision] = [one for one in store.decisions("drafted") if one.annotator == "ben"]
    fields = decision.fields or {}
    assert (fields["caption"], fields["background"]) == (DRAFT["caption"], "a table")
    assert [subject["name"] for subject in fields["subjects"]] == ["cup", "spoon"]
    assert [question["name"] for question in fields["answerable"]] == ["table"]
    assert sorted(fields["drafts"]) == ["answerable/1", "caption", "subjects/1", "subjects/2", "unanswerable/1"]
    assert hacked(page) is None


def test_what_a_draft_holds_is_shown_as_text(site: ReviewSite, new_context: Callable[..., BrowserContext]) -> None:
    page = new_context(bypass_csp=True).new_page()
    sign_in(page, site, "cur", path="/?campaign=drafted")
    slot_on_screen(page)
    begin(page)
    assert unfold(page, "Background").locator("textarea").input_value() == f"a wooden table {SCRIPT}"
    assert hacked(page) is None


@pytest.mark.parametrize("campaign", ["state", "drafted"])
def test_the_form_has_no_serious_finding_and_fits_a_tablet(
    site: ReviewSite, new_context: Callable[..., BrowserContext], campaign: str
) -> None:
    page = new_context().new_page()
    sign_in(page, site, "cur", path=f"/?campaign={campaign}")
    slot_on_screen(page)
    begin(page)
    for part in page.locator("details.section").all():
        if part.get_attribute("open") is None:
            part.locator("summary").click()
    for add in page.get_by_role("button", name="Add: ").all():
        add.click()
    assert findings_by_theme(page) == NOTHING
    page.set_viewport_size(TABLET)
    at_rest(page)
    assert unreached(page) == []


def test_on_a_telephone_picture_and_button_stay_in_sight_while_questions_are_written_by_touch(
    site: ReviewSite, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context(viewport=PHONE, has_touch=True, is_mobile=True).new_page()
    sign_in(page, site, "cur", path="/?campaign=state")
    slot_on_screen(page)
    begin(page)
    part = section(page, "that it does not answer")
    part.locator("summary").tap()
    part.get_by_role("button", name="Add: question").tap()
    part.locator(".entry").nth(1).locator("textarea").first.fill("second")
    part.get_by_role("button", name="Move Question 2 up").tap()
    assert values(page, "that it does not answer")[0] == "second"
    for part_in_sight in (page.get_by_role("button", name="Done"), page.locator(".stage").first):
        box = part_in_sight.bounding_box()
        assert box is not None
        assert 0 <= box["y"] < PHONE["height"] - 40
    small = [tool.bounding_box() for tool in part.locator(".tool").all()]
    assert all(box is not None and min(box["width"], box["height"]) >= 34 for box in small)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
