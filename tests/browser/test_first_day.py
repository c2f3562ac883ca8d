"""The first day of an annotator with an invitation: required practice, thirty tasks of three kinds, sign out.

Once by keyboard alone, with the keys on the screen, and once by touch alone on a telephone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Protocol

import pytest
from browser.kinds_site import make_images
from browser.review_site import ReviewSite, add_accounts, next_slot, serve, slot_on_screen
from walks import run_json

from benchwright.annotation.app.base.state import clock
from benchwright.annotation.campaigns.answer import Answer
from benchwright.annotation.campaigns.screen import ScreenItems
from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.forms.assignment_settings import AssignmentSettings
from benchwright.annotation.store.accounts.accounts import Accounts
from benchwright.annotation.store.campaigns.practice import Practice
from benchwright.annotation.store.review_store import open_store
from benchwright.records import Choice, Item
from benchwright.steps import CampaignContext

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

PASSWORD = "nobody told them how"
PEOPLE = {"keyboard": "kim", "touch": "toni"}
"""Who works how."""
OF_EACH = 10
RIGHT = ((), ("wrong answer",), ("several answers",), ("unclear",), ())
"""Reasons, if any, for which each practice item is rejected."""
COUNT = """
window.touched = { keydown: 0, pointerdown: 0, mouse: 0 };
addEventListener("keydown", () => { window.touched.keydown += 1; }, true);
addEventListener("pointerdown", (event) => {
  window.touched.pointerdown += 1;
  window.touched.mouse += event.pointerType === "touch" ? 0 : 1;
}, true);
"""
_FOCUSED = """() => {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element === document.body ? "" : element.innerText;
}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    """Three campaigns of ten items for each of two annotators; the first requires practice."""
    done = make_images(tmp_path_factory.mktemp("first"))
    image = next(iter(done.images()))
    context = CampaignContext(seed=1, stage="judge", workspace=done.workspace, store_url=url_of(done.workspace))
    qualified = AssignmentSettings.model_validate({"qualification": {"pass_mark": 4}})
    for step, stage in (
        (Verify(rule="unanimous(2)", handout=qualified), "judge"),
        (Answer(annotators_per_item=2), "answer"),
        (ScreenItems(rule="unanimous(2)"), "screen_items"),
    ):
        items = [
            Item.model_validate({
                "item_id": f"{stage.encode().hex()}{number:02}".rjust(32, "0"), "task": "naming", "kind": "multiple_choice",
                "question": f"Which drink is in cup {number}?", "images": [{"image_id": image.image_id, "role": "view"}],
                "root_image_id": image.image_id, "operation_id": "0" * 32, "made_from": image.image_id,
                "choices": [Choice(key=key, text=f"drink {key}") for key in "ABCD"], "answer": "B",
            })
            for number in range(OF_EACH)
        ]  # fmt: skip
        step.advance(items, context._replace(stage=stage))
    add_accounts(done.workspace)
    with open_store(url_of(done.workspace)) as store:
        for name in PEOPLE.values():
            Accounts(store).add(name, "annotator", now=clock())
    with serve(done.workspace) as running:
        yield running


def url_of(workspace: object) -> str:
    return f"sqlite:///{workspace}/review.sqlite"


class Hands(Protocol):
    """A way to operate a page."""

    def fill(self, label: str, text: str) -> None:
        """Write into a field."""

    def use(self, words: str) -> None:
        """Use a button or a link of the page by its words."""

    def act(self, words: str) -> None:
        """Use something of the workbench by its words."""

    def go_to(self, title: str) -> None:
        """Go to another page of the app."""


class Keyboard:
    """Tab, Enter, and the keys shown on buttons."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def fill(self, label: str, text: str) -> None:
        for _ in range(10):
            if self._page.evaluate("document.activeElement.labels?.[0]?.innerText") == label:
                break
            self._page.keyboard.press("Tab")
        self._page.keyboard.type(text)

    def use(self, words: str) -> None:
        self._page.get_by_text(words).filter(visible=True).first.wait_for()
        for _ in range(60):
            if self._page.evaluate(_FOCUSED).strip().startswith(words):
                self._page.keyboard.press("Enter")
                return
            self._page.keyboard.press("Tab")
        raise AssertionError(f"Tab never comes to {words!r}")

    def act(self, words: str) -> None:
        named = self._page.locator(".rail button").filter(has_text=words).filter(visible=True).first
        named.wait_for()
        keys = named.locator("kbd")
        key = (
            keys.first.inner_text() if keys.count() else named.inner_text().split()[0]
        )  # an option begins with its letter
        self._page.keyboard.press(key if len(key) > 1 else key.lower())

    def go_to(self, title: str) -> None:
        self.use(title)


class Touch:
    """Taps, and a telephone's keyboard for a password."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def fill(self, label: str, text: str) -> None:
        field = self._page.get_by_label(label, exact=True)
        field.tap()
        field.fill(text)

    def use(self, words: str) -> None:
        named = [self._page.get_by_role(role, name=words) for role in ("button", "link")]
        named[0].or_(named[1]).first.tap()

    def act(self, words: str) -> None:
        self._page.locator(".rail button").filter(has_text=words).filter(visible=True).first.tap()

    def go_to(self, title: str) -> None:
        self._page.get_by_test_id("stExpandSidebarButton").tap()
        self.use(title)


@pytest.mark.parametrize("way", PEOPLE)
def test_an_invitation_leads_through_practice_and_thirty_tasks_of_three_kinds(
    site: ReviewSite, new_context: Callable[..., BrowserContext], way: str
) -> None:
    telephone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    page = new_context(**(telephone if way == "touch" else {})).new_page()
    page.add_init_script(COUNT)
    hands: Hands = Touch(page) if way == "touch" else Keyboard(page)
    name = PEOPLE[way]
    page.goto(
        run_json("review", "users", "--workspace", site.workspace, "--invite", name, "--url", site.url)["invitation"]
    )
    hands.fill("New password", PASSWORD)
    hands.fill("The same again", PASSWORD)
    hands.use("Set password and start")

    slot_on_screen(page)
    hands.go_to("Home")
    page.get_by_text(f"Hello, {name}").wait_for()
    hands.use("Practice first")
    for reasons in RIGHT:
        slot_on_screen(page)
        for reason in reasons:
            hands.act(reason)
        hands.act("Reject" if reasons else "Accept")
        page.get_by_text("That is right.").wait_for()
        hands.act("Next")
    page.get_by_text("5 of 5 right").wait_for()
    hands.use("Begin")

    for title, decide in (("Judge", judge), ("Answer", answer), ("Screen items", screen)):
        if title != "Judge":
            hands.use(f"Go on to {title}")
        slot: int | None = slot_on_screen(page)
        for number in range(OF_EACH):
            assert slot is not None
            decide(hands, number)
            slot = next_slot(page, slot)
        assert slot is None
        page.get_by_text(f"All done in {title}").wait_for()

    touched = page.evaluate("window.touched")
    assert touched["mouse"] == 0
    assert way == "touch" or touched["pointerdown"] == 0
    hands.use("Sign out")
    page.get_by_text(f"You are signed in as {name}").wait_for()
    hands.use("Sign out")
    page.get_by_label("Password").wait_for()
    with open_store(url_of(site.workspace)) as store:
        for campaign in ("judge", "answer", "screen_items"):
            assert sum(one.annotator == name for one in store.decisions(campaign)) == OF_EACH
        results = {result.name: result.correct for result in Practice(store).results(store.campaign("judge"))}
    assert results[name] == len(RIGHT)


def judge(hands: Hands, number: int) -> None:
    if number == 3:
        hands.act("unclear")
    hands.act("Reject" if number == 3 else "Accept")


def answer(hands: Hands, number: int) -> None:
    hands.act(f"drink {'ABCD'[number % 4]}")
    hands.act("Answer")


def screen(hands: Hands, number: int) -> None:
    del number
    hands.act("Keep")
