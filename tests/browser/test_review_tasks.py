"""Hostile and other tasks in the running app: blind answering, hostile texts, tasks of others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from browser.rest import hacked
from browser.review_site import ReviewSite, make_workspace, next_slot, say, serve, sign_in, slot_on_screen

from benchwright.annotation.app.security.cookies import COOKIE, Cookies
from benchwright.annotation.campaigns.answer import Answer
from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.records import Choice, Item, VisualPrompt
from benchwright.steps import CampaignContext
from benchwright.texts.hidden_characters import escaped

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

SCRIPT = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'
HOSTILE = {
    "html": f"{SCRIPT} &amp; <b>bold</b>",
    "markdown": "![x](http://elsewhere.example/x.png) [link](javascript:window.hacked=1) **bold** $x^2$ :red[x]",
    "right to left": "abc \u202egnp.exe\u202c \u2066\u2069 end",
    "long": "word " * 20_000,
    "null": "a\0b\x1b[31m\x07",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    workspace = make_workspace(tmp_path_factory.mktemp("tasks"))
    url = f"sqlite:///{workspace / 'review.sqlite'}"
    with open_store(url) as store:
        pattern = Item.model_validate(store.tasks("verify")[0].payload)
    context = CampaignContext(seed=1, stage="hostile", workspace=workspace, store_url=url)
    Verify(rule="unanimous(1)").advance([hostile(pattern, name) for name in HOSTILE], context)
    Answer(annotators_per_item=1).advance([answerable(pattern)], context._replace(stage="baseline"))
    with serve(workspace) as running:
        yield running


@pytest.fixture
def store(site: ReviewSite) -> Iterator[ReviewStore]:
    with open_store(f"sqlite:///{site.workspace / 'review.sqlite'}") as opened:
        yield opened


def hostile(pattern: Item, name: str) -> Item:
    """Return an item whose every text wants to be more than text, under marks that have to be toggled."""
    text, first = HOSTILE[name], pattern.images[0]
    ring = VisualPrompt(kind="ring", image_id=first.image_id, points=((60, 60),), label="REF")
    return pattern.model_copy(update={
        "item_id": f"{sorted(HOSTILE).index(name):032x}", "question": text, "explanation": text,
        "images": (first.model_copy(update={"prompts": (ring,)}), *pattern.images[1:]),
        "choices": (Choice(key="A", text=text), Choice(key="B", text="plain")), "answer": "A",
    })  # fmt: skip


def answerable(pattern: Item) -> Item:
    return pattern.model_copy(update={
        "item_id": "a" * 32, "question": "How many towers?", "answer": "B",
        "choices": (Choice(key="A", text="one"), Choice(key="B", text="two"), Choice(key="C", text="three")),
    })  # fmt: skip


def watched(page: Page, site: ReviewSite) -> list[str]:
    """Record forbidden acts of a page: requests elsewhere, dialogs, script failures."""
    noted: list[str] = []
    page.on("request", lambda r: None if r.url.startswith((site.url, "data:", "blob:")) else noted.append(r.url))
    page.on("dialog", lambda dialog: (noted.append(f"dialog {dialog.message}"), dialog.dismiss()))
    page.on("pageerror", lambda error: noted.append(f"error {error}"))
    return noted


def test_texts_of_items_and_notes_are_texts_and_nothing_else(
    site: ReviewSite, store: ReviewStore, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context(bypass_csp=True).new_page()
    noted = watched(page, site)
    sign_in(page, site, "ann", path="/?campaign=hostile")
    slot: int | None = slot_on_screen(page)
    seen = []
    while slot is not None:
        seen.append(page.locator(".card .question").text_content() or "")
        page.keyboard.press("o")
        say(page, "v", note=SCRIPT)
        slot = next_slot(page, slot)
    drawn = [text.replace("$x^2$", "x2$x^2$") for text in HOSTILE.values()]  # a formula, and its source to be copied
    assert sorted(seen) == sorted(map(escaped, drawn))
    curator = new_context(bypass_csp=True).new_page()
    noted_too = watched(curator, site)
    for visitor, path in ((page, "/history?campaign=hostile"), (curator, "/progress?campaign=hostile")):
        if visitor is curator:
            sign_in(visitor, site, "cur", path=path)
        else:
            visitor.goto(site.url + path)
        visitor.get_by_text("Revise").or_(visitor.get_by_text("Decisions in")).first.wait_for()
        assert hacked(visitor) is None
    assert noted == noted_too == []
    assert {one.note for one in store.decisions("hostile")} == {SCRIPT}


def test_answering_is_by_number_and_blind(
    site: ReviewSite, store: ReviewStore, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context().new_page()
    frames: list[str] = []
    page.on("websocket", lambda ws: ws.on("framereceived", lambda data: frames.append(str(data))))
    sign_in(page, site, "ann", path="/?campaign=baseline")
    slot = slot_on_screen(page)
    page.keyboard.press("Enter")
    assert "Pick an option first" in page.locator(".card .status").inner_text()
    page.keyboard.press("3")
    page.keyboard.press("2")
    assert page.locator(".option[aria-pressed=true]").inner_text().startswith("B")
    page.keyboard.press("y")  # not a key of this form
    page.reload()
    assert slot_on_screen(page) == slot
    assert page.locator(".option[aria-pressed=true]").inner_text().startswith("B")
    page.keyboard.press("Enter")
    assert next_slot(page, slot) is None
    [said] = store.decisions("baseline")
    assert (said.annotator, said.decision) == ("ann", "B")
    assert "marked as right" not in page.content()
    assert any("How many towers?" in frame for frame in frames)
    assert not any("made_from" in frame or "operation_id" in frame or '"answer":"B"' in frame for frame in frames)


def test_the_task_of_another_is_not_opened_by_its_address(
    site: ReviewSite, store: ReviewStore, new_context: Callable[..., BrowserContext]
) -> None:
    now = datetime.now(UTC)
    theirs = TaskQueue(store, store.campaign("verify"), "ann").next(now=now)
    own = TaskQueue(store, store.campaign("verify"), "ben").next(now=now)
    assert theirs is not None
    assert own is not None
    if theirs.task_id == own.task_id:
        TaskQueue(store, store.campaign("verify"), "ben").skip(own.task_id, now=now)
    page = new_context().new_page()
    sign_in(page, site, "ben", path=f"/?campaign=verify&task={theirs.task_id}")
    for odd in (str(theirs.task_id), "x", "-1", "9" * 40, "1e3"):
        page.goto(f"{site.url}/?campaign=verify&task={odd}")
        page.get_by_text("That task is not yours").wait_for()
        assert page.locator(".card").count() == 0


def test_strangers_are_refused_in_the_browser_too(
    site: ReviewSite, store: ReviewStore, new_context: Callable[..., BrowserContext]
) -> None:
    context = new_context()
    page = context.new_page()
    page.goto(site.url)
    page.fill("#name", "ann")
    page.fill("#password", "not ann's password")
    page.click("button")
    assert page.get_by_role("alert").inner_text() == "The name or password is wrong."
    assert page.locator("#name").input_value() == "ann"
    theirs = TaskQueue(store, store.campaign("verify"), "ann").next(now=datetime.now(UTC))
    assert theirs is not None
    picture = f"{site.url}/pictures/{theirs.task_id}/0"
    assert page.request.get(picture).status == 401
    stranger = Cookies("0f" * 32, secure=False).session("a" * 43).partition(";")[0].partition("=")[2]
    context.add_cookies([{"name": COOKIE, "value": stranger, "url": site.url}])
    page.goto(site.url + "/history")
    page.get_by_role("heading", name="Sign in").wait_for()
    assert page.request.get(picture).status == 401
