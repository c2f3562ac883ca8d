"""Tables of a leaderboard for papers.

Facts held here: names that look like markup stay text in LaTeX and in Markdown; exactly the figures that no system
significantly exceeds are bold; tasks and systems are transposed if that yields fewer columns.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from benchwright.cli.main import invoke
from benchwright.errors import BenchwrightError
from benchwright.evaluation.backends.base import PerQuestion
from benchwright.evaluation.leaderboard.board import Leaderboard, leaderboard_of
from benchwright.evaluation.leaderboard.table_file import write_table
from benchwright.evaluation.run import evaluate

pytestmark = pytest.mark.slow

RIGHT = {"a_50%\\best|": 40, "second & [b]": 39, "last": 2}


def as_able(number: int) -> Any:
    return lambda question, content_id: "(B)" if int(question.text[1:]) < number else "(A)"


@pytest.fixture
def results(bench: Any, tmp_path: Path) -> Path:
    for number in range(40):
        bench.add(f"q{number}", task=f"task_{number % 2}", answer="B")
    release = bench.release(tmp_path / "release")
    for name, number in RIGHT.items():
        evaluate(release, PerQuestion(name, as_able(number)), out=tmp_path / "out")
    return tmp_path / "out"


def test_names_are_no_markup_and_bold_are_figures_that_none_exceeds(results: Path, tmp_path: Path) -> None:
    board = leaderboard_of(results)
    write_table(board, tmp_path / "board.md")
    whole, by_task = (tmp_path / "board.md").read_text(encoding="utf-8").split("\n\n| ")[1:]
    lines = [line for line in whole.splitlines() if line.startswith(("| 1", "| 3"))]
    assert ["**" in line for line in lines] == [True, True, False]
    assert r"a\_50%\\best\|" in lines[0]
    assert by_task.startswith("system | task 0 | task 1 |")

    assert invoke(["evaluate", "leaderboard", str(results), "--table", str(tmp_path / "board.tex")]) == 0
    page = (tmp_path / "board.tex").read_text(encoding="utf-8")
    assert r"a\_50\%\textbackslash{}best| & a & \textbf{1.00 {[}" in page
    assert r"second \& {[}b{]} & a & \textbf{0.97 {[}" in page
    assert len(re.findall(r"(?<!\\)&", next(line for line in page.splitlines() if "second" in line))) == 4


def test_tasks_become_lines_where_they_outnumber_systems(results: Path, tmp_path: Path) -> None:
    board: Leaderboard = leaderboard_of(results)
    write_table(board._replace(tasks=("task_0", "task_1", *(f"other_{n}" for n in range(5)))), tmp_path / "board.md")
    by_task = (tmp_path / "board.md").read_text(encoding="utf-8").split("\n\n| ")[2]
    assert by_task.startswith("task | ")
    assert "| other 0 | – | – | – |" in by_task


def test_another_suffix_is_refused_in_words(results: Path, tmp_path: Path) -> None:
    with pytest.raises(BenchwrightError, match=r"neither in \.tex nor in \.md"):
        write_table(leaderboard_of(results), tmp_path / "board.docx")


def test_what_is_longer_than_a_screen_goes_to_a_file(
    bench: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(40):
        bench.add(f"q{number}", task=f"the_task_{number:02}", answer="B")
    release = bench.release(tmp_path / "release")
    for name in ("first", "second", "third"):
        evaluate(release, PerQuestion(name, as_able(20)), out=tmp_path / "out")
    capsys.readouterr()
    assert invoke(["evaluate", "leaderboard", str(tmp_path / "out")]) == 0
    printed = capsys.readouterr().out.splitlines()
    whole = (tmp_path / "out" / "leaderboard.txt").read_text(encoding="utf-8")
    assert len(printed) == 60
    assert printed[-1].endswith("leaderboard.txt")
    assert "the_task_39" in whole
    assert max(map(len, [*printed[:-1], *whole.splitlines()])) <= 100


def test_chance_is_that_of_all_items_whatever_a_sample_was_asked(bench: Any, tmp_path: Path) -> None:
    for number in range(20):
        bench.add(f"q{number}", answer="B", options=("red", "blue", "green", "white")[: 2 + 2 * (number % 2)])
    release = bench.release(tmp_path / "release")
    evaluate(release, PerQuestion("able", as_able(20)), out=tmp_path / "out")
    chance = leaderboard_of(tmp_path / "out").chance
    evaluate(release, PerQuestion("other", as_able(10)), out=tmp_path / "out", limit=5)
    assert leaderboard_of(tmp_path / "out").chance == chance == pytest.approx(0.375)


def test_the_page_says_of_each_task_who_is_told_apart(results: Path, tmp_path: Path) -> None:
    board = leaderboard_of(results)
    assert [dict(row.task_groups) for row in board.rows] == [
        {"task_0": "a", "task_1": "a"},
        {"task_0": "a", "task_1": "a"},
        {"task_0": "b", "task_1": "b"},
    ]
    assert board.document()["systems"][2]["tasks"]["task_1"]["groups"] == "b"
    assert invoke(["evaluate", "leaderboard", str(results), "--out", str(tmp_path / "board.html")]) == 0
    page = (tmp_path / "board.html").read_text(encoding="utf-8")
    assert page.count("<small>rank 3, b</small>") == 4  # on the screen and on paper
