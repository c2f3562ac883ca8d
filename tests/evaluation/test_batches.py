"""Questions in batches: half the price, nothing paid for twice even if a run is stopped, and every request accounted
for.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from batch_server import ANTHROPIC, GEMINI, OPENAI, BatchServer
from endpoint_runs import fill, log_lines
from vendor_stub import SERVERS, fields_of, pictures_of

from benchwright.cli.main import invoke
from benchwright.errors import BenchwrightError
from benchwright.evaluation.backends import batched_questions
from benchwright.evaluation.backends.options import BackendOptions
from benchwright.evaluation.results.score import Score
from benchwright.evaluation.run import evaluate
from benchwright.images import decode_rgb
from benchwright.models.endpoints.usage import Budget, BudgetSpent, Prices, Spending, Tokens
from benchwright.progress import Silent

pytestmark = pytest.mark.slow
pytest.importorskip("anthropic")
pytest.importorskip("google.genai")

VENDORS = [OPENAI, "Responses", ANTHROPIC, GEMINI]


def ask(bench: Any, server: BatchServer, tmp_path: Path, vendor: str = OPENAI, **more: Any) -> Score:
    progress = more.pop("progress", None)
    given = {"base_url": server.address(vendor), "backoff_s": 0.001, "retries": 2, "batch": True, **more}
    release = tmp_path / "release"
    if not release.exists():
        bench.release(release)
    return evaluate(
        release, SERVERS[vendor].model, out=tmp_path / "out", options=BackendOptions(**given), progress=progress
    )


class StoppedWhileWaiting(Silent):
    """What a user sees who presses Ctrl-C while a batch is under way."""

    def beside(self, text: str) -> None:
        if "under way" in text:
            raise KeyboardInterrupt


def asked(server: BatchServer) -> list[int]:
    return [len(requests) for requests in server.batches.values()]


def records(tmp_path: Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in (tmp_path / "out").glob("*/batches/*.json")]


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_batch_is_asked_at_half_the_price_and_its_replies_are_read_as_others(
    vendor: str, bench: Any, batch_server: BatchServer, tmp_path: Path
) -> None:
    pixels = np.random.default_rng(4).integers(0, 256, (20, 30, 3), dtype=np.uint8)
    fill(bench, 4)
    bench.add("Where?", pictures=[pixels], answer="B")
    batch_server.fate = lambda words: "(A)" if "Where?" in words else "(B)"
    score = ask(bench, batch_server, tmp_path, vendor, price_in=1.0, price_out=10.0, system="Be brief.")
    assert (len(batch_server.alone), asked(batch_server)) == (1, [4])
    assert (score.error, score.right_items) == (0, 4)
    assert score.usage is not None
    each = (20 * 1.0 + 7 * 10.0) / 1e6
    assert score.usage.cost == pytest.approx(each + 4 * each / 2)
    [(batch_id, requests)] = batch_server.batches.items()
    assert all(fields_of(body).keys() == fields_of(batch_server.alone[0]).keys() for body in requests.values())
    shown = [decode_rgb(picture).tolist() for body in requests.values() for picture in pictures_of(body)]
    assert shown.count(pixels.tolist()) == 1
    assert {entry["batch"] for entry in log_lines(tmp_path, "reply") if "batch" in entry} == {batch_id}
    again = ask(bench, batch_server, tmp_path, vendor, price_in=1.0, price_out=10.0, system="Be brief.")
    assert (again.usage, again.metrics, len(batch_server.alone), asked(batch_server)) == (
        score.usage,
        score.metrics,
        1,
        [4],
    )
    unbatched = ask(
        bench, batch_server, tmp_path, vendor, price_in=1.0, price_out=10.0, system="Be brief.", batch=False
    )
    assert (unbatched.folder, len(batch_server.alone)) == (score.folder, 1)


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_run_that_is_stopped_collects_the_same_batch(
    vendor: str, bench: Any, batch_server: BatchServer, tmp_path: Path
) -> None:
    fill(bench, 4)
    with pytest.raises(KeyboardInterrupt):
        ask(bench, batch_server, tmp_path, vendor, progress=StoppedWhileWaiting())
    assert [record["is_over"] for record in records(tmp_path)] == [False]
    assert ask(bench, batch_server, tmp_path, vendor).right_items == 4
    assert (len(batch_server.alone), asked(batch_server)) == (1, [3])
    assert [record["is_over"] for record in records(tmp_path)] == [True]


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_batch_whose_id_did_not_come_back_is_found_and_not_handed_in_again(
    vendor: str, bench: Any, batch_server: BatchServer, tmp_path: Path
) -> None:
    fill(bench, 4)
    batch_server.loses = 1
    assert ask(bench, batch_server, tmp_path, vendor).right_items == 4
    assert (len(batch_server.alone), asked(batch_server)) == (1, [3])


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_run_that_ends_before_the_id_came_back_finds_the_batch_later(
    vendor: str, bench: Any, batch_server: BatchServer, tmp_path: Path
) -> None:
    fill(bench, 4)
    batch_server.loses = 1
    with pytest.raises(BenchwrightError, match="the same command continues"):
        ask(bench, batch_server, tmp_path, vendor, retries=0)
    assert [record["batch_id"] for record in records(tmp_path)] == [None]
    bench.items.clear()
    assert ask(bench, batch_server, tmp_path, vendor).right_items == 4
    assert (len(batch_server.alone), asked(batch_server)) == (1, [3])


def test_a_submission_that_never_arrived_is_made_by_the_next_run(
    bench: Any, batch_server: BatchServer, tmp_path: Path
) -> None:
    fill(bench, 4)
    batch_server.refuses = [503]
    with pytest.raises(BenchwrightError, match="the same command continues"):
        ask(bench, batch_server, tmp_path, retries=0)
    assert asked(batch_server) == []
    assert ask(bench, batch_server, tmp_path).right_items == 4
    assert asked(batch_server) == [2]  # each run asks its first one alone
    assert len(records(tmp_path)) == 1


@pytest.mark.parametrize("vendor", VENDORS)
def test_what_a_batch_does_not_answer_is_asked_alone_and_recorded(
    vendor: str, bench: Any, batch_server: BatchServer, tmp_path: Path, caplog: Any
) -> None:
    fill(bench, 6)
    fates = iter(["expired", "error", "lost", "(B)", "(B)"])
    batch_server.fate = lambda words: next(fates)
    score = ask(bench, batch_server, tmp_path, vendor, price_in=1.0, price_out=10.0)
    assert (score.error, score.right_items, len(batch_server.alone)) == (0, 6, 4)
    causes = " ".join(entry["cause"] for entry in log_lines(tmp_path, "error"))
    assert "image" in causes
    assert "no result (" in causes
    assert "left 3 requests unanswered" in caplog.text
    assert score.usage is not None
    each = (20 * 1.0 + 7 * 10.0) / 1e6
    assert score.usage.cost == pytest.approx(4 * each + 2 * each / 2)


@pytest.mark.parametrize(("ends", "words"), [("failed", "Enqueued token limit reached"), (None, "expired")])
def test_a_batch_that_answers_nothing_ends_the_run_and_is_handed_in_again_only_by_the_next(
    ends: str | None, words: str, bench: Any, batch_server: BatchServer, tmp_path: Path
) -> None:
    fill(bench, 4)
    batch_server.ends, batch_server.fate = ends, lambda _: "expired"
    with pytest.raises(BenchwrightError, match="answered none of its 3 requests"):
        ask(bench, batch_server, tmp_path)
    assert (len(batch_server.alone), asked(batch_server)) == (1, [3])
    batch_server.ends, batch_server.fate = None, lambda _: "(B)"
    assert ask(bench, batch_server, tmp_path).right_items == 4
    assert asked(batch_server) == [3, 2]  # one goes alone again, to show what the model refuses


def test_batches_keep_within_the_limits_on_requests_and_bytes(
    bench: Any, batch_server: BatchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(bench, 8)
    monkeypatch.setattr(batched_questions, "MOST_REQUESTS", 3)
    assert ask(bench, batch_server, tmp_path).right_items == 8
    assert asked(batch_server) == [3, 3, 1]
    monkeypatch.setattr(batched_questions, "MOST_REQUESTS", 100)
    monkeypatch.setattr(batched_questions, "MOST_BYTES", 700)
    assert ask(bench, batch_server, tmp_path, system="Otherwise.").right_items == 8
    sizes = asked(batch_server)[3:]
    assert (sum(sizes), max(sizes) < 7) == (7, True)


def test_a_budget_bounds_what_is_handed_in(bench: Any, batch_server: BatchServer, tmp_path: Path) -> None:
    fill(bench, 10)
    with pytest.raises(BudgetSpent, match="the budget is spent"):
        ask(bench, batch_server, tmp_path, budget=270e-6, price_in=1.0, price_out=10.0)
    assert (len(batch_server.alone), asked(batch_server)) == (1, [4])  # 90 + 4 * 45 millionths


def test_a_share_of_the_price_counts_against_the_budget() -> None:
    spending = Spending(Budget(cost=3.0), Prices(1_000_000, 1_000_000))
    assert spending.sends()
    spending.ended(Tokens(1, 0), answered=True)
    assert [spending.sends(0.5) for _ in range(5)] == [True, True, True, True, False]
    for _ in range(4):
        spending.ended(Tokens(1, 0), answered=True, price_share=0.5)
    assert spending.cost == 3.0


def test_later_rounds_are_asked_in_batches_too(bench: Any, batch_server: BatchServer, tmp_path: Path) -> None:
    fill(bench, 3)
    bench.release(tmp_path / "release")
    options = BackendOptions(base_url=batch_server.address(OPENAI), backoff_s=0.001, batch=True)
    evaluate(tmp_path / "release", "openai:m", protocol="circular", out=tmp_path / "out", options=options)
    assert sum(asked(batch_server)) + len(batch_server.alone) == len(log_lines(tmp_path, "request"))
    assert len(batch_server.alone) < len(log_lines(tmp_path, "request")) / 2


def test_a_damaged_record_is_named(bench: Any, batch_server: BatchServer, tmp_path: Path) -> None:
    fill(bench, 3)
    ask(bench, batch_server, tmp_path)
    [path] = (tmp_path / "out").glob("*/batches/*.json")
    path.write_text('{"format": "benchwright/batch"')
    with pytest.raises(BenchwrightError, match=f"{path.name} is not the record of a batch"):
        ask(bench, batch_server, tmp_path, system="Otherwise.")


def test_a_batch_that_the_vendor_no_longer_knows_is_named_with_its_record(
    bench: Any, batch_server: BatchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(bench, 3)
    batch_server.loses = 1
    with pytest.raises(BenchwrightError):
        ask(bench, batch_server, tmp_path, retries=0)
    [path] = (tmp_path / "out").glob("*/batches/*.json")
    path.write_text(json.dumps(json.loads(path.read_text()) | {"batch_id": "batch_gone"}))
    with pytest.raises(
        BenchwrightError, match=r"does not know the batch batch_gone.*remove .* to ask its requests again"
    ):
        ask(bench, batch_server, tmp_path)


def test_the_command_line_plans_and_asks_in_batches(
    bench: Any, batch_server: BatchServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(bench, 5)
    bench.release(tmp_path / "release")
    command = ["evaluate", "run", str(tmp_path / "release"), "--model", "openai:m", "--base-url"]
    command += [batch_server.address(OPENAI), "--out", str(tmp_path / "out"), "--price-in", "1", "--price-out", "10"]
    costs = []
    for more in ([], ["--batch"]):
        assert invoke([*command, "--dry-run", "--json", *more]) == 0
        costs.append(json.loads(capsys.readouterr().out)["cost"])
    assert costs[1] == pytest.approx(costs[0] / 2)
    assert invoke([*command, "--dry-run", "--batch"]) == 0
    assert "at half the price in batches, which take at most 24.0 h" in capsys.readouterr().out
    assert invoke(["evaluate", "run", str(tmp_path / "release"), "--model", "random", "--batch"]) == 2
    assert "batch changes requests" in capsys.readouterr().err
    assert asked(batch_server) == []
