"""Right-to-left texts run so wherever they are shown or written; all others run as before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browser.review_site import ReviewSite, make_workspace, serve, sign_in, slot_on_screen
from small_bench import Bench

from benchwright.annotation.app.base.state import clock
from benchwright.annotation.campaigns.review import Review
from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.evaluation.backends.base import PerQuestion
from benchwright.evaluation.report.writing import write_report
from benchwright.evaluation.run import evaluate
from benchwright.records import Choice, Item, ItemImage, Source
from benchwright.steps import CampaignContext

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Locator, Page

pytestmark = pytest.mark.thorough

ARABIC, HEBREW, ENGLISH = "ماذا تُظهر الصورة؟", "חתול על גדר", "a cat on a fence"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    workspace = make_workspace(tmp_path_factory.mktemp("rtl"))
    url = f"sqlite:///{workspace / 'review.sqlite'}"
    with open_store(url) as store:
        pattern = Item.model_validate(store.tasks("verify")[0].payload)
    item = pattern.model_copy(update={
        "item_id": "a" * 32, "question": ARABIC, "answer": "A", "explanation": HEBREW,
        "choices": (Choice(key="A", text=HEBREW), Choice(key="B", text=ENGLISH)),
    })  # fmt: skip
    context = CampaignContext(seed=1, stage="judge", workspace=workspace, store_url=url)
    Verify(rule="unanimous(1)", guidelines=f"{ARABIC}\n\n- {HEBREW}").advance([item], context)
    Review(rule="unanimous(1)").advance([item], context._replace(stage="vote"))
    with serve(workspace) as running:
        yield running


@pytest.fixture
def store(site: ReviewSite) -> Iterator[ReviewStore]:
    with open_store(f"sqlite:///{site.workspace / 'review.sqlite'}") as opened:
        yield opened


def directions(shown: Locator) -> list[str]:
    """Return in which direction each element runs, as the browser reckons it."""
    shown.first.wait_for()
    return [str(one.evaluate("element => getComputedStyle(element).direction")) for one in shown.all()]


def test_an_item_its_notes_and_its_guidelines_run_as_their_script_does(
    site: ReviewSite, store: ReviewStore, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context().new_page()
    sign_in(page, site, "ann", path="/?campaign=judge")
    slot_on_screen(page)
    assert directions(page.locator(".card .question")) == ["rtl"]
    assert directions(page.locator(".card .said")) == ["rtl", "ltr"]
    page.keyboard.press("v")
    assert directions(page.locator(".card .editor textarea")) == ["rtl", "rtl", "ltr"]
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    page.keyboard.type(HEBREW)
    assert directions(page.locator(".card .says .note textarea")) == ["rtl"]
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    page.keyboard.type(ARABIC)
    assert directions(page.locator(".card .remarks textarea")) == ["rtl"]
    page.get_by_role("button", name="Flag for a curator").click()
    assert directions(page.locator(".card .told-before bdi")) == ["rtl"]
    page.get_by_role("button", name="Guidelines").click()
    unfolded = page.locator(".st-key-guidelines-beside .bw-guidelines p", has_text=ARABIC)
    assert directions(unfolded) == ["rtl"]
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Accept").click()
    page.get_by_text("All done in Judge").wait_for()
    page.goto(site.url + "/history?campaign=judge")
    assert directions(page.locator(".benchwright-text bdi", has_text=ARABIC).first) == ["rtl"]
    curator = new_context().new_page()
    sign_in(curator, site, "cur", path="/flags?campaign=judge")
    assert directions(curator.locator(".benchwright-text", has_text=ARABIC).first) == ["rtl"]


def test_what_is_shown_after_an_answer_runs_as_its_script_does(
    site: ReviewSite, store: ReviewStore, new_context: Callable[..., BrowserContext]
) -> None:
    queue = TaskQueue(store, store.campaign("vote"), "ben")
    task = queue.next(now=clock())
    assert task is not None
    queue.answer(task.slot_id, "B", now=clock())
    page = new_context().new_page()
    sign_in(page, site, "ben", path="/?campaign=vote")
    slot_on_screen(page)
    assert directions(page.locator(".card .told", has_text=HEBREW)) == ["rtl"]
    assert directions(page.locator(".card .told", has_text=ENGLISH)) == ["ltr"]


def test_a_report_runs_items_replies_and_explanations_as_their_script_does(tmp_path: Path, page: Page) -> None:
    bench = Bench()
    for number in range(2):
        source = bench.picture(120, 90, (number, 200, 90), source=Source(uri=f"{number}.png"))
        bench.add(
            source, "test", number, task="naming", question=ARABIC, explanation=HEBREW,
            images=(ItemImage(image_id=source.image_id, role="view"),),
            choices=(Choice(key="A", text=HEBREW), Choice(key="B", text=ENGLISH)), answer="A",
        )  # fmt: skip
    release = bench.write(tmp_path / "release")
    evaluate(release, PerQuestion("one", lambda question, content_id: f"{HEBREW} A"), out=tmp_path / "results")
    page.goto(write_report(tmp_path / "results", release).path.as_uri())
    assert set(directions(page.locator(".card .question"))) == {"rtl"}
    assert directions(page.locator(".card .option .text"))[:2] == ["rtl", "ltr"]
    assert directions(page.locator(".card .reply .said"))[0] == "rtl"
    page.get_by_role("button", name="Open item").first.click()
    assert directions(page.locator("dialog bdi", has_text=HEBREW).last) == ["rtl"]
