"""Campaigns of other kinds in the running app, by keyboard: screening, describing, comparing, collecting."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from brought_photographs import jpeg
from browser.kinds_site import make_images, open_campaigns
from browser.review_site import ReviewSite, next_slot, serve, sign_in, slot_on_screen
from browser.viewing import in_mode

from benchwright.annotation.campaigns.collect.collected_photographs import submitted_photographs
from benchwright.annotation.campaigns.collect.step import Collect
from benchwright.annotation.campaigns.describe.step import Describe
from benchwright.annotation.campaigns.pair import Pair
from benchwright.annotation.campaigns.screen import Screen
from benchwright.annotation.store.review_store import ReviewStore, open_store

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page, Route

pytestmark = pytest.mark.thorough


PROMPTS = ("a cat <b>on</b> a wall", "a red cup")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    done = make_images(tmp_path_factory.mktemp("kinds"))
    open_campaigns(done, [Screen(), Pair(), Describe(), Collect(prompts=PROMPTS, min_side_px=64)])
    with serve(done.workspace) as running:
        yield running


@pytest.fixture
def store(site: ReviewSite) -> Iterator[ReviewStore]:
    with open_store(f"sqlite:///{site.workspace / 'review.sqlite'}") as opened:
        yield opened


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def test_images_are_screened_by_keyboard(
    site: ReviewSite, store: ReviewStore, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context().new_page()
    sign_in(page, site, "ann", path="/?campaign=screen")
    first = slot_on_screen(page)
    assert page.get_by_role("heading", name="Does this image belong in the benchmark?").is_visible()
    page.get_by_text("Guidelines").first.wait_for()
    press(page, "1", "Enter")
    second = next_slot(page, first)
    assert second is not None
    drafts: list[Route] = []

    def hold(route: Route) -> None:
        drafts.append(route)

    page.route("**/drafts/**", hold, times=1)
    with page.expect_request("**/drafts/**"):
        press(page, "2")
    assert page.locator(".field.active").get_attribute("data-field") == "reasons"
    press(page, "Enter")
    status = page.locator(".card .status")
    assert "Pick an option of “Why”" in status.inner_text()
    drafts.pop().continue_()
    page.get_by_text("Draft saved").wait_for()  # of the key before, and it does not take the words away
    assert "Pick an option of “Why”" in status.inner_text()
    press(page, "2", "4", "n")
    page.keyboard.type("blurred")
    press(page, "Control+Enter")
    assert next_slot(page, second) is not None
    found = sorted((dict(one.fields or {}) for one in store.decisions("screen")), key=str)
    assert found == [
        {"verdict": "discard", "reasons": ["poor_quality", "offensive"], "note": "blurred"},
        {"verdict": "keep"},
    ]
    curator = new_context().new_page()
    sign_in(curator, site, "cur", path="/progress?campaign=screen")
    curator.get_by_role("heading", name="Results").wait_for()


def test_a_pair_is_compared_under_the_slider_and_blinking_and_decided_by_keyboard(
    site: ReviewSite, store: ReviewStore, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context().new_page()
    sign_in(page, site, "ben", path="/?campaign=pair")
    slot = slot_on_screen(page)
    page.get_by_role("heading", name="Is this the same picture?").wait_for()
    modes = page.get_by_role("group", name="How to compare").get_by_role("button")
    chosen = []
    for mode in ("side", "slider", "blink"):
        in_mode(page, mode)
        chosen += [one.inner_text() for one in modes.all() if one.get_attribute("aria-pressed") == "true"]
        press(page, "m")
    assert chosen == ["Side by side", "Slider", "Blink"]
    press(page, "1", "Enter")
    assert next_slot(page, slot) is None
    assert [one.fields for one in store.decisions("pair")] == [{"verdict": "same"}]


WRONG = ("a feast", "a wedding", "a storm", "a journey", "a debt")


def test_an_image_is_described_by_keyboard_and_a_reload_loses_nothing(
    site: ReviewSite, store: ReviewStore, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context().new_page()
    noted: list[str] = []
    page.on("pageerror", lambda error: noted.append(str(error)))
    sign_in(page, site, "ann", path="/?campaign=describe")
    slot = slot_on_screen(page)
    assert not page.locator("[data-field=image_type]").is_visible()
    active = page.locator(".field.active")
    chosen = []
    for key in ("1", "7", "2", "3", "1"):  # conveys something; single-panel comic, middle, society, positive
        chosen.append(active.get_attribute("data-field"))
        page.keyboard.press(key)
    assert chosen == ["implication", "image_type", "difficulty", "domain", "emotion"]
    assert active.get_attribute("data-field") == "rhetoric"  # several apply: F says that these are all
    press(page, "1", "4", "f")
    assert active.get_attribute("data-field") == "questions"
    press(page, "1", "n")
    page.keyboard.type("The cup is empty: 1 2 3.")
    press(page, "Control+Enter")  # what is missing gets the cursor
    assert "Fill in “Question 1”" in page.locator(".card .status").inner_text()
    page.keyboard.type("What does the cup stand for?")
    press(page, "Enter")
    page.keyboard.type("rest")
    press(page, "Enter")
    page.keyboard.type("\n".join(WRONG[:4]))
    press(page, "Control+Enter")
    assert "Wrong options of question 1” needs 5 lines" in page.locator(".card .status").inner_text()
    page.get_by_text("Draft saved").wait_for()
    page.reload()
    assert slot_on_screen(page) == slot
    assert page.locator("[data-field=wrong_1] textarea").input_value() == "\n".join(WRONG[:4])
    assert page.locator("[data-field=rhetoric] [aria-pressed=true]").count() == 2
    page.locator("[data-field=wrong_1] textarea").focus()
    press(page, "Control+End", "Enter")
    page.keyboard.type(WRONG[4])
    press(page, "Control+Enter")
    other = next_slot(page, slot)
    assert other is not None
    press(page, "2", "Enter")  # the next one conveys nothing
    assert next_slot(page, other) is not None
    found = {one.decision: one.fields for one in store.decisions("describe")}
    assert found == {
        "conveys": {
            "implication": "conveys", "image_type": "single_panel_comic", "difficulty": "middle", "domain": "society",
            "emotion": "positive", "rhetoric": ["metaphor", "contrast"], "questions": "one",
            "explanation": "The cup is empty: 1 2 3.", "ask_1": "What does the cup stand for?", "right_1": "rest",
            "wrong_1": list(WRONG),
        },
        "nothing": {"implication": "nothing"},
    }  # fmt: skip
    page.goto(f"{site.url}/history?campaign=describe")
    page.get_by_text("What does the cup stand for?").wait_for()
    assert noted == []


def test_a_photograph_is_brought_to_a_prompt_by_keyboard(
    site: ReviewSite, store: ReviewStore, new_context: Callable[..., BrowserContext], tmp_path: Path
) -> None:
    (tmp_path / "cat.jpg").write_bytes(jpeg())
    (tmp_path / "program.jpg").write_bytes(b"MZ" + bytes(900))
    page = new_context().new_page()
    noted: list[str] = []
    page.on("pageerror", lambda error: noted.append(str(error)))
    # Heard from the start: whoever begins to listen only now may come after a key that is pressed at once.
    page.on("filechooser", lambda _chooser: None)
    sign_in(page, site, "ann", path="/?campaign=collect")
    slot = slot_on_screen(page)
    prompt = page.locator(".card .question").inner_text()
    assert prompt in PROMPTS  # markup in a prompt is text
    assert page.get_by_role("region", name="Pictures").count() == 0
    press(page, "1", "2")  # from the web, CC BY
    press(page, "Enter")
    assert "Choose a photograph (P)" in page.locator(".card .status").inner_text()
    with page.expect_file_chooser() as chooser:
        press(page, "p")
    chooser.value.set_files(tmp_path / "program.jpg")
    page.get_by_text("this photograph cannot be accepted").wait_for()
    with page.expect_file_chooser() as chooser:
        press(page, "p")
    chooser.value.set_files(tmp_path / "cat.jpg")
    page.get_by_text("320 × 240 pixels").wait_for()
    page.wait_for_function(
        """() => [...document.querySelectorAll("*")].map((one) => one.shadowRoot?.querySelector(".photograph img"))
          .some((image) => image?.naturalWidth === 320)"""
    )
    page.get_by_text("Draft saved").wait_for()
    page.reload()
    assert slot_on_screen(page) == slot
    assert page.locator(".photograph img").is_visible()
    press(page, "n")
    page.keyboard.type("https://example.org/cat")
    press(page, "Enter")
    page.keyboard.type("A. Body")
    press(page, "Control+Enter")
    other = next_slot(page, slot)
    assert other is not None
    press(page, "3", "Enter")  # none to be found
    assert next_slot(page, other) is None
    [brought] = submitted_photographs(site.workspace)
    assert (brought.source.canonical_id, brought.source.licence, brought.source.author) == (
        "https://example.org/cat", "cc-by-4.0", "A. Body",
    )  # fmt: skip
    assert brought.path.read_bytes().startswith(b"\x89PNG")
    assert noted == []
