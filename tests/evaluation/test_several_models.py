"""Several models of one evaluation: different endpoints are asked at the same time, everything else in its order.

Scores are those of models that are asked alone; an error of one model, or an interrupt, loses nothing of the others.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from chat_server import ChatServer
from endpoint_runs import fill

from benchwright.errors import BenchwrightError
from benchwright.evaluation.backends.options import BackendOptions
from benchwright.evaluation.judging.judge import Judge
from benchwright.evaluation.run import evaluate
from benchwright.evaluation.several_models import Evaluation, evaluate_all, uses_of
from benchwright.evaluation.step import Evaluate
from benchwright.progress import Progress
from benchwright.release import Release
from benchwright.steps import FinalContext

ITEMS = 6
HOSTED = BackendOptions()
OWN = BackendOptions(base_url="http://127.0.0.1:1/v1")


@pytest.fixture
def release(bench: Any, tmp_path: Path) -> Release:
    fill(bench, ITEMS)
    made: Release = bench.release(tmp_path / "release")
    return made


@pytest.fixture
def other() -> Iterator[ChatServer]:
    running = ChatServer()
    yield running
    running.close()


def step(*models: tuple[str, ChatServer]) -> Evaluate:
    listed = [{"model": f"openai:{name}", "base_url": server.url, "retries": 0} for name, server in models]
    return Evaluate.model_validate({"models": ["random", *listed], "report": False})


def finished(step: Evaluate, tmp_path: Path) -> dict[str, bytes]:
    """Run the step, and return its results."""
    step.finish(None, FinalContext(7, "evaluate", tmp_path, {}, {"release": "release"}))  # type: ignore[arg-type]
    results = tmp_path / "results"
    return {str(path.relative_to(results)): path.read_bytes() for path in results.rglob("*") if path.is_file()}


def test_different_endpoints_are_asked_at_the_same_time_and_score_as_if_alone(
    release: Release, server: ChatServer, other: ChatServer, tmp_path: Path
) -> None:
    both = threading.Barrier(2, timeout=30)

    def meet(words: str, attempt: int, handler: Any) -> str:
        if words.startswith("question 0"):
            both.wait()  # for a question to the other endpoint
        return "(B)" if "1" in words else "(A)"

    server.behave = other.behave = meet
    together = finished(step(("one", server), ("two", other)), tmp_path)
    assert not both.broken
    assert [len(each.bodies) for each in (server, other)] == [ITEMS, ITEMS]
    assert list(json.loads(together["summary.json"])) == ["openai:one", "openai:two", "random"]
    for name, asked in (("one", server), ("two", other)):
        options = BackendOptions(base_url=asked.url, retries=0)
        asked.behave = lambda words, attempt, handler: "(B)" if "1" in words else "(A)"
        alone = evaluate(release, f"openai:{name}", out=tmp_path / "alone", options=options)
        folder = tmp_path / "alone" / str(alone.folder)
        assert together[f"{alone.folder}/predictions.parquet"] == (folder / "predictions.parquet").read_bytes()


def test_models_at_one_server_of_your_own_are_asked_one_after_the_other(
    release: Release, server: ChatServer, tmp_path: Path
) -> None:
    finished(step(("one", server), ("two", server)), tmp_path)
    assert [body["model"] for body in server.bodies] == ["one"] * ITEMS + ["two"] * ITEMS


def test_an_error_of_one_model_comes_once_the_others_are_scored(
    release: Release, server: ChatServer, other: ChatServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    server.behave = lambda words, attempt, handler: ChatServer.say(handler, 401, {"error": {"message": "no key"}})
    with pytest.raises(BenchwrightError, match="no key"):
        finished(step(("one", server), ("two", other)), tmp_path)
    assert [path.parent.name.partition("~")[0] for path in (tmp_path / "results").glob("openai*/score.json")] == [
        "openai-two"
    ]
    assert "the run continues with the other models" in caplog.text
    server.behave = lambda words, attempt, handler: "(A)"
    finished(step(("one", server), ("two", other)), tmp_path)
    assert len(other.bodies) == ITEMS  # from its log


def test_an_interrupt_ends_what_is_asked_elsewhere_and_its_log_goes_on(
    release: Release, server: ChatServer, tmp_path: Path
) -> None:
    first, go = threading.Event(), threading.Event()

    def slow(words: str, attempt: int, handler: Any) -> str:
        first.set()
        go.wait(30)
        return "(B)"

    def interrupted(progress: Progress) -> Any:
        assert first.wait(30)
        threading.Timer(0.2, go.set).start()
        raise KeyboardInterrupt

    def asked(progress: Progress) -> Any:
        options = BackendOptions(base_url=server.url, concurrency=1)
        return evaluate(release, "openai:one", out=tmp_path / "out", options=options, progress=progress)

    server.behave = slow
    uses = uses_of("openai:one", OWN, protocol="vanilla")
    with pytest.raises(KeyboardInterrupt):
        evaluate_all(
            [Evaluation("here", frozenset({"this process"}), interrupted), Evaluation("openai:one", uses, asked)]
        )
    before = len(server.bodies)
    assert before < ITEMS
    [score] = evaluate_all([Evaluation("openai:one", uses, asked)])
    assert score.asked == ITEMS
    assert len(server.bodies) <= ITEMS + 1  # at most the request under way is sent again


@pytest.mark.parametrize(
    ("models", "queues"),
    [
        pytest.param([("openai:a", HOSTED), ("openai:b", HOSTED), ("gemini:c", HOSTED)], 3, id="at vendors"),
        pytest.param([("openai:a", OWN), ("openai:b", OWN)], 1, id="at one server"),
        pytest.param([("openai:a", HOSTED), ("openai:a", OWN)], 1, id="one log"),
        pytest.param([("random", HOSTED), ("hf:m", HOSTED)], 1, id="in this process"),
    ],
)
def test_what_serves_one_model_at_a_time_has_one_queue(models: list[tuple[str, BackendOptions]], queues: int) -> None:
    uses = [uses_of(model, options, protocol="vanilla") for model, options in models]
    apart = {frozenset(other for other in range(len(uses)) if uses[other] & used) for used in uses}
    assert len(apart) == queues


def test_models_that_share_a_judge_or_a_captioner_share_a_queue() -> None:
    judge = Judge(model="gemini:j")
    judged = [uses_of(model, HOSTED, protocol="vanilla", judge=judge) for model in ("openai:a", "anthropic:b")]
    assert judged[0] & judged[1]
    described = [uses_of(model, HOSTED, protocol="caption:by=gemini:j") for model in ("openai:a", "anthropic:b")]
    assert described[0] & described[1]
