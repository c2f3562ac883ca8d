"""An adjudicator sees all annotators' marks over each other and can adopt any; annotators see only their own.

No screen of marking has a serious finding of axe's, light or dark, or is cut off on a tablet or a telephone, and
right-to-left pages mirror no picture.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from browser.axe import NOTHING, findings_by_theme
from browser.marking_site import (
    LABELS,
    draw,
    field,
    on_screen,
    open_marking,
    open_task,
    picture_is_there,
    save_photograph,
    submit,
)
from browser.rest import at_rest
from browser.review_site import ReviewSite, add_account, serve, slot_on_screen
from browser.widths import TABLET, unreached

from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.review_store import open_store
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.workspace.store_place import settle_store

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

pytestmark = pytest.mark.thorough

SIZE = (1200, 900)
EVERY_SHAPE = [
    field("box", options=LABELS, instructions="Every face."),
    field("point", free_label=True),
    field("polygon"),
    field("mask", options=LABELS),
]


def box(x: float, y: float, label: str = "face") -> dict[str, Any]:
    return {"shape": "box", "points": [[x, y], [x + 200, y + 300]], "label": label}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    """A picture on which Ann and Ben drew different boxes, and one without marks."""
    folder = tmp_path_factory.mktemp("adjudicated")
    save_photograph(folder / "photographs" / "disputed.jpg", SIZE)
    save_photograph(folder / "photographs" / "other.jpg", SIZE, "coffee")
    workspace = open_marking(
        folder,
        {"disputed": [field("box", options=LABELS)], "every": EVERY_SHAPE},
        pictures={"disputed": ["disputed.jpg"], "every": ["other.jpg"]},
        rule="adjudicated(unanimous(2))",
    )
    add_account(workspace, "eve", "eve's long password", role="adjudicator")
    now = datetime.now(UTC)
    with open_store(settle_store(workspace)) as store:
        for name, boxes in {"ann": [box(450, 100)], "ben": [box(700, 400, "helmet"), box(100, 100)]}.items():
            queue = TaskQueue(store, store.campaign("disputed"), name)
            task = queue.next(now=now)
            assert task is not None
            queue.submit(task.slot_id, Submission(fields={"marked": "marked", "box": boxes}), now=now)
    with serve(workspace) as running:
        yield running


def adjudicating(page: Page, site: ReviewSite) -> Page:
    page.goto(f"{site.url}/adjudicate?campaign=disputed")
    page.fill("#name", "eve")
    page.fill("#password", "eve's long password")
    page.click("button")
    slot_on_screen(page)
    picture_is_there(page)
    return page


def test_an_adjudicator_takes_over_and_draws_and_what_is_drawn_survives_a_reload(site: ReviewSite, page: Page) -> None:
    adjudicating(page, site)
    assert page.locator(".legend .reason").all_inner_texts() == ["Annotator 1", "Annotator 2"]
    theirs = page.locator(".suggestions .mark-list li")
    assert theirs.count() == 3
    page.locator(".legend .reason").nth(1).click()
    assert theirs.count() < 3
    page.locator(".legend .reason").nth(1).click()
    page.keyboard.press(".")
    page.keyboard.press("j")
    own = page.locator(".region[data-field=box] .mark-list li")
    assert own.count() == 1
    draw(page, (800, 500), (950, 700), size=SIZE)
    page.keyboard.press("3")
    page.reload()
    picture_is_there(page)
    assert own.count() == 2
    assert findings_by_theme(page) == NOTHING
    submit(page)
    with open_store(settle_store(site.workspace)) as store:
        assert store.tasks("disputed") == []
        assert len(store.tasks("disputed", states=("open", "done"))) == 1


def test_annotators_get_no_mark_of_others(site: ReviewSite, page: Page) -> None:
    answers: list[str] = []
    page.on("response", lambda response: answers.append(response.url))
    open_task(page, site, "every")
    assert page.locator(".suggestions").is_hidden()
    assert page.locator(".suggestions .mark-list li").count() == 0


@pytest.mark.parametrize("width", [390, 820, 1280])
def test_marking_has_no_serious_finding_and_everything_is_in_reach(
    site: ReviewSite, new_context: Callable[..., BrowserContext], width: int
) -> None:
    size = TABLET if width == 820 else {"width": width, "height": 844 if width == 390 else 800}
    page = new_context(viewport=size).new_page()
    open_task(page, site, "every", name="ben")
    draw(page, (300, 200), (500, 400), size=SIZE)
    page.locator(".region[data-field=box] .mark-list li").first.wait_for()
    assert findings_by_theme(page) == NOTHING
    at_rest(page)
    assert [found for found in unreached(page) if "stSidebarNavLink" not in found] == []  # the menu is folded away


def test_the_picture_and_its_marks_do_not_mirror_from_right_to_left(site: ReviewSite, page: Page) -> None:
    open_task(page, site, "every")
    page.evaluate("() => { document.documentElement.dir = 'rtl'; window.dispatchEvent(new Event('resize')); }")
    at_rest(page)
    draw(page, (300, 200), (500, 400), size=SIZE)
    x, y = on_screen(page, 300, 200, size=SIZE)
    corner = page.locator(".lines .grip").first.bounding_box()
    assert corner
    assert (corner["x"] + corner["width"] / 2, corner["y"] + corner["height"] / 2) == pytest.approx((x, y), abs=1.5)
    words = page.locator(".region[data-field=box] .mark-list .where").inner_text()
    assert words.startswith(("300, 200", "299", "300."))
