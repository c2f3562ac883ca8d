"""No screen of the review app, light or dark, has a serious finding of axe's, and each can be used on a tablet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from browser.axe import NOTHING, findings, findings_by_theme
from browser.rest import at_rest
from browser.review_site import PASSWORDS, RECIPE, ReviewSite, make_workspace, serve, sign_in, slot_on_screen
from browser.voted import vote
from browser.widths import TABLET, unreached
from walks import run_json

from benchwright.annotation.app.base import clock
from benchwright.annotation.campaigns import Answer, Review
from benchwright.annotation.forms import CampaignForm, Form, OneOf, Option, SeveralOf, Submission, TaskInput, TextField
from benchwright.annotation.store import Accounts, ReviewStore, open_store
from benchwright.annotation.workflow import AdjudicationQueue, TaskQueue
from benchwright.records import Item
from benchwright.steps import CampaignContext

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

FORM = Form(
    fields=(
        OneOf(
            name="found", label="What is it", options=(Option(code="a", words="Right"), Option(code="b", words="Wrong"))
        ),
        SeveralOf(name="marks", label="Which", options=(Option(code="x", words="One"), Option(code="y", words="Two"))),
        TextField(name="why", label="Why", hint="In your words"),
    )
)
Open = Callable[["Page"], None]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    """A workspace in which every screen has something to show."""
    adjudicated = RECIPE.replace("unanimous(2)", "adjudicated(unanimous(2))")
    workspace = make_workspace(tmp_path_factory.mktemp("accessible"), recipe=adjudicated)
    url = f"sqlite:///{workspace / 'review.sqlite'}"
    with open_store(url) as store:
        pattern = Item.model_validate(store.tasks("verify")[0].payload)
        context = CampaignContext(seed=1, stage="baseline", workspace=workspace, store_url=url)
        Answer(annotators_per_item=1).advance([pattern.model_copy(update={"item_id": "a" * 32})], context)
        why = {"item_id": "c" * 32, "explanation": "The edges go on."}
        context = CampaignContext(seed=1, stage="review", workspace=workspace, store_url=url)
        Review(rule="unanimous(2)").advance([pattern.model_copy(update=why)], context)
        fill_form(store, pattern)
        for number, task in enumerate(store.tasks("verify")[:4]):  # the same ones, so that some are divided
            for name in ("ann", "ben"):
                decision = "accept" if number % 2 or name == "ann" else "reject"
                reasons = ("unclear",) if decision == "reject" else ()
                store.decide("verify", task.id, name, Submission(decision, reasons=reasons), now=clock())
        revise(store)
        vote(store, pattern, CampaignContext(seed=1, stage="voted", workspace=workspace, store_url=url))
        flag(store, "ben", "Which of the two?")
        Accounts(store).add("new", "annotator", now=clock())
    with serve(workspace) as running:
        yield running


def fill_form(store: ReviewStore, pattern: Item) -> None:
    store.upsert_campaign(
        "form", kind="error_analysis", rule="single", slots_per_task=1, form=CampaignForm(fields=FORM.fields),
        settings={}, seed=1,
    )  # fmt: skip
    item = pattern.model_copy(update={"item_id": "b" * 32}).model_dump(mode="json")
    beside = [{"label": "The model's reply", "text": "It is (A)."}]
    store.upsert_tasks("form", [TaskInput("b" * 32, "content", {"item": item, "beside": beside, "about": {}})])


def revise(store: ReviewStore) -> None:
    """Let the curator edit one of the cases that are open, so that it comes to a second round."""
    queue = AdjudicationQueue(store, store.campaign("verify"), "cur")
    case = queue.open(queue.queue()[0].task_id, now=clock())
    queue.decide(case.task_id, Submission("revise", edits={"question": "Which piece belongs there?"}), now=clock())


def flag(store: ReviewStore, name: str, words: str) -> None:
    queue = TaskQueue(store, store.campaign("verify"), name)
    task = queue.next(now=clock())
    assert task is not None
    for is_flag in (True, False):
        queue.remark(task.task_id, words, is_flag=is_flag, now=clock())


def of_task(page: Page) -> None:
    slot_on_screen(page)
    page.locator("img.picture").first.wait_for()


def of_task_after(key: str, *, shows: str) -> Open:
    """Wait for a task, press a key, and wait for what it shows."""

    def opened(page: Page) -> None:
        of_task(page)
        page.keyboard.press(key)
        page.locator(shows).first.wait_for()

    return opened


def of_votes(page: Page) -> None:
    """Answer a task blind, and give the first of its votes."""
    of_task_after("1", shows=".option[aria-pressed=true]")(page)
    page.keyboard.press("Enter")
    page.locator(".card[aria-busy=false] [data-field=accurate]").wait_for()
    page.keyboard.press("1")
    page.locator("[data-field=accurate] [aria-pressed=true]").wait_for()


def of_text(text: str) -> Open:
    """Wait for a text that can be seen: a table drawn on a canvas holds its cells as hidden elements too."""
    return lambda page: page.get_by_text(text).filter(visible=True).first.wait_for()


SCREENS: dict[str, tuple[str, str, Open]] = {
    "home": ("ann", "/home", of_text("Hello, ann")),
    "verify": ("ann", "/?campaign=verify", of_task),
    "answer": ("ben", "/?campaign=baseline", of_task),
    "form": ("ben", "/?campaign=form", of_task),
    "edits": ("ben", "/?campaign=verify", of_task_after("v", shows=".editor textarea:focus")),
    "remarks": ("ben", "/?campaign=verify", of_task_after("g", shows=".remarks textarea:focus")),
    "review, blind": ("ben", "/?campaign=review", of_task),
    "review, votes": ("ann", "/?campaign=review", of_votes),
    "history": ("ann", "/history?campaign=verify", of_text("Accept")),
    "progress, rounds": ("cur", "/progress?campaign=verify", of_text("What adjudicators decided")),
    "progress, review": ("cur", "/progress?campaign=voted", of_text("failed the review")),
    "agreement": ("cur", "/agreement?campaign=verify", of_text("percent")),
    "agreement, votes": ("cur", "/agreement?campaign=voted", of_text("Votes by criterion")),
    "annotators": ("cur", "/annotators?campaign=verify", of_text("ben")),
    "reasons": ("cur", "/reasons?campaign=verify", of_text("unclear")),
    "flags": ("cur", "/flags?campaign=verify", of_text("⚑ ben")),
    "adjudicate": ("cur", "/adjudicate?campaign=verify", of_task),
    "adjudicate, edits": ("cur", "/adjudicate?campaign=verify", of_task_after("v", shows=".editor textarea:focus")),
    "people": ("cur", "/people", of_text("Add and invite")),
    "sign out": ("ann", "/logout", of_text("You are signed in")),
}  # fmt: skip


@pytest.mark.parametrize("screen", SCREENS)
def test_a_screen_has_no_serious_finding_and_fits_a_tablet(
    site: ReviewSite, new_context: Callable[..., BrowserContext], screen: str
) -> None:
    name, path, is_there = SCREENS[screen]
    page = new_context().new_page()
    sign_in(page, site, name, path=path)
    is_there(page)
    assert findings_by_theme(page) == NOTHING
    page.set_viewport_size(TABLET)
    at_rest(page)
    assert unreached(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("page_name", ["sign in", "refused", "invitation", "no invitation"])
def test_a_sign_in_page_has_no_serious_finding(
    site: ReviewSite, new_context: Callable[..., BrowserContext], page_name: str, scheme: str
) -> None:
    page = new_context(color_scheme=scheme).new_page()
    if page_name == "invitation":
        page.goto(
            run_json("review", "users", "--workspace", site.workspace, "--invite", "new", "--url", site.url)[
                "invitation"
            ]
        )
    else:
        page.goto(site.url + ("/welcome?invitation=x" if page_name == "no invitation" else "/login"))
    if page_name == "refused":
        page.fill("#name", "ann")
        page.fill("#password", "not " + PASSWORDS["ann"])
        page.click("button")
        page.get_by_role("alert").wait_for()
    assert findings(page) == []
