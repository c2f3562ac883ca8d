"""Functions shared by all ways of signing in: start a session, redirect to a local path, check a form's nonce."""

from __future__ import annotations

import hmac

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ..base.state import AppState, clock
from ..security.attempts import account_key
from ..security.headers import sign_in_policy

OPEN_PAGE_HEADERS = {"Cache-Control": "no-store", "Content-Security-Policy": sign_in_policy()}
"""Headers of every page that needs no session."""


async def start_session(state: AppState, request: Request, name: str, target: str) -> Response:
    """Open a session for an authenticated account, and redirect its browser to a target.

    An earlier session of the browser is ended, because the new cookie replaces its cookie and the user could no longer
    sign out of it. The browser also gets a device cookie, which identifies it at the next sign-in. A language chosen on
    the sign-in pages becomes the language of the account.
    """
    replaced = state.cookies.token_of(request.headers.get("cookie", ""))
    token = await run_in_threadpool(state.accounts.open_session, name, now=clock(), replaces=replaced)
    response = redirect_with_cookie(target, state.cookies.session(token))
    chosen = state.languages.of_tag(state.cookies.new_language_in(request.headers.get("cookie", "")))
    if chosen is not None:
        await run_in_threadpool(state.accounts.set_language, name, chosen.tag)
        response.headers.append("set-cookie", state.cookies.language(chosen.tag))
    response.headers.append("set-cookie", state.cookies.device(account_key(name), request.headers.get("cookie", "")))
    return response


def redirect_with_cookie(target: str, cookie: str) -> Response:
    """Return a redirect that sets a cookie."""
    response = RedirectResponse(target, status_code=303)
    response.headers.append("set-cookie", cookie)
    return response


def local_path(target: str) -> str:
    """Return the target if it is a path of this site, or `/` if it might lead a browser to another site."""
    is_path = target.startswith("/") and not target.startswith(("//", "/\\"))
    return target if is_path and target.isprintable() and len(target) < 2000 else "/"


def is_own_form(state: AppState, request: Request, nonce: str) -> bool:
    """Return whether a nonce equals the one in the browser's form cookie."""
    expected = state.cookies.nonce_in(request.headers.get("cookie", "")) or ""
    return bool(expected) and hmac.compare_digest(nonce.encode(), expected.encode())


def address_of(request: Request) -> str:
    """Return the client's address; behind an untrusted proxy, return the proxy's address."""
    return request.client.host if request.client else "?"
