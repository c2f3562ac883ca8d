"""Ranks are the ranges that the comparisons of all pairs allow for each model.

Facts held here: `compare`, the report and the leaderboard show the same ranges, groups and number of pairs told apart; a table that is too wide for a terminal is drawn as several, each of which names its lines in full.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from report_page import ReportPage

from benchwright.cli.main import invoke
from benchwright.evaluation.analysis.ranking import shortened_groups
from benchwright.evaluation.backends.base import PerQuestion
from benchwright.evaluation.cli.leaderboard import board_table
from benchwright.evaluation.leaderboard.board import leaderboard_of
from benchwright.evaluation.leaderboard.page import write_leaderboard
from benchwright.evaluation.report.writing import write_report
from benchwright.evaluation.results.summary import in_width
from benchwright.evaluation.run import evaluate

pytestmark = pytest.mark.slow

RIGHT = {"first": 40, "second": 35, "third": 30}
"""Items of 40 that each model has right: neighbours differ in 5, of which the exact test makes p = 0.06."""


def as_able(number: int) -> Any:
    return lambda question, content_id: "(B)" if int(question.text[1:]) < number else "(A)"


@pytest.fixture
def results(bench: Any, tmp_path: Path) -> Path:
    for number in range(40):
        bench.add(f"q{number}", task=f"task_{number % 10}", answer="B")
    release = bench.release(tmp_path / "release")
    for name, number in RIGHT.items():
        evaluate(release, PerQuestion(name, as_able(number)), out=tmp_path / "out")
    return tmp_path / "out"


def test_the_places_that_are_left_stand_wherever_ranks_do(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert invoke(["evaluate", "compare", str(results), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    places = [(row["model"], row["rank"], row["groups"]) for row in document["ranking"]]
    assert places == [("first", [1, 2], "a"), ("second", [1, 3], "ab"), ("third", [2, 3], "b")]
    assert [pair["told_apart"] for pair in document["pairs"]] == [False, True, False]

    assert invoke(["evaluate", "compare", str(results)]) == 0
    printed = capsys.readouterr().out
    lines = [line.split() for line in printed.splitlines()]
    assert "1 of 3" in printed
    assert "finds no difference" not in printed
    for place, name in (("1–2", "first"), ("1–3", "second"), ("2–3", "third")):
        assert any(line[line.index(name) - 2] == place for line in lines if name in line)

    rows = {row[0]: row[1] for row in ReportPage(write_report(results, tmp_path / "release").path).rows()}
    assert [rows[name] for name in RIGHT] == ["1–2 a", "1–3 ab", "2–3 b"]

    board = leaderboard_of(results)
    assert (board.pairs, board.pairs_told_apart) == (3, 1)
    write_leaderboard(board, tmp_path / "board.html")
    page = (tmp_path / "board.html").read_text(encoding="utf-8")
    assert "1 of 3 pairs of systems are told apart" in page
    assert all(f"{place} <small" in page for place in ("1–2", "1–3", "2–3"))


@pytest.mark.parametrize(
    ("letters", "shown"),
    [
        pytest.param("abcd", "abcd", id="four"),
        pytest.param("bcdefg", "b–g", id="six"),
        pytest.param("abcdefhi", "a–f hi", id="a gap"),
        pytest.param("x y z aa ab ad", "x–ab ad", id="more than an alphabet"),
        pytest.param("z aa", "z aa", id="two of many"),
        pytest.param("", "", id="none"),
    ],
)
def test_many_letters_in_a_row_are_shown_by_their_ends(letters: str, shown: str) -> None:
    assert shortened_groups(letters) == shown


def test_a_board_too_wide_for_a_terminal_is_drawn_as_several_with_whole_names(results: Path) -> None:
    table = board_table(leaderboard_of(results))
    assert in_width(table, 1000, names=2) == [table]
    parts = in_width(table, 80, names=2)
    assert len(parts) > 3
    for part in parts:
        assert [str(cell) for cell in part.columns[1].cells] == list(RIGHT)
    columns = [str(column.header) for part in parts for column in part.columns[2:]]
    assert columns == [str(column.header) for column in table.columns[2:]]


def test_a_model_that_can_take_no_task_stands_last_everywhere_without_a_rank(bench: Any, tmp_path: Path) -> None:
    for number in range(8):
        bench.add(f"q{number}", task="naming", answer="B")
    release = bench.release(tmp_path / "release")
    for model in ("constant:B", "constant:A", "edge_continuity"):
        evaluate(release, model, out=tmp_path / "out")
    board = leaderboard_of(tmp_path / "out")
    assert [(row.score.title, str(row.ranked.rank)) for row in board.rows][-1] == ("edge_continuity", "None")
    write_leaderboard(board, tmp_path / "board.html")
    assert "edge_continuity" in (tmp_path / "board.html").read_text(encoding="utf-8")
    rows = ReportPage(write_report(tmp_path / "out", release).path).rows()
    assert [row[:2] for row in rows[1:4]] == [["constant:B", "1 a"], ["constant:A", "2 b"], ["edge_continuity", "–"]]
