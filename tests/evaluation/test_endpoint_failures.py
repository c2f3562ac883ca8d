"""Failures of an endpoint: temporary ones are retried, permanent ones end the item or the run, and no key is shown."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest
from endpoint_runs import ask, fill, rows, trouble

from benchwright.errors import BenchwrightError, PrerequisiteError
from benchwright.evaluation.backends.base import parse_model
from benchwright.evaluation.backends.options import BackendOptions

pytestmark = pytest.mark.slow

KEY = "sk-very-secret-0123456789"


PASSING = ["429", "503", "garbage", "page", "other", "huge", "cut", "reset"]


@pytest.mark.parametrize("kind", PASSING)
def test_what_may_pass_is_tried_again(bench: Any, server: Any, tmp_path: Path, kind: str) -> None:
    fill(bench)

    def behave(words: str, attempt: int, handler: Any) -> str | None:
        return trouble(server, kind, handler) if attempt <= 2 and "question 1" in words else "(B)"

    server.behave = behave
    score = ask(bench, server, tmp_path)
    assert (score.error, score.metrics["accuracy"].value) == (0, 1.0)
    assert sorted(server.sent.values()) == [1, 1, 3]


@pytest.mark.parametrize(
    ("kind", "cause"),
    [
        ("429", "HTTP 429: .*slow down.* (sent 5 times)"),
        ("503", "HTTP 503: .*"),
        ("garbage", "unusable response: .*"),
        ("other", "unusable response: not a chat completion, since it has no choices.*"),
        ("huge", "unusable response: more than 8388608 bytes.*"),
        ("reset", "connection failed: .*"),
        ("slow", "no reply within 0.2 s .*"),
    ],
)
def test_what_does_not_pass_ends_that_item_with_its_cause(
    bench: Any, server: Any, tmp_path: Path, kind: str, cause: str
) -> None:
    fill(bench)

    def behave(words: str, attempt: int, handler: Any) -> str | None:
        return trouble(server, kind, handler) if "question 1" in words else "(B)"

    server.behave = behave
    score = ask(bench, server, tmp_path, retries=1, timeout=0.2 if kind == "slow" else 30)
    assert (score.error, score.asked, score.metrics["accuracy"].value) == (1, 3, pytest.approx(2 / 3))
    row = rows(bench, tmp_path)["question 1"]
    assert (row["state"], row["letter"], row["reply"]) == ("error", None, None)
    pattern = cause.replace("(", r"\(").replace(")", r"\)")
    assert __import__("re").fullmatch(pattern, row["cause"]), row["cause"]


def test_what_cannot_pass_is_not_tried_again(bench: Any, server: Any, tmp_path: Path) -> None:
    fill(bench, 2)

    def behave(words: str, attempt: int, handler: Any) -> str | None:
        too_large = {"error": {"message": "picture too\nlarge"}}
        return server.say(handler, 400, too_large) if "question 0" in words else "(B)"

    server.behave = behave
    assert ask(bench, server, tmp_path).error == 1
    assert list(server.sent.values()) == [1, 1]
    assert "HTTP 400" in rows(bench, tmp_path)["question 0"]["cause"]


def test_the_key_is_sent_and_shows_nowhere_else(
    bench: Any, server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    caplog.set_level("DEBUG")
    fill(bench)

    def behave(words: str, attempt: int, handler: Any) -> str | None:
        if "question 1" in words:
            return server.say(handler, 400, {"error": {"message": f"key {KEY} may not do this"}})
        return f"(B) {KEY}"

    server.behave = behave
    ask(bench, server, tmp_path, api_key_env="MY_KEY")
    assert server.keys == [f"Bearer {KEY}"] * 3
    assert "[key]" in rows(bench, tmp_path)["question 1"]["cause"]
    assert rows(bench, tmp_path)["question 2"]["reply"] == "(B) [key]"
    assert KEY not in caplog.text
    assert not [path for path in (tmp_path / "out").rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]


def test_a_placeholder_for_a_key_stays_in_replies_that_hold_it_by_chance(
    bench: Any, server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", "EMPTY")
    fill(bench)
    server.behave = lambda words, attempt, handler: "(B) The cup is EMPTY."
    ask(bench, server, tmp_path, api_key_env="MY_KEY")
    assert rows(bench, tmp_path)["question 2"]["reply"] == "(B) The cup is EMPTY."


def test_a_refused_key_ends_the_run_without_saying_the_key(
    bench: Any, server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    fill(bench, 40)

    def behave(words: str, attempt: int, handler: Any) -> None:
        server.say(handler, 401, {"error": {"message": f"Incorrect API key provided: {KEY}"}})

    server.behave = behave
    with pytest.raises(PrerequisiteError, match="refuses the key in OPENAI_API_KEY") as raised:
        ask(bench, server, tmp_path)
    assert KEY not in str(raised.value)
    assert len(server.bodies) < 40
    assert not list((tmp_path / "out").rglob("score.json"))


def test_an_unknown_model_ends_the_run(bench: Any, server: Any, tmp_path: Path) -> None:
    fill(bench)
    server.behave = lambda words, attempt, handler: server.say(handler, 404, {"error": {"message": "no such model"}})
    with pytest.raises(BenchwrightError, match=r"does not know the model 'tiny/model'.*no such model"):
        ask(bench, server, tmp_path)


def test_an_address_where_nobody_listens_is_a_missing_prerequisite(bench: Any, tmp_path: Path, server: Any) -> None:
    fill(bench)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        server.url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        with pytest.raises(PrerequisiteError, match="no server listens at"):
            ask(bench, server, tmp_path, retries=1)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "OPENAI_API_KEY, which is not set"),
        ({"base_url": "http://127.0.0.1:1/v1", "api_key_env": "OTHER_KEY"}, "OTHER_KEY, which is not set"),
    ],
)
def test_a_missing_key_says_which_variable_to_set(
    settings: dict[str, str], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(PrerequisiteError, match=words):
        parse_model("openai:some-model", BackendOptions(**settings))


@pytest.mark.parametrize(
    "url", ["127.0.0.1:8000", "ftp://host/v1", f"http://user:{KEY}@host/v1", f"http://host/v1?key={KEY}"]
)
def test_an_address_that_is_none_or_carries_a_key_is_refused_without_showing_it(url: str) -> None:
    with pytest.raises(BenchwrightError, match="--base-url needs an address") as raised:
        parse_model("openai:some-model", BackendOptions(base_url=url))
    assert KEY not in str(raised.value)


@pytest.mark.parametrize(
    ("message", "state", "text"),
    [
        ({"content": [{"type": "text", "text": "(B"}, {"type": "text", "text": ")"}]}, "answered", "(B)"),
        ({"content": None, "refusal": "I can't help with that."}, "refusal", "I can't help with that."),
        ({"content": None}, "error", None),
        ({"content": ""}, "error", None),
        ({"content": 7}, "error", None),
        ({"content": [1]}, "error", None),
        ("(B)", "error", None),
    ],
)
def test_messages_of_every_shape_are_taken_or_refused(
    bench: Any, server: Any, tmp_path: Path, message: Any, state: str, text: str | None
) -> None:
    fill(bench, 2)

    def behave(words: str, attempt: int, handler: Any) -> str | None:
        return "(B)" if "question 1" in words else server.say(handler, 200, {"choices": [{"message": message}]})

    server.behave = behave
    ask(bench, server, tmp_path, retries=0)
    row = rows(bench, tmp_path)["question 0"]
    assert (row["state"], row["reply"]) == (state, text)


def test_an_account_without_funds_ends_the_run_at_once(bench: Any, server: Any, tmp_path: Path) -> None:
    fill(bench, 5)
    error = {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}
    server.behave = lambda words, attempt, handler: server.say(handler, 429, error)
    with pytest.raises(PrerequisiteError, match=r"has no funds left .*exceeded your current quota"):
        ask(bench, server, tmp_path, concurrency=1)
    assert len(server.bodies) == 1


def test_a_redirect_is_not_followed_with_the_key(
    bench: Any, server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    fill(bench, 1)
    elsewhere = f"{server.url}/elsewhere"
    server.behave = lambda words, attempt, handler: server.say(handler, 307, {}, location=elsewhere)
    with pytest.raises(BenchwrightError, match=f"redirects requests to {elsewhere}; give the address"):
        ask(bench, server, tmp_path)
    assert len(server.bodies) == 1


def test_others_go_on_while_one_request_waits_to_be_sent_again(bench: Any, server: Any, tmp_path: Path) -> None:
    fill(bench, 6)
    order: list[str] = []

    def behave(words: str, attempt: int, handler: Any) -> str | None:
        order.append(words)
        return trouble(server, "503", handler) if attempt == 1 and len(order) == 1 else "(B)"

    server.behave = behave
    assert ask(bench, server, tmp_path, concurrency=1, backoff_s=0.3).error == 0
    assert order[0] == order[-1] or order.index(order[0], 1) > 1
    assert len(order) == 7
