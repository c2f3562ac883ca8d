"""Asking a model behind an endpoint: requests, replies, and the attribution of failures."""

from __future__ import annotations

import base64
import contextlib
import io
import pickle
import socket
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from pydantic import ValidationError

sys.path.insert(0, str(Path(__file__).parent.parent))

from chat_server import ChatServer, reasoning_model, without_keys_and_proxies

from benchwright.errors import PrerequisiteError, RequestFailed
from benchwright.models.endpoints.chat import Chat, ChatSettings
from benchwright.models.endpoints.chat_request import ChatMessage
from benchwright.models.endpoints.endpoint import MAX_REPLY_BYTES

pytestmark = pytest.mark.slow


@pytest.fixture
def server(chat_server: ChatServer) -> ChatServer:
    """A model behind an endpoint on the loopback; what it says is the test's."""
    return chat_server


@pytest.fixture
def connect(server: ChatServer) -> Iterator[Any]:
    opened: list[Chat] = []

    def connect(*, concurrency: int = 8, **settings: Any) -> Chat:
        model = ChatSettings(**{"model": "m", "base_url": server.url, "retries": 0, **settings})
        chat = Chat(model, concurrency=concurrency)
        opened.append(chat)
        return chat

    yield connect
    for chat in opened:
        chat.close()


def picture(width: int = 7, height: int = 5) -> np.ndarray:
    return np.random.default_rng(2).integers(0, 256, (height, width, 3), dtype=np.uint8)


def sent_picture(server: ChatServer) -> Image.Image:
    (part,) = (p for p in server.bodies[-1]["messages"][-1]["content"] if p["type"] == "image_url")
    return Image.open(io.BytesIO(base64.b64decode(part["image_url"]["url"].partition(",")[2])))


def test_words_and_pictures_go_out_and_the_reply_comes_back(server: ChatServer, connect: Any) -> None:
    server.behave = lambda words, attempt, handler: f"  heard {words!r}\n"
    assert connect(temperature=0.5, seed=4, max_tokens=9).ask("what is it?", picture()) == "heard 'what is it?'"
    (body,) = server.bodies
    assert {k: body[k] for k in ("model", "temperature", "seed", "max_tokens")} == {
        "model": "m", "temperature": 0.5, "seed": 4, "max_tokens": 9,
    }  # fmt: skip
    assert np.array_equal(np.asarray(sent_picture(server)), picture())


def test_a_large_picture_is_shrunk_in_proportion(server: ChatServer, connect: Any) -> None:
    connect(max_side_px=16, picture="jpeg").ask(picture(64, 40))
    assert (sent_picture(server).size, sent_picture(server).format) == ((16, 10), "JPEG")


def test_a_conversation_keeps_its_turns(server: ChatServer, connect: Any) -> None:
    connect().converse(
        [
            ChatMessage("system", ["be brief"]),
            ChatMessage("user", ["a"]),
            ChatMessage("assistant", ["b"]),
            ChatMessage("user", "c"),
        ]
    )
    assert [turn["role"] for turn in server.bodies[0]["messages"]] == ["system", "user", "assistant", "user"]


@pytest.mark.parametrize(
    ("structured", "expected"),
    [
        ("none", None),
        ("json_object", {"type": "json_object"}),
        ("json_schema", {"type": "json_schema", "json_schema": {"name": "reply", "schema": {"type": "object"}}}),
    ],
)
def test_a_server_is_held_to_json_as_the_settings_say(
    server: ChatServer, connect: Any, structured: str, expected: Any
) -> None:
    connect(structured=structured).ask("?", schema={"type": "object"})
    assert server.bodies[0].get("response_format") == expected


@pytest.mark.parametrize(
    ("status", "document", "reason"),
    [
        (400, {"error": {"message": "picture too large"}}, "refused"),
        (429, {"error": {"message": "slow down"}}, "busy"),
        (503, b"overloaded", "busy"),
        (200, b"<html>", "unusable_reply"),
        (200, {"choices": []}, "unusable_reply"),
        (200, {"choices": [{"message": {"content": None}}]}, "unusable_reply"),
        (200, {"choices": [{"message": {"content": " \n"}}]}, "unusable_reply"),
        (200, b"[" * 100_000, "unusable_reply"),
    ],
)
def test_a_request_that_fails_says_how(
    server: ChatServer, connect: Any, status: int, document: Any, reason: str
) -> None:
    server.behave = lambda words, attempt, handler: server.say(handler, status, document)
    with pytest.raises(RequestFailed) as caught:
        connect().ask("?")
    assert caught.value.reason == reason
    assert pickle.loads(pickle.dumps(caught.value)).reason == reason


@pytest.mark.parametrize(
    ("status", "document", "words"),
    [
        (401, {"error": {"message": "no such key"}}, "OPENAI_API_KEY"),
        (404, {"error": {"message": "unknown model"}}, "does not know the model 'm'"),
        (429, {"error": {"message": "empty", "code": "insufficient_quota"}}, "has no funds left"),
        (307, {}, "answers as base_url"),
    ],
)
def test_an_endpoint_at_which_nothing_can_succeed_ends_the_run(
    server: ChatServer, connect: Any, status: int, document: Any, words: str
) -> None:
    server.behave = lambda _, attempt, handler: server.say(handler, status, document, location="http://other/v1")
    with pytest.raises(PrerequisiteError, match=words):
        connect().ask("?")


def test_where_nobody_listens_the_run_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    without_keys_and_proxies(monkeypatch)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        chat = Chat(ChatSettings(model="m", base_url=f"http://127.0.0.1:{taken.getsockname()[1]}/v1", retries=0))
        with pytest.raises(PrerequisiteError, match="no server listens"):
            chat.ask("?")
        chat.close()


def test_a_server_that_says_nothing_in_time_is_a_timeout(server: ChatServer, connect: Any) -> None:
    server.behave = lambda words, attempt, handler: server.over.wait(20) and None
    with pytest.raises(RequestFailed, match=r"timeout: no reply within 0\.2 s"):
        connect(timeout_s=0.2).ask("?")


def _drip(handler: Any, over: threading.Event, text: bytes) -> None:
    """Send a text byte by byte, so slowly that it does not end and so fast that no single read waits in vain."""
    with contextlib.suppress(OSError):
        for byte in text:
            handler.wfile.write(bytes([byte]))
            handler.wfile.flush()
            if over.wait(0.05):
                return


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(b"HTTP/1.1 200 OK\r\nx-slow: " + b"a" * 400, id="headers"),
        pytest.param(b"HTTP/1.1 200 OK\r\ncontent-length: 400\r\n\r\n" + b" " * 400, id="body"),
        pytest.param(b"HTTP/1.1 503 Busy\r\ncontent-length: 400\r\n\r\n" + b" " * 400, id="body of a refusal"),
    ],
)
def test_a_server_that_sends_a_byte_now_and_then_is_a_timeout_of_every_try(
    server: ChatServer, connect: Any, text: bytes
) -> None:
    server.behave = lambda words, attempt, handler: _drip(handler, server.over, text)
    with pytest.raises(RequestFailed, match=r"timeout: no reply within 0\.4 s"):
        connect(timeout_s=0.4, retries=1).ask("?")
    assert len(server.bodies) == 2


def test_while_one_question_drips_others_are_answered(server: ChatServer, connect: Any) -> None:
    def behave(words: str, attempt: int, handler: Any) -> str | None:
        return _drip(handler, server.over, b"HTTP/1.1 200 OK\r\nx: " + b"a" * 400) if words == "slow" else "well"

    server.behave = behave
    chat = connect(timeout_s=1.0)
    with ThreadPoolExecutor(2) as threads:
        slow = threads.submit(chat.ask, "slow")
        assert [chat.ask("quick") for _ in range(3)] == ["well"] * 3
        with pytest.raises(RequestFailed, match="timeout"):
            slow.result()


def test_a_server_that_hangs_up_is_a_broken_connection(server: ChatServer, connect: Any) -> None:
    server.behave = lambda words, attempt, handler: handler.connection.close()
    with pytest.raises(RequestFailed) as caught:
        connect().ask("?")
    assert caught.value.reason == "connection"


def test_what_may_pass_is_sent_again(server: ChatServer, connect: Any) -> None:
    def behave(words: str, attempt: int, handler: Any) -> str | None:
        return "well" if attempt == 3 else server.say(handler, 503, {}, retry_after_ms="1")

    server.behave = behave
    assert connect(retries=2).ask("?") == "well"
    assert len(server.bodies) == 3


def test_a_reply_without_end_is_refused(server: ChatServer, connect: Any) -> None:
    def behave(words: str, attempt: int, handler: Any) -> None:
        with contextlib.suppress(ConnectionError):  # nobody reads it to its end
            server.say(handler, 200, b"x" * (4 * MAX_REPLY_BYTES))

    server.behave = behave
    with pytest.raises(RequestFailed, match="more than"):
        connect().ask("?")


def test_the_key_is_sent_and_stands_nowhere_else(
    server: ChatServer, connect: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", "sk-very-secret")
    chat = connect(api_key_env="MY_KEY")
    server.behave = lambda words, attempt, handler: "your key is sk-very-secret"
    assert chat.ask("?") == "your key is [key]"
    assert server.keys == ["Bearer sk-very-secret"]
    server.behave = lambda words, attempt, handler: server.say(
        handler, 400, {"error": {"message": "not with sk-very-secret"}}
    )
    with pytest.raises(RequestFailed) as caught:
        chat.ask("?")
    assert "sk-very-secret" not in f"{caught.value} {chat.settings} {chat.settings.deciding()}"


def test_half_a_character_does_not_get_through(server: ChatServer, connect: Any) -> None:
    body = b'{"choices": [{"message": {"content": "a\\ud83d b \\ud83d\\ude00"}}]}'
    server.behave = lambda words, attempt, handler: server.say(handler, 200, body)
    assert connect().ask("?") == "a\ufffd b \U0001f600"


@pytest.mark.parametrize("settings", [{"base_url": None}, {"api_key_env": "MY_KEY"}])
def test_a_key_that_is_needed_and_not_set_is_named(
    connect: Any, monkeypatch: pytest.MonkeyPatch, settings: dict[str, Any]
) -> None:
    monkeypatch.delenv("MY_KEY", raising=False)
    with pytest.raises(PrerequisiteError, match="MY_KEY" if "api_key_env" in settings else "OPENAI_API_KEY"):
        connect(**settings)


def test_patience_and_keys_decide_nothing() -> None:
    one = ChatSettings(model="m", base_url="http://h/v1/", timeout_s=1, retries=0, api_key_env="A")
    other = ChatSettings(model="m", base_url="http://h/v1", timeout_s=2, retries=1, api_key_env="B")
    assert one.deciding() == other.deciding()
    assert set(ChatSettings.model_fields) - set(one.deciding()) == {
        "api_key_env", "timeout_s", "retries", "fields", "omit",
        "price_in", "price_out", "budget", "budget_tokens", "budget_requests", "headers",
        "api", "image_detail", "reasoning_effort", "reasoning_tokens",
    }  # fmt: skip
    given = {"api": "gemini", "image_detail": "low", "reasoning_effort": "low", "reasoning_tokens": 9}
    assert ChatSettings(model="m", base_url="http://h/v1", **given).deciding() == one.deciding() | given


@pytest.mark.parametrize("address", ["h/v1", "ftp://h", "http://user:word@h/v1", "http://h/v1?key=1"])
def test_an_address_that_is_none_or_carries_a_secret_is_refused(address: str) -> None:
    with pytest.raises(ValidationError, match="give an address"):
        ChatSettings(model="m", base_url=address)


def test_a_reasoning_model_is_asked_with_the_fields_that_it_takes(server: ChatServer, connect: Any) -> None:
    server.behave = reasoning_model
    chat = connect(fields={"reasoning_effort": "low"})
    assert [chat.ask("first?"), chat.ask("second?")] == ["(B)", "(B)"]
    sent = [{k: v for k, v in body.items() if k not in {"model", "messages"}} for body in server.bodies]
    assert len(sent) == 4  # two refusals, met once
    assert sent[-1] == {"max_completion_tokens": 1024, "reasoning_effort": "low"}


def test_a_refused_value_that_a_recipe_states_ends_the_run(server: ChatServer, connect: Any) -> None:
    server.behave = reasoning_model
    with pytest.raises(PrerequisiteError, match=r"refuses temperature 0.5.*omit: \[temperature\]"):
        connect(temperature=0.5).ask("?")


def test_fields_that_decide_replies_are_part_of_the_settings(server: ChatServer, connect: Any) -> None:
    connect(omit=["temperature", "max_tokens"], fields={"top_k": 3}).ask("?")
    assert {k: v for k, v in server.bodies[0].items() if k not in {"model", "messages"}} == {"top_k": 3}
    assert ChatSettings(model="m", fields={"top_k": 3}).deciding()["fields"] == {"top_k": 3}
    with pytest.raises(ValidationError, match="neither set nor left out"):
        ChatSettings(model="m", fields={"messages": []})


def test_a_reply_that_was_cut_off_before_any_text_says_so(server: ChatServer, connect: Any) -> None:
    cut = {"choices": [{"message": {"content": ""}, "finish_reason": "length"}]}
    server.behave = lambda words, attempt, handler: server.say(handler, 200, cut)
    with pytest.raises(RequestFailed, match="raise max_tokens"):
        connect().ask("?")


def test_a_pause_that_the_endpoint_asks_for_holds_back_all_questions(server: ChatServer, connect: Any) -> None:
    came: list[float] = []

    def behave(words: str, attempt: int, handler: Any) -> str | None:
        came.append(time.monotonic())
        return server.say(handler, 429, {}, retry_after_ms="300") if len(came) == 1 else "well"

    server.behave = behave
    chat = connect(retries=1, concurrency=1)
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(chat.ask, ["a", "b", "c", "d"])) == ["well"] * 4
    assert len(came) == 5
    assert all(moment >= came[0] + 0.3 for moment in came[1:])


def test_a_rate_limit_is_met_with_more_patience_than_a_fault(server: ChatServer, connect: Any) -> None:
    server.behave = lambda words, attempt, handler: (
        server.say(handler, 429, {}, retry_after_ms="1") if attempt < 5 else "well"
    )
    assert connect(retries=1).ask("?") == "well"
    server.behave = lambda words, attempt, handler: server.say(handler, 503, {}, retry_after_ms="1")
    with pytest.raises(RequestFailed) as caught:
        connect(retries=1).ask("other")
    assert caught.value.sent == 2


def test_after_a_refused_key_no_other_question_is_sent(server: ChatServer) -> None:
    server.behave = lambda words, attempt, handler: server.say(handler, 401, {"error": {"message": "no such key"}})
    chat = Chat(ChatSettings(model="m", base_url=server.url, retries=0), concurrency=1)
    with ThreadPoolExecutor(8) as threads:
        failures = list(threads.map(lambda number: _failure(chat, str(number)), range(8)))
    chat.close()
    assert {type(failure) for failure in failures} == {PrerequisiteError}
    assert len(server.bodies) == 1


def _failure(chat: Chat, words: str) -> Exception | None:
    try:
        chat.ask(words)
    except PrerequisiteError as error:
        return error
    return None


def test_a_key_without_the_right_ends_the_run(server: ChatServer, connect: Any) -> None:
    server.behave = lambda words, attempt, handler: server.say(handler, 403, {"error": {"message": "not for you"}})
    with pytest.raises(PrerequisiteError, match=r"refuses the key in OPENAI_API_KEY \(HTTP 403: not for you\)"):
        connect().ask("?")


def test_tokens_are_counted(server: ChatServer, connect: Any, caplog: pytest.LogCaptureFixture) -> None:
    server.behave = reasoning_model
    chat = Chat(ChatSettings(model="thinks", base_url=server.url, retries=0))
    chat.ask("?")
    with caplog.at_level("INFO"):
        chat.close()
    assert "thinks: 3 requests, 10 tokens sent and 75 received" in caplog.text


def test_a_picture_that_is_too_large_is_sent_again_shrunk_and_so_are_those_that_follow(
    server: ChatServer, connect: Any
) -> None:
    def behave(words: str, attempt: int, handler: Any) -> str | None:
        if max(sent_picture(server).size) <= 30:
            return "yes"
        return server.say(handler, 400, {"error": {"message": "image is too large: at most 30 px"}})

    server.behave = behave
    chat = connect(max_side_px=64)
    assert [chat.ask("Sharp?", picture(100, 50)), chat.ask("Sharp, too?", picture(100, 50))] == ["yes", "yes"]
    assert len(server.bodies) == 3
