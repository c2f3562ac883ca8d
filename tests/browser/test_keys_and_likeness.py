"""Questions without a key, with a curator: found by meaning, and keyed by an adjudicator's letter."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browser.axe import findings
from browser.review_site import ReviewSite, add_accounts, serve, slot_on_screen
from walks import make_photographs, run_json

from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.campaigns.adjudications import list_adjudicated
from benchwright.annotation.store.review_store import open_store

if TYPE_CHECKING:
    from playwright.sync_api import Page

RECIPE = """\
name: open
steps:
  - {step: items, file: asked.csv, keyless: keep}
  - {step: answer, as: keys, key: "adjudicated(at_least(2, of=3))"}
"""
ROWS = (
    "image,question,A,B,C\n"
    "piece-00.png,What color is the umbrella?,red,blue,none\n"
    "piece-01.jpg,How many bridges are there?,one,two,three\n"
)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[ReviewSite]:
    """Two questions without a key: three annotators agree on one, and none on the other."""
    make_photographs(tmp_path, count=2)
    (tmp_path / "asked.csv").write_text(ROWS)
    (tmp_path / "open.yaml").write_text(RECIPE)
    assert run_json("run", tmp_path / "open.yaml", "--workspace", tmp_path / "workspace")["state"] == "waiting"
    add_accounts(tmp_path / "workspace")
    with open_store(f"sqlite:///{tmp_path / 'workspace' / 'review.sqlite'}") as store:
        for task in store.tasks("keys"):
            letters = "ABC" if "bridges" in str(task.payload) else "BBB"
            for name, letter in zip(("ann", "ben", "cas"), letters, strict=True):
                store.upsert_annotator(name)
                store.decide("keys", task.id, name, Submission(letter), now=datetime.now(UTC))
    with serve(tmp_path / "workspace") as running:
        yield running


def is_sound(page: Page) -> None:
    """Check that axe finds nothing on a page at a telephone's size."""
    page.set_viewport_size({"width": 390, "height": 844})
    assert findings(page) == []
    page.set_viewport_size({"width": 1366, "height": 768})


def test_a_curator_finds_a_question_by_meaning_and_names_the_key_of_a_divided_one(
    site: ReviewSite, curator: Callable[..., Page]
) -> None:
    page = curator("/items", viewport={"width": 1366, "height": 768}, bypass_csp=True)
    page.get_by_role("textbox", name="Find by meaning").fill("the umbrellas")
    page.get_by_role("textbox", name="Find by meaning").press("Enter")
    page.get_by_text("1 found", exact=True).wait_for()
    page.get_by_text("Compared by the words that questions and options share").wait_for()
    page.get_by_text("100% alike").wait_for()
    is_sound(page)

    page.goto(site.url + "/adjudicate?campaign=keys")
    slot_on_screen(page)
    assert page.locator(".given").count() == 3
    is_sound(page)
    assert page.get_by_role("button", name="Undo last").count() == 0  # an adjudicator's decision stands
    page.keyboard.press("b")
    page.keyboard.press("Enter")
    page.get_by_text("There is nothing for you to adjudicate now").wait_for()
    with open_store(f"sqlite:///{site.workspace / 'review.sqlite'}") as store, store.reading() as connection:
        [adjudicated] = list_adjudicated(connection, store.campaign("keys")).values()
    assert adjudicated.decision is not None
    assert (adjudicated.decision.decision, adjudicated.decision.annotator) == ("B", "cur")
    assert run_json("run", site.workspace.parent / "open.yaml", "--workspace", site.workspace)["state"] == "done"
