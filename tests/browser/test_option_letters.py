"""One letter for each option: drawn on its picture, in the list and on the keys; and no option's letter decides."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from browser.review_site import ReviewSite, make_workspace, next_slot, serve, sign_in, slot_on_screen

from benchwright.annotation.campaigns.answer import Answer
from benchwright.annotation.campaigns.review import Review
from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.records import Choice, Item
from benchwright.steps import CampaignContext

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    """Jigsaw items, whose options are pictures, in a campaign of each kind that shows options."""
    workspace = make_workspace(tmp_path_factory.mktemp("letters"))
    url = f"sqlite:///{workspace / 'review.sqlite'}"
    with open_store(url) as store:
        pattern = Item.model_validate(store.tasks("verify")[0].payload)
    several = [pattern.model_copy(update={"item_id": f"{n:032x}"}) for n in range(4)]
    lettered = pattern.model_copy(update={
        "item_id": "e" * 32, "question": "Which is it?", "answer": "B",
        "choices": tuple(Choice(key=letter, text=f"option {letter}") for letter in "ABCDEFGH"),
    })  # fmt: skip
    context = CampaignContext(seed=1, stage="pick", workspace=workspace, store_url=url)
    Answer(annotators_per_item=1).advance(several, context)
    Answer(annotators_per_item=1).advance([lettered], context._replace(stage="eight"))
    Verify(rule="unanimous(1)").advance([lettered], context._replace(stage="judge"))
    Review(rule="unanimous(2)").advance([several[0]], context._replace(stage="both"))
    with serve(workspace) as running:
        yield running


@pytest.fixture
def store(site: ReviewSite) -> Iterator[ReviewStore]:
    with open_store(f"sqlite:///{site.workspace / 'review.sqlite'}") as opened:
        yield opened


def chosen(page: Page) -> list[str]:
    """Return the letters that are shown as chosen: on the card, and on the pictures."""
    return page.locator(".option[aria-pressed=true] .key, .letter[aria-pressed=true]").all_inner_texts()


WAYS: dict[str, Callable[[Page], None]] = {
    "its digit": lambda page: page.keyboard.press("2"),
    "its letter": lambda page: page.keyboard.press("b"),
    "its picture": lambda page: (
        page.locator(".pane", has=page.get_by_role("button", name="Choose B"))
        .locator(".stage")
        .click(position={"x": 20, "y": 20})
    ),
    "its line": lambda page: page.locator(".option").nth(1).click(),
}


def test_letter_digit_picture_and_line_choose_the_same_option(
    site: ReviewSite, store: ReviewStore, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context().new_page()
    sign_in(page, site, "ann", path="/?campaign=pick")
    slot: int | None = slot_on_screen(page)
    for way, choose in WAYS.items():
        assert slot is not None, way
        assert page.locator(".caption").all_inner_texts() == ["Image 1", "A", "B"]
        assert page.locator(".card .said").all_inner_texts() == ["Picture A", "Picture B"]
        assert page.locator(".card .question").inner_text().endswith("Which image shows the missing part, A or B?")
        assert chosen(page) == []
        choose(page)
        assert sorted(chosen(page)) == ["B", "B"], way
        page.keyboard.press("Enter")
        slot = next_slot(page, slot)
    assert slot is None
    assert [one.decision for one in store.decisions("pick")] == ["B"] * len(WAYS)


def test_a_drag_over_a_picture_chooses_nothing(
    site: ReviewSite, new_context: Callable[..., BrowserContext]
) -> None:  # fmt: skip
    page = new_context().new_page()
    sign_in(page, site, "ben", path="/?campaign=both")
    slot_on_screen(page)
    box = page.locator(".stage").nth(2).bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 10, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + 60, box["y"] + 40, steps=4)
    page.mouse.up()
    assert chosen(page) == []


def test_the_answer_before_the_key_is_chosen_the_same_way(
    site: ReviewSite, store: ReviewStore, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context().new_page()
    sign_in(page, site, "cur", path="/review?campaign=both")
    slot_on_screen(page)
    WAYS["its picture"](page)
    page.keyboard.press("Enter")
    page.get_by_text("You answered").wait_for()
    assert page.locator(".told").first.inner_text() == "B: Picture B"
    assert page.locator("button.letter").count() == 0  # nothing is to be chosen any more


def test_every_option_letter_chooses_and_commands_with_such_a_letter_take_shift(
    site: ReviewSite, store: ReviewStore, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context().new_page()
    sign_in(page, site, "ann", path="/?campaign=eight")
    slot = slot_on_screen(page)
    for letter in "HGFEDCBA":  # C is Streamlit's as well, G the comment's
        page.keyboard.press(letter.lower())
        assert chosen(page) == [letter]
    assert page.get_by_role("dialog").count() == 0
    assert page.locator(".remarks summary kbd").inner_text() == "Shift+G"
    page.keyboard.press("?")
    assert "Shift+G" in page.locator(".keys dt").all_inner_texts()
    page.keyboard.press("Escape")
    page.keyboard.press("Shift+G")
    page.locator(".remarks textarea").wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    assert next_slot(page, slot) is None
    assert [one.decision for one in store.decisions("eight")] == ["A"]


def test_no_letter_of_an_option_judges_an_item(
    site: ReviewSite, store: ReviewStore, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context().new_page()
    sign_in(page, site, "ben", path="/?campaign=judge")
    slot = slot_on_screen(page)
    for letter in "ABCDEFGH":
        page.keyboard.press(letter.lower())
        assert f"{letter} is an option here" in page.locator(".card .status").inner_text()
        assert page.locator(".card").get_attribute("aria-busy") == "false"  # as it is from a decision to the next task
    assert slot_on_screen(page) == slot
    assert store.decisions("judge") == []
    assert not page.locator(".card .editor").is_visible()
    page.keyboard.press("y")
    assert next_slot(page, slot) is None
    assert [one.decision for one in store.decisions("judge")] == ["accept"]
