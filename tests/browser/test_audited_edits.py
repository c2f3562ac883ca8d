"""Annotators edit an audit's doubtful words in the app, others check them, and the release has the result."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from audited_benches import clean_rows, write_pictures
from browser.review_site import ReviewSite, add_accounts, next_slot, serve, sign_in, slot_on_screen
from walks import run_json

from benchwright.release import Release

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

ASKS, EXPLANATION = "Which thing standz near the chair?", "It stands <b>nearest</b> to the chair."
MENDED, EXPLAINED = "Which thing stands near the chair?", "Nothing else is so near to it."


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    folder = tmp_path_factory.mktemp("audited")
    rows = [row | {"explanation": ""} for row in clean_rows(12)]
    rows[0] |= {"question": ASKS, "explanation": EXPLANATION}
    write_pictures(folder, rows)
    with (folder / "quiz.csv").open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    words = ["audit", folder / "quiz.csv", "--out", folder / "out", "--workers", "1", "--annotators", "1"]
    opened = run_json(*words, "--set-right", folder / "w")["set_right"]["campaigns"]
    assert [(each["name"], each["tasks"]) for each in opened] == [("audit-edits", 1)]
    add_accounts(folder / "w")
    with serve(folder / "w") as running:
        yield running


def beside(page: Page) -> str:
    page.locator(".card").get_by_text("The audit found: misspelled words").wait_for()
    return " ".join(page.locator(".card .beside").all_inner_texts())


def area(page: Page, name: str) -> str:
    return page.get_by_role("textbox", name=name).input_value()


def test_a_doubted_item_is_edited_and_accepted_by_somebody_else(
    site: ReviewSite, new_context: Callable[..., BrowserContext]
) -> None:
    ann = new_context().new_page()
    sign_in(ann, site, "ann")
    slot_on_screen(ann)
    assert "standz" in beside(ann)
    assert EXPLANATION in beside(ann)  # as text: what comes with an item is no markup
    ann.keyboard.press("v")
    assert (area(ann, "Question"), area(ann, "Explanation")) == (ASKS, EXPLANATION)
    ann.get_by_role("textbox", name="Question").fill(MENDED)
    ann.get_by_role("textbox", name="Explanation").fill(EXPLAINED)
    ann.keyboard.press("Control+Enter")
    ann.get_by_text("Nothing is waiting for you in").wait_for()  # the new version is not for whoever wrote it

    ben = new_context().new_page()
    sign_in(ben, site, "ben")
    slot = slot_on_screen(ben)
    ben.locator(".card").get_by_text(MENDED).wait_for()
    assert EXPLAINED in beside(ben)
    ben.keyboard.press("y")
    assert next_slot(ben, slot) is None
    cur = new_context().new_page()
    sign_in(cur, site, "cur", path="/progress")
    cur.get_by_text("After an audit, benchwright set-right makes the next release").wait_for()

    out = site.workspace.parent / "quiz-1.1"
    [erratum] = run_json("set-right", site.workspace, "--version", "1.1", "--out", out)["errata"]
    assert (erratum["source_id"], erratum["became"], erratum["agreed"]) == ("q0", "edited", 1)
    assert erratum["edits"] == {"question": MENDED, "explanation": EXPLAINED}
    items = {each.item.attributes["source_id"]: each.item for each in Release.open(out).items(fetched=False)}
    assert (items["q0"].question, items["q0"].explanation) == (MENDED, EXPLAINED)
