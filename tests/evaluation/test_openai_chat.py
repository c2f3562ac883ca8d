"""A model behind a real HTTP server: what is sent, what is tried again, what ends an item or the run, what is kept."""

from __future__ import annotations

import base64
import json
import socket
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from benchwright.drawing import draw_prompts
from benchwright.errors import BenchwrightError, PrerequisiteError
from benchwright.evaluation.backends.base import BackendContext, parse_model
from benchwright.evaluation.backends.options import BackendOptions
from benchwright.evaluation.questions.question import question_of
from benchwright.evaluation.results.score import Score
from benchwright.evaluation.run import evaluate
from benchwright.images.decode import decode_rgb

KEY = "sk-very-secret-0123456789"


def options(server: Any, **more: Any) -> BackendOptions:
    return BackendOptions(base_url=server.url, **{"backoff_s": 0.001, "retries": 3, **more})


def ask(bench: Any, server: Any, tmp_path: Path, **more: Any) -> Score:
    release = bench.release(tmp_path / "release")
    return evaluate(release, "openai:tiny/model", out=tmp_path / "out", options=options(server, **more))


def rows(bench: Any, tmp_path: Path) -> dict[str, dict[str, Any]]:
    """Return the predictions by question."""
    (path,) = (tmp_path / "out").glob("*/predictions.parquet")
    question = {item.item_id: item.question for item, _ in bench.items}
    return {question[row["item_id"]]: row for row in pq.read_table(path).to_pylist()}


def log_lines(tmp_path: Path, kind: str) -> list[dict[str, Any]]:
    """Return the lines of one kind, the first line aside."""
    (path,) = (tmp_path / "out").glob("*/replies.jsonl")
    head, *entries = (json.loads(line) for line in path.read_text().splitlines())
    assert {name: head[name] for name in ("format", "version")} == {"format": "benchwright/replies", "version": 2}
    return [entry for entry in entries if entry["kind"] == kind]


def fill(bench: Any, count: int = 3) -> None:
    for number in range(count):
        bench.add(f"question {number}", answer="B")


def test_the_request_holds_words_and_pictures_with_their_marks_drawn(bench: Any, server: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    first, second = (rng.integers(0, 256, (60, 80 + k, 3), dtype=np.uint8) for k in range(2))
    item = bench.add("Where?", pictures=[first, second], marks={1: [("A", (30.5, 20.5))]})
    ask(bench, server, tmp_path, max_tokens=77)
    (body,) = server.bodies
    assert {name: body[name] for name in ("model", "temperature", "max_tokens")} == {
        "model": "tiny/model",
        "temperature": 0,
        "max_tokens": 77,
    }
    content = body["messages"][0]["content"]
    assert [part["type"] for part in content] == ["text", "image_url", "text", "image_url", "text"]
    urls = [part["image_url"]["url"] for part in content if part["type"] == "image_url"]
    assert all(url.startswith("data:image/png;base64,") for url in urls)
    sent = [decode_rgb(base64.b64decode(url.partition(",")[2])) for url in urls]
    assert np.array_equal(sent[0], first)
    assert np.array_equal(sent[1], draw_prompts(second, item.images[1].prompts))
    assert not np.array_equal(sent[1], second)


def test_replies_are_scored_and_kept(bench: Any, server: Any, tmp_path: Path) -> None:
    fill(bench)
    server.behave = lambda words, attempt, handler: "(A)" if "question 1" in words else "Answer: B"
    score = ask(bench, server, tmp_path)
    assert score.metrics["accuracy"].value == pytest.approx(2 / 3)
    assert score.settings["backend"] == {
        "base_url": server.url,
        "temperature": 0,
        "max_tokens": 1024,
        "retries": 3,
        "tries": 1,
        "pictures": "inline",
    }
    entries = log_lines(tmp_path, "reply")
    assert sorted(entry["reply"] for entry in entries) == ["(A)", "Answer: B", "Answer: B"]
    assert {entry["request"] for entry in entries} == {entry["request"] for entry in log_lines(tmp_path, "request")}
    (run,) = log_lines(tmp_path, "run")
    assert (run["release_id"], run["settings"]) == (score.release_id, score.settings["backend"])


def reset(handler: Any) -> None:
    """Close the connection with an RST."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    handler.connection.close()
    handler.close_connection = True


def trouble(server: Any, kind: str, handler: Any) -> None:
    """Answer a request in a way that may pass."""
    if kind == "429":
        server.say(handler, 429, {"error": {"message": "slow down"}}, retry_after_ms="1")
    elif kind == "503":
        server.say(handler, 503, b"<html>busy</html>", content_type="text/html")
    elif kind == "garbage":
        server.say(handler, 200, b'{"choices": [{"mess')
    elif kind == "page":
        server.say(handler, 200, b"<html>hello</html>", content_type="text/html")
    elif kind == "other":
        server.say(handler, 200, {"choices": []})
    elif kind == "huge":
        server.say(handler, 200, b" " * 9_000_000)
    elif kind == "cut":
        handler.send_response(200)
        handler.send_header("content-length", "1000")
        handler.end_headers()
        handler.wfile.write(b"{")
        reset(handler)
    elif kind == "reset":
        reset(handler)
    elif kind == "slow":
        server.over.wait(20)


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
        ("other", "unusable response: no chat completion: IndexError.*"),
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
    found = rows(bench, tmp_path)["question 1"]
    assert (found["state"], found["letter"], found["reply"]) == ("error", None, None)
    pattern = cause.replace("(", r"\(").replace(")", r"\)")
    assert __import__("re").fullmatch(pattern, found["cause"]), found["cause"]


def test_what_cannot_pass_is_not_tried_again(bench: Any, server: Any, tmp_path: Path) -> None:
    fill(bench, 2)

    def behave(words: str, attempt: int, handler: Any) -> str | None:
        too_large = {"error": {"message": "picture too\nlarge"}}
        return server.say(handler, 400, too_large) if "question 0" in words else "(B)"

    server.behave = behave
    assert ask(bench, server, tmp_path).error == 1
    assert list(server.sent.values()) == [1, 1]
    assert "HTTP 400" in rows(bench, tmp_path)["question 0"]["cause"]


def test_only_what_is_missing_is_asked_again(bench: Any, server: Any, tmp_path: Path) -> None:
    fill(bench, 5)

    def behave(words: str, attempt: int, handler: Any) -> str | None:
        return trouble(server, "503", handler) if "question 3" in words else "(B)"

    server.behave = behave
    assert ask(bench, server, tmp_path, retries=0).error == 1
    server.sent.clear()
    server.behave = lambda words, attempt, handler: "(B)"
    assert ask(bench, server, tmp_path, retries=0).error == 0
    assert [words for words in server.sent if "question 3" in words] == list(server.sent)
    server.sent.clear()
    assert ask(bench, server, tmp_path).metrics["accuracy"].value == 1
    assert not server.sent


def test_a_question_with_another_picture_or_setting_is_asked_anew(bench: Any, server: Any, tmp_path: Path) -> None:
    fill(bench, 2)
    ask(bench, server, tmp_path)
    ask(bench, server, tmp_path, max_tokens=5)
    assert sorted(server.sent.values()) == [2, 2]
    changed = type(bench)()
    changed.add("question 0", pictures=[np.full((9, 4, 3), 200, dtype=np.uint8)])
    release = changed.release(tmp_path / "changed")
    evaluate(release, "openai:tiny/model", out=tmp_path / "out", options=options(server), replace=True)
    assert sum(server.sent.values()) == 5


def test_a_log_cut_in_the_middle_of_a_line_goes_on_and_says_so(
    bench: Any, server: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    fill(bench)
    ask(bench, server, tmp_path)
    (path,) = (tmp_path / "out").glob("*/replies.jsonl")
    assert json.loads(path.read_text().splitlines()[-1])["kind"] == "reply"
    path.write_bytes(path.read_bytes()[:-20])
    server.sent.clear()
    assert ask(bench, server, tmp_path).metrics["accuracy"].value == 1
    assert len(server.sent) == 1
    assert len({entry["request"] for entry in log_lines(tmp_path, "reply")}) == len(log_lines(tmp_path, "reply")) == 3
    assert "the last line was cut off" in caplog.text


@pytest.mark.parametrize("damage", ["{}", "nonsense", '{"kind": "reply"}', '{"kind": "odd"}', "[]"])
def test_a_line_that_says_nothing_is_taken_out_of_the_log(
    bench: Any, server: Any, tmp_path: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    fill(bench)
    ask(bench, server, tmp_path)
    (path,) = (tmp_path / "out").glob("*/replies.jsonl")
    before = path.read_bytes()
    head, *others = before.decode().splitlines()
    path.write_text("\n".join([head, damage, *others]) + "\n")
    server.sent.clear()
    ask(bench, server, tmp_path)
    assert "line 2 is damaged; it is taken out" in caplog.text
    assert path.read_bytes() == before
    assert not server.sent


@pytest.mark.parametrize("kind", ["run", "picture", "request", "reply"])
def test_a_changed_line_is_never_used_and_what_it_stood_for_is_asked_again(
    bench: Any, server: Any, tmp_path: Path, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    fill(bench)
    ask(bench, server, tmp_path)
    (path,) = (tmp_path / "out").glob("*/replies.jsonl")
    lines = path.read_text().splitlines(keepends=True)
    number = next(n for n, line in enumerate(lines) if json.loads(line).get("kind") == kind)
    changed = lines[number].replace("(B)", "(C)") if kind == "reply" else lines[number].replace("a", "b", 1)
    path.write_text("".join([*lines[:number], changed, *lines[number + 1 :]]))
    server.sent.clear()
    assert ask(bench, server, tmp_path).metrics["accuracy"].value == 1
    assert f"line {number + 1} is damaged; it is taken out" in caplog.text
    assert len(server.sent) == (kind == "reply")
    assert sorted(map(_stripped, path.read_text().splitlines())) == sorted(map(_stripped, lines))


def _stripped(line: str) -> str:
    entry = json.loads(line)
    return json.dumps({name: entry[name] for name in entry if name not in {"digest", "usage"}}, sort_keys=True)


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
    with pytest.raises(BenchwrightError, match=r"knows no model 'tiny/model'.*no such model"):
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


def test_replies_come_in_the_order_of_the_questions_however_they_arrive(
    bench: Any, server: Any, tmp_path: Path
) -> None:
    fill(bench, 4)
    release = bench.release(tmp_path / "release")
    questions = [question_of(released) for released in release.items()]
    others_done = threading.Event()

    def behave(words: str, attempt: int, handler: Any) -> str:
        if questions[0].text in words:
            others_done.wait(20)
        elif questions[3].text in words:
            others_done.set()
        return f"said {words}"

    server.behave = behave
    backend = parse_model("openai:m", options(server, concurrency=4))
    asking = BackendContext(release_id="r", content_id="c", item_ids=frozenset)
    found = list(backend.answer(questions, asking))
    assert [reply.item_id for reply in found] == [question.item_id for question in questions]
    assert all(question.text in str(reply.text) for question, reply in zip(questions, found, strict=True))


def test_requests_under_way_and_questions_taken_ahead_are_bounded(bench: Any, server: Any, tmp_path: Path) -> None:
    fill(bench, 30)
    questions = [question_of(released) for released in bench.release(tmp_path / "release").items()]
    taken = 0

    def counted() -> Any:
        nonlocal taken
        for question in questions:
            taken += 1
            yield question

    asking = BackendContext(release_id="r", content_id="c", item_ids=frozenset)
    ahead = []
    for given, _ in enumerate(parse_model("openai:m", options(server, concurrency=3)).answer(counted(), asking)):
        ahead.append(taken - given)
    assert max(ahead) <= 6
    assert server.most_under_way <= 3
    assert len(server.bodies) == 30


def test_a_run_that_is_given_up_ends_what_is_under_way(bench: Any, server: Any, tmp_path: Path) -> None:
    fill(bench, 6)
    questions = [question_of(released) for released in bench.release(tmp_path / "release").items()]

    def behave(words: str, attempt: int, handler: Any) -> str:
        if questions[0].text not in words:
            server.over.wait(20)
        return "(B)"

    server.behave = behave
    asking = BackendContext(release_id="r", content_id="c", item_ids=frozenset, log_folder=tmp_path / "log")
    replies = parse_model("openai:m", options(server, concurrency=2)).answer(questions, asking)
    assert next(replies).text == "(B)"
    replies.close()
    assert "benchwright-requests" not in {thread.name for thread in threading.enumerate()}
    kinds = [json.loads(line).get("kind") for line in (tmp_path / "log" / "replies.jsonl").read_text().splitlines()]
    assert kinds.count("reply") == 1


@pytest.mark.parametrize(
    ("message", "state", "text"),
    [
        ({"content": [{"type": "text", "text": "(B"}, {"type": "text", "text": ")"}]}, "answered", "(B)"),
        ({"content": None, "refusal": "I can't help with that."}, "refusal", "I can't help with that."),
        ({"content": None}, "miss", ""),
        ({"content": ""}, "miss", ""),
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
    found = rows(bench, tmp_path)["question 0"]
    assert (found["state"], found["reply"]) == (state, text)


def test_an_item_whose_marks_cannot_be_drawn_becomes_its_own_error(bench: Any, server: Any, tmp_path: Path) -> None:
    bench.add("far out", pictures=[np.zeros((30, 40, 3), dtype=np.uint8)], marks={0: [("x" * 200, (5.5, 5.5))]})
    bench.add("plain", answer="B")
    score = ask(bench, server, tmp_path)
    assert (score.error, score.metrics["accuracy"].value) == (1, 0.5)
    assert len(server.bodies) == 1


def test_an_account_without_funds_ends_the_run_at_once(bench: Any, server: Any, tmp_path: Path) -> None:
    fill(bench, 5)
    error = {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}
    server.behave = lambda words, attempt, handler: server.say(handler, 429, error)
    with pytest.raises(PrerequisiteError, match=r"has nothing left .*exceeded your current quota"):
        ask(bench, server, tmp_path, concurrency=1)
    assert len(server.bodies) == 1


def test_a_redirect_is_not_followed_with_the_key(
    bench: Any, server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    fill(bench, 1)
    elsewhere = f"{server.url}/elsewhere"
    server.behave = lambda words, attempt, handler: server.say(handler, 307, {}, location=elsewhere)
    with pytest.raises(BenchwrightError, match=f"sends requests on to {elsewhere}; name the address"):
        ask(bench, server, tmp_path)
    assert len(server.bodies) == 1


def test_decoding_is_sent_and_stands_in_the_settings(bench: Any, server: Any, tmp_path: Path) -> None:
    fill(bench, 1)
    drawn = {"temperature": 0.7, "top_p": 0.9, "seed": 11, "max_tokens": 33}
    score = ask(bench, server, tmp_path, **drawn)
    (body,) = server.bodies
    assert body.items() >= drawn.items()
    assert score.settings["backend"].items() >= (drawn | {"retries": 3, "tries": 1}).items()


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


def test_equal_requests_under_way_are_sent_once_and_counted_once(bench: Any, server: Any, tmp_path: Path) -> None:
    grey = np.full((5, 7, 3), 90, dtype=np.uint8)
    for number in range(24):  # three questions, eight times each
        bench.add(f"question {number % 3}", pictures=[grey], answer="B")
    came = threading.Event()

    def behave(words: str, attempt: int, handler: Any) -> None:
        came.wait(0.2)  # long enough for all the others to be begun meanwhile
        usage = {"prompt_tokens": 10, "completion_tokens": 2}
        choice = {"message": {"content": "(B)"}, "finish_reason": "stop"}
        server.say(handler, 200, {"choices": [choice], "usage": usage})

    server.behave = behave
    score = ask(bench, server, tmp_path, concurrency=8)
    assert sorted(server.sent.values()) == [1, 1, 1]
    assert score.usage is not None
    assert (score.usage.replies, score.usage.requests, score.usage.prompt_tokens) == (24, 3, 30)
    assert "24 replies to 3 requests (21 shared one with an equal question) took 30 tokens" in score.usage.told()
    assert ask(bench, server, tmp_path).usage == score.usage  # from the log


def test_an_item_that_asks_like_one_that_failed_is_sent_anew(bench: Any, server: Any, tmp_path: Path) -> None:
    grey = np.full((5, 7, 3), 90, dtype=np.uint8)
    for _ in range(3):
        bench.add("the same", pictures=[grey], answer="B")

    def behave(words: str, attempt: int, handler: Any) -> str | None:
        return server.say(handler, 400, {"error": {"message": "not now"}}) if attempt == 1 else "(B)"

    server.behave = behave
    score = ask(bench, server, tmp_path, concurrency=1)
    assert score.error < 3
    assert score.right == 3 - score.error
