"""The gate: nothing of the app, no page, picture, file or websocket, is reached without a session.

It stands in front of Streamlit as ASGI middleware, so what Streamlit serves on its own is behind it too. It also
puts on every answer what tells a browser to run, frame and load nothing from elsewhere.
"""

from __future__ import annotations

from contextlib import suppress
from urllib.parse import quote, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, HTTPConnection
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...store import Account
from ..base.state import AppState
from ..security.cookies import Cookies
from ..security.headers import headers_of
from ..security.static_files import RecentSessions, preloads

LOGIN, WELCOME, LOGOUT = "/login", "/welcome", "/logout"
OIDC_START, OIDC_BACK = "/oidc/start", "/oidc/back"
OPEN = frozenset({LOGIN, WELCOME})
"""Paths that need no session."""
BY_PROVIDER = frozenset({OIDC_START, OIDC_BACK})
"""Nor do these, where people may sign in by an identity provider."""
_POLICY = "content-security-policy"
ACCOUNT = "benchwright.account"
"""Where the gate leaves who asks, for the routes behind it."""


class SessionMiddleware:
    """ASGI middleware that lets through whoever has a session, and everybody to the doors."""

    def __init__(self, app: ASGIApp, *, site: AppState) -> None:
        self._app = app
        self._site = site
        self._open = OPEN if site.provider is None else OPEN | BY_PROVIDER
        self._headers = headers_of(site.cookies)
        self._lately = RecentSessions()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Ask who comes before anything else does."""
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        is_open = scope["type"] == "http" and connection.url.path in self._open
        account = None if is_open else await self._who_asks(connection)
        scope[ACCOUNT] = account
        if account is None and not is_open:
            await _turn_away(connection, receive, self._dressed(send))
        elif scope["type"] == "websocket" and not _is_of_this_site(connection.headers):
            await send({"type": "websocket.close", "code": 1008, "reason": "another site"})
        else:
            with suppress(ClientDisconnect):  # who has gone, or was too slow, is told nothing any more
                await self._app(scope, receive, self._dressed(send))

    async def _who_asks(self, connection: HTTPConnection) -> Account | None:
        token = token_from(connection, self._site.cookies)
        account = self._lately.find(token, connection.url.path)
        if account is None:
            account = await who_asks(connection, self._site)
            self._lately.note(token, account)
        return account

    def _dressed(self, send: Send) -> Send:
        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html") and _POLICY not in headers and preloads():
                    headers["link"] = preloads()  # the doors' pages have a policy of their own, and load nothing
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        return dressed


async def who_asks(connection: HTTPConnection, site: AppState) -> Account | None:
    """Return the account whose open session a request carries."""
    token = site.cookies.token_of(connection.headers.get("cookie", ""))
    return await run_in_threadpool(site.account_of, token)


def token_from(connection: HTTPConnection, cookies: Cookies) -> str | None:
    """Return the session token that a request carries, open or not."""
    return cookies.token_of(connection.headers.get("cookie", ""))


def _is_of_this_site(headers: Headers) -> bool:
    """Browsers say which site opens a websocket; other programs need not."""
    origin = headers.get("origin")
    return origin is None or urlsplit(origin).netloc == headers.get("host")


async def _turn_away(connection: HTTPConnection, receive: Receive, send: Send) -> None:
    if connection.scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": "sign in"})
        return
    is_page = connection.headers.get("accept", "").startswith("text/html")
    answer: Response
    if is_page and connection.scope["method"] in {"GET", "HEAD"}:
        target = connection.url.path + (f"?{connection.url.query}" if connection.url.query else "")
        answer = RedirectResponse(f"{LOGIN}?next={quote(target, safe='')}", status_code=303)
    else:
        answer = PlainTextResponse("sign in first\n", status_code=401)
    await answer(connection.scope, receive, send)
