"""The language and direction of Streamlit's page, and the route for choosing another language.

Streamlit's page is a file that contains `<html lang="en">`. The middleware sends it with the user's language, so that
browsers and screen readers know language and direction before any script runs; the file does not change.
"""

from __future__ import annotations

from html import escape
from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Message, Scope, Send

from ...store.accounts.accounts import Account, Accounts
from ..base.state import AppState
from ..languages.language import ENGLISH, AppLanguage
from .sessions import local_path, redirect_with_cookie

_OPENING = b'<html lang="en">'
_VALIDATORS = {b"if-none-match", b"if-modified-since", b"accept-encoding", b"range"}
_NAVIGATIONS = {"same-origin", "none"}
"""Values of `Sec-Fetch-Site` in requests from a page of this site or from the address bar."""


def with_language(scope: Scope, send: Send, language: AppLanguage) -> Send:
    """Return a `send` that writes language and direction into Streamlit's page, for requests that may receive the page.

    The request then asks for the complete page without caching, because browsers may have a copy in another language.
    """
    if language is ENGLISH or not Headers(scope=scope).get("accept", "").startswith("text/html"):
        return send
    scope["headers"] = [(name, value) for name, value in scope["headers"] if name not in _VALIDATORS]
    start: list[Message] = []

    async def send_page(message: Message) -> None:
        if message["type"] == "http.response.start":
            is_page = Headers(raw=message["headers"]).get("content-type", "").startswith("text/html")
            if is_page:
                start.append(message)  # its length depends on the beginning of the body
                return
        elif message["type"] == "http.response.body" and start:
            first = start.pop()
            body: bytes = message.get("body", b"")
            opening = f'<html lang="{escape(language.tag)}" dir="{language.direction}">'.encode()
            changed = body.replace(_OPENING, opening, 1)
            headers = MutableHeaders(raw=first["headers"])
            if (length := headers.get("content-length")) is not None:
                headers["content-length"] = str(int(length) + len(changed) - len(body))
            if changed != body:
                headers["cache-control"] = "no-store"
                for name in ("etag", "last-modified"):
                    if name in headers:
                        del headers[name]
            await send(first)
            message = {**message, "body": changed}
        await send(message)

    return send_page


def language_route(state: AppState, path: str, account_key: str) -> Route:
    """Return the route that stores the language a user chose for their account, and shows their page again.

    Args:
        state: State of the app.
        path: Path of the route.
        account_key: Key of the ASGI scope that holds the signed-in account.
    """

    async def choose(request: Request) -> Response:
        language = state.languages.of_tag(request.query_params.get("to"))
        # No other site may choose a user's language, not even by a link.
        if language is None or request.headers.get("sec-fetch-site", "none") not in _NAVIGATIONS:
            return PlainTextResponse("there is no such language to choose from here\n", 400)
        account = request.scope[account_key]
        assert isinstance(account, Account)  # the session middleware requires an account
        await run_in_threadpool(Accounts(state.store, by=account.name).set_language, account.name, language.tag)
        return redirect_with_cookie(_page_before(request), state.cookies.language(language.tag))

    return Route(path, choose, methods=["GET"])


def _page_before(request: Request) -> str:
    """Return the path of the page that contained the link, or `/` if the browser does not send it."""
    before = urlsplit(request.headers.get("referer", ""))
    if before.netloc != request.headers.get("host") or before.path == request.url.path:
        return "/"
    return local_path(before.path + (f"?{before.query}" if before.query else ""))
