"""Session middleware: every page, picture and websocket of the app requires a session.

It is ASGI middleware in front of Streamlit, so it also protects everything that Streamlit serves by itself. Its headers
on every response prevent the browser from running, framing or loading anything from other sites.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from urllib.parse import quote, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, HTTPConnection
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...store.accounts.accounts import Account
from ..base.state import AppState
from ..languages.language import AppLanguage, use_language
from ..security.cookies import Cookies
from ..security.headers import headers_of
from ..security.static_files import static_file
from .page_language import with_language

LOGIN, WELCOME, LOGOUT, LANGUAGE = "/login", "/welcome", "/logout", "/language"
OIDC_START, OIDC_BACK = "/oidc/start", "/oidc/back"
OPEN_PATHS = frozenset({LOGIN, WELCOME})
"""Paths that need no session."""
PROVIDER_PATHS = frozenset({OIDC_START, OIDC_BACK})
"""Paths that need no session if users may sign in through an identity provider."""
ENTER = "/enter/"
"""Prefix of the paths at which crowd workers arrive; opening the page does not begin a session yet."""
API = "/api"
"""Path below which tokens authenticate programs, regardless of browser sessions; its document and page are open."""
ACCOUNT = "benchwright.account"
"""Key of the ASGI scope at which the middleware stores the signed-in account for the routes."""
_signed_in: ContextVar[Account | None] = ContextVar("benchwright_account", default=None)


class SessionMiddleware:
    """ASGI middleware that requires a session for everything but the sign-in pages and Streamlit's own files."""

    def __init__(self, app: ASGIApp, *, state: AppState) -> None:
        self._app = app
        self._state = state
        self._open = OPEN_PATHS if state.provider is None else OPEN_PATHS | PROVIDER_PATHS
        self._headers = headers_of(state.cookies)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Find the account of a request and pass the request on, or refuse it."""
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        if scope["type"] == "http" and (file := static_file(connection)) is not None:
            await file(scope, receive, self._with_headers(send))
            return
        path = connection.url.path
        is_open = scope["type"] == "http" and (path in self._open or path == API or path.startswith((f"{API}/", ENTER)))
        account = None if is_open else await _signed_in_account(connection, self._state)
        scope[ACCOUNT] = account
        if account is None and not is_open:
            await _refuse(connection, receive, self._with_headers(send))
        elif scope["type"] == "websocket" and not _is_same_origin(connection.headers):
            await send({"type": "websocket.close", "code": 1008, "reason": "another site"})
        else:
            language = self._language_of(connection, account)
            if scope["type"] == "http":
                send = with_language(scope, send, language)
            with suppress(ClientDisconnect), use_language(language), _request_of(account):  # the client has left
                await self._app(scope, receive, self._with_headers(send))

    def _language_of(self, connection: HTTPConnection, account: Account | None) -> AppLanguage:
        headers = connection.headers
        cookie, accepted = headers.get("cookie", ""), headers.get("accept-language", "")
        return self._state.language_of(account, cookie=cookie, accepted=accepted)

    def _with_headers(self, send: Send) -> Send:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        return send_with_headers


async def _signed_in_account(connection: HTTPConnection, state: AppState) -> Account | None:
    """Return the account whose open session a request carries."""
    token = state.cookies.token_of(connection.headers.get("cookie", ""))
    return await run_in_threadpool(state.account_of, token)


def signed_in_account() -> Account | None:
    """Return the account of the current request; None outside of requests, and for pages that need no session."""
    return _signed_in.get()


@contextmanager
def _request_of(account: Account | None) -> Iterator[None]:
    """Make an account that of the current request, in this thread and in the coroutines it awaits."""
    token = _signed_in.set(account)
    try:
        yield
    finally:
        _signed_in.reset(token)


def token_from(connection: HTTPConnection, cookies: Cookies) -> str | None:
    """Return the session token in a request, whether or not its session is open."""
    return cookies.token_of(connection.headers.get("cookie", ""))


def _is_same_origin(headers: Headers) -> bool:
    """Return whether a websocket was opened by a page of this site.

    Browsers always state the origin. Other programs need not state it and are accepted without one.
    """
    origin = headers.get("origin")
    return origin is None or urlsplit(origin).netloc == headers.get("host")


async def _refuse(connection: HTTPConnection, receive: Receive, send: Send) -> None:
    if connection.scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": "sign in"})
        return
    is_page = connection.headers.get("accept", "").startswith("text/html")
    response: Response
    if is_page and connection.scope["method"] in {"GET", "HEAD"}:
        target = connection.url.path + (f"?{connection.url.query}" if connection.url.query else "")
        response = RedirectResponse(f"{LOGIN}?next={quote(target, safe='')}", status_code=303)
    else:
        response = PlainTextResponse("sign in first\n", status_code=401)
    await response(connection.scope, receive, send)
