"""Questions from a model's drafts in the running app: one annotator writes, another sends back, a third accepts.

The release then states the author of each text.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from browser.axe import NOTHING, findings_by_theme
from browser.rest import at_rest, hacked
from browser.review_site import PASSWORDS, ReviewSite, add_account, next_slot, serve, sign_in, slot_on_screen
from chat_server import ChatServer
from picture_copies import photograph

from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe
from benchwright.release import Release

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Locator, Page

pytestmark = pytest.mark.thorough

SCRIPT = '<img src=x onerror="window.hacked=1">'
DRINK = {
    "ask": "What does the cup hold?", "right": "Coffee", "wrong": ["Tea", "Milk", "Soup", "Juice", "Water"],
    "explanation": "Brown foam is seen on it.",
}  # fmt: skip
SPOON = {
    "ask": "Where does the spoon lie?", "right": "On the saucer",
    "wrong": ["In the cup", "On the floor", "On a plate", "In a bowl", f"Under the cup {SCRIPT}"],
    "explanation": "It rests beside the cup.",
}  # fmt: skip
TABLE = {
    "ask": "What is the table made of?", "right": "Wood", "wrong": ["Glass", "Steel", "Stone", "Cloth", "Paper"],
    "explanation": "Its grain shows.",
}  # fmt: skip
RECIPE = """
name: drafted
seed: 3
shards: 1
steps:
  - step: draft_questions
    questions: 3
    options: 6
    explanation: required
    chat: {{model: tiny-vlm, base_url: "{url}", retries: 0}}
    attack: {{chat: {{model: breaker, base_url: "{url}", retries: 0}}}}
  - step: write
    task: at_the_table
    questions: 3
    options: 6
    explanation: required
    drafted_by: [draft_questions]
  - step: written_questions
  - step: verify
    rule: single
    rounds: 3
  - step: freeze
    name: drafted
    version: "1.0"
    licence: cc0-1.0
"""
MODEL, EDITED = "model:tiny-vlm", "person, from model:tiny-vlm"


def behave(words: str, attempt: int, handler: Any) -> str:
    """Draft three questions; as the second model, be wrong without the picture, and right and bored with it."""
    if handler.body["model"] == "tiny-vlm":
        return json.dumps({"questions": [DRINK, SPOON, TABLE]})
    letters = {line[4:]: line[1] for line in words.splitlines() if line.startswith("(")}
    right = next(letters[text] for text in ("Coffee", "On the saucer", "Wood") if text in letters)
    wrong = next(letters[text] for text in ("Tea", "In the cup", "Glass") if text in letters)
    has_picture = any(part["type"] == "image_url" for part in handler.body["messages"][0]["content"])
    seen = {"letter": right, "also_right": [], "difficulty": "easy", "why": "It fills the picture."}
    return json.dumps(seen if has_picture else {"letter": wrong})


def run(folder: Path, url: str) -> Any:
    recipe = parse_recipe(RECIPE.format(url=url), "recipe.yaml", folder=folder)
    return run_recipe(recipe, workspace=folder / "workspace", images=folder / "photographs", workers=1)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ReviewSite, Callable[[], Any]]]:
    """The app over a photograph with drafts, and a function that continues the recipe."""
    folder = tmp_path_factory.mktemp("drafted")
    (folder / "photographs").mkdir()
    photograph("coffee").save(folder / "photographs" / "coffee.png")
    with closing(ChatServer()) as server:
        server.behave = behave
        assert "campaign 'write' waits" in run(folder, server.url).waits[0]
        for name in ("ann", "ben", "cyd"):
            PASSWORDS.setdefault(name, f"{name}'s long password")
            add_account(folder / "workspace", name, PASSWORDS[name])
        with serve(folder / "workspace") as site:
            yield site, lambda: run(folder, server.url)


def entry(page: Page, number: int) -> Locator:
    return page.locator(".entry").nth(number - 1)


def accept_all(page: Page, slot: int | None) -> None:
    while slot is not None:
        page.keyboard.press("y")
        slot = next_slot(page, slot)


def test_one_writes_from_drafts_another_sends_back_a_third_accepts_and_the_release_says_who_wrote_what(
    served: tuple[ReviewSite, Callable[[], Any]], new_context: Callable[..., BrowserContext]
) -> None:
    site, run_on = served
    page = new_context(viewport={"width": 1280, "height": 1100}).new_page()
    sign_in(page, site, "ann", path="/?campaign=write")
    slot = slot_on_screen(page)
    assert (
        entry(page, 1)
        .locator(".origin")
        .inner_text()
        .startswith("Drafted by tiny-vlm; not yet accepted by an annotator")
    )
    assert entry(page, 1).locator(".attack").all_inner_texts() == [
        "Answered right without the picture: no\nright in 0 of 2 orders of the options: Tea",
        "Another option is right too: no\ntakes for right: Coffee (It fills the picture.)",
        "Too easy: yes\nfinds it easy",
    ]
    at_rest(page)
    assert findings_by_theme(page) == NOTHING
    page.get_by_role("button", name="Done").click()  # drafts that nobody decided about are handed in by nobody
    assert "draft" in page.locator(".card .status").inner_text()
    entry(page, 1).get_by_role("button", name="Accept: Question 1").click()
    wrong = entry(page, 2).locator(".part", has_text="Wrong options").locator("textarea")
    wrong.fill("In the cup\nOn the floor\nOn a plate\nIn a bowl\nUnder the cup")
    entry(page, 3).get_by_role("button", name="Discard: Question 3").click()
    page.get_by_role("button", name="Add: question").click()
    areas = entry(page, 3).locator("textarea")
    for place, text in enumerate(
        ["How many cups are there?", "One", "Two\nThree\nFour\nFive\nSix", "Only one rim is seen."]
    ):
        areas.nth(place).fill(text)
    assert entry(page, 2).locator(".origin").inner_text().startswith("Edited from a draft by tiny-vlm")
    page.get_by_role("button", name="Done").click()
    assert next_slot(page, slot) is None
    assert not hacked(page)

    assert "campaign 'verify' waits" in run_on().waits[0]
    page = new_context().new_page()
    sign_in(page, site, "ben", path="/?campaign=verify")
    slot = slot_on_screen(page)
    sent_back = page.locator(".question").first.inner_text()
    page.keyboard.press("v")
    page.locator(".editor textarea").first.fill("What, seen from above, is in this picture?")
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    page.keyboard.type("Say where one looks from.")
    page.keyboard.press("Control+Enter")
    accept_all(page, next_slot(page, slot))

    page = new_context().new_page()
    sign_in(page, site, "cyd", path="/?campaign=verify")
    accept_all(page, slot_on_screen(page))

    done = run_on()
    assert done.state == "done"
    with closing(sqlite3.connect(site.workspace / "review.sqlite")) as database:
        notes = database.execute("SELECT decision, note FROM annotations WHERE note <> ''").fetchall()
    assert notes == [("revise", "Say where one looks from.")]
    by = {
        item.item.question: item.item.written_by
        for item in Release.open(site.workspace / done.artifacts["release"]).items()
    }
    texts = ("question", "choices", "explanation")
    expected = {
        DRINK["ask"]: dict.fromkeys(texts, MODEL),
        SPOON["ask"]: {"question": MODEL, "choices": EDITED, "explanation": MODEL},
        "How many cups are there?": dict.fromkeys(texts, "person"),
    }
    revised = expected.pop(sent_back) | {"question": "person"}
    assert by == expected | {"What, seen from above, is in this picture?": revised}
