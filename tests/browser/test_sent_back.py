"""A revision round in the running app: one writes, another sends back with a note, the first revises, a third accepts.

In `verify` by the key `W` and a note; in `review` by the same key, after the blind answer, with the changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from browser.axe import NOTHING, findings_by_theme
from browser.rest import at_rest, hacked
from browser.review_site import PASSWORDS, ReviewSite, add_account, next_slot, serve, sign_in, slot_on_screen
from picture_copies import photograph

from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe
from benchwright.release import Release

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

SCRIPT = '<img src=x onerror="window.hacked=1">'
NOTE = f"Say which cup is meant. {SCRIPT}"
RECIPE = """
name: sent-back
seed: 3
shards: 1
steps:
  - step: write
    task: at_the_table
    options: 4
  - written_questions
  - step: {judge}
    rule: at_least(1, of=1)
    send_back: {{rounds: 2}}
  - step: freeze
    name: sent-back
    version: "1.0"
    licence: cc0-1.0
"""


def run(folder: Path, judge: str) -> Any:
    recipe = parse_recipe(RECIPE.format(judge=judge), "recipe.yaml", folder=folder)
    return run_recipe(recipe, workspace=folder / "workspace", images=folder / "photographs", workers=1)


@pytest.fixture(params=["verify", pytest.param("review", marks=pytest.mark.thorough)])
def served(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[ReviewSite, Callable[[], Any], str]]:
    """The app over a photograph, a function that continues the recipe, and the campaign that judges."""
    (tmp_path / "photographs").mkdir()
    photograph("coffee").save(tmp_path / "photographs" / "coffee.png")
    assert "campaign 'write' waits" in run(tmp_path, request.param).waits[0]
    for name in ("ann", "ben", "cyd"):
        PASSWORDS.setdefault(name, f"{name}'s long password")
        add_account(tmp_path / "workspace", name, PASSWORDS[name])
    with serve(tmp_path / "workspace") as site:
        yield site, lambda: run(tmp_path, request.param), request.param


def answer(page: Page) -> None:
    """Answer blind as the key does, in a review."""
    right = page.locator(".card .choice", has_text="Coffee").locator(".key").inner_text()
    page.keyboard.press(right.lower())
    page.keyboard.press("Enter")
    page.locator(".card fieldset").first.wait_for()


def test_one_writes_another_sends_back_with_a_note_the_first_revises_and_a_third_accepts(
    served: tuple[ReviewSite, Callable[[], Any], str], new_context: Callable[..., BrowserContext]
) -> None:
    site, run_on, judge = served
    writer = new_context(viewport={"width": 1280, "height": 1100}).new_page()
    sign_in(writer, site, "ann", path="/?campaign=write")
    slot = slot_on_screen(writer)
    writer.keyboard.press("1")
    areas = writer.locator(".entry textarea")
    for place, text in enumerate(["What does the cup hold?", "Coffee", "Tea\nMilk\nSoup"]):
        areas.nth(place).fill(text)
    writer.get_by_role("button", name="Done").click()
    assert next_slot(writer, slot) is None

    assert f"campaign '{judge}' waits" in run_on().waits[0]
    page = new_context(viewport={"width": 1280, "height": 1100}).new_page()
    sign_in(page, site, "ben", path=f"/?campaign={judge}")
    slot = slot_on_screen(page)
    if judge == "review":
        answer(page)
    page.keyboard.press("w")
    page.keyboard.type(NOTE)
    if judge == "review":
        page.keyboard.press("Escape")
        for field in ("accurate", "reasonable", "difficult"):
            page.locator(f'[data-field="{field}"]').get_by_role("button", name="No").click()
    page.keyboard.press("Control+Enter" if judge == "verify" else "Enter")
    assert next_slot(page, slot) is None

    assert "1 item went back to the writers in 'write'" in run_on().waits[0]
    writer = new_context(viewport={"width": 1280, "height": 1100}).new_page()
    sign_in(writer, site, "ann", path="/?campaign=write")
    slot = slot_on_screen(writer)
    beside = writer.locator(".card .beside")
    assert beside.locator("h3").inner_text() == "Sent back"
    assert beside.locator(".told").inner_text() == f"«What does the cup hold?»\n{NOTE}"
    assert [area.input_value() for area in writer.locator(".entry textarea").all()][:3] == [
        "What does the cup hold?", "Coffee", "Tea\nMilk\nSoup",
    ]  # fmt: skip
    at_rest(writer)
    assert findings_by_theme(writer) == NOTHING
    writer.locator(".entry textarea").first.fill("What does the white cup hold?")
    writer.get_by_role("button", name="Done").click()
    assert next_slot(writer, slot) is None
    assert not hacked(writer)

    assert f"campaign '{judge}' waits" in run_on().waits[0]
    page = new_context(viewport={"width": 1280, "height": 1100}).new_page()
    sign_in(page, site, "cyd", path=f"/?campaign={judge}")
    slot = slot_on_screen(page)
    if judge == "review":
        answer(page)
        for field in ("accurate", "reasonable", "difficult"):
            page.locator(f'[data-field="{field}"]').get_by_role("button", name="Yes").click()
        page.keyboard.press("Enter")
    else:
        page.keyboard.press("y")
    assert next_slot(page, slot) is None
    done = run_on()
    assert done.state == "done"
    [item] = Release.open(site.workspace / done.artifacts["release"]).items()
    assert item.item.question == "What does the white cup hold?"
