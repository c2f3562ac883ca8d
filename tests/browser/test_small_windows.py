"""A key's choice is visible, and deciding buttons are in reach: on a notebook, at 200 %, with many letters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from browser.axe import findings
from browser.review_site import ReviewSite, make_workspace, serve, sign_in, slot_on_screen
from browser.widths import FINGER, too_small

from benchwright.annotation.campaigns.answer import Answer
from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.campaigns.write.step import Write
from benchwright.annotation.store.review_store import open_store
from benchwright.records import Choice, Item
from benchwright.steps import CampaignContext
from benchwright.workspace.run_results import images_of
from benchwright.workspace.workspace import Workspace

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Locator, Page

NOTEBOOK = {"viewport": {"width": 1366, "height": 625}}
"""What a browser leaves of a screen of 1366 x 768."""
TWICE = {"viewport": {"width": 683, "height": 384}, "device_scale_factor": 2}
"""The same screen at 200 %, without the browser's own bars."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    folder = tmp_path_factory.mktemp("small")
    workspace = make_workspace(folder, photographs=4)
    url = f"sqlite:///{workspace / 'review.sqlite'}"
    with open_store(url) as store:
        pattern = Item.model_validate(store.tasks("verify")[0].payload)
    letters = [chr(ord("A") + place) for place in range(26)]

    def lettered(count: int) -> Item:
        choices = tuple(Choice(key=letter, text=f"option {letter}, in some more words") for letter in letters[:count])
        question = "Which of these describes what can be seen from where the camera stood?"
        return pattern.model_copy(update={"item_id": f"{count:032x}", "question": question, "choices": choices})

    context = CampaignContext(seed=1, stage="many", workspace=workspace, store_url=url)
    Answer(annotators_per_item=9).advance([lettered(26)], context)
    Verify(rule="unanimous(9)").advance([lettered(6)], context._replace(stage="six"))
    Verify(rule="unanimous(9)").advance([lettered(26)], context._replace(stage="judge"))
    write = Write(task="cups", refusal="allowed")
    write.advance(list(images_of(Workspace(workspace))), context._replace(stage="write"))
    with serve(workspace) as running:
        yield running


@pytest.fixture
def opened(site: ReviewSite, new_context: Callable[..., BrowserContext]) -> Callable[..., Page]:
    def open_page(campaign: str, who: str = "ann", **window: Any) -> Page:
        page = new_context(**window).new_page()
        sign_in(page, site, who, path=f"/?campaign={campaign}")
        page.locator(".card[data-slot]").wait_for()
        return page

    return open_page


def is_in_sight(place: Locator) -> bool:
    """Return whether the whole of something is drawn where nothing lies over it."""
    seen: bool = place.evaluate(
        """place => {
          const { left, top, right, bottom } = place.getBoundingClientRect();
          const isThere = (x, y) => place.contains(place.getRootNode().elementFromPoint(x, y));
          return isThere((left + right) / 2, top + 2) && isThere((left + right) / 2, bottom - 2);
        }"""
    )
    return seen


@pytest.mark.parametrize("window", [NOTEBOOK, TWICE], ids=["notebook", "twice"])
def test_an_option_that_a_key_picks_comes_into_sight(opened: Callable[..., Page], window: dict[str, Any]) -> None:
    page = opened("many", **window)
    last = page.locator("button.option").last
    assert not is_in_sight(last)
    page.keyboard.press("z")
    assert last.get_attribute("aria-pressed") == "true"
    assert is_in_sight(last)


def test_six_options_all_reasons_and_the_decision_fit_a_notebook(opened: Callable[..., Page]) -> None:
    page = opened("six", **NOTEBOOK)
    for place in page.locator(".card :is(.option, .reason, .foot .action)").all():
        assert is_in_sight(place), place.inner_text()


def test_at_twice_the_size_the_decision_is_in_reach_and_covers_nothing_for_good(opened: Callable[..., Page]) -> None:
    page = opened("six", **TWICE)
    assert is_in_sight(page.locator(".action.accept"))
    page.mouse.move(300, 250)
    page.mouse.wheel(0, 5000)
    page.wait_for_function(
        "() => { const main = document.querySelector('[data-testid=stMain]');"
        " return main.scrollTop + main.clientHeight >= main.scrollHeight - 2; }"
    )
    assert is_in_sight(page.locator(".says textarea"))
    assert is_in_sight(page.locator(".action.accept"))


@pytest.mark.parametrize("window", [NOTEBOOK, TWICE], ids=["notebook", "twice"])
def test_what_scrolls_is_reached_by_keyboard(opened: Callable[..., Page], window: dict[str, Any]) -> None:
    page = opened("judge", **window)
    slot_on_screen(page)
    assert findings(page) == []


@pytest.mark.parametrize("campaign", ["six", "many", "write"])
def test_what_a_finger_presses_is_44_px_high_and_wide(opened: Callable[..., Page], campaign: str) -> None:
    page = opened(campaign, "ben", **FINGER)
    if campaign == "write":
        page.get_by_role("button", name="Write questions").tap()
        page.get_by_label("Option that declines").wait_for()
    assert too_small(page) == []


def test_at_twice_the_size_the_head_takes_no_room_from_the_pictures(opened: Callable[..., Page]) -> None:
    page = opened("six", **TWICE)
    menu = page.get_by_role("combobox", name="Campaign").bounding_box()
    pictures = page.locator(".panes").bounding_box()
    assert menu is not None
    assert pictures is not None
    assert menu["y"] + menu["height"] < 60, "it stands in Streamlit's own bar"
    assert pictures["y"] < 130


def test_a_question_can_be_written_from_top_to_bottom(opened: Callable[..., Page]) -> None:
    page = opened("write")
    page.keyboard.press("1")
    shown = page.locator(".entry .part:visible .label").all_inner_texts()
    assert shown == ["Question", "Option that declines", "Right option", "Wrong options", "Explanation (optional)"]
    page.get_by_label("Option that declines").select_option("is_right")
    assert "Tempting options, none of them right" in page.locator(".entry .part:visible .label").all_inner_texts()
    assert not page.get_by_label("Wrong options").is_visible()
