"""A curator shows a decided item as an example, and annotators see it in the guidelines next to their task."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from browser.axe import NOTHING, findings_by_theme
from browser.review_site import make_workspace, serve, sign_in, slot_on_screen

from benchwright.annotation.app.base.state import clock
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.review_store import open_store
from benchwright.annotation.workflow.task_queue import TaskQueue

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext


def test_an_item_becomes_an_example_in_the_guidelines(
    tmp_path: Path, new_context: Callable[..., BrowserContext]
) -> None:
    workspace = make_workspace(tmp_path)
    with open_store(f"sqlite:///{workspace / 'review.sqlite'}") as store:
        campaign = store.campaign(store.campaign_names()[0])
        item_of = {task.id: task.item_id for task in store.tasks(campaign.name)}
        for name in ("ann", "ben"):
            queue = TaskQueue(store, campaign, name)
            task = queue.next(now=clock())
            assert task is not None
            queue.submit(task.slot_id, Submission(decision="accept"), now=clock())
        assert len(item_of) == 10
    with serve(workspace) as site:
        page = new_context(viewport={"width": 1280, "height": 800}).new_page()
        sign_in(page, site, "cur", path=f"/item?id={item_of[task.task_id]}")
        page.get_by_text("Show as an example").click()
        page.get_by_label("Why, in a sentence").fill("One tile fits, and only one.")
        assert findings_by_theme(page) == NOTHING
        page.get_by_role("button", name="Show it", exact=True).click()
        page.get_by_role("button", name="Show it no more").wait_for()

        reader = new_context(viewport={"width": 1280, "height": 800}).new_page()
        sign_in(reader, site, "ann", path="/review")
        slot_on_screen(reader)
        reader.get_by_role("button", name="Guidelines").click()
        reader.get_by_text("One tile fits, and only one.").wait_for()
        picture = reader.locator('img[src^="/examples/"]').first
        picture.scroll_into_view_if_needed()
        reader.wait_for_function("document.querySelector('img[src^=\"/examples/\"]').naturalWidth > 0")
        assert findings_by_theme(reader) == NOTHING
        page.get_by_role("button", name="Show it no more").click()
        page.get_by_text("Show as an example").wait_for()
        reader.reload()
        slot_on_screen(reader)
        reader.get_by_role("button", name="Guidelines").click()
        reader.get_by_text("Version 1").wait_for()
        assert reader.get_by_text("One tile fits").count() == 0
