"""A description from a model's draft in the running app: whole sections accepted, one label changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from browser.rest import hacked
from browser.review_site import PASSWORDS, add_account, next_slot, serve, sign_in, slot_on_screen
from chat_server import ChatServer
from picture_copies import photograph

from benchwright.annotation.store.review_store import open_store
from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

pytestmark = pytest.mark.thorough

REPLY = {
    "conveys": True, "image_type": "photograph", "difficulty": "easy", "domain": "life", "emotion": "neutral",
    "rhetoric": ["symbolism"], "explanation": 'Rest. <img src=x onerror="window.hacked=1">',
    "questions": [{
        "ask": "What does the full cup stand for?", "right": "A pause", "wrong": ["Thirst", "Wealth", "Haste", "Sleep", "Heat"],
    }],
}  # fmt: skip
RECIPE = """
name: described
seed: 3
shards: 1
steps:
  - step: draft_descriptions
    chat: {{model: tiny-vlm, base_url: "{url}", retries: 0}}
  - step: describe
    drafted_by: [draft_descriptions]
"""


def test_an_annotator_accepts_a_description_by_sections_and_changes_one_label(
    tmp_path: Path, new_context: Callable[..., BrowserContext]
) -> None:
    (tmp_path / "photographs").mkdir()
    photograph("coffee").save(tmp_path / "photographs" / "coffee.png")
    workspace = tmp_path / "workspace"
    with closing(ChatServer()) as server:
        server.behave = lambda words, attempt, handler: json.dumps(REPLY)
        recipe = parse_recipe(RECIPE.format(url=server.url), "recipe.yaml", folder=tmp_path)
        run_recipe(recipe, workspace=workspace, images=tmp_path / "photographs", workers=1)
    PASSWORDS.setdefault("ann", "ann's long password")
    add_account(workspace, "ann", PASSWORDS["ann"])
    with serve(workspace) as site:
        page = new_context(viewport={"width": 1280, "height": 1400}).new_page()
        sign_in(page, site, "ann", path="/?campaign=describe")
        slot = slot_on_screen(page)
        description = page.locator("[data-section=Description]")
        assert (
            description.locator(".origin:visible")
            .first.inner_text()
            .startswith("Drafted by tiny-vlm; not yet accepted by an annotator")
        )
        page.get_by_role("button", name="Done").click()  # drafts that nobody decided about are handed in by nobody
        assert "draft" in page.locator(".card .status").inner_text()
        description.get_by_role("button", name="Positive").click()
        description.get_by_role("button", name="Accept all").click()
        questions = page.locator("[data-section=Questions]")
        if not questions.evaluate("element => element.open"):
            questions.locator("summary").click()
        questions.get_by_role("button", name="Accept all").click()
        page.get_by_role("button", name="Done").click()
        assert next_slot(page, slot) is None
        assert not hacked(page)
    with open_store(f"sqlite:///{workspace / 'review.sqlite'}") as store:
        [decision] = store.decisions("describe")
    fields: Any = decision.fields
    assert (fields["emotion"], fields["explanation"]) == ("positive", REPLY["explanation"])
    edited = {place: origin["edited"] for place, origin in fields["drafts"].items()}
    assert edited == dict.fromkeys(edited, False) | {"emotion": True}
    assert {"image_type", "rhetoric", "explanation", "questions", "ask_1", "right_1", "wrong_1"} <= set(edited)
