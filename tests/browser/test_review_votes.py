"""Reviewing in the app: the key stays on the server until the answer is stored, then votes are given one by one, by keyboard."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from browser.review_site import ReviewSite, add_accounts, next_slot, serve, sign_in, slot_on_screen

from benchwright.annotation.campaigns.review import Review
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.canonical import digest
from benchwright.records import Choice, Item, ItemImage
from benchwright.steps import CampaignContext
from benchwright.workspace.workspace import Workspace

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page, Response

SECRET = "because the secret reason says so"


def items(image_id: str) -> list[Item]:
    """Return two items about one picture, whose explanation gives the key away."""
    return [
        Item(
            item_id=digest(["item", number])[:32], task="implication", kind="multiple_choice",
            images=(ItemImage(image_id=image_id, role="view"),), question=f"What does it stand for? {number}",
            choices=tuple(Choice(key=key, text=f"option {key.lower()}") for key in "ABC"), answer="B",
            explanation=SECRET, root_image_id=image_id, operation_id="0" * 32, made_from=image_id,
        )
        for number in range(2)
    ]  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    """A workspace with a review of two items by two, at least one of whom must find each thing good."""
    from skimage import data, io

    from benchwright.annotation.workflow.image_files import brought_pictures

    folder = tmp_path_factory.mktemp("votes")
    workspace = Workspace.create(folder / "workspace")
    workspace.save_settings({})
    io.imsave(folder / "cat.png", data.chelsea()[:200, :300], check_contrast=False)
    image_id = brought_pictures(workspace.root).put((folder / "cat.png").read_bytes())
    url = f"sqlite:///{workspace.root / 'review.sqlite'}"
    context = CampaignContext(seed=1, stage="review", workspace=workspace.root, store_url=url)
    step = Review(rule="unanimous(2)", rounds=2, guidelines="Answer first.")
    assert step.advance(items(image_id), context).waiting is not None
    add_accounts(workspace.root)
    with serve(workspace.root) as running:
        yield running


@pytest.fixture
def store(site: ReviewSite) -> Iterator[ReviewStore]:
    with open_store(f"sqlite:///{site.workspace / 'review.sqlite'}") as opened:
        yield opened


def on_votes(page: Page) -> None:
    """Wait until the card asks for votes."""
    page.locator(".card[aria-busy=false] [data-field=accurate]").wait_for()


def test_blind_then_votes_by_keyboard(
    site: ReviewSite, store: ReviewStore, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context().new_page()
    heard: list[str] = []
    replies: list[Response] = []
    page.on("websocket", lambda ws: ws.on("framereceived", lambda data: heard.append(str(data))))
    page.on("response", lambda reply: replies.append(reply) if reply.url.endswith("/work") else None)
    sign_in(page, site, "ann")
    slot = slot_on_screen(page)
    assert page.locator(".option").all_inner_texts() != []
    assert page.locator(".right").count() == 0
    page.reload()
    assert slot_on_screen(page) == slot
    assert heard
    assert not any(SECRET in frame for frame in heard)

    page.keyboard.press("1")
    page.keyboard.press("Enter")
    on_votes(page)
    with store.reading() as connection:
        stored = connection.exec_driver_sql("SELECT answer FROM blind_answers").scalars().all()
    assert stored == ["A"]
    assert "B" in page.locator(".right .key").inner_text()
    assert page.locator(".told").all_inner_texts() == ["A: option a", SECRET]
    assert SECRET in replies[-1].text()
    assert not any(SECRET in reply.text() for reply in replies[:-1])

    # Votes one by one: the keys go on to the next by themselves; a reload loses none of them.
    page.keyboard.press("1")
    assert page.locator(".field.active").get_attribute("data-field") == "reasonable"
    page.keyboard.press("2")
    page.get_by_text("Draft saved").wait_for()
    page.reload()
    on_votes(page)
    assert [one.split("\n")[0] for one in page.locator(".reason[aria-pressed=true]").all_inner_texts()] == ["Yes", "No"]
    page.keyboard.press("Enter")
    assert "Difficult?" in page.locator(".card .status").inner_text()
    page.keyboard.press("1")
    page.keyboard.press("v")  # a vote of no, with an edit that mends it
    page.keyboard.press("Control+a")
    page.keyboard.type("What does the cat stand for?")
    page.keyboard.press("Control+Enter")
    other = next_slot(page, slot)
    assert other is not None
    [said] = store.decisions("review")
    votes = {"accurate": "yes", "reasonable": "no", "difficult": "yes"}
    assert dict(said.fields or {}) == {"answer": "A", **votes, "answer_right": "no"}
    assert said.edits == {"question": "What does the cat stand for?"}

    # Undo goes back to the votes, not to the answer.
    page.keyboard.press("u")
    page.locator(".before").wait_for()
    on_votes(page)
    page.keyboard.press("Enter")
    assert next_slot(page, slot) == other
    assert page.locator(".right").count() == 0


def test_the_second_reviewer_settles_the_round_and_nobody_who_saw_the_key_gets_the_next(
    site: ReviewSite, store: ReviewStore, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context().new_page()
    sign_in(page, site, "ben")
    slot: int | None = slot_on_screen(page)
    while slot is not None:
        page.keyboard.press("2")
        page.keyboard.press("Enter")
        on_votes(page)
        for _ in range(3):
            page.keyboard.press("1")
        page.keyboard.press("Enter")
        slot = next_slot(page, slot)
    open_now = [task.payload["question"] for task in store.tasks("review")]
    assert "What does the cat stand for?" in open_now
    page.reload()
    page.get_by_text("All done").wait_for()
    curator = new_context().new_page()
    sign_in(curator, site, "cur", path="/progress")
    curator.get_by_text("Outcomes of the tasks").wait_for()
    assert curator.get_by_text("Traceback").count() == 0
