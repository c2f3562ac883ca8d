"""Behaviors of servers, each on one item of one run: each is scored correctly or recorded with a message, none
silently.

Facts held here: text is read wherever a server puts it; a reply without content is an error with its cause, and a
filter is a refusal; a server that never returns content gets no score, whatever the form.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from endpoint_runs import ask, reset, rows
from vendor_stub import SERVERS, reply

from benchwright.errors import CheckFailed
from benchwright.evaluation.backends.options import BackendOptions
from benchwright.evaluation.run import evaluate

pytestmark = pytest.mark.slow

Act = Callable[[Any, Any], None]
TOOL = [{"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}]
FILTER = {
    "message": "The response was filtered",
    "code": "content_filter",
    "innererror": {"code": "ResponsibleAIPolicyViolation"},
}
DEEP = b"[" * 100_000


class Behaviour(NamedTuple):
    """A server's behavior, the required end of the item, and required words for an item without an answer."""

    act: Act
    ends: str
    words: str = ""


def say(status: int, document: Any, ends: str, words: str = "", **headers: str) -> Behaviour:
    return Behaviour(lambda server, handler: server.say(handler, status, document, **headers), ends, words)


def chat(content: Any, ends: str, words: str = "", finish: Any = "stop", **message: Any) -> Behaviour:
    return say(200, {"choices": [{"message": {"content": content, **message}, "finish_reason": finish}]}, ends, words)


def whole(text: str = "(B)", **more: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"content": text}, "finish_reason": "stop"}], **more}


def packed(data: bytes, coding: str, ends: str, words: str = "") -> Behaviour:
    return say(200, data, ends, words, content_encoding=coding)


def cut(server: Any, handler: Any) -> None:
    handler.send_response(200)
    handler.send_header("content-length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices"')
    reset(handler)


EVENTS = b'data: {"choices": [{"delta": {"content": "(B"}}]}\n\ndata: {"choices": [{"delta": {"content": ")"}, "finish_reason": "stop"}]}\n\n'
RIGHT, ERROR, EMPTY, TOOL_CALL, FILTERED, REFUSED, CUT = (
    "right",
    "error",
    "empty",
    "tool_call",
    "filtered",
    "refused",
    "cut_off",
)
BODY = json.dumps(whole()).encode()
BEHAVIOURS = {
    "text": chat("(B)", RIGHT),
    "parts": chat([{"type": "text", "text": "(B)"}], RIGHT),
    "output_text parts": chat([{"type": "output_text", "text": "(B)"}], RIGHT),
    "thinking and text parts": chat([{"type": "thinking", "thinking": "(A)"}, {"type": "text", "text": "(B)"}], RIGHT),
    "thoughts beside the text": chat("(B)", RIGHT, reasoning_content="(A)?"),
    "thoughts by another name": chat("(B)", RIGHT, reasoning="(A)?"),
    "thoughts inside the text": chat("<think>(A)?</think>(B)", RIGHT),
    "no finish reason": chat("(B)", RIGHT, finish=None),
    "another finish reason": chat("(B)", RIGHT, finish="eos"),
    "a tool and text": chat("(B)", RIGHT, finish="tool_calls", tool_calls=TOOL),
    "a second choice first": say(
        200, {"choices": [{"index": 0, "message": {"content": "(B)"}}, {"index": 1, "message": {"content": "(A)"}}]}, RIGHT
    ),
    "a half pair of surrogates": say(200, b'{"choices": [{"message": {"content": "(B) \\ud800"}}]}', RIGHT),
    "a null character": chat("(B)\0", RIGHT),
    "a byte order mark": say(200, b"\xef\xbb\xbf" + BODY, RIGHT),
    "NaN among the tokens": say(200, BODY[:-1] + b', "usage": {"prompt_tokens": NaN}}', RIGHT),
    "tokens below nothing": say(200, whole(usage={"prompt_tokens": -1, "completion_tokens": "x"}), RIGHT),
    "another content type": say(200, BODY, RIGHT, content_type="text/plain"),
    "a stream that nobody asked for": say(200, EVENTS + b"data: [DONE]\n\n", RIGHT, content_type="text/event-stream"),
    "a stream with comments": say(200, b": PROCESSING\n\n" + EVENTS, RIGHT, content_type="text/event-stream"),
    "gzip that nobody asked for": packed(gzip.compress(BODY), "gzip", RIGHT),
    "deflate that nobody asked for": packed(zlib.compress(BODY), "deflate", RIGHT),
    "cut off with the letter": chat("(B), since it", RIGHT, finish="length"),
    "cut off in thought": chat("", CUT, "raise max_tokens", finish="length"),
    "a stream that breaks off": say(200, EVENTS[:60], ERROR, "stream", content_type="text/event-stream"),
    "an empty stream": say(200, b"data: [DONE]\n\n", ERROR, "empty stream", content_type="text/event-stream"),
    "an error in a stream": say(
        200, b'data: {"error": {"message": "upstream gone"}}\n\n', ERROR, "upstream gone", content_type="text/event-stream"
    ),
    "broken gzip": packed(gzip.compress(BODY)[:-12], "gzip", ERROR, "gzip"),
    "gzip that unfolds": packed(gzip.compress(b" " * 9_000_000), "gzip", ERROR, "more than 8388608 bytes"),
    "an unknown coding": packed(BODY, "br", ERROR, "'br' was not requested"),
    "empty": chat("", EMPTY, "no text"),
    "null": chat(None, EMPTY, "no text"),
    "blank": chat(" \n\t", EMPTY, "no text"),
    "no parts": chat([], EMPTY, "no text"),
    "parts without text": chat([{"type": "image"}], EMPTY, "no text"),
    "no content": say(200, {"choices": [{"message": {"role": "assistant"}, "finish_reason": "stop"}]}, EMPTY, "no text"),
    "thoughts alone": chat(None, EMPTY, "thoughts", reasoning_content="(A)?"),
    "thoughts alone by another name": chat("", EMPTY, "thoughts", reasoning="(A)?"),
    "thoughts alone inside": chat("<think>(A)?</think>", EMPTY, "thoughts"),
    "thoughts without an end": chat("<think>(A)? (B)?", EMPTY, "thoughts"),
    "a tool call": chat(None, TOOL_CALL, "look", finish="tool_calls", tool_calls=TOOL),
    "an old function call": chat(None, TOOL_CALL, "", finish="function_call", function_call={"name": "look", "arguments": ""}),
    "a tool call that says stop": chat("", TOOL_CALL, "look", tool_calls=TOOL),
    "filtered": chat("", FILTERED, finish="content_filter"),
    "filtered midway": chat("It is (A", FILTERED, finish="content_filter"),
    "a filtered prompt of Azure": say(
        200, {"choices": [], "prompt_filter_results": [{"content_filter_results": {"hate": {"filtered": True}}}]}, FILTERED
    ),
    "an error of a filter, status 200": say(200, {"error": {"code": "content_policy_violation", "message": "no"}}, FILTERED),
    "an error of a filter, status 400": say(400, {"error": FILTER}, FILTERED),
    "moderation, status 403": say(*SERVERS["OpenRouter"].filtered, FILTERED),
    "an inspection": say(*SERVERS["DashScope"].filtered, FILTERED),
    "a marked refusal": chat(None, REFUSED, refusal="I can't help with that."),
    "a refusal among the parts": chat([{"type": "refusal", "refusal": "I can't help with that."}], REFUSED),
    "a failed choice": say(
        200, {"choices": [{"message": {"content": ""}, "finish_reason": "error", "error": {"message": "upstream gone"}}]},
        ERROR, "upstream gone",
    ),
    "a failed choice without a cause": chat("", ERROR, "finish_reason error", finish="error"),
    "an error of the provider": say(
        200, {"error": {"message": "Provider returned error", "code": 502, "metadata": {"raw": "busy"}}}, ERROR, "raw busy"
    ),
    "an error in a word": say(200, {"error": "model not loaded"}, ERROR, "model not loaded"),
    "no choices": say(200, {"choices": []}, ERROR, "no choices"),
    "choices that are null": say(200, {"choices": None}, ERROR, "no choices"),
    "choices that are no list": say(200, {"choices": {"message": {"content": "(B)"}}}, ERROR, "choices"),
    "a message that is a text": say(200, {"choices": [{"message": "(B)"}]}, ERROR, "message"),
    "nothing at all": say(200, {}, ERROR, "choices"),
    "a list": say(200, [1], ERROR, "[1]"),
    "null for a document": say(200, b"null", ERROR, "not a chat completion"),
    "a text for a document": say(200, b'"(B)"', ERROR, "(B)"),
    "a page": say(200, b"<html>(B)</html>", ERROR, "not JSON", content_type="text/html"),
    "no body": say(200, b"", ERROR, "not JSON"),
    "half a body": say(200, BODY[:30], ERROR, "not JSON"),
    "bytes that are no text": say(200, b'{"choices": "\xff\xfe\xff"}', ERROR, "not JSON"),
    "a document of great depth": say(200, DEEP, ERROR, "not JSON"),
    "a body without an end": say(200, b" " * 9_000_000, ERROR, "more than 8388608 bytes"),
    "a picture that cannot be read": say(400, {"error": {"code": 400, "message": "Failed to load image"}}, ERROR, "Failed to load image"),
    "a list of faults": say(422, {"detail": [{"loc": ["body"], "msg": "Field required"}]}, ERROR, "Field required"),
    "a fault in a word": say(400, {"error": "bad request"}, ERROR, "bad request"),
    "a context that is too long": say(400, {"error": {"message": "maximum context length is 4096 tokens"}}, ERROR, "4096 tokens"),
    "a teapot": say(418, b"short and stout", ERROR, "short and stout"),
    "a timeout of the server": say(408, {"error": {"message": "timed out"}}, ERROR, "HTTP 408"),
    "a conflict": say(409, {"error": {"message": "lock"}}, ERROR, "HTTP 409"),
    "too many requests": say(429, {"error": {"message": "slow down"}}, ERROR, "HTTP 429", retry_after="0"),
    "a broken server": say(500, b"<html>oops</html>", ERROR, "HTTP 500", content_type="text/html"),
    "a broken gateway": say(502, b"", ERROR, "HTTP 502"),
    "a busy server": say(503, {"error": {"message": "loading model"}}, ERROR, "loading model"),
    "an overloaded server": say(529, {"error": {"message": "Overloaded"}}, ERROR, "HTTP 529"),
    "a connection that is reset": Behaviour(lambda server, handler: reset(handler), ERROR, "connection failed"),
    "a connection that breaks off": Behaviour(cut, ERROR, "connection failed"),
}  # fmt: skip
NATIVE = {
    "Responses": [
        ({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}, "output": []}, CUT),
        ({"status": "incomplete", "incomplete_details": {"reason": "content_filter"}, "output": []}, FILTERED),
        ({"status": "failed", "error": {"code": "server_error", "message": "gone"}, "output": []}, ERROR),
        ({"status": "completed", "output": [{"type": "reasoning", "summary": []}]}, EMPTY),
        ({"status": "completed", "output": [{"type": "function_call", "name": "look", "arguments": "{}"}]}, TOOL_CALL),
        ({"status": "completed", "output": [{"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}]}, REFUSED),
        ({"status": "in_progress", "output": []}, EMPTY),
    ],
    "Anthropic": [
        ({"type": "message", "content": [], "stop_reason": "end_turn"}, EMPTY),
        ({"type": "message", "content": [], "stop_reason": "max_tokens"}, CUT),
        ({"type": "message", "content": [], "stop_reason": "refusal"}, REFUSED),
        ({"type": "message", "content": [{"type": "tool_use", "name": "look", "input": {}}], "stop_reason": "tool_use"}, TOOL_CALL),
        ({"type": "message", "content": [{"type": "thinking", "thinking": "(B)"}], "stop_reason": "end_turn"}, EMPTY),
        ({"type": "message", "content": [], "stop_reason": "pause_turn"}, EMPTY),
        ({"type": "error", "error": {"type": "api_error", "message": "gone"}}, ERROR),
    ],
    "Gemini": [
        ({"candidates": [{"finishReason": "SAFETY"}]}, FILTERED),
        ({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}, FILTERED),
        ({"candidates": [{"content": {"parts": []}, "finishReason": "MAX_TOKENS"}]}, CUT),
        ({"candidates": [{"content": {"role": "model"}, "finishReason": "STOP"}]}, EMPTY),
        ({"candidates": [{"content": {"parts": [{"text": "(B)", "thought": True}]}, "finishReason": "STOP"}]}, EMPTY),
        ({"candidates": [{"content": {"parts": [{"functionCall": {"name": "look"}}]}, "finishReason": "STOP"}]}, TOOL_CALL),
        ({"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL"}]}, TOOL_CALL),
        ({"candidates": [{"finishReason": "RECITATION"}]}, FILTERED),
        ({"candidates": []}, ERROR),
    ],
}  # fmt: skip


def ended(row: dict[str, Any]) -> str:
    """Return how an item ended: right or wrong, or one of the ways to say nothing."""
    if row["state"] == "error":
        return row["reply_kind"] if row["reply_kind"] in (EMPTY, TOOL_CALL) else ERROR
    if row["reply_kind"] in (FILTERED, REFUSED):
        return str(row["reply_kind"])
    if row["reply_kind"] == CUT and not row["reply"]:
        return CUT
    return RIGHT if row["letter"] == "B" else f"read as {row['letter']}"


def test_every_behaviour_of_a_server_is_scored_rightly_or_recorded_in_words(
    bench: Any, server: Any, tmp_path: Path
) -> None:
    for name in BEHAVIOURS:
        bench.add(f"case: {name}?", answer="B")
    in_order = [released.item.question[6:-1] for released in bench.release(tmp_path / "release").items()]
    act_of = dict(zip(in_order, BEHAVIOURS.values(), strict=True))  # those with an answer come first

    def behave(words: str, attempt: int, handler: Any) -> None:
        act_of[words.partition("case: ")[2].partition("?")[0]].act(server, handler)

    server.behave = behave
    score = ask(bench, server, tmp_path, retries=0)
    by_question = rows(bench, tmp_path)
    named = dict(zip(in_order, BEHAVIOURS, strict=True))
    found = {named[question[6:-1]]: row for question, row in by_question.items()}
    assert {name: ended(row) for name, row in found.items()} == {name: b.ends for name, b in BEHAVIOURS.items()}
    causes = {name: row["cause"] or "" for name, row in found.items()}
    unnamed = {name: cause for name, cause in causes.items() if BEHAVIOURS[name].words not in cause}
    assert unnamed == {}
    right = sum(behaviour.ends == RIGHT for behaviour in BEHAVIOURS.values())
    assert (score.right_items, score.unfit) == (right, True)


@pytest.mark.parametrize("name", NATIVE)
def test_every_behaviour_of_a_vendors_own_api_too(name: str, bench: Any, server: Any, tmp_path: Path) -> None:
    stub, cases = SERVERS[name], [(reply(SERVERS[name], "(B)"), RIGHT), *NATIVE[name]]
    for number in range(len(cases)):
        bench.add(f"case: {number}?", answer="B")
    in_order = [released.item.question for released in bench.release(tmp_path / "release").items()]

    def behave(words: str, attempt: int, handler: Any) -> None:
        place = next(n for n, question in enumerate(in_order) if question in words)
        server.say(handler, 200, cases[place][0])

    server.behave = behave
    options = BackendOptions(base_url=server.url.removesuffix("/v1") + stub.root, backoff_s=0.001, retries=0)
    evaluate(tmp_path / "release", stub.model, out=tmp_path / "out", options=options)
    found = rows(bench, tmp_path)
    assert [ended(found[question]) for question in in_order] == [ends for _, ends in cases]


@pytest.mark.parametrize("name", [name for name, behaviour in BEHAVIOURS.items() if name in {
    "parts without text", "thoughts without an end", "an old function call", "no body", "a broken gateway", "filtered",
}])  # fmt: skip
def test_a_server_that_always_does_so_gets_no_score(name: str, bench: Any, server: Any, tmp_path: Path) -> None:
    bench.add("one?", answer="B")
    bench.add("two?", answer="B")
    server.behave = lambda words, attempt, handler: BEHAVIOURS[name].act(server, handler)
    with pytest.raises(CheckFailed):
        ask(bench, server, tmp_path, retries=0)
    assert not list((tmp_path / "out").rglob("score.json"))
