"""A run with many failures gives no ordinary score, and the outcome of each reply is separate.

Facts held here: a run whose first requests all fail alike stops with the cause and exit code 1, and leaves an earlier
score unchanged; single failures, and failures of several kinds, end no run; a score with too many errors is marked
unfit, shown so and ranked nowhere; a reply that was cut off is neither a miss nor an error, and an answer before the
cut counts.
"""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from report_page import ReportPage

from benchwright.cli.main import invoke
from benchwright.errors import CheckFailed
from benchwright.evaluation.backends.options import BackendOptions
from benchwright.evaluation.judging.judge import Judge
from benchwright.evaluation.report.writing import write_report
from benchwright.evaluation.results.score import Score, read_score, read_scores
from benchwright.evaluation.run import evaluate

pytestmark = pytest.mark.slow


def ask(bench: Any, server: Any, tmp_path: Path, model: str = "openai:m", **more: Any) -> Score:
    folder = tmp_path / "release"
    release = folder if folder.exists() else bench.release(folder)
    options = BackendOptions(base_url=server.url, backoff_s=0.001, retries=0)
    return evaluate(release, model, out=tmp_path / "out", options=options, **more)


def fill(bench: Any, count: int) -> None:
    for number in range(count):
        bench.add(f"question {number:02}", answer="B")


def number_of(words: str) -> int:
    return int(words.partition("question ")[2][:2])


def refuse(server: Any, status: int = 400, message: str = "no pictures, please") -> Any:
    return lambda words, attempt, handler: server.say(handler, status, {"error": {"message": message}})


def test_a_run_whose_first_requests_all_fail_alike_stops(bench: Any, server: Any, tmp_path: Path, capsys: Any) -> None:
    fill(bench, 60)
    server.behave = refuse(server)
    bench.release(tmp_path / "release")
    command = ["evaluate", "run", str(tmp_path / "release"), "--model", "openai:m", "--base-url", server.url]
    assert invoke([*command, "--out", str(tmp_path / "out")]) == 1
    printed = capsys.readouterr()
    assert "the first 8 questions to openai:m failed alike, so there is no score: HTTP 400: no pictures" in printed.err
    assert printed.out == ""
    assert not list((tmp_path / "out").rglob("score.json"))
    assert len(server.bodies) < 60


@pytest.mark.parametrize("count", [1, 3])
def test_fewer_requests_that_all_fail_alike_are_no_score_either(
    bench: Any, server: Any, tmp_path: Path, count: int
) -> None:
    fill(bench, count)
    server.behave = refuse(server)
    with pytest.raises(CheckFailed, match="so there is no score: HTTP 400"):
        ask(bench, server, tmp_path)


def test_a_score_that_was_there_stays_where_a_later_run_stops(bench: Any, server: Any, tmp_path: Path) -> None:
    fill(bench, 9)
    whole = ask(bench, server, tmp_path)
    (log,) = (tmp_path / "out").glob("*/replies.jsonl")
    log.unlink()
    server.behave = refuse(server)
    with pytest.raises(CheckFailed):
        ask(bench, server, tmp_path)
    assert read_scores(tmp_path / "out") == [whole]
    assert sum(pq.read_table(path).num_rows for path in (tmp_path / "out").glob("*/predictions.parquet")) == 9


def test_failures_among_answers_end_no_run(bench: Any, server: Any, tmp_path: Path) -> None:
    fill(bench, 20)

    def behave(words: str, attempt: int, handler: Any) -> str | None:
        answered = number_of(words) % 3 == 0
        return "(B)" if answered else server.say(handler, 400, {"error": {"message": "too large"}})

    server.behave = behave
    score = ask(bench, server, tmp_path)
    assert score.error >= 13
    assert score.unfit


def test_what_was_answered_before_counts_so_that_a_few_items_can_fail_again(
    bench: Any, server: Any, tmp_path: Path
) -> None:
    fill(bench, 30)

    def behave(words: str, attempt: int, handler: Any) -> str | None:
        return "(B)" if number_of(words) >= 10 else server.say(handler, 400, {"error": {"message": "forbidden"}})

    server.behave = lambda words, attempt, handler: "(B)" if number_of(words) == 0 else behave(words, attempt, handler)
    first = ask(bench, server, tmp_path)
    server.behave = behave
    assert ask(bench, server, tmp_path) == first
    assert first.error == 9


def test_a_judge_whose_first_requests_all_fail_alike_ends_the_run(bench: Any, server: Any, tmp_path: Path) -> None:
    fill(bench, 12)

    def behave(words: str, attempt: int, handler: Any) -> str | None:
        if handler.body["model"] == "m":
            return "hard to say"
        return server.say(handler, 400, {"error": {"message": "no judges here"}})

    server.behave = behave
    with pytest.raises(CheckFailed, match=r"the judge.*no judges here"):
        ask(bench, server, tmp_path, judge=Judge(model="openai:wise"))


def failing(server: Any, numbers: set[int], text: str = "(B)") -> Any:
    def behave(words: str, attempt: int, handler: Any) -> str | None:
        if number_of(words) in numbers:
            return server.say(handler, 400, {"error": {"message": "too large"}})
        return text

    return behave


def test_a_score_with_too_many_errors_is_unfit_and_ranked_nowhere(
    bench: Any, server: Any, tmp_path: Path, capsys: Any
) -> None:
    fill(bench, 40)
    server.behave = failing(server, {11, 12})
    assert not ask(bench, server, tmp_path, "openai:sound").unfit  # 5 % is not more than 5 %
    server.behave = failing(server, {11, 12, 13}, "(A)")
    assert ask(bench, server, tmp_path, "openai:broken").unfit
    evaluate(tmp_path / "release", "constant:A", out=tmp_path / "out")
    out = str(tmp_path / "out")

    assert invoke(["evaluate", "summary", out]) == 0
    printed = capsys.readouterr().out
    assert "openai:broken (unfit)" in printed
    assert "openai:broken is unfit: 3 of 40 items ended in errors, more than 5 %" in printed
    assert "openai:sound (unfit)" not in printed

    assert invoke(["evaluate", "compare", out, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    ranking = {ranked["model"]: (ranked["rank"], ranked["unfit"]) for ranked in document["ranking"]}
    assert ranking == {"openai:sound": ([1, 1], False), "constant:A": ([2, 2], False), "openai:broken": (None, True)}
    assert {name for pair in document["pairs"] for name in (pair["first"], pair["second"])} == {
        "openai:sound",
        "constant:A",
    }
    assert invoke(["evaluate", "compare", out]) == 0
    assert "unfit" in capsys.readouterr().out
    assert invoke(["evaluate", "compare", out, "openai:sound", "openai:broken"]) == 2
    assert "openai:broken cannot be compared: its score is unfit" in capsys.readouterr().err


def test_how_many_errors_are_too_many_can_be_said(bench: Any, server: Any, tmp_path: Path) -> None:
    fill(bench, 20)
    server.behave = failing(server, {4, 5, 6})
    assert ask(bench, server, tmp_path).unfit
    score = ask(bench, server, tmp_path, max_errors=0.2)
    assert (score.unfit, score.max_errors) == (False, 0.2)
    (path,) = (tmp_path / "out").glob("*/score.json")
    assert json.loads(path.read_text())["unfit"] is False
    assert read_score(path.parent) == score


CUT = [
    pytest.param("", "cut_off", None, id="nothing"),
    pytest.param("Let us look. The dog stands left of", "cut_off", None, id="no letter"),
    pytest.param("Let us look at option B first: it is", "cut_off", None, id="a label that is only mentioned"),
    pytest.param("The picture shows a dog and", "cut_off", None, id="words that are only mentioned"),
    pytest.param("(B) The dog is what stands here, since", "answered", "B", id="an answer, then reasons"),
    pytest.param("The answer is B because the", "answered", "B", id="a phrase"),
    pytest.param("I'm sorry, I can't help with that, since", "refusal", None, id="a refusal"),
]


@pytest.mark.parametrize(("text", "state", "letter"), CUT)
def test_a_reply_that_was_cut_off_stands_apart(
    bench: Any, server: Any, tmp_path: Path, text: str, state: str, letter: str | None
) -> None:
    fill(bench, 2)

    def behave(words: str, attempt: int, handler: Any) -> str | None:
        if number_of(words) == 0:
            return "(B)"
        choice = {"message": {"content": text}, "finish_reason": "length"}
        return server.say(handler, 200, {"choices": [choice]})

    server.behave = behave
    score = ask(bench, server, tmp_path)
    (path,) = (tmp_path / "out").glob("*/predictions.parquet")
    rows = sorted(pq.read_table(path).to_pylist(), key=lambda row: row["is_cut_off"])
    assert [(row["state"], row["letter"], row["is_cut_off"]) for row in rows] == [
        ("answered", "B", False),
        (state, letter, True),
    ]
    assert (score.cut_off, score.cut_off_answered) == (int(state == "cut_off"), int(state == "answered"))
    assert (score.miss, score.error) == (0, 0)
    assert ask(bench, server, tmp_path) == score  # from the log


def test_the_four_states_stand_apart_in_terminal_and_json(bench: Any, server: Any, tmp_path: Path, capsys: Any) -> None:
    fill(bench, 30)

    def behave(words: str, attempt: int, handler: Any) -> str | None:
        number = number_of(words)
        if number < 3:
            return "either one"
        if number < 5:
            return "I'm sorry, I can't help with that."
        if number < 9:
            choice = {"message": {"content": "Let us see"}, "finish_reason": "length"}
            return server.say(handler, 200, {"choices": [choice]})
        return server.say(handler, 400, {"error": {"message": "too large"}}) if number == 9 else "(B)"

    server.behave = behave
    score = ask(bench, server, tmp_path)
    assert (score.miss, score.refusal, score.cut_off, score.error, score.right) == (3, 2, 4, 1, 20)
    assert invoke(["evaluate", "summary", str(tmp_path / "out")]) == 0
    lines = [re.split(r"\s{2,}", line.strip()) for line in capsys.readouterr().out.splitlines()]
    heads, rows = ([cells for cells in lines if cells[0] == name] for name in ("model", "openai:m"))
    shown = {name: cell for head, row in zip(heads, rows, strict=True) for name, cell in zip(head, row, strict=True)}
    assert list(shown)[-5:] == ["answered", "misses", "refused", "cut off", "errors"]
    assert list(shown.values())[-5:] == ["20", "3", "2", "4", "1"]


def test_the_report_marks_what_is_unfit_and_shows_what_was_cut_off(bench: Any, server: Any, tmp_path: Path) -> None:
    fill(bench, 20)

    def behave(words: str, attempt: int, handler: Any) -> str | None:
        if number_of(words) in {3, 4}:
            return server.say(handler, 400, {"error": {"message": "too large"}})
        cut = {"message": {"content": "Let us see"}, "finish_reason": "length"}
        return server.say(handler, 200, {"choices": [cut]}) if number_of(words) in {5, 6, 7} else "(B)"

    server.behave = behave
    score = ask(bench, server, tmp_path)
    evaluate(tmp_path / "release", "constant:A", out=tmp_path / "out")
    path = write_report(tmp_path / "out", tmp_path / "release").path
    rows = {cells[0].split()[0]: cells for cells in ReportPage(path).rows()}
    assert rows["openai:m"][0] == "openai:m unfit"
    assert rows["openai:m"][1] == "–"
    assert rows["openai:m"][-3:] == ["15", "3", "2"]  # answered, cut off, errors; ways that no item took have no column
    assert "★" not in rows["openai:m"][2]
    assert score.why_unfit() in path.read_text()
    lines = (path.parent / "report-data" / "items.csv").read_text(encoding="utf-8").splitlines()
    outcomes = {row["outcome openai:m"] for row in csv.DictReader(lines)}
    assert outcomes == {"right", "cut_off", "error"}
