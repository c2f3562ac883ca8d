"""Practice: in every kind of campaign five items on the workbench, explained one by one, and not counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from browser.axe import NOTHING, findings_by_theme
from browser.kinds_site import make_images, open_campaigns
from browser.rest import at_rest
from browser.review_site import ReviewSite, next_slot, serve, sign_in, slot_on_screen

from benchwright.annotation.campaigns.answer import Answer
from benchwright.annotation.campaigns.collect.step import Collect
from benchwright.annotation.campaigns.describe.step import Describe
from benchwright.annotation.campaigns.pair import Pair
from benchwright.annotation.campaigns.review import Review
from benchwright.annotation.campaigns.screen import Screen, ScreenItems
from benchwright.annotation.campaigns.state.step import State
from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.campaigns.write.step import Write
from benchwright.annotation.forms.assignment_settings import AssignmentSettings
from benchwright.annotation.store.campaigns.practice import Practice
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.records import Choice, Item
from benchwright.steps import CampaignContext

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import BrowserContext, Page

pytestmark = pytest.mark.thorough

RIGHT = {
    "judge": ("y", "1x", "2x", "3x", "y"),
    "answer": ("b+", "b+", "c+", "b+", "c+"),
    "both": ("b+/112+", "b+/211+", "a+/121+", "b+/121+", "b+/111+"),
    "screen": ("1", "21+", "1", "22+", "23+"),
    "screen_items": ("1", "22+", "21+", "23+", "1"),
    "pair": ("1", "2", "1", "2", "1"),
    "describe": ("111111+", "2", "111111+", "2", "111111+"),
    "collect": ("1", "2", "2", "2", "1"),
    "state": ("5", "1", "2", "3", "4"),
    "write": ("1", "2", "2", "1", "2"),
}
"""By campaign, the keys that decide each item rightly; `+` is Enter, and `/` waits for the votes after an answer."""
QUALIFIED = AssignmentSettings.model_validate({"qualification": {"pass_mark": 4, "attempts": 2}})
WINDOWS = {"desk": {"width": 1280, "height": 800}, "telephone": {"width": 390, "height": 844}}


_ASK_FOR_TASKS = """async () => {
  const headers = { "x-benchwright-draft": "1", "Content-Type": "application/json" };
  const work = await fetch("/work", { method: "POST", headers, body: JSON.stringify({ campaign: "judge" }) });
  const [id] = performance.getEntriesByType("resource").map(({ name }) => name.match(/practice.(\\d+)\\/0/)?.[1]).filter(Boolean);
  const own = await fetch(`/practice/${id}/0/0`);
  const other = await fetch("/practice/1/0/0"); // which this person has not begun
  return [work.status, own.status, other.status];
}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    done = make_images(tmp_path_factory.mktemp("kinds"))
    open_campaigns(
        done,
        [Screen(), Pair(), Describe(), State(), Write(task="cups"), Collect(prompts=("a red cup",), min_side_px=64)],
    )
    image = next(iter(done.images()))
    item = Item.model_validate({
        "item_id": "e" * 32, "task": "naming", "kind": "multiple_choice", "question": "Which drink is in the cup?",
        "images": [{"image_id": image.image_id, "role": "view"}], "root_image_id": image.image_id,
        "operation_id": "0" * 32, "made_from": image.image_id, "choices": [Choice(key=key, text=f"drink {key}") for key in "ABCD"], "answer": "B",
    })  # fmt: skip
    context = CampaignContext(seed=1, stage="judge", workspace=done.workspace, store_url=url_of(done.workspace))
    for step, stage, letter in (
        (Verify(rule="unanimous(2)", handout=QUALIFIED), "judge", "e"),
        (Answer(annotators_per_item=2), "answer", "f"),
        (Review(rule="unanimous(2)"), "both", "a"),
        (ScreenItems(rule="unanimous(2)"), "screen_items", "b"),
    ):
        step.advance([item.model_copy(update={"item_id": letter * 32})], context._replace(stage=stage))
    path = done.workspace.parent / "gold.csv"
    path.write_text(f"item_id,decision,why\n{'c' * 32},discard,Two of the drinks look alike.\n")
    told = AssignmentSettings(gold=str(path), gold_rate=0.5, gold_feedback=True)
    known = [item.model_copy(update={"item_id": letter * 32}) for letter in "cd9"]
    ScreenItems(rule="unanimous(2)", handout=told).advance(known, context._replace(stage="told"))
    with serve(done.workspace) as running:
        yield running


def url_of(workspace: Path) -> str:
    return f"sqlite:///{workspace / 'review.sqlite'}"


@pytest.fixture
def store(site: ReviewSite) -> Iterator[ReviewStore]:
    with open_store(url_of(site.workspace)) as opened:
        yield opened


def decide(page: Page, keys: str) -> None:
    """Give a decision by keys, and wait until it is explained."""
    for key in keys:
        if key == "/":
            page.locator(".card[aria-busy=false] .right").wait_for()
        else:
            page.keyboard.press("Enter" if key == "+" else key)
    page.locator(".feedback").wait_for()


@pytest.mark.parametrize("campaign", RIGHT)
def test_five_items_of_every_kind_are_explained_one_by_one_and_count_nowhere(
    site: ReviewSite, store: ReviewStore, new_context: Callable[..., BrowserContext], campaign: str
) -> None:
    page = new_context(viewport=WINDOWS["desk"]).new_page()
    failed: list[str] = []
    page.on(
        "response",
        lambda answer: failed.append(answer.url) if answer.status >= 400 and "_stcore" not in answer.url else None,
    )
    sign_in(page, site, "ann", path=f"/practice?campaign={campaign}")
    for keys in RIGHT[campaign]:
        slot_on_screen(page)
        decide(page, keys)
        page.get_by_text("That is right.").wait_for()
        page.keyboard.press("Enter")
    page.get_by_text("5 of 5 right").wait_for()
    assert failed == []
    settings = store.campaign(campaign)
    assert store.decisions(campaign) == []
    [result] = Practice(store).results(settings)
    assert (result.name, result.correct, result.of, result.attempts) == ("ann", 5, 5, 1)


@pytest.mark.parametrize("window", WINDOWS)
def test_a_wrong_decision_is_explained_where_it_can_be_read(
    site: ReviewSite, new_context: Callable[..., BrowserContext], window: str
) -> None:
    page = new_context(viewport=WINDOWS[window]).new_page()
    sign_in(page, site, {"desk": "ben", "telephone": "cur"}[window], path="/practice?campaign=answer")
    slot_on_screen(page)
    assert findings_by_theme(page) == NOTHING
    page.locator(".option").nth(3).click()
    page.get_by_role("button", name="Answer").click()
    feedback = page.locator(".feedback")
    feedback.wait_for()
    assert "You said: D: 5\nRight: B: 3" in feedback.inner_text()
    assert findings_by_theme(page) == NOTHING
    at_rest(page)
    box, height = feedback.bounding_box(), WINDOWS[window]["height"]
    assert box is not None
    assert 0 < box["y"] < box["y"] + box["height"] < height
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.reload()
    page.get_by_text("How many cups stand on the table?").wait_for()


def test_practice_comes_first_where_it_has_to_be_passed_and_a_curator_can_let_somebody_in(
    site: ReviewSite, store: ReviewStore, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context(viewport=WINDOWS["desk"]).new_page()
    sign_in(page, site, "ben", path="/review?campaign=judge")
    for attempt in (1, 2):
        for place in range(5):
            slot_on_screen(page)
            decide(page, "y" if place else "1x")  # the first is sound, and of the others only the last
            page.keyboard.press("Enter")
        if attempt == 1:
            page.get_by_text("You may try once more.").wait_for()
            page.get_by_role("button", name="Practice again").click()
    page.get_by_text("A curator can still let you in.").wait_for()
    assert page.get_by_role("button", name="Practice again").count() == 0
    assert page.evaluate(_ASK_FOR_TASKS) == [403, 200, 404]
    page.goto(f"{site.url}/home")
    page.get_by_text("Before you start: get 4 of 5 right in the practice").wait_for()

    curator = new_context(viewport=WINDOWS["desk"]).new_page()
    sign_in(curator, site, "cur", path="/annotators?campaign=judge")
    curator.get_by_text("Let in without passing").wait_for()
    assert findings_by_theme(curator) == NOTHING
    curator.get_by_label("Let in without passing").select_option("ben")
    curator.get_by_role("button", name="Let in").click()
    curator.get_by_text("ben may decide here now.").wait_for()
    [result] = [result for result in Practice(store).results(store.campaign("judge")) if result.name == "ben"]
    assert (result.attempts, result.waived_by) == (2, "cur")
    page.goto(f"{site.url}/review?campaign=judge")
    page.get_by_text("Which drink is in the cup?").wait_for()


def test_practice_is_offered_at_a_first_visit_and_from_home(
    site: ReviewSite, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context(viewport=WINDOWS["desk"]).new_page()
    sign_in(page, site, "cur", path="/review?campaign=screen")
    slot_on_screen(page)
    page.get_by_role("button", name="Practice first").click()
    page.get_by_text("Practice: 0 of 5").wait_for()
    page.goto(f"{site.url}/review?campaign=screen")
    slot_on_screen(page)
    assert page.get_by_role("button", name="Practice first").count() == 0
    page.goto(f"{site.url}/home")
    page.get_by_role("button", name="Practice first").first.wait_for()
    assert findings_by_theme(page) == NOTHING


def test_after_a_gold_item_its_right_decision_stands_on_the_screen_until_it_is_closed(
    site: ReviewSite, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context(viewport=WINDOWS["desk"]).new_page()
    sign_in(page, site, "ann", path="/review?campaign=told")
    first = slot_on_screen(page)
    page.keyboard.press("1")
    next_slot(page, first)
    page.keyboard.press("1")
    notice = page.locator(".notice")
    notice.wait_for()
    words = notice.inner_text()
    assert "You said: Keep" in words
    assert "Right: Discard" in words
    assert "Two of the drinks look alike." in words
    assert findings_by_theme(page) == NOTHING
