"""The workbench: large pictures always in sight, the next task at once, nothing lost without a connection."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from browser.kinds_site import make_images, open_campaigns
from browser.rest import at_rest, wait_for_pictures
from browser.review_site import ReviewSite, make_workspace, next_slot, say, serve, sign_in, slot_on_screen

from benchwright.annotation.app.base.state import clock
from benchwright.annotation.campaigns.answer import Answer
from benchwright.annotation.campaigns.describe.step import Describe
from benchwright.annotation.campaigns.pair import Pair
from benchwright.annotation.campaigns.review import Review
from benchwright.annotation.campaigns.screen import Screen, ScreenItems
from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.kinds import KINDS as KINDS_OF_CAMPAIGNS
from benchwright.annotation.forms.payloads import TaskInput
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.evaluation.analysis.error_sample import BLINK
from benchwright.records import Choice, Item
from benchwright.steps import CampaignContext

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

WINDOWS = {"1280 x 800": {"width": 1280, "height": 800}, "1366 x 768": {"width": 1366, "height": 768}}
KINDS = ("judge", "answer", "both", "screen", "pair", "describe", "screen_items", "errors", "errata", "adjudicate")
WITH_OPTIONS = {"judge", "answer", "both", "screen_items", "errors", "errata", "adjudicate"}
WITH_NOTE = {"judge", "answer", "both", "adjudicate"}
_PLACES = """() => {
  const roots = [...document.querySelectorAll("*")].map((element) => element.shadowRoot).filter(Boolean);
  const all = (selector) => roots.flatMap((root) => [...root.querySelectorAll(selector)]).filter((one) => one.checkVisibility());
  const box = (element) => { const { left, top, right, bottom } = element.getBoundingClientRect(); return { left, top, right, bottom }; };
  const [pane] = all(".pictures");
  const { left, top, right, bottom } = box(pane);
  const isSeen = (element) => {
    const { left, top, right, bottom } = box(element);
    if (left < -1 || top < -1 || right > innerWidth + 1 || bottom > innerHeight + 1) return false;
    for (let around = element.parentElement; around; around = around.parentElement) {
      const { overflowY } = getComputedStyle(around);
      if (overflowY !== "visible" && (box(around).top > top + 1 || box(around).bottom < bottom - 1)) return false;
    }
    return true;
  };
  return {
    share: ((right - left) * (bottom - top)) / (innerWidth * innerHeight),
    inWindow: left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight,
    options: all(".option").filter(isSeen).length,
    note: all(".says textarea").filter(isSeen).length,
    ends: all(".action").filter((one) => !one.classList.contains("quiet")).every(isSeen),
    scrolls: document.querySelector("[data-testid=stMain]").scrollHeight - innerHeight,
  };
}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    """Campaigns of every kind with pictures; the items have eight options."""
    done = make_images(tmp_path_factory.mktemp("kinds"))
    open_campaigns(done, [Screen(), Pair(), Describe()])
    url = f"sqlite:///{done.workspace / 'review.sqlite'}"
    image = next(iter(done.images()))
    item = Item.model_validate({
        "item_id": "e" * 32, "task": "naming", "kind": "multiple_choice", "question": "Which drink is in the cup on the table?",
        "images": [{"image_id": image.image_id, "role": "view"}], "root_image_id": image.image_id,
        "operation_id": "0" * 32, "made_from": image.image_id, "choices": [Choice(key=key, text=f"drink {key}") for key in "ABCDEFGH"], "answer": "B",
    })  # fmt: skip
    context = CampaignContext(seed=1, stage="judge", workspace=done.workspace, store_url=url)
    Verify(rule="unanimous(2)").advance([item], context)
    Answer(annotators_per_item=2).advance(
        [item.model_copy(update={"item_id": "f" * 32})], context._replace(stage="answer")
    )
    Review(rule="unanimous(2)").advance([item.model_copy(update={"item_id": "a" * 32})], context._replace(stage="both"))
    ScreenItems(rule="unanimous(2)").advance(
        [item.model_copy(update={"item_id": "b" * 32})], context._replace(stage="screen_items")
    )
    Verify(rule="adjudicated(unanimous(2))").advance(
        [item.model_copy(update={"item_id": "c" * 32})], context._replace(stage="adjudicate")
    )
    with open_store(url) as store:
        open_reviews_of_a_release(store, item)
        for name, decision in (("ann", "accept"), ("ben", "reject")):
            said = Submission(decision, reasons=("unclear",) if decision == "reject" else ())
            store.decide("adjudicate", store.tasks("adjudicate")[0].id, name, said, now=clock())
    with serve(done.workspace) as running:
        yield running


def open_reviews_of_a_release(store: ReviewStore, item: Item) -> None:
    """Open a campaign on a model's errors and one on doubtful keys, each of one item with the model's reply."""
    beside = [{"label": "The model's reply", "text": "It is (A), since the cup is white and steams. " * 8}]
    for number, (name, kind) in enumerate({"errors": "error_analysis", "errata": "errata"}.items()):
        form = KINDS_OF_CAMPAIGNS[kind].form
        assert form is not None
        store.upsert_campaign(
            name, kind=kind, rule="single", slots_per_task=1, settings={}, seed=1,
            form=CampaignForm(fields=form(BLINK).fields),
        )  # fmt: skip
        payload = item.model_copy(update={"item_id": str(number) * 32}).model_dump(mode="json")
        store.upsert_tasks(
            name, [TaskInput(str(number) * 32, "content", {"item": payload, "beside": beside, "about": {}})]
        )


@pytest.fixture(scope="module")
def ten(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    with serve(make_workspace(tmp_path_factory.mktemp("ten"))) as running:
        yield running


@pytest.fixture
def store(ten: ReviewSite) -> Iterator[ReviewStore]:
    with open_store(f"sqlite:///{ten.workspace / 'review.sqlite'}") as opened:
        yield opened


def places(page: Page) -> dict[str, Any]:
    at_rest(page)
    found: dict[str, Any] = page.evaluate(_PLACES)
    return found


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_pane_has_half_of_the_window_with_eight_options_the_note_and_the_last_button_in_sight(
    site: ReviewSite, new_context: Callable[..., BrowserContext], kind: str, window: str
) -> None:
    page = new_context(viewport=WINDOWS[window]).new_page()
    if kind == "adjudicate":
        sign_in(page, site, "cur", path="/adjudicate?campaign=adjudicate")
    else:
        sign_in(page, site, "ann", path=f"/?campaign={kind}")
    slot_on_screen(page)
    seen = places(page)
    assert seen["share"] >= 0.5
    assert seen["inWindow"]
    assert seen["ends"]
    assert seen["scrolls"] <= 0
    assert seen["options"] == (8 if kind in WITH_OPTIONS else seen["options"])
    assert seen["note"] == (1 if kind in WITH_NOTE else seen["note"])


SIZES = {"ann": (1280, 800), "ben": (820, 1180), "cur": (390, 780)}


@pytest.mark.parametrize("name", SIZES)
def test_the_picture_stays_in_sight_whatever_is_written(
    site: ReviewSite, new_context: Callable[..., BrowserContext], name: str
) -> None:
    size = SIZES[name]
    page = new_context(viewport={"width": size[0], "height": size[1]}).new_page()
    sign_in(page, site, name, path="/review?campaign=describe")
    slot_on_screen(page)
    for key in "17231" + "14f" + "3":
        page.keyboard.press(key)
    areas = page.locator(".card textarea:visible")
    assert areas.count() > 5
    for place in range(areas.count()):
        areas.nth(place).focus()
        page.keyboard.type("what it means")
        seen = places(page)
        assert seen["inWindow"], place
        assert seen["ends"]
        box = areas.nth(place).bounding_box()
        assert box is not None
        assert 0 <= box["y"] <= size[1] - 20


def test_the_next_task_and_its_pictures_are_there_before_the_decision(
    ten: ReviewSite, store: ReviewStore, new_context: Callable[..., BrowserContext]
) -> None:
    context = new_context()
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    sign_in(page, ten, "ann", path="/?campaign=verify")
    slot = slot_on_screen(page)
    held = TaskQueue(store, store.campaign("verify"), "ann").hold(1, now=clock())
    assert len(held) == 3
    wait_for_pictures(page, of_tasks=3)
    for task in held:
        assert any(f"/pictures/{task}/" in url for url in asked), "fetched ahead"
    context.set_offline(True)
    asked.clear()
    for _ in range(2):
        say(page, "a")
        following = next_slot(page, slot)
        assert following not in {None, slot}
        slot = following or 0
        at_rest(page)
        assert page.locator(".picture").first.evaluate("image => image.naturalWidth") > 0
        assert page.locator(".trouble:visible").count() == 0
    assert not any("/pictures/" in url for url in asked)
    page.get_by_text("are sent automatically").wait_for()
    say(page, "r")
    page.get_by_text("Loading the next task").wait_for()
    assert store.decisions("verify") == []
    page.evaluate("window.onbeforeunload = null")
    context.set_offline(False)
    assert next_slot(page, slot) is not None
    page.get_by_text("The connection is back").wait_for()
    assert [said.decision for said in store.decisions("verify")].count("accept") == 2
    assert len(store.decisions("verify")) == 3


def test_tasks_that_were_fetched_ahead_go_back_when_the_page_does(
    ten: ReviewSite, store: ReviewStore, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context().new_page()
    sign_in(page, ten, "ben", path="/?campaign=verify")
    slot_on_screen(page)
    assert len(held_by(store, "ben")) == 3
    first = held_by(store, "ben")[0]
    page.goto("about:blank")
    page.goto(ten.url + "/history")  # by then the server has heard it
    page.get_by_text("not decided anything").wait_for()
    assert held_by(store, "ben") == [first]


def test_zooming_in_shows_the_pictures_own_pixels(tmp_path: Path, new_context: Callable[..., BrowserContext]) -> None:
    done = make_images(tmp_path, sizes={"large": (3000, 2000)})
    open_campaigns(done, [Screen()])
    with serve(done.workspace) as site:
        page = new_context().new_page()
        sign_in(page, site, "ann", path="/?campaign=screen")
        while (
            page.locator(".picture").first.evaluate("async image => (await image.decode(), image.naturalWidth)") != 2048
        ):
            page.keyboard.press("s")
            at_rest(page)
        assert page.locator(".tile").count() == 0
        page.keyboard.press("z")
        page.locator(".tile").first.wait_for(state="attached")
        at_rest(page)
        sizes = page.locator(".tile").evaluate_all(
            "tiles => tiles.map((tile) => [tile.naturalWidth, Math.round(tile.getBoundingClientRect().width)])"
        )
        assert 4 <= len(sizes) <= 12, "what is in sight"
        assert all(natural == shown for natural, shown in sizes), "one pixel for one"
        assert page.locator(".readout").inner_text() == "100 %"
        page.keyboard.press("z")
        assert page.locator(".readout").inner_text() == "fit"


def held_by(store: ReviewStore, name: str) -> list[int]:
    """Return the tasks that an annotator holds, in the order of assignment."""
    query = (
        "SELECT task_id FROM slots JOIN annotators ON annotators.id = annotator_id WHERE name = ? ORDER BY claimed_at"
    )
    with store.reading() as connection:
        return [row[0] for row in connection.exec_driver_sql(query, (name,))]
