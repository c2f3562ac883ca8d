"""The report in a real browser: only the file itself is requested, and filters, keys and marks work."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from small_bench import Bench

from benchwright.evaluation.backends.base import PerQuestion
from benchwright.evaluation.report.writing import write_report
from benchwright.evaluation.run import evaluate
from benchwright.records import Choice, ItemImage, Source

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

EVIL = "</script><img src=x onerror=\"document.title='evil'\">"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Thirty items of two tasks; one model says A always, one is right on the second task, one is hostile."""
    folder = tmp_path_factory.mktemp("report")
    bench = Bench()
    for number in range(30):
        source = bench.picture(120, 90, (number, 200, 90), source=Source(uri=f"{number}.png"))
        mark = {"kind": "ring", "image_id": source.image_id, "points": ((50.0, 40.0),)}
        bench.add(
            source, "test" if number % 3 else "val", number, task=("first", "second")[number % 2],
            question=f"Question {number}? {EVIL} $x^{{{number}}}$", images=(ItemImage(image_id=source.image_id, role="view", prompts=(mark,)),),
            choices=(Choice(key="A", text=EVIL), Choice(key="B", text="no")), answer="B" if number % 2 else "A",
        )  # fmt: skip
    release = bench.write(folder / "release")
    for name, reply in (("always A", "A"), ("second", ""), (EVIL, EVIL * 3)):

        def say(question: Any, content_id: str, reply: str = reply) -> str:
            return reply or ("B" if question.task == "second" else "A or B")

        evaluate(release, PerQuestion(name, say), out=folder / "results")
    return write_report(folder / "results", release).path


@pytest.fixture
def shown(report: Path, page: Page) -> Iterator[Page]:
    """The report, which must have sent no other request and logged no error by the end of the test."""
    asked: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(report.as_uri())
    yield page
    assert [url for url in asked if not url.startswith("data:")] == [report.as_uri()]
    assert complaints == []
    assert page.title() == "tiny 1.0: evaluation report"


def found(page: Page) -> str:
    return page.locator("#found").inner_text()


def wait_found(page: Page, start: str) -> None:
    """Wait until the line of what was found begins so: lists are filled in a later task.

    Not by `wait_for_function`: the page lets nobody evaluate texts.
    """
    from playwright.sync_api import expect

    expect(page.locator("#found")).to_have_text(re.compile(f"^{re.escape(start)}"))


def test_hostile_texts_are_shown_as_texts(shown: Page) -> None:
    assert EVIL in shown.locator(".card .question").first.inner_text()
    assert shown.locator("#score-table tbody th", has_text=EVIL).count() == 1
    assert shown.locator("img[src=x]").count() == 0


def test_formulas_are_drawn_with_a_script_and_without(
    shown: Page, report: Path, new_context: Callable[..., BrowserContext]
) -> None:
    assert shown.locator(".card .question").first.locator("msup").count() == 1
    page = new_context(java_script_enabled=False).new_page()
    page.goto(report.as_uri())
    assert page.locator(".card .question").first.locator("msup").count() == 1


def test_filters_narrow_the_items(shown: Page) -> None:
    wait_found(shown, "30 of 30 items; 1 to 24 here")
    shown.select_option("#by-task", "second")
    wait_found(shown, "15 of 30")
    shown.select_option("#by-answers", "wrong")
    wait_found(shown, "none of 30")
    assert "No item passes" in shown.locator("#grid").inner_text()
    shown.click("button[type=reset]")
    wait_found(shown, "30 of 30")
    shown.select_option("#by-model", label="second")
    shown.select_option("#by-outcome", "miss")
    wait_found(shown, "15 of 30")
    assert set(shown.locator(".card .tag:not(.quiet)").all_inner_texts()) == {"first"}
    shown.fill("#search", "question 12?")
    wait_found(shown, "1 of 30")


def test_a_number_of_two_runs_shows_its_items(shown: Page) -> None:
    # "always A" has the fifteen items keyed A, "second" the fifteen of the second task, which are keyed B.
    row = shown.locator("#pair-table tbody tr", has_text="always A").filter(has_text="second")
    assert row.locator(".count").all_inner_texts() == ["0", "15", "15", "0"]
    row.locator("[data-pair=first] button").focus()
    shown.keyboard.press("Enter")
    wait_found(shown, "15 of 30")
    assert set(shown.locator(".card .tag:not(.quiet)").all_inner_texts()) == {"first"}
    shown.select_option("#by-pair", "second")
    assert set(shown.locator(".card .tag:not(.quiet)").all_inner_texts()) == {"second"}
    shown.select_option("#by-pair", "both")
    wait_found(shown, "none of 30")
    shown.click("button[type=reset]")
    wait_found(shown, "30 of 30")


def test_keys_walk_open_and_search(shown: Page) -> None:
    from playwright.sync_api import expect

    shown.keyboard.press("j")
    shown.keyboard.press("j")
    assert shown.evaluate("document.activeElement.dataset.number") == "1"
    shown.keyboard.press("ArrowLeft")
    shown.keyboard.press("Enter")
    assert "1 of 30" in shown.locator("#large-title").inner_text()
    shown.keyboard.press("ArrowRight")
    assert "2 of 30" in shown.locator("#large-title").inner_text()
    shown.keyboard.press("Escape")
    assert not shown.locator("#large").is_visible()
    expect(shown.locator(".card:focus")).to_have_attribute(
        "data-number", "1"
    )  # a dialog tells of its end in a later task
    for _ in range(23):
        shown.keyboard.press("j")
    assert shown.evaluate("document.activeElement.dataset.number") == "24"  # on the second page
    assert "25 to 30 here" in found(shown)
    shown.keyboard.press("/")
    assert shown.evaluate("document.activeElement.id") == "search"


def test_marks_go_and_come_back_everywhere(shown: Page) -> None:
    marks = shown.locator("#grid .marks").first
    assert marks.is_visible()
    shown.keyboard.press("o")
    assert not marks.is_visible()
    shown.keyboard.press("o")
    assert marks.is_visible()


def test_the_table_sorts_by_a_click_and_by_keyboard(shown: Page) -> None:
    names = shown.locator("#score-table tbody th")
    head = shown.locator("#score-table thead th").nth(4)
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    assert names.first.inner_text() == "second"
    shown.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    assert names.last.inner_text() == "second"


def test_without_script_the_first_items_and_their_marks_are_there(
    report: Path, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.goto(report.as_uri())
    assert page.locator(".card").count() == 24
    assert not page.locator("#filters").is_visible()
    assert page.locator("svg.picture use.marks").first.is_visible()
    page.locator("#marks").uncheck()
    assert not page.locator("svg.picture use.marks").first.is_visible()


@pytest.mark.parametrize("width", [1280, 800])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_is_wider_than_its_window(
    width: int, scheme: str, report: Path, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context(viewport={"width": width, "height": 900}, color_scheme=scheme).new_page()
    page.goto(report.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") == width
