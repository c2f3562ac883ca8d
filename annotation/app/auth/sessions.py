"""What every door does: open a session, lead on to a page of this site, and know its own forms."""

from __future__ import annotations

import hmac

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ..base.state import AppState, clock
from ..security.attempts import account_key
from ..security.headers import door_policy

DOOR_HEADERS = {"Cache-Control": "no-store", "Content-Security-Policy": door_policy()}
"""Of every page outside the gate."""


async def let_in(site: AppState, request: Request, name: str, target: str) -> Response:
    """Open a session for somebody who has shown who they are, know their browser again, and lead them on."""
    token = await run_in_threadpool(site.accounts.open_session, name, now=clock())
    answer = sent_to(target, site.cookies.session(token))
    answer.headers.append("set-cookie", site.cookies.device(account_key(name), request.headers.get("cookie", "")))
    return answer


def sent_to(target: str, cookie: str) -> Response:
    """Lead on, with a cookie."""
    answer = RedirectResponse(target, status_code=303)
    answer.headers.append("set-cookie", cookie)
    return answer


def inside(target: str) -> str:
    """Return a path of this site; anything that a browser might take for another becomes the start page."""
    is_path = target.startswith("/") and not target.startswith(("//", "/\\"))
    return target if is_path and target.isprintable() and len(target) < 2000 else "/"


def is_ours(site: AppState, request: Request, nonce: str) -> bool:
    """Return whether a nonce is the one that this browser was given with a form of ours."""
    expected = site.cookies.nonce_in(request.headers.get("cookie", "")) or ""
    return bool(expected) and hmac.compare_digest(nonce.encode(), expected.encode())


def address_of(request: Request) -> str:
    """Return from where a request comes: behind a proxy that is not named as trusted, the proxy's address."""
    return request.client.host if request.client else "?"
