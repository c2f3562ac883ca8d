"""Formulas on cards and lists: drawn without a network, copied as written, in either reading direction."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from browser.review_site import ReviewSite, add_accounts, serve, sign_in
from walks import make_photographs, run_json

from benchwright.annotation.store.review_store import open_store

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

QUESTION = r"What is $\frac{x^2}{2}$ where \(x=4\) and a ticket costs $5 to $10? <b>Not bold</b> $\text{<i>}$"
OPTIONS = ("$8$", r"\[\sqrt{2}\]", "$5 and $10", r"$\unknown{x}$")


RECIPE = """\
name: formulas
seed: 5
steps:
  - {step: items, file: questions.csv}
  - {step: verify, rule: unanimous(2)}
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    folder = tmp_path_factory.mktemp("formulas")
    make_photographs(folder / "photographs", count=1)
    with (folder / "questions.csv").open("w", encoding="utf-8", newline="") as table:
        rows = csv.writer(table)
        rows.writerow(["image", "question", "A", "B", "C", "D", "answer"])
        rows.writerow(["photographs/piece-00.png", QUESTION, *OPTIONS, "A"])
    (folder / "recipe.yaml").write_text(RECIPE, encoding="utf-8")
    workspace = folder / "workspace"
    assert run_json("run", folder / "recipe.yaml", "--workspace", workspace)["state"] == "waiting"
    add_accounts(workspace)
    with serve(workspace) as running:
        yield running


@pytest.mark.parametrize("locale", ["en", "ar"])
def test_a_card_draws_formulas_and_nothing_else(
    site: ReviewSite, new_context: Callable[..., BrowserContext], locale: str
) -> None:
    page: Page = new_context(locale=locale, permissions=["clipboard-read", "clipboard-write"]).new_page()
    sign_in(page, site, "ann" if locale == "en" else "ben", path="/?campaign=verify")
    page.locator(".card[data-slot]").wait_for()
    question = page.locator(".card .question")
    assert question.locator("math").count() == 3
    assert question.locator("b, i").count() == 0
    assert "a ticket costs $5 to $10? <b>Not bold</b>" in question.inner_text()
    fraction = question.locator("mfrac").bounding_box()
    line = question.locator("math").nth(1).bounding_box()
    assert fraction is not None
    assert line is not None
    assert fraction["height"] > 1.5 * line["height"], "the fraction is drawn as one, its parts over each other"
    said = page.locator(".card .choice .said")
    assert [said.nth(place).locator("math").count() for place in range(4)] == [1, 1, 0, 0]
    assert said.nth(3).inner_text() == r"$\unknown{x}$"
    assert question.locator("math").first.evaluate("one => getComputedStyle(one.parentElement).direction") == "ltr"
    question.evaluate("one => getSelection().selectAllChildren(one)")
    page.keyboard.press("Control+c")
    copied = page.evaluate("() => navigator.clipboard.readText()")
    assert " ".join(copied.split()) == QUESTION, "formulas are copied as they were written"


def test_lists_of_decisions_and_the_page_of_an_item_draw_formulas(
    site: ReviewSite, new_context: Callable[..., BrowserContext]
) -> None:
    with open_store(f"sqlite:///{site.workspace / 'review.sqlite'}") as store:
        [item_id] = [task.item_id for task in store.tasks("verify")]
    page: Page = new_context().new_page()
    sign_in(page, site, "ann", path="/?campaign=verify")
    page.locator(".card[data-slot]").wait_for()
    page.keyboard.press("y")
    page.get_by_text("All done in").wait_for()
    page.goto(f"{site.url}/history?campaign=verify")
    line = page.locator(".benchwright-text", has_text="What is")
    line.locator("mfrac").wait_for()
    assert line.locator("b, i").count() == 0
    page.context.clear_cookies()
    sign_in(page, site, "cur", path=f"/item?id={item_id}")
    page.get_by_role("button", name="Show all; I will not judge it").click()
    page.locator(".bw-question mfrac").wait_for()
    assert page.locator(".bw-options msqrt").count() == 1
    assert page.locator(".bw-question :is(b, i)").count() == 0
