"""Streamed replies: requested by `--field stream=true`, or sent by servers that support nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from endpoint_runs import ask, fill, rows

from benchwright.models.endpoints.completions import Completion, read_completion
from benchwright.models.endpoints.usage import Tokens
from benchwright.models.endpoints.vendors.event_streams import wants_stream
from benchwright.models.endpoints.vendors.failures import UnusableReply


def piece(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


USAGE = {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}}
PIECES = [piece(role="assistant", content=""), piece(content="(B"), piece(content=")"), piece("stop"), USAGE]


def stream(*pieces: Any, end: str = "\n\n", done: bool = True) -> bytes:
    events = [f"data: {json.dumps(entry)}" for entry in pieces] + ["data: [DONE]"] * done
    return (": ping" + end + end.join(events) + end).encode()


def in_pieces(server: Any, *, with_usage: bool = True) -> Any:
    def behave(words: str, attempt: int, handler: Any) -> None:
        server.say(handler, 200, stream(*PIECES[: None if with_usage else -1]), content_type="text/event-stream")

    return behave


@pytest.mark.parametrize("end", ["\n\n", "\r\n\r\n"])
def test_pieces_become_one_reply_with_its_tokens(end: str) -> None:
    assert read_completion(stream(*PIECES, end=end)) == Completion("(B)", "stop", Tokens(9, 3))


CALL = {"index": 0, "function": {"name": "look", "arguments": "{"}}


@pytest.mark.parametrize(
    ("pieces", "kind"),
    [
        ([piece(reasoning_content="hm"), piece("stop")], "empty"),
        ([piece(refusal="I can"), piece(refusal="not."), piece("stop")], "refused"),
        ([piece(tool_calls=[CALL]), piece(tool_calls=[{"index": 0, "function": {"arguments": "}"}}])], "tool_call"),
        ([piece("content_filter")], "filtered"),
        ([piece(content="Let us"), piece("length")], "cut_off"),
    ],
)
def test_pieces_are_of_the_kinds_that_whole_replies_are_of(pieces: Any, kind: str) -> None:
    assert read_completion(stream(*pieces)).kind == kind


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (stream(*PIECES[:3], done=False), "broke off"),
        (stream(piece(content="(B"), {"error": {"message": "overloaded"}}, done=False), "broke off|overloaded"),
        (stream({"error": {"message": "overloaded"}}, done=False), "overloaded"),
        (b"data: {\n\n", "not JSON"),
        (b"data: 3\n\n", "not an object"),
        (b": ping\n\n", "empty stream"),
    ],
)
def test_a_stream_that_is_no_reply_is_an_error_with_its_cause(data: bytes, words: str) -> None:
    with pytest.raises(UnusableReply, match=words):
        read_completion(data)


def test_stream_true_asks_for_pieces_and_decides_no_result(bench: Any, server: Any, tmp_path: Path) -> None:
    fill(bench)
    server.behave = in_pieces(server)
    score = ask(bench, server, tmp_path, fields={"stream": True})
    assert all(body["stream"] is True and body["stream_options"] == {"include_usage": True} for body in server.bodies)
    assert score.usage is not None
    assert (score.usage.prompt_tokens, score.usage.completion_tokens, score.right) == (27, 9, 3)
    whole = ask(bench, server, tmp_path)  # the same replies, which are not asked for again
    assert (whole.metrics, whole.folder, len(server.bodies)) == (score.metrics, score.folder, 3)


ONLY = {"error": {"message": "This model only support stream mode, please enable the stream parameter"}}


def test_a_server_that_only_streams_is_asked_so(bench: Any, server: Any, tmp_path: Path) -> None:
    fill(bench, 12)
    answer = in_pieces(server)
    server.behave = lambda words, attempt, handler: (
        answer(words, attempt, handler) if "stream" in handler.body else server.say(handler, 400, ONLY)
    )
    score = ask(bench, server, tmp_path)
    assert (score.right, score.error) == (12, 0)
    assert sum("stream" in body for body in server.bodies) == 12


def test_a_server_that_takes_no_stream_options_is_asked_without(bench: Any, server: Any, tmp_path: Path) -> None:
    fill(bench)
    answer = in_pieces(server, with_usage=False)
    error = {"message": "Extra inputs are not permitted: stream_options"}
    server.behave = lambda words, attempt, handler: (
        server.say(handler, 422, {"error": error})
        if "stream_options" in handler.body
        else answer(words, attempt, handler)
    )
    score = ask(bench, server, tmp_path, fields={"stream": True})
    assert (score.right, score.usage) == (3, None)
    assert {row["reply"] for row in rows(bench, tmp_path).values()} == {"(B)"}


@pytest.mark.parametrize(
    ("status", "words", "wants"),
    [
        (400, "parameter.enable_thinking must be set to false for non-streaming calls", True),
        (400, "Stream must be set to true", True),
        (422, "Only streaming is supported for this model", True),
        (400, "streaming is not supported for this model", False),
        (400, "image too large", False),
        (500, "only stream", False),
    ],
)
def test_refusals_that_ask_for_a_stream_are_told_from_others(status: int, words: str, wants: bool) -> None:
    assert wants_stream(status, words) is wants
