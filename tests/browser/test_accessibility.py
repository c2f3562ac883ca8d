"""No screen of the review app, light or dark, has a serious finding of axe's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from browser.review_site import PASSWORDS, ReviewSite, make_workspace, serve, sign_in, slot_on_screen
from walks import run_json

from benchwright.annotation.answering import Answer
from benchwright.annotation.app.site import clock
from benchwright.annotation.desk import Desk
from benchwright.annotation.form import Form, OneOf, Option, SeveralOf, Text
from benchwright.annotation.store import Accounts, ReviewStore, Work, open_store
from benchwright.records import Item
from benchwright.steps import CampaignContext

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

SERIOUS = {"serious", "critical"}
RULES = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
}
FORM = Form(
    fields=(
        OneOf(
            name="found", label="What is it", options=(Option(code="a", words="Right"), Option(code="b", words="Wrong"))
        ),
        SeveralOf(name="marks", label="Which", options=(Option(code="x", words="One"), Option(code="y", words="Two"))),
        Text(name="why", label="Why", hint="In your words"),
    )
)
Open = Callable[["Page"], None]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    """A workspace in which every screen has something to show."""
    workspace = make_workspace(tmp_path_factory.mktemp("accessible"))
    url = f"sqlite:///{workspace / 'review.sqlite'}"
    with open_store(url) as store:
        pattern = Item.model_validate(store.tasks("verify")[0].payload)
        context = CampaignContext(seed=1, stage="baseline", workspace=workspace, store_url=url)
        Answer(annotators_per_item=1).advance([pattern.model_copy(update={"item_id": "a" * 32})], context)
        fill_form(store, pattern)
        for number in range(4):
            for name in ("ann", "ben"):
                decide(store, name, "accept" if number % 2 or name == "ann" else "reject")
        Accounts(store).add("new", "annotator", now=clock())
    with serve(workspace) as running:
        yield running


def fill_form(store: ReviewStore, pattern: Item) -> None:
    store.upsert_campaign(
        "form", kind="error_analysis", rule="single", slots_per_task=1, form=FORM.model_dump(mode="json"),
        settings={}, seed=1,
    )  # fmt: skip
    item = pattern.model_copy(update={"item_id": "b" * 32}).model_dump(mode="json")
    beside = [{"label": "The model's reply", "text": "It is (A)."}]
    store.upsert_tasks("form", [Work("b" * 32, "content", {"item": item, "beside": beside, "about": {}})])


def decide(store: ReviewStore, name: str, decision: str) -> None:
    desk = Desk(store, store.campaign("verify"), name)
    task = desk.next(now=clock())
    assert task is not None
    reasons = ("unclear",) if decision == "reject" else ()
    desk.say(task.slot_id, decision, now=clock(), reasons=reasons)


def of_task(page: Page) -> None:
    slot_on_screen(page)
    page.locator("img.picture").first.wait_for()


def of_text(text: str) -> Open:
    return lambda page: page.get_by_text(text).first.wait_for()


SCREENS: dict[str, tuple[str, str, Open]] = {
    "verify": ("ann", "/?campaign=verify", of_task),
    "answer": ("ben", "/?campaign=baseline", of_task),
    "form": ("ben", "/?campaign=form", of_task),
    "history": ("ann", "/history?campaign=verify", of_text("Accept")),
    "progress": ("cur", "/progress?campaign=verify", of_text("What became of the tasks")),
    "people": ("cur", "/people", of_text("Add and invite")),
    "sign out": ("ann", "/logout", of_text("You are signed in")),
}  # fmt: skip


def findings(page: Page) -> list[str]:
    """Return axe's serious findings, each with the elements that it is about."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed: make test").Axe()
    found: list[dict[str, Any]] = axe.run(page, options=RULES).response["violations"]
    return [
        f"{one['id']} ({one['impact']}): {one['help']}: "
        + " | ".join(
            f"{node['target']} {node['html'][:160]} {node['failureSummary'][:300]}" for node in one["nodes"][:5]
        )
        for one in found
        if one["impact"] in SERIOUS
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("screen", SCREENS)
def test_a_screen_has_no_serious_finding(
    site: ReviewSite, new_context: Callable[..., BrowserContext], screen: str, scheme: str
) -> None:
    name, path, is_there = SCREENS[screen]
    page = new_context(color_scheme=scheme).new_page()
    sign_in(page, site, name, path=path)
    is_there(page)
    page.wait_for_timeout(500)
    assert findings(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("door", ["sign in", "refused", "invitation", "no invitation"])
def test_a_door_has_no_serious_finding(
    site: ReviewSite, new_context: Callable[..., BrowserContext], door: str, scheme: str
) -> None:
    page = new_context(color_scheme=scheme).new_page()
    if door == "invitation":
        page.goto(
            run_json("review", "users", "--workspace", site.workspace, "--invite", "new", "--url", site.url)[
                "invitation"
            ]
        )
    else:
        page.goto(site.url + ("/welcome?invitation=x" if door == "no invitation" else "/login"))
    if door == "refused":
        page.fill("#name", "ann")
        page.fill("#password", "not " + PASSWORDS["ann"])
        page.click("button")
        page.get_by_role("alert").wait_for()
    assert findings(page) == []
