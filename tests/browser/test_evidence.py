"""Answers and acceptances with the region that justifies them, in the browser.

- An answer without a region is not sent, and the card says what is missing; option letters still choose.
- Drawn regions are stored with the answer, at the pixels where they were drawn, and survive a reload.
- A verifier marks and accepts, by mouse and keys, and rejects without marking.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from browser.marking_site import draw, open_task, picture_is_there, save_photograph, submit
from browser.review_site import ReviewSite, add_accounts, serve

from benchwright.annotation.store.review_store import open_store
from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe
from benchwright.workspace.store_place import settle_store

if TYPE_CHECKING:
    from playwright.sync_api import Page

RECIPE = """
name: justified
seed: 3
steps:
  - step: visual_correspondence
  - step: answer
    annotators_per_item: 2
    evidence: {shape: box}
"""
VERIFY = """
name: checked
seed: 3
steps:
  - step: visual_correspondence
  - step: verify
    evidence: {shape: box}
"""


def site_of(folder: Any, recipe: str) -> Iterator[ReviewSite]:
    save_photograph(folder / "photographs" / "large.jpg", (1600, 1200))
    parsed = parse_recipe(recipe, "recipe.yaml", folder=folder)
    done = run_recipe(parsed, workspace=folder / "workspace", images=folder / "photographs", workers=1)
    add_accounts(done.workspace)
    with serve(done.workspace) as running:
        yield running


@pytest.fixture(scope="module")
def answering(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    yield from site_of(tmp_path_factory.mktemp("answering"), RECIPE)


@pytest.fixture(scope="module")
def verifying(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    yield from site_of(tmp_path_factory.mktemp("verifying"), VERIFY)


def size_of_first_picture(site: ReviewSite, campaign: str) -> tuple[int, int]:
    with open_store(settle_store(site.workspace)) as store:
        [[width, height]] = store.tasks(campaign)[0].payload["sizes_wh"]
    return width, height


def lacking(page: Page) -> None:
    """Wait until the card says that a region is missing."""
    page.get_by_role("status").filter(has_text="Mark what in the picture shows that this is right.").wait_for()


def is_stored(decision: Any, first: tuple[float, float], last: tuple[float, float]) -> bool:
    [box] = decision.fields["evidence"]
    places = zip(box["points"], (first, last), strict=True)
    return all(abs(x - ex) < 2 and abs(y - ey) < 2 for (x, y), (ex, ey) in places)


def decisions(site: ReviewSite, campaign: str) -> list[Any]:
    with open_store(settle_store(site.workspace)) as store:
        return store.decisions(campaign)


def test_an_answer_is_sent_with_the_region_that_justifies_it(answering: ReviewSite, page: Page) -> None:
    size = size_of_first_picture(answering, "answer")
    open_task(page, answering, "answer")
    page.keyboard.press("b")
    page.keyboard.press("Enter")
    lacking(page)
    assert decisions(answering, "answer") == []
    page.locator(".mark-helpers button:visible").wait_for()  # programs that propose regions serve evidence too
    draw(page, (40, 30), (140, 120), size=size)
    row = page.locator("[data-field=evidence] .mark-row")
    assert row.count() == 1
    page.keyboard.press("a")  # a letter of an option, which means something else where only marks are drawn
    assert page.locator(".option[aria-pressed=true] .key").inner_text() == "A"
    page.get_by_role("status").filter(has_text="Saved").wait_for()
    page.reload()
    picture_is_there(page)
    row.wait_for()
    assert page.locator(".option[aria-pressed=true] .key").inner_text() == "A"
    submit(page)
    [decision] = decisions(answering, "answer")
    assert decision.decision == "A"
    assert is_stored(decision, (40, 30), (140, 120))


def test_a_verifier_marks_what_they_accept(verifying: ReviewSite, page: Page) -> None:
    size = size_of_first_picture(verifying, "verify")
    open_task(page, verifying, "verify")
    page.keyboard.press("y")
    lacking(page)
    draw(page, (40, 30), (140, 120), size=size)
    page.keyboard.press("y")
    submit(page)
    [decision] = decisions(verifying, "verify")
    assert decision.decision == "accept"
    assert is_stored(decision, (40, 30), (140, 120))
