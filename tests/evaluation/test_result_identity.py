"""Results of different settings exist next to one another, under distinct names; none is replaced silently.

Facts held here: every setting that can change a reply makes a separate result; one that cannot makes none; results of
one name are distinguished by the settings that differ; a user can name a result; results of an older program are read,
continued if they are the very same, and not overwritten.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from chat_server import ChatServer

from benchwright.cli.main import invoke
from benchwright.evaluation.backends.options import BackendOptions
from benchwright.evaluation.judging.judge import Judge
from benchwright.evaluation.results.score import Score, read_scores
from benchwright.evaluation.run import evaluate

pytestmark = pytest.mark.slow


@pytest.fixture
def release(bench: Any, tmp_path: Path) -> Path:
    for number in range(6):
        bench.add(f"question {number}", answer="B")
    bench.release(tmp_path / "release")
    return tmp_path / "release"


def ask(release: Path, server: Any, **more: Any) -> Score:
    settings = {name: more.pop(name) for name in ("judge", "name", "protocol") if name in more}
    options = BackendOptions(base_url=server.url, backoff_s=0.001, **more)
    return evaluate(release, "openai:m", out=release.parent / "out", options=options, **settings)


def titles(release: Path) -> list[str]:
    return [score.title for score in read_scores(release.parent / "out")]


OTHER: list[dict[str, Any]] = [
    {"max_tokens": 5}, {"temperature": 0.5}, {"top_p": 0.5}, {"seed": 3}, {"fields": {"reasoning_effort": "low"}},
    {"omit": ("temperature",)}, {"judge": Judge(model="openai:wise", asks="all")}, {"protocol": "shuffle"},
]  # fmt: skip


@pytest.mark.parametrize("other", OTHER, ids=lambda other: next(iter(other)))
def test_another_setting_that_can_change_a_reply_is_another_result(
    release: Path, server: Any, other: dict[str, Any]
) -> None:
    first = ask(release, server)
    second = ask(release, server, **other)
    assert first.folder != second.folder
    assert len(read_scores(release.parent / "out")) == 2
    assert len(set(titles(release))) == 2


@pytest.mark.parametrize("other", [{"retries": 1}, {"concurrency": 2}, {"timeout": 5.0}, {}], ids=str)
def test_a_setting_that_changes_no_reply_is_the_same_result(
    release: Path, server: Any, caplog: pytest.LogCaptureFixture, other: dict[str, Any]
) -> None:
    first = ask(release, server)
    sent = len(server.bodies)
    with caplog.at_level(logging.WARNING):
        assert ask(release, server, **other).folder == first.folder
    assert len(server.bodies) == sent
    assert caplog.records == []
    assert len(titles(release)) == 1


def test_two_servers_of_one_model_are_told_apart_by_their_address(
    release: Path, server: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    ask(release, server)
    other_server = ChatServer()
    try:
        ask(release, other_server)
    finally:
        other_server.close()
    assert titles(release) == sorted(f"openai:m (base_url {url})" for url in (server.url, other_server.url))
    assert invoke(["evaluate", "summary", str(release.parent / "out"), "--json"]) == 0
    assert sorted(json.loads(capsys.readouterr().out)) == titles(release)


def test_results_of_one_name_are_told_apart_by_what_differs_and_by_nothing_else(release: Path, server: Any) -> None:
    for temperature, seed in ((0.5, 1), (0.5, 2), (0.7, 2)):
        ask(release, server, temperature=temperature, seed=seed)
    assert titles(release) == [
        "openai:m (seed 1, temperature 0.5)",
        "openai:m (seed 2, temperature 0.5)",
        "openai:m (seed 2, temperature 0.7)",
    ]


def test_a_result_can_be_given_a_name(release: Path, server: Any, capsys: pytest.CaptureFixture[str]) -> None:
    ask(release, server, name="warm", temperature=0.5)
    ask(release, server)
    assert titles(release) == ["openai:m", "warm"]
    out = str(release.parent / "out")
    command = ["evaluate", "run", str(release), "--model", "random", "--out", out, "--name", "a coin"]
    assert invoke(command) == 0
    capsys.readouterr()
    assert invoke(["evaluate", "compare", out, "a coin", "warm", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["models"] == ["a coin", "warm"]


def test_prediction_files_of_one_name_are_results_of_their_own(
    release: Path, bench: Any, predictions_file: Callable[..., Path], tmp_path: Path
) -> None:
    for folder, letter in (("one", "A"), ("two", "B")):
        (tmp_path / folder).mkdir()
        path = predictions_file([{"item_id": item.item_id, "answer": letter} for item, _ in bench.items])
        path.rename(tmp_path / folder / "said.jsonl")
        evaluate(release, f"predictions:{tmp_path / folder / 'said.jsonl'}", out=tmp_path / "out")
    scores = read_scores(tmp_path / "out")
    assert sorted(score.metrics["accuracy"].value or 0 for score in scores) == [0, 1]
    assert all(score.title.startswith("predictions:said.jsonl (sha256 ") for score in scores)


def as_of_version_three(score: Score, out: Path) -> Path:
    """Move a result to where the program before this one kept it, written as that did."""
    plain = out / "openai-m"
    plain.mkdir(exist_ok=True)
    for path in (out / score.folder).glob("*"):
        if path.name != "replies.jsonl":
            path.rename(plain / path.name)
    document = json.loads((plain / "score.json").read_text())
    added = ("name", "identity", "cut_off", "cut_off_answered", "max_errors", "unfit")
    document = {name: value for name, value in document.items() if name not in added} | {"version": 3}
    (plain / "score.json").write_text(json.dumps(document))
    return plain


def test_a_result_of_an_older_program_is_gone_on_with_where_it_is_the_very_same(release: Path, server: Any) -> None:
    out = release.parent / "out"
    plain = as_of_version_three(ask(release, server, max_tokens=5), out)
    assert [(score.title, score.folder) for score in read_scores(out)] == [("openai:m", "openai-m")]
    for _ in range(2):
        ask(release, server, max_tokens=5)
    assert [path.parent for path in out.glob("*/score.json")] == [plain]


def test_a_result_of_an_older_program_is_not_overwritten_by_another(release: Path, server: Any) -> None:
    out = release.parent / "out"
    plain = as_of_version_three(ask(release, server, max_tokens=5), out)
    before = (plain / "score.json").read_bytes()
    ask(release, server)
    assert (plain / "score.json").read_bytes() == before
    assert titles(release) == ["openai:m (max_tokens 1024)", "openai:m (max_tokens 5)"]


def test_a_result_that_becomes_another_is_told(release: Path, server: Any, caplog: pytest.LogCaptureFixture) -> None:
    def behave(words: str, attempt: int, handler: Any) -> str | None:
        failing = "question 3" in words and attempt == 1
        return server.say(handler, 400, {"error": {"message": "not now"}}) if failing else "(B)"

    server.behave = behave
    first = ask(release, server, retries=0)
    assert first.error == 1
    with caplog.at_level(logging.WARNING):
        ask(release, server, retries=0)
    (record,) = caplog.records
    assert "accuracy 0.833, 1 error" in record.getMessage()
    assert "is replaced by accuracy 1.000, 0 errors" in record.getMessage()
