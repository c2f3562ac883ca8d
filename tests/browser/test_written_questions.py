"""Annotators' questions in the running app: two about one picture, and a puzzle with its explanation; by keys too."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browser.axe import NOTHING, findings_by_theme
from browser.kinds_site import make_images
from browser.rest import at_rest
from browser.review_site import ReviewSite, add_accounts, next_slot, serve, sign_in, slot_on_screen

from benchwright.annotation.campaigns.write.step import Write
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.steps import CampaignContext
from benchwright.workspace.store_place import settle_store

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Locator, Page

STEPS = {
    "manners": Write(
        task="table_manners", questions={"at_least": 2, "at_most": 3}, refusal="allowed", explanation="optional",
        labels={"difficulty": ["easy", "hard"], "needs": {"values": ["counting", "reading"], "several": True}},
    ),
    "puzzles": Write(
        task="puzzles", questions=1, drawn_options=("A", "B", "C", "D"), explanation="required",
        labels={"rule": ["rotation", "overlay"]},
    ),
}  # fmt: skip


def make_site(folder: Path) -> Path:
    """Open both campaigns over a few photographs, with accounts; return the workspace."""
    done = make_images(folder)
    images = list(done.images())
    for name, step in STEPS.items():
        context = CampaignContext(3, name, done.workspace, settle_store(done.workspace))
        assert step.advance(images, context).waiting is not None
    add_accounts(done.workspace)
    return done.workspace


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    with serve(make_site(tmp_path_factory.mktemp("write"))) as running:
        yield running


@pytest.fixture
def store(site: ReviewSite) -> Iterator[ReviewStore]:
    with open_store(f"sqlite:///{site.workspace / 'review.sqlite'}") as opened:
        yield opened


def field(entry: Locator, label: str) -> Locator:
    """Return the place of a field in an entry, by its label."""
    return entry.locator(".part", has_text=label).locator("textarea, select").first


def fill_first(entry: Locator) -> None:
    field(entry, "Question").fill("How many cups stand on the table?")
    field(entry, "Option that declines").select_option("offered")
    field(entry, "Right option").fill("One")
    field(entry, "Wrong options").fill("Two\nThree\nFour")
    field(entry, "Difficulty").select_option("easy")
    entry.get_by_label("counting").check()


def fill_second(entry: Locator) -> None:
    field(entry, "Question").fill("How does the coffee taste?")
    field(entry, "Option that declines").select_option("is_right")
    field(entry, "Tempting options").fill("Bitter\nSweet\nSour\nBurnt")
    field(entry, "Difficulty").select_option("hard")
    entry.get_by_label("reading").check()


def status(page: Page) -> str:
    return str(page.locator(".card .status").inner_text())


def test_an_annotator_writes_two_questions_and_each_mistake_is_shown_at_its_field(
    site: ReviewSite, store: ReviewStore, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context().new_page()
    sign_in(page, site, "ann", path="/?campaign=manners")
    slot = slot_on_screen(page)
    page.get_by_role("button", name="Write questions").click()
    first = page.locator(".entry").nth(0)
    fill_first(first)
    page.get_by_role("button", name="Add: question").click()
    second = page.locator(".entry").nth(1)
    fill_second(second)
    field(first, "Question").fill("What is this?")
    field(first, "Wrong options").fill("Two\none.\nFour")
    field(second, "Tempting options").fill("Bitter\nSweet\nSour\nThe picture does not show enough to tell")
    page.locator(".mistake").nth(2).wait_for()
    assert page.locator(".mistake").all_inner_texts() == [
        "'What is this?' names nothing visible",
        "'one.' reads the same as 'One'",
        "'The picture does not show enough to tell' reads the same as the option that declines, which is added automatically",
    ]
    assert field(first, "Question").get_attribute("aria-invalid") == "true"
    page.get_by_role("button", name="Done").click()
    assert "Not submitted yet" in status(page)
    assert page.evaluate("document.activeElement.shadowRoot?.activeElement?.value ?? document.activeElement.value") == (
        "What is this?"
    )
    page.reload()
    page.locator(".mistake").nth(2).wait_for()
    fill_first(first)
    fill_second(second)
    page.locator(".mistake").first.wait_for(state="detached")
    page.get_by_role("button", name="Done").click()
    next_slot(page, slot or 0)
    [decision] = store.decisions("manners")
    cups, taste = (decision.fields or {})["questions"]
    assert (cups["ask"], cups["wrong"], cups["needs"]) == (
        "How many cups stand on the table?", ["Two", "Three", "Four"], ["counting"],
    )  # fmt: skip
    assert (taste["declining"], taste["tempting"][-1], "right" in taste) == ("is_right", "Burnt", False)


def test_what_is_missing_is_named_and_gets_the_cursor(
    site: ReviewSite, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context().new_page()
    sign_in(page, site, "ben", path="/?campaign=puzzles")
    slot_on_screen(page)
    page.get_by_role("button", name="Write questions").click()
    entry = page.locator(".entry").first
    field(entry, "Question").fill("Which figure comes next?")
    field(entry, "Right option in the picture").select_option(label="C")
    field(entry, "Rule").select_option("rotation")
    page.get_by_role("button", name="Done").click()
    assert "Explanation" in status(page)
    assert page.locator(".mistake").count() == 0  # what is not written yet is no mistake


def test_a_puzzle_is_written_by_keys_alone(
    site: ReviewSite, store: ReviewStore, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context().new_page()
    sign_in(page, site, "ann", path="/?campaign=puzzles")
    slot = slot_on_screen(page)
    page.keyboard.press("1")
    page.keyboard.press("n")
    page.keyboard.type("Which figure comes next?")
    page.keyboard.press("Tab")
    page.keyboard.press("C")
    page.keyboard.press("Tab")
    page.keyboard.type("Each figure is the one before, turned by a quarter.")
    page.keyboard.press("Tab")
    page.keyboard.press("r")
    page.keyboard.press("Control+Enter")
    next_slot(page, slot or 0)
    [decision] = store.decisions("puzzles")
    assert (decision.fields or {})["questions"] == [
        {
            "ask": "Which figure comes next?", "right": "value_3",
            "explanation": "Each figure is the one before, turned by a quarter.", "rule": "rotation",
        }
    ]  # fmt: skip


@pytest.mark.parametrize("width", [390, 1366], ids=["telephone", "desk"])
def test_the_form_has_no_findings_of_axe_with_mistakes_in_it(
    site: ReviewSite, new_context: Callable[..., BrowserContext], width: int
) -> None:
    page = new_context(viewport={"width": width, "height": 900}).new_page()
    sign_in(page, site, "ben", path="/?campaign=manners")
    slot_on_screen(page)
    begin = page.get_by_role("button", name="Write questions")
    if begin.get_attribute("aria-pressed") == "false":
        begin.click()
    entry = page.locator(".entry").first
    fill_first(entry)
    field(entry, "Wrong options").fill("Two\none.\nFour")
    page.locator(".mistake").first.wait_for()
    at_rest(page)
    assert findings_by_theme(page) == NOTHING
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
