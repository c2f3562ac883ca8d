"""The leaderboard in a real browser: with ten tasks, a system's name keeps its width and stays in view."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from small_bench import Bench

from benchwright.cli.main import invoke
from benchwright.evaluation.backends.base import PerQuestion
from benchwright.evaluation.leaderboard.board import leaderboard_of
from benchwright.evaluation.leaderboard.page import write_leaderboard
from benchwright.evaluation.run import evaluate
from benchwright.records import Choice, ItemImage

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

NAME = "organisation/some-model-32b-instruct"


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("board")
    bench = Bench()
    for number in range(10):
        picture = bench.picture(60, 40, (number, 200, 90))
        bench.add(
            picture, "test", number, task=f"the_task_{number}_of_perception", question="Which?", answer="A",
            images=(ItemImage(image_id=picture.image_id, role="view"),),
            choices=(Choice(key="A", text="one"), Choice(key="B", text="two")),
        )  # fmt: skip
    release = bench.write(folder / "release")
    for name, reply in ((NAME, "A"), ("silent", "I see several things.")):
        evaluate(release, PerQuestion(name, lambda question, content_id, reply=reply: reply), out=folder / "results")
    write_leaderboard(leaderboard_of(folder / "results"), folder / "board.html")
    return folder / "board.html"


@pytest.mark.parametrize("width", [390, 1280])
def test_a_name_keeps_its_room_beside_ten_tasks(
    board: Path, new_context: Callable[..., BrowserContext], width: int
) -> None:
    page = new_context(viewport={"width": width, "height": 800}).new_page()
    page.goto(board.as_uri())
    name = page.locator("table.board tbody th", has_text=NAME)
    lines = name.locator("bdi").evaluate("element => element.getClientRects().length")
    assert lines <= 4  # as many letters a line as make 36 of them in four
    region = page.locator("#ranking .scroll")
    region.evaluate("element => { element.scrollLeft = element.scrollWidth }")
    box, around = name.bounding_box(), region.bounding_box()
    assert box is not None
    assert around is not None
    assert around["x"] <= box["x"] < around["x"] + 10
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_what_was_not_answered_stays_in_sight_and_on_paper_every_task_has_its_column(
    board: Path, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context(viewport={"width": 390, "height": 800}).new_page()
    page.goto(board.as_uri())
    silent = page.locator("#ranking .board tbody th", has_text="silent")
    words = silent.evaluate("element => getComputedStyle(element, '::after').content")
    assert words == '"10 not answered: 10 named no letter"'
    page.set_viewport_size({"width": 1032, "height": 730})  # between the margins of A4 on its side
    page.emulate_media(media="print")
    tasks = page.locator("thead th:visible", has_text="of perception").all_inner_texts()
    assert tasks == [f"the task {number} of perception" for number in range(10)]
    assert page.evaluate("document.documentElement.scrollWidth") <= 1032


def test_differences_are_told_by_more_than_color_and_wide_ones_are_parted_on_paper(
    tmp_path: Path, new_context: Callable[..., BrowserContext]
) -> None:
    bench = Bench()
    for number in range(30):
        picture = bench.picture(60, 40, (number, 200, 90))
        bench.add(
            picture, "test", number, task="reading", question=f"{number}", answer="A",
            images=(ItemImage(image_id=picture.image_id, role="view"),),
            choices=(Choice(key="A", text="one"), Choice(key="B", text="two")),
        )  # fmt: skip
    release = bench.write(tmp_path / "release")
    for able in range(8, 31):
        model = PerQuestion(f"model-{able}", lambda question, content_id, n=able: "AB"[int(question.text) >= n])
        evaluate(release, model, out=tmp_path / "results")
    write_leaderboard(leaderboard_of(tmp_path / "results"), tmp_path / "board.html")
    page = new_context(viewport={"width": 1366, "height": 800}).new_page()
    page.goto((tmp_path / "board.html").as_uri())
    cells = page.locator("#differences .matrix:visible tbody tr").first.locator("td").all_inner_texts()
    assert len(cells) == 22
    assert cells[0] == "(3.3)"
    assert cells[-1] == "73.3"
    page.set_viewport_size({"width": 1032, "height": 730})  # between the margins of A4 on its side
    page.emulate_media(media="print")
    tables = page.locator("#differences .matrix:visible")
    assert [tables.nth(k).locator("thead th").count() for k in range(tables.count())] == [21, 3]
    assert page.evaluate("document.documentElement.scrollWidth") <= 1032


def test_why_blocks_cannot_be_compared_is_read_on_a_phone(
    board: Path, tmp_path: Path, new_context: Callable[..., BrowserContext]
) -> None:
    release, store, page_file = board.parent / "release", tmp_path / "store", tmp_path / "store.html"
    for reader in ("robust", "blink"):
        out = tmp_path / reader
        command = ["evaluate", "run", str(release), "--model", "constant:A", "--reader", reader, "--out", str(out)]
        assert invoke(command) == 0
        assert invoke(["results", "merge", str(out), "--store", str(store)]) == 0
    assert invoke(["results", "board", "--store", str(store), "--out", str(page_file)]) == 0
    page = new_context(viewport={"width": 390, "height": 800}).new_page()
    page.goto(page_file.as_uri())
    why = page.locator("#compared td.text").first
    assert why.inner_text() == "another reader"
    box = why.bounding_box()
    assert box is not None
    assert box["width"] > 60  # as wide as its longer word
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
