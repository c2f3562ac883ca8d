"""A program that uses the HTTP API of a running app: one request at a time, with a token, without cookies."""

from __future__ import annotations

import http.client
import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit


@dataclass(frozen=True)
class ApiReply:
    """An answer of the app."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def document(self) -> Any:
        return json.loads(self.body)


@dataclass
class ApiClient:
    """A program with a token."""

    url: str
    token: str | None
    heard: list[bytes] = field(default_factory=list)
    """All answers so far, head and body."""

    def send(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        key: str | None = None,
        data: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> ApiReply:
        """Send one request below `/api/v1`, or to a path from the root."""
        sent = dict(headers or {})
        if self.token is not None:
            sent.setdefault("Authorization", f"Bearer {self.token}")
        if key is not None:
            sent["Idempotency-Key"] = key
        if body is not None:
            data = json.dumps(body).encode()
            sent.setdefault("Content-Type", "application/json")
        connection = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=60)
        try:
            connection.request(method, path if path.startswith("/api") else f"/api/v1{path}", body=data, headers=sent)
            answer = connection.getresponse()
            reply = ApiReply(answer.status, {k.lower(): v for k, v in answer.headers.items()}, answer.read())
        finally:
            connection.close()
        self.heard.append(repr(reply.headers).encode() + reply.body)
        return reply

    def get(self, path: str) -> ApiReply:
        return self.send("GET", path)

    def post(self, path: str, body: Any = None, *, key: str | None = None) -> ApiReply:
        return self.send("POST", path, body, key=key)
