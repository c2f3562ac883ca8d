"""`--samples k` draws k replies to each question, and `--limit N` asks a sample of the items.

Facts held here: equal requests of several draws are each sent, with a separate seed if the endpoint takes one; more
draws ask only for the new ones; mean, pass@k, vote and spread are those of the draws; impossible draws are refused
with a message. A sample is the same for the same number and part of a larger one, has every task, is weighted like all
items, and is never mixed up with results of all items.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from endpoint_runs import ask, fill, log_lines, options, rows

from benchwright.cli.main import invoke
from benchwright.errors import BenchwrightError
from benchwright.evaluation.analysis.comparison import compare_results
from benchwright.evaluation.item_sample import sample_of, whole_estimates
from benchwright.evaluation.leaderboard.board import leaderboard_of
from benchwright.evaluation.metrics.release.samples import pass_at
from benchwright.evaluation.metrics.votes import voted
from benchwright.evaluation.report.writing import write_report
from benchwright.evaluation.results.score import read_scores
from benchwright.evaluation.run import evaluate

DRAWS = {
    "question 0": ["(B)", "(B)", "(A)", "(C)", "(B)"],  # 3 of 5 right, the vote is right
    "question 1": ["(A)", "(B)", "(A)", "(B)", "no idea"],  # 2 of 5 right, a tie
    "question 2": ["(A)"] * 5,
}


def draws(words: str, attempt: int, handler: Any) -> str:
    number = words.partition("question ")[2][0]
    return DRAWS[f"question {number}"][handler.body["seed"] - 7]


def test_draws_are_counted_voted_and_kept_and_more_of_them_ask_only_the_new_ones(
    bench: Any, server: Any, tmp_path: Path, capsys: Any
) -> None:
    fill(bench)
    server.behave = draws
    ask(bench, server, tmp_path / "a", samples=3, temperature=0.7, seed=7)
    assert Counter(body["seed"] for body in server.bodies) == {7: 3, 8: 3, 9: 3}
    score = ask(bench, server, tmp_path / "a", samples=5, temperature=0.7, seed=7)
    assert Counter(body["seed"] for body in server.bodies[9:]) == {10: 3, 11: 3}
    assert {name: round(score.metrics[name].value or 0, 6) for name in ("accuracy", "majority", "pass@1", "pass@5")} == {
        "accuracy": round(5 / 15, 6), "majority": round(1 / 3, 6), "pass@1": round(5 / 15, 6), "pass@5": round(2 / 3, 6),
    }  # fmt: skip
    assert score.metrics["pass@2"].value == pytest.approx((9 / 10 + 7 / 10) / 3)
    assert score.metrics["repetition/d1"].value == pytest.approx(1 / 3)
    assert score.metrics["repetition_spread"].n == 5
    assert (score.samples, score.right, score.asked) == (5, 1, 3)
    assert score.metrics["majority"].n == score.metrics["pass@5"].n == 3
    assert "5 draws an item" in score.title
    assert len(log_lines(tmp_path / "a", "reply")) == 15
    assert invoke(["evaluate", "summary", str(tmp_path / "a" / "out")]) == 0
    assert re.search(r"5 draws an item: pass@1 0\.33 .*; majority 0\.33 .*; spread", capsys.readouterr().out)
    page = write_report(tmp_path / "a" / "out", tmp_path / "a" / "release").path.read_text(encoding="utf-8")
    assert "any draw right" in page
    assert len(list((tmp_path / "a" / "out").glob("*@samples-5~*/predictions.parquet"))) == 1


def test_equal_requests_of_several_draws_are_each_sent_where_no_seed_is_taken(
    bench: Any, server: Any, tmp_path: Path
) -> None:
    fill(bench, 2)

    def behave(words: str, attempt: int, handler: Any) -> str | None:
        if "seed" in handler.body:
            error = {"message": "Unsupported parameter: 'seed'", "param": "seed", "code": "unsupported_parameter"}
            return server.say(handler, 400, {"error": error})
        return "(B)" if attempt % 2 else "(A)"

    server.behave = behave
    score = ask(bench, server, tmp_path, samples=4, temperature=1.0)
    answered = [body for body in server.bodies if "seed" not in body]
    assert len(answered) == 8
    assert len({json.dumps(body, sort_keys=True) for body in answered}) == 2
    assert score.metrics["accuracy"].n == 8
    assert all(len(row["attempts"]) == 4 for row in rows(bench, tmp_path).values())
    sent = len(server.bodies)
    assert ask(bench, server, tmp_path, samples=4, temperature=1.0) == score
    assert len(server.bodies) == sent


@pytest.mark.parametrize(
    ("model", "protocol", "more", "words"),
    [
        ("openai:m", "vanilla", {}, "at temperature 0 would be equal"),
        ("openai:m", "circular", {"temperature": 1.0}, "'circular' asks several"),
        ("openai:m", "shuffle", {"temperature": 1.0}, "'shuffle' asks several"),
        ("random", "vanilla", {"temperature": 1.0}, "random always gives the same reply"),
    ],
)
def test_what_cannot_be_drawn_several_times_is_refused(
    bench: Any, server: Any, tmp_path: Path, model: str, protocol: str, more: Any, words: str
) -> None:
    fill(bench, 1)
    with pytest.raises(BenchwrightError, match=words):
        evaluate(
            bench.release(tmp_path / "release"), model, protocol=protocol, options=options(server, samples=2, **more)
        )
    assert server.bodies == []


def test_the_share_of_k_draws_with_a_right_one_is_that_of_all_subsets() -> None:
    right = [True, True, False, False, False, False]
    for k in range(1, 7):
        subsets = list(combinations(right, k))
        assert pass_at(6, 2, k) == (sum(map(any, subsets)), len(subsets))


def test_a_vote_that_ties_names_none() -> None:
    assert [voted(["A", "B"]), voted([None, None]), voted(["B", None, "A", "B"])] == [None, None, "B"]


def item(number: int, task: str, split: str = "test") -> Any:
    return SimpleNamespace(split=split, item=SimpleNamespace(item_id=f"{number:032x}", task=task))


ITEMS = [item(k, "many") for k in range(900)] + [item(1000 + k, "few", "val") for k in range(100)] + [item(2000, "one")]


def test_a_sample_is_the_same_each_time_part_of_a_larger_one_and_has_its_share_of_every_task() -> None:
    small, large = sample_of(ITEMS, 50), sample_of(ITEMS[::-1], 200)
    assert small is not None
    assert large is not None
    assert small.item_ids < large.item_ids
    assert (len(small.item_ids), small.of) == (50, 1001)
    tasks = Counter(entry.item.task for entry in ITEMS if entry.item.item_id in small.item_ids)
    assert tasks == {"many": 44, "few": 5, "one": 1}
    assert sample_of(ITEMS, 1001) is None


@pytest.mark.slow
def test_the_interval_of_a_sample_covers_what_all_items_give() -> None:
    rng = np.random.default_rng(3)
    covered, widths = 0, []
    for _ in range(80):
        right = {
            entry.item.item_id: bool(rng.random() < (0.7 if entry.item.task == "many" else 0.3)) for entry in ITEMS
        }
        names = rng.permutation([entry.item.item_id for entry in ITEMS])  # other items each time
        renamed = [
            SimpleNamespace(split=e.split, item=SimpleNamespace(item_id=str(n) + e.item.item_id, task=e.item.task))
            for n, e in zip(names, ITEMS, strict=True)
        ]
        sample = sample_of(renamed, 400)
        assert sample is not None
        asked = [entry for entry in renamed if entry.item.item_id in sample.item_ids]
        table = pa.table(
            {
                "split": [entry.split for entry in asked],
                "task": [entry.item.task for entry in asked],
                "item_id": [entry.item.item_id for entry in asked],
                "right": [right[entry.item.item_id[-32:]] for entry in asked],
            }
        )
        estimate = whole_estimates(table, sample)["accuracy"]
        assert estimate.interval is not None
        low, high = estimate.interval
        covered += low <= sum(right.values()) / len(right) <= high
        widths.append(high - low)
    assert covered >= 71  # of 80 at 95 %: fewer happen once in 100 times
    assert np.mean(widths) < 2 * 1.96 * np.sqrt(0.66 * 0.34 / 400) * 0.85  # narrower than of items without end


def filled(bench: Any, tmp_path: Path) -> Any:
    fill(bench, 20)
    for number in range(10):
        bench.add(f"other {number}", task="counting", answer="B")
    return bench.release(tmp_path / "release")


def test_a_sample_is_a_result_of_its_own_and_goes_on_to_all_items(
    bench: Any, server: Any, tmp_path: Path, capsys: Any
) -> None:
    release, out = filled(bench, tmp_path), tmp_path / "out"
    server.behave = lambda words, attempt, handler: "(B)" if "0" in words else "(A)"
    command = ["evaluate", "run", str(release.path), "--model", "openai:m", "--base-url", server.url, "--out", str(out)]
    assert invoke([*command, "--limit", "9", "--json"]) == 0
    printed = capsys.readouterr()
    small = json.loads(printed.out)
    assert (small["asked"], small["limit"], small["limit_of"], small["items"]) == (9, 9, 30, 30)
    assert small["metrics"]["accuracy"]["method"] == "finite_population"
    assert small["identity"]["limit"] == 9
    assert "a sample of 9 of 30" in printed.err
    assert len(server.bodies) == 9
    assert invoke([*command, "--limit", "15"]) == 0
    assert "a sample of 15 of 30" in capsys.readouterr().out
    assert len(server.bodies) == 15
    assert invoke(command) == 0
    assert len(server.bodies) == 30  # what was answered is not asked again
    assert invoke([*command, "--limit", "30"]) == 0  # all items are no sample
    scores = read_scores(out)
    assert [score.sample for score in scores] == [None, (15, 30), (9, 30)]
    assert len(server.bodies) == 30

    capsys.readouterr()
    assert invoke(["evaluate", "summary", str(out), "--json"]) == 0
    assert {entry["outcomes"]["limit"] for entry in json.loads(capsys.readouterr().out).values()} == {None, 9, 15}
    evaluate(release, "constant:B", out=out)
    board = leaderboard_of(out)
    ranked = {row.score.title: row.ranked.rank for row in board.rows}
    assert [ranked[score.title] for score in scores[1:]] == [None, None]
    assert ranked["openai:m"] is not None
    assert board.pairs == 1
    with pytest.raises(BenchwrightError, match="asked different items"):
        compare_results(out, models=[scores[0].title, scores[1].title])
    page = write_report(out, release.path).path.read_text(encoding="utf-8")
    assert "a sample of 9 of 30" in page


def test_a_dry_run_plans_samples_of_items_and_of_replies(bench: Any, server: Any, tmp_path: Path, capsys: Any) -> None:
    release = filled(bench, tmp_path)
    command = [
        "evaluate", "run", str(release.path), "--model", "openai:m", "--base-url", server.url, "--out",
        str(tmp_path / "out"), "--limit", "9", "--samples", "2", "--temperature", "1", "--concurrency", "4",
        "--timeout", "10", "--dry-run",
    ]  # fmt: skip
    assert invoke([*command, "--json", "--seconds-per-reply", "2"]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert (plan["items"], plan["limit_of"], plan["samples"], plan["requests"]) == (9, 30, 2, 18)
    assert (plan["concurrency"], plan["seconds"], plan["most_seconds"]) == (4, 9.0, 50.0)
    assert invoke(command) == 0
    assert "9 items (a sample of 30), 2 draws each, 18 requests" in capsys.readouterr().out
    assert server.bodies == []
