"""Editing an item in the review app: by keyboard, saved while typing, and returned as a new version to others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from browser.review_site import ReviewSite, make_workspace, next_slot, serve, sign_in, slot_on_screen

from benchwright.annotation.store.database.schema import slots
from benchwright.annotation.store.review_store import ReviewStore, open_store

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

SCRIPT = '<img src=x onerror="window.hacked=1">'


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    with serve(make_workspace(tmp_path_factory.mktemp("edits"))) as running:
        yield running


def test_an_item_is_edited_by_keyboard_and_its_new_version_goes_to_somebody_else(
    site: ReviewSite, new_context: Callable[..., BrowserContext]
) -> None:
    ann = new_context().new_page()
    sign_in(ann, site, "ann")
    slot = slot_on_screen(ann)
    ann.keyboard.press("v")
    question = ann.get_by_role("textbox", name="Question")
    assert question.input_value()
    ann.keyboard.press("Control+Enter")  # nothing is changed yet
    assert "Change what is wrong" in ann.locator(".card .status").inner_text()
    ann.keyboard.press("Control+a")
    ann.keyboard.type(f"Which piece fits? 1 2 x {SCRIPT}")  # letters and digits in a text are text
    ann.get_by_text("Draft saved").wait_for()
    ann.reload()
    assert slot_on_screen(ann) == slot
    assert ann.get_by_role("textbox", name="Question").input_value() == f"Which piece fits? 1 2 x {SCRIPT}"
    ann.get_by_role("textbox", name="Question").focus()
    ann.keyboard.press("Tab")  # options that are pictures have no text: the key comes next
    assert ann.evaluate("document.activeElement.shadowRoot?.activeElement?.tagName") == "SELECT"
    ann.keyboard.press("Escape")
    ann.keyboard.press("v")
    assert next_slot(ann, slot) is not None
    with open_store(f"sqlite:///{site.workspace / 'review.sqlite'}") as store:
        [said] = store.decisions("verify")
        assert (said.decision, said.edits) == ("revise", {"question": f"Which piece fits? 1 2 x {SCRIPT}"})
        tasks = {task.item_id: task.id for task in store.tasks("verify")}

    # Ben accepts the item as it was; its new version comes to him and not to Ann.
    ben = new_context().new_page()
    sign_in(ben, site, "ben", path="/")
    slot_ben: int | None = slot_on_screen(ben)
    with open_store(f"sqlite:///{site.workspace / 'review.sqlite'}") as store:
        for _ in range(10):
            if _task_of(store, slot_ben) == tasks[said.item_id]:
                break
            ben.keyboard.press("s")
            slot_ben = next_slot(ben, slot_ben or 0)
        ben.keyboard.press("y")
        next_slot(ben, slot_ben or 0)
        version = next(task for task in store.tasks("verify") if task.item_id == said.item_id)
    assert version.payload["question"] == f"Which piece fits? 1 2 x {SCRIPT}"
    assert version.payload["revision"] == 1
    ben.goto(f"{site.url}/history")
    ben.get_by_text("Accept").wait_for()
    assert ben.evaluate("window.hacked") is None
    ann.goto(f"{site.url}/history")
    ann.get_by_text("question edited").wait_for()
    assert ann.evaluate("window.hacked") is None

    # Words that no decision has are said to be in none, and those of a line find it.
    nowhere = ann.get_by_text("None of your decisions contains these words.")
    assert nowhere.count() == 0
    ann.get_by_role("textbox", name="Find").fill("zebra crossing")
    ann.keyboard.press("Enter")
    nowhere.wait_for()
    assert ann.get_by_text("question edited").count() == 0
    ann.get_by_role("textbox", name="Find").fill("QUESTION edited")
    ann.keyboard.press("Enter")
    ann.get_by_text("question edited").wait_for()
    assert nowhere.count() == 0


def _task_of(store: ReviewStore, slot: int | None) -> int:
    with store.reading() as connection:
        return int(connection.execute(sa.select(slots.c.task_id).where(slots.c.id == slot)).scalar_one())
