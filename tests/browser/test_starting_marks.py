"""Marks of a COCO file to start from: accepted, changed, rejected, all at once, undone, and still so after a reload."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from browser.marking_site import draw, open_task, picture_is_there, save_photograph, stored, submit
from browser.review_site import ReviewSite, add_accounts, serve

from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe
from benchwright.regions import Region, change_of, kind_of_change

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

SIZE = (900, 600)
RECIPE = """
name: started
seed: 3
steps:
  - step: mark
    rule: unanimous(2)
    fields: [{name: things, label: Things, shape: box, options: [{code: cup, words: A cup}, {code: spoon, words: A spoon}]}]
    helpers: []
    start_from: [instances.json]
"""
BOXES = [("cup", [100, 100, 200, 150]), ("spoon", [400, 100, 200, 150]), ("cup", [100, 350, 200, 150])]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    folder = tmp_path_factory.mktemp("started")
    save_photograph(folder / "photographs" / "coffee.jpg", SIZE, "coffee")
    document = {
        "images": [{"id": 1, "file_name": "coffee.jpg", "width": SIZE[0], "height": SIZE[1]}],
        "categories": [{"id": 1, "name": "cup"}, {"id": 2, "name": "spoon"}],
        "annotations": [
            {"id": number, "image_id": 1, "category_id": ["cup", "spoon"].index(label) + 1, "bbox": box}
            for number, (label, box) in enumerate(BOXES, start=1)
        ],
    }
    (folder / "instances.json").write_text(json.dumps(document), encoding="utf-8")
    recipe = parse_recipe(RECIPE, "recipe.yaml", folder=folder)
    done = run_recipe(recipe, workspace=folder / "workspace", images=folder / "photographs", workers=1)
    assert "annotators start from 3 regions on 1 picture from instances.json" in done.waits[0]
    add_accounts(done.workspace)
    with serve(done.workspace) as running:
        yield running


def proposals(page: Page) -> Locator:
    return page.locator(".suggestions .mark-row")


def own(page: Page) -> Locator:
    return page.locator("[data-field=things] .mark-row")


def test_one_is_accepted_one_changed_one_rejected_and_a_reload_keeps_it_so(site: ReviewSite, page: Page) -> None:
    open_task(page, site, "mark")
    proposals(page).nth(2).wait_for()
    assert page.locator(".suggestions .mark-row .from").all_text_contents() == ["instances.json"] * 3
    assert "instances.json proposes 3" in page.locator(".mark-helpers").inner_text()
    page.get_by_role("button", name="Accept A cup by instances.json").first.click()
    proposals(page).filter(has_text="A spoon").click()
    page.keyboard.press("j")
    assert own(page).count() == 2
    draw(page, (600, 250), (660, 280), size=SIZE)  # its corner is moved
    with page.expect_response(lambda response: "/drafts/" in response.url and response.ok):
        page.get_by_role("button", name="Reject A cup by instances.json").click()
    assert proposals(page).count() == 0
    with page.expect_response(lambda response: "/proposals" in response.url):
        page.reload()
    picture_is_there(page)
    own(page).nth(1).wait_for()
    assert proposals(page).count() == 0  # neither what was accepted nor what was rejected comes back
    submit(page)
    accepted, moved = [Region.model_validate(region) for region in stored(site, "mark")["things"]]
    assert accepted.points == ((100, 100), (300, 250))
    unchanged, change = change_of(accepted), change_of(moved)
    assert unchanged is not None
    assert change is not None
    assert (unchanged["changed"], change["changed"]) == (False, True)
    assert kind_of_change(change) == "moved"
    assert (moved.label, change["helper"]) == ("spoon", "instances.json")
    assert moved.proposal is not None
    assert moved.proposal.points == ((400, 100), (600, 250))
    assert moved.points[0] == (400, 100)
    assert abs(moved.points[1][0] - 660) < 2
    assert abs(moved.points[1][1] - 280) < 2


def test_all_are_accepted_at_once_and_undo_brings_the_proposals_back(site: ReviewSite, page: Page) -> None:
    open_task(page, site, "mark", name="ben")
    page.get_by_role("button", name="Accept all 3 from instances.json").click()
    assert (own(page).count(), proposals(page).count()) == (3, 0)
    page.keyboard.press("Control+z")
    assert (own(page).count(), proposals(page).count()) == (0, 3)
    page.get_by_role("button", name="Accept all 3 from instances.json").click()
    submit(page)
    regions = [Region.model_validate(region) for region in stored(site, "mark", name="ben")["things"]]
    assert [region.label for region in regions] == ["cup", "spoon", "cup"]
    assert [change["changed"] for region in regions if (change := change_of(region)) is not None] == [False] * 3
