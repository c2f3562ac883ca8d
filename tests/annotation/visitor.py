"""A visitor of the review app without a browser: requests one by one, cookies kept, redirects shown, not followed."""

from __future__ import annotations

import http.client
import re
from dataclasses import dataclass, field
from html import unescape
from urllib.parse import urlencode, urlsplit


@dataclass(frozen=True)
class Reply:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes
    cookies: tuple[str, ...]

    @property
    def text(self) -> str:
        """Return the body as text."""
        return self.body.decode("utf-8", "replace")


@dataclass
class Visitor:
    """One browser, as a server sees it."""

    url: str
    cookies: dict[str, str] = field(default_factory=dict)

    def send(
        self, method: str, path: str, *, body: bytes | str | None = None, headers: dict[str, str] | None = None
    ) -> Reply:
        """Send one request, the path as it is given."""
        connection = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=30)
        sent = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()), **(headers or {})}
        try:
            connection.putrequest(method, path, skip_accept_encoding=True)
            data = body.encode() if isinstance(body, str) else body
            for name, value in sent.items():
                if value:
                    connection.putheader(name, value)
            if data is not None:
                connection.putheader("Content-Length", str(len(data)))
            connection.endheaders(data)
            answer = connection.getresponse()
            set_ = tuple(answer.headers.get_all("set-cookie") or ())
            reply = Reply(answer.status, {k.lower(): v for k, v in answer.headers.items()}, _body(answer), set_)
        finally:
            connection.close()
        for line in set_:
            name, _, value = line.partition(";")[0].partition("=")
            self.cookies[name] = value
        return reply

    def get(self, path: str, **headers: str) -> Reply:
        """Ask for a page as a browser does."""
        return self.send("GET", path, headers={"Accept": "text/html,*/*", **headers})

    def submit(self, path: str, **fields: str) -> Reply:
        """Open the form at a path and send it filled in; `nonce` may be overridden."""
        form = {"nonce": self.nonce(path), **fields}
        where = path.partition("?")[0]
        return self.send("POST", where, body=urlencode(form), headers={"Content-Type": FORM})

    def nonce(self, path: str) -> str:
        """Open the form at a path and return its nonce."""
        nonce = re.search(r'name="nonce" value="([^"]*)"', self.get(path).text)
        return unescape(nonce[1]) if nonce else ""

    def sign_in(self, name: str, password: str) -> Reply:
        """Fill in the form that asks for name and password."""
        return self.submit("/login", name=name, password=password, next="/")

    def open_websocket(self, **headers: str) -> int:
        """Ask for Streamlit's websocket and return the status: 101 is an open one."""
        wanted = {
            "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol": "streamlit",
        }  # fmt: skip
        return self.send("GET", "/_stcore/stream", headers=wanted | headers).status


FORM = "application/x-www-form-urlencoded"


def _body(answer: http.client.HTTPResponse) -> bytes:
    return b"" if answer.status == 101 else answer.read()
