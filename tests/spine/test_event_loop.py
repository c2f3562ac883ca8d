"""A loop that one thread closes while others still submit: late coroutines are closed, and their callers get a
`CancelledError`.
"""

from __future__ import annotations

import asyncio
import gc
import threading
from concurrent.futures import CancelledError
from http.server import BaseHTTPRequestHandler

import pytest
from chat_server import ChatServer, without_keys_and_proxies

from benchwright.models.endpoints.chat import Chat, ChatSettings
from benchwright.models.endpoints.event_loop import EventLoop


def test_what_is_submitted_after_the_close_is_closed_and_refused() -> None:
    loop = EventLoop()
    assert loop.run(asyncio.sleep(0, "done")) == "done"
    loop.close()
    late = asyncio.sleep(0)
    with pytest.raises(CancelledError):
        loop.run(late)
    assert late.cr_frame is None  # closed: collected without a word about a coroutine that nobody awaited
    del late
    gc.collect()


def test_what_is_under_way_at_the_close_is_cancelled() -> None:
    loop = EventLoop()
    future = loop.submit(asyncio.sleep(60))
    loop.close()
    assert future.cancelled()


def test_a_chat_that_is_dropped_closes_its_kept_connection_and_ends_its_thread(
    chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_keys_and_proxies(monkeypatch)

    def keep_open(_words: str, _attempt: int, handler: BaseHTTPRequestHandler) -> str:
        handler.protocol_version = "HTTP/1.1"
        return "A cat."

    chat_server.behave = keep_open
    before = set(threading.enumerate())
    chat = Chat(ChatSettings(model="m", base_url=chat_server.url), concurrency=1)
    assert chat.ask("What is this?") == "A cat."
    (requests,) = [thread for thread in set(threading.enumerate()) - before if thread.name == "benchwright-requests"]
    del chat
    gc.collect()  # a connection that is collected while open is an error here (`filterwarnings`)
    requests.join(10)
    assert not requests.is_alive()
