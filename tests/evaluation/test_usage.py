"""Tokens are counted and priced; a budget ends a run before it is exceeded, and no paid reply is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from benchwright.cli.main import invoke
from benchwright.errors import BenchwrightError
from benchwright.evaluation.backends.options import BackendOptions
from benchwright.evaluation.run import evaluate
from benchwright.models.endpoints.usage import Budget, BudgetSpent, Prices, Spending, Tokens


def said(tokens: tuple[int, int] | None, text: str = "(B)") -> dict[str, Any]:
    document: dict[str, Any] = {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}
    if tokens is not None:
        document["usage"] = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)}
    return document


def counting(server: Any, tokens: tuple[int, int] | None = (1000, 10)) -> None:
    server.behave = lambda words, attempt, handler: server.say(handler, 200, said(tokens))


def options(server: Any, **more: Any) -> BackendOptions:
    return BackendOptions(base_url=server.url, backoff_s=0.001, **more)


def fill(bench: Any, count: int) -> None:
    for number in range(count):
        bench.add(f"question {number}", answer="B")


def replies(tmp_path: Path) -> list[dict[str, Any]]:
    (path,) = (tmp_path / "out").glob("*/replies.jsonl")
    entries = [json.loads(line) for line in path.read_text().splitlines()]
    return [entry for entry in entries if entry.get("kind") == "reply"]


def test_prices_are_for_a_million_tokens() -> None:
    # 2,000,000 sent at 2.50 and 100,000 received at 10: 5 and 1.
    assert Prices(2.5, 10).cost(Tokens(2_000_000, 100_000)) == pytest.approx(6.0)


def test_one_price_without_the_other_is_refused() -> None:
    with pytest.raises(ValidationError, match="give both price_in and price_out"):
        BackendOptions(price_in=1.0)
    assert BackendOptions().prices is None


def test_the_command_names_the_option_of_a_missing_price(
    bench: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(bench, 1)
    bench.release(tmp_path / "release")
    assert invoke(["evaluate", "run", str(tmp_path / "release"), "--model", "random", "--price-in", "2"]) == 2
    assert "give both --price-in and --price-out, 0 for free tokens, or neither" in capsys.readouterr().err


def test_a_budget_in_money_needs_prices() -> None:
    with pytest.raises(BenchwrightError, match="needs prices"):
        Spending(Budget(cost=1.0), None)


def test_the_score_says_what_its_replies_took_and_says_the_same_without_asking_again(
    bench: Any, server: Any, tmp_path: Path
) -> None:
    fill(bench, 4)
    counting(server)
    release = bench.release(tmp_path / "release")
    ask = {"out": tmp_path / "out", "options": options(server, price_in=2.0, price_out=8.0)}
    score = evaluate(release, "openai:m", **ask)
    assert score.usage is not None
    # 4 replies of 1000 and 10 tokens: 4000 x 2 + 40 x 8 millionths.
    assert (score.usage.prompt_tokens, score.usage.completion_tokens, score.usage.replies) == (4000, 40, 4)
    assert score.usage.cost == pytest.approx(0.00832)
    server.close()
    assert evaluate(release, "openai:m", **ask) == score


def test_without_counts_there_is_no_usage(bench: Any, server: Any, tmp_path: Path) -> None:
    fill(bench, 1)
    counting(server, None)
    assert evaluate(bench.release(tmp_path / "release"), "openai:m", options=options(server)).usage is None


@pytest.mark.parametrize("usage", [{"prompt_tokens": -1, "completion_tokens": 2}, {"prompt_tokens": "7"}, [1], 7])
def test_counts_that_are_nonsense_count_as_none(bench: Any, server: Any, tmp_path: Path, usage: Any) -> None:
    fill(bench, 1)
    document = said(None) | {"usage": usage}
    server.behave = lambda words, attempt, handler: server.say(handler, 200, document)
    score = evaluate(bench.release(tmp_path / "release"), "openai:m", options=options(server))
    assert (score.usage, score.metrics["accuracy"].value) == (None, 1.0)


@pytest.mark.parametrize(
    ("budget", "most"),
    [
        pytest.param({"budget_requests": 5}, 5, id="requests"),
        pytest.param({"budget_tokens": 5 * 1010}, 5, id="tokens"),
        pytest.param({"budget": 5 * 0.00208}, 5, id="money"),
        pytest.param({"budget_requests": 0}, 0, id="nothing"),
    ],
)
def test_a_spent_budget_ends_the_run_and_the_same_command_goes_on(
    bench: Any, server: Any, tmp_path: Path, budget: dict[str, float], most: int
) -> None:
    fill(bench, 12)
    counting(server)
    release = bench.release(tmp_path / "release")
    more = options(server, **budget, price_in=2.0, price_out=8.0, concurrency=4)
    with pytest.raises(BudgetSpent, match="run the same command to continue"):
        evaluate(release, "openai:m", out=tmp_path / "out", options=more)
    assert len(server.bodies) == most == len(replies(tmp_path))
    assert not list((tmp_path / "out").rglob("score.json"))
    if most == 0:
        return
    with pytest.raises(BudgetSpent):
        evaluate(release, "openai:m", out=tmp_path / "out", options=more)
    assert evaluate(release, "openai:m", out=tmp_path / "out", options=more).error == 0
    assert len(server.bodies) == 12
    assert max(server.sent.values()) == 1


def test_a_budget_that_needs_counts_ends_the_run_where_the_server_gives_none(
    bench: Any, server: Any, tmp_path: Path
) -> None:
    fill(bench, 3)
    counting(server, None)
    with pytest.raises(BenchwrightError, match="bound --budget-requests instead"):
        evaluate(bench.release(tmp_path / "r"), "openai:m", options=options(server, budget_tokens=10_000))
    assert len(server.bodies) == 1


def test_repetitions_count_as_requests(bench: Any, server: Any, tmp_path: Path) -> None:
    fill(bench, 1)
    server.behave = lambda words, attempt, handler: server.say(handler, 500, {})
    with pytest.raises(BudgetSpent):
        evaluate(bench.release(tmp_path / "r"), "openai:m", options=options(server, budget_requests=3))
    assert len(server.bodies) == 3


def test_the_command_ends_with_one_line_and_exit_code_1(
    bench: Any, server: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(bench, 3)
    counting(server)
    bench.release(tmp_path / "release")
    words = ["evaluate", "run", str(tmp_path / "release"), "--model", "openai:m", "--base-url", server.url]
    words += ["--out", str(tmp_path / "out"), "--price-in", "2", "--price-out", "8"]
    assert invoke([*words, "--budget-requests", "2"]) == 1
    assert "the budget is spent (2 requests, 2,000 tokens sent and 20 received, cost 0.0042)" in capsys.readouterr().err
    assert invoke(words) == 0
    assert "3 replies took 3,000 tokens sent, 30 received; they cost 0.0062" in capsys.readouterr().err
