"""A server that speaks the OpenAI chat protocol with the behavior that a test sets."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "GEMINI_API_KEY", "GOOGLE_API_KEY")


class ChatServer:
    """A real HTTP server on the loopback that plays an endpoint; `behave` decides its answers.

    `behave(words, attempt, handler)` gets the words of a question and its number of attempts so far. It returns the
    reply's text, or answers through the handler itself and returns None; `handler.body` is the request.
    """

    def __init__(self) -> None:
        self.behave: Callable[[str, int, Any], str | None] = lambda words, attempt, handler: "(B)"
        self.bodies: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.sent: Counter[str] = Counter()
        self.under_way = self.most_under_way = 0
        self.over = threading.Event()
        self.lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                server._post(self)

            def log_message(self, *arguments: Any) -> None:
                """Stay silent."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self._http.block_on_close = False
        self.url = f"http://127.0.0.1:{self._http.server_port}/v1"
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self.over.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def _post(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["content-length"])))
        words = words_of(body)
        handler.body = body  # type: ignore[attr-defined]
        with self.lock:
            self.bodies.append(body)
            self.keys.append(handler.headers.get("authorization"))
            self.sent[words] += 1
            attempt = self.sent[words]
            self.under_way += 1
            self.most_under_way = max(self.most_under_way, self.under_way)
        try:
            text = self.behave(words, attempt, handler)
        finally:
            with self.lock:
                self.under_way -= 1
        if text is not None:
            self.say(handler, 200, {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]})

    @staticmethod
    def say(handler: Any, status: int, document: Any, **headers: str) -> None:
        """Send a response; a document of bytes is sent unchanged."""
        data = document if isinstance(document, bytes) else json.dumps(document).encode()
        handler.send_response(status)
        for name, value in {"content-type": "application/json", "content-length": str(len(data)), **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(data)


def reasoning_model(words: str, attempt: int, handler: Any) -> str | None:
    """Answer as OpenAI's reasoning models do, which refuse `max_tokens` and every temperature but 1."""
    body = handler.body
    refusal = None
    if "max_tokens" in body:
        refusal = {
            "message": "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
            "'max_completion_tokens' instead.",
            "type": "invalid_request_error", "param": "max_tokens", "code": "unsupported_parameter",
        }  # fmt: skip
    elif body.get("temperature", 1) != 1:
        refusal = {
            "message": f"Unsupported value: 'temperature' does not support {body['temperature']} with this model. Only "
            "the default (1) value is supported.",
            "type": "invalid_request_error", "param": "temperature", "code": "unsupported_value",
        }  # fmt: skip
    if refusal is not None:
        ChatServer.say(handler, 400, {"error": refusal})
        return None
    usage = {
        "prompt_tokens": 10, "completion_tokens": 75, "total_tokens": 85,
        "completion_tokens_details": {"reasoning_tokens": 64},
    }  # fmt: skip
    choice = {"message": {"content": "(B)"}, "finish_reason": "stop"}
    ChatServer.say(handler, 200, {"choices": [choice], "usage": usage})
    return None


def words_of(body: dict[str, Any]) -> str:
    """Return all words of a request in any API, turn by turn; pictures have none."""
    turns = [message["content"] for message in body.get("messages") or body.get("input") or []]
    turns += [content["parts"] for content in body.get("contents", [])]
    words: list[str] = []
    for content in turns:
        parts = [{"text": content}] if isinstance(content, str) else content
        words += [part["text"] for part in parts if "text" in part]
    return "\n".join(words)


def without_keys_and_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide a developer's environment from a test that asks an endpoint."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", *KEYS):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(name="chat_server")
def running_chat_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    """A server for one test, closed at its end."""
    without_keys_and_proxies(monkeypatch)
    running = ChatServer()
    yield running
    running.close()
