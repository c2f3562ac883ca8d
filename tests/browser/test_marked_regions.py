"""The curator's pages of a campaign with marked regions: agreement on places, and each annotator next to the result."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from browser.axe import NOTHING, findings_by_theme
from browser.rest import at_rest
from browser.review_site import ReviewSite, make_workspace, serve, sign_in
from browser.widths import unreached

from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.settlement.marked_regions import compare_regions

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

pytestmark = pytest.mark.thorough

RECIPE = """\
name: places
seed: 5
steps:
  - step: mark
    rule: adjudicated(unanimous(2))
    fields:
      - {name: things, label: Things, shape: box, options: [{code: cup, words: A cup}, {code: cat, words: A cat}]}
"""
Opened = Callable[..., "Page"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    """A workspace in which two annotators have marked twelve pictures, alike but for two."""
    workspace = make_workspace(tmp_path_factory.mktemp("places"), photographs=12, recipe=RECIPE)
    with open_store(f"sqlite:///{workspace / 'review.sqlite'}") as store:
        mark_all(store)
    with serve(workspace) as running:
        yield running


def mark_all(store: ReviewStore) -> None:
    for number, task in enumerate(store.tasks("mark")):
        width, height = task.payload["sizes_wh"][0]
        for shift, name in enumerate(("ann", "ben")):
            things = [box(2 + shift, 3, width / 2, height / 2, "cup")]
            if number == 1 and name == "ben":
                things.append(box(width / 2, height / 2, width - 1, height - 1, "cat"))
            if number == 2 and name == "ben":
                things = [box(width / 2, height / 2, width - 1, height - 1, "cat")]
            said = Submission(fields={"marked": "marked", "things": things})
            store.decide("mark", task.id, name, said, now=datetime.now(UTC))
    compare_regions(store, "mark")


def box(left: float, top: float, right: float, bottom: float, label: str) -> dict[str, Any]:
    return {"shape": "box", "points": [[left, top], [right, bottom]], "label": label}


@pytest.fixture
def curator(site: ReviewSite, new_context: Callable[..., BrowserContext]) -> Opened:
    def open_page(path: str, **settings: Any) -> Page:
        page = new_context(**settings).new_page()
        sign_in(page, site, "cur")
        page.goto(f"{site.url}{path}")
        return page

    return open_page


def test_a_curator_sees_each_persons_marks_beside_what_counts(curator: Opened) -> None:
    page = curator("/annotators?campaign=mark")
    page.get_by_role("heading", name="Marks compared with the accepted ones").wait_for()
    page.get_by_text("On 12 of 12 marked pictures").wait_for()


def test_a_curator_sees_how_far_people_agree_on_where_things_are(curator: Opened) -> None:
    page = curator("/agreement?campaign=mark")
    page.get_by_role("heading", name="Marked regions").wait_for()
    page.get_by_text("Mean overlap (IoU)").first.wait_for()


@pytest.mark.parametrize(("path", "heading"), [("annotators", "Marks compared"), ("agreement", "Marked regions")])
@pytest.mark.parametrize("width", [1280, 390])
def test_these_sections_are_accessible_light_and_dark(curator: Opened, path: str, heading: str, width: int) -> None:
    page = curator(f"/{path}?campaign=mark", viewport={"width": width, "height": 800})
    page.get_by_role("heading", name=heading).wait_for()
    at_rest(page)
    assert [line for line in unreached(page) if "stSidebarNavLink" not in line] == []
    assert findings_by_theme(page) == NOTHING
