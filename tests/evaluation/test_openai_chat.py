"""A model behind a real HTTP server: what is sent and stored, in which order, and the number of concurrent requests."""

from __future__ import annotations

import base64
import json
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from endpoint_runs import ask, fill, log_lines, options

from benchwright.drawing import draw_prompts
from benchwright.evaluation.backends.base import BackendContext, parse_model
from benchwright.evaluation.prompting.question import question_of
from benchwright.images import decode_rgb


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
    assert [url.partition(";")[0] for url in urls] == ["data:image/png", "data:image/png"]
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
    context = BackendContext(release_id="r", content_id="c", item_ids=frozenset)
    received = list(backend.answer(questions, context))
    assert [reply.item_id for reply in received] == [question.item_id for question in questions]
    assert all(question.text in str(reply.text) for question, reply in zip(questions, received, strict=True))


def test_requests_under_way_and_questions_taken_ahead_are_bounded(bench: Any, server: Any, tmp_path: Path) -> None:
    fill(bench, 30)
    questions = [question_of(released) for released in bench.release(tmp_path / "release").items()]
    taken = 0

    def counted() -> Any:
        nonlocal taken
        for question in questions:
            taken += 1
            yield question

    context = BackendContext(release_id="r", content_id="c", item_ids=frozenset)
    ahead = []
    for number, _ in enumerate(parse_model("openai:m", options(server, concurrency=3)).answer(counted(), context)):
        ahead.append(taken - number)
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
    context = BackendContext(release_id="r", content_id="c", item_ids=frozenset, log_folder=tmp_path / "log")
    before = set(threading.enumerate())
    replies = parse_model("openai:m", options(server, concurrency=2)).answer(questions, context)
    assert next(replies).text == "(B)"
    replies.close()
    assert "benchwright-requests" not in {thread.name for thread in set(threading.enumerate()) - before}
    kinds = [json.loads(line).get("kind") for line in (tmp_path / "log" / "replies.jsonl").read_text().splitlines()]
    assert kinds.count("reply") == 1


def test_an_item_whose_marks_cannot_be_drawn_becomes_its_own_error(bench: Any, server: Any, tmp_path: Path) -> None:
    bench.add("far out", pictures=[np.zeros((30, 40, 3), dtype=np.uint8)], marks={0: [("x" * 200, (5.5, 5.5))]})
    bench.add("plain", answer="B")
    score = ask(bench, server, tmp_path)
    assert (score.error, score.metrics["accuracy"].value) == (1, 0.5)
    assert len(server.bodies) == 1


def test_decoding_is_sent_and_stands_in_the_settings(bench: Any, server: Any, tmp_path: Path) -> None:
    fill(bench, 1)
    drawn = {"temperature": 0.7, "top_p": 0.9, "seed": 11, "max_tokens": 33}
    score = ask(bench, server, tmp_path, **drawn)
    (body,) = server.bodies
    assert body.items() >= drawn.items()
    assert score.settings["backend"].items() >= (drawn | {"retries": 3, "tries": 1}).items()


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
    assert (
        "24 replies to 3 requests (21 shared a request with an equal question) took 30 tokens" in score.usage.describe()
    )
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
