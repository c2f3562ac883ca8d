"""From a stroke in the app to a pair: GrabCut proposes an outline, a person accepts it, and the pair is cut with it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browser.marking_site import Hand, draw, picture_is_there, pictures, pictures_of, save_photograph
from browser.review_site import ReviewSite, add_accounts, next_slot, serve, sign_in, slot_on_screen

from benchwright.construction.item_parts.cutting_out import rectangle
from benchwright.pipeline import open_view, run_recipe
from benchwright.recipe import parse_recipe
from benchwright.records import MaskRuns
from benchwright.regions import grid_of
from benchwright.workspace.run_results import FinishedRun

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.thorough

SIZE = (600, 400)
CUP = (173.0, 17.0, 408.0, 308.0)
"""Box around the cup, measured by hand."""
RECIPE = """
name: pairs
seed: 1
steps:
  - step: mark
    fields:
      - {name: outlines, label: Outlines, shape: mask, free_label: true, max_count: 4}
    helpers: [grabcut]
    rule: single
  - {step: facts, stated_by: [mark], file: facts.yaml}
  - {step: ideas, people_only: false}
  - step: manipulate
  - step: pair_items
  - step: pair_gates
"""
FACTS = """
format: benchwright-facts
version: 1
images:
  coffee.jpg:
    background: a wooden table
    subjects: [{name: cup, phrase: the cup, box: [90, 10, 430, 350]}]
    pairs:
      caption: A cup of coffee stands on a wooden table.
      subject: cup
      seen: {scenario: a coffee break}
      backgrounds: {S1: [chelsea.jpg]}
  chelsea.jpg:
    background: the fur of a cat
    subjects: [{name: place, phrase: the cat, box: [0, 0, 600, 400]}]
    pairs:
      caption: A cat looks at the camera.
      subject: place
      ground: 0.4
      suggests: {scenario: {value: a visit to a cat, tempting: [a visit to a zoo, a hunt, a fair]}}
"""


def run(folder: Path) -> FinishedRun:
    recipe = parse_recipe(RECIPE, "pairs.yaml", folder=folder)
    return run_recipe(recipe, images=folder / "photographs", workspace=folder / "workspace", workers=1)


@pytest.fixture(scope="module")
def waiting(tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    """A run that waits for outlines of a cup and a cat."""
    folder = tmp_path_factory.mktemp("outlined")
    for name in ("coffee", "chelsea"):
        save_photograph(folder / "photographs" / f"{name}.jpg", SIZE, name)
    (folder / "facts.yaml").write_text(FACTS, encoding="utf-8")
    done = run(folder)
    assert done.state == "waiting"
    add_accounts(done.workspace)
    return done


@pytest.fixture(scope="module")
def site(waiting: FinishedRun) -> Iterator[ReviewSite]:
    with serve(waiting.workspace) as running:
        yield running


def outline(page: Page) -> None:
    """Draw over the cup, have its outline proposed, look at it, accept it, and name it."""
    draw(page, (210, 60), (370, 60), (360, 220), (290, 290), (220, 200), (290, 150), size=SIZE)
    page.locator(".mark-helpers button").first.wait_for()
    page.keyboard.press("h")
    proposal = page.locator(".suggestions .mark-row")
    proposal.wait_for()
    page.locator(".mark-helpers [role=status]", has_text="proposes").wait_for()
    page.keyboard.press("d")  # the stroke that it was asked with goes
    proposal.click()
    page.keyboard.press("j")
    page.locator("[data-field=outlines] .mark-row", has_text="proposed by Cut out by color").wait_for()
    Hand(page, SIZE).label("cup")


def test_a_cup_that_was_outlined_in_the_app_stands_before_a_cat(
    waiting: FinishedRun, site: ReviewSite, page: Page
) -> None:
    known = pictures(waiting)
    sign_in(page, site, "ann", path="/?campaign=mark")
    slot: int | None = slot_on_screen(page)
    while slot is not None:
        [image_id] = pictures_of(site, slot)
        picture_is_there(page)
        if known[image_id][0] == "coffee.jpg":
            outline(page)
        else:
            page.keyboard.press("2")  # nothing to mark
        page.keyboard.press("Enter")
        slot = next_slot(page, slot)

    done = run(waiting.workspace.parent)
    assert done.state == "done"
    [made] = [pair for row in done.outcomes("manipulate") for pair in json.loads(row["pairs"] or "[]")]
    mask = made["made_with"]["mask"]
    cells = grid_of(MaskRuns.model_validate(mask["runs"]))
    assert mask["by"] == "facts"
    assert cells[60:170, 240:340].all()
    assert (cells & rectangle(CUP, cells.shape)).sum() > 0.97 * cells.sum()
    assert (
        sum(item.evidence["manipulated"] == made["manipulated"] for item, _ in open_view(done.workspace).items()) >= 4
    )
