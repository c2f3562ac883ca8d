"""Signing in and out, and taking up an invitation: the routes that open and end sessions.

Each form carries a nonce that has to equal the one in the browser's cookie, so that no other site can submit it.
"""

from __future__ import annotations

import secrets
from datetime import timedelta
from math import ceil
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from benchwright.errors import BenchwrightError

from ...store import RefusedError
from ..base.state import AppState, clock
from ..base.texts import TEXTS
from ..security.attempts import SignInAttempt, account_key, address_key
from ..security.passwords import HashingBusyError, check_new_password
from .middleware import ACCOUNT, LOGIN, LOGOUT, WELCOME, token_from
from .pages import closed_page, login_page, logout_page, welcome_page
from .sessions import DOOR_HEADERS, address_of, inside, is_ours, let_in, sent_to

MAX_FORM_BYTES = 16 * 1024
WORTH_ANOTHER_WAY_S = 30


def door_routes(site: AppState) -> list[Route]:
    """Return the routes of the doors."""
    doors = _Doors(site)
    return [
        Route(LOGIN, doors.login, methods=["GET", "POST"]),
        Route(WELCOME, doors.welcome, methods=["GET", "POST"]),
        Route(LOGOUT, doors.logout, methods=["GET", "POST"]),
    ]


class _Doors:
    def __init__(self, site: AppState) -> None:
        self._site = site

    async def login(self, request: Request) -> Response:
        """Ask for name and password; open a session for whoever gives both."""
        if request.method != "POST":
            return self._shown(login_page, target=inside(request.query_params.get("next", "/")))
        form = await _form_of(request)
        name, target = form.get("name", "").strip()[:100], inside(form.get("next", "/"))
        if not self._is_ours(request, form):
            return self._shown(login_page, 400, target=target, name=name, problem=TEXTS["form_expired"])
        attempts, attempt, now = self._site.attempts, self._attempt(request, name), clock()
        if (wait := attempts.wait(attempt, now=now)) > timedelta(0):
            return self._told_to_wait(ceil(wait.total_seconds()), target=target, name=name)
        attempts.failed(attempt, now=now)  # before it is known, so that many at once wait too
        kept = await run_in_threadpool(self._site.accounts.password_hash, name)
        try:
            is_right = await self._site.hashing.is_right(form.get("password", ""), kept)
        except HashingBusyError:
            attempts.not_tried(attempt)
            return self._too_busy(login_page, target=target, name=name)
        if not is_right:
            await run_in_threadpool(self._site.accounts.note_refused, name, address=address_of(request), now=now)
            return self._shown(login_page, 401, target=target, name=name, problem=TEXTS["wrong"])
        attempts.succeeded(attempt)
        return await let_in(self._site, request, name, target)

    async def welcome(self, request: Request) -> Response:
        """Let somebody who was invited choose a password, and in."""
        posted = request.method == "POST"
        form = await _form_of(request) if posted else {}
        token = form.get("invitation", "") if posted else request.query_params.get("invitation", "")
        invited = await run_in_threadpool(self._site.accounts.invited, token, now=clock())
        if invited is None:
            return HTMLResponse(closed_page(TEXTS["no_invitation"]), 403, headers=DOOR_HEADERS)
        if not posted:
            return self._shown(welcome_page, token=token, name=invited.name)
        password = form.get("password", "")
        try:
            if not self._is_ours(request, form):
                raise RefusedError(TEXTS["form_expired"])
            if password != form.get("again", ""):
                raise RefusedError(TEXTS["not_the_same"])
            check_new_password(password, name=invited.name)
            hashed = await self._site.hashing.hash_password(password)
            await run_in_threadpool(self._site.accounts.accept, token, hashed, now=clock())
        except HashingBusyError:
            return self._too_busy(welcome_page, token=token, name=invited.name)
        except BenchwrightError as error:
            return self._shown(welcome_page, 400, token=token, name=invited.name, problem=str(error))
        self._site.attempts.forget_account(invited.name)
        return await let_in(self._site, request, invited.name, "/")

    async def logout(self, request: Request) -> Response:
        """Ask whether to end this session, and end it."""
        if request.method != "POST":
            return self._shown(logout_page, name=request.scope[ACCOUNT].name)
        form = await _form_of(request)
        if not self._is_ours(request, form):
            return self._shown(logout_page, 400, name=request.scope[ACCOUNT].name)
        token = token_from(request, self._site.cookies)
        if form.get("everywhere"):
            await run_in_threadpool(self._site.accounts.end_sessions, request.scope[ACCOUNT].name)
        elif token is not None:
            await run_in_threadpool(self._site.accounts.end_session, token)
        return sent_to(LOGIN, self._site.cookies.cleared())

    def _attempt(self, request: Request, name: str) -> SignInAttempt:
        account = account_key(name)
        device = self._site.cookies.device_in(account, request.headers.get("cookie", ""))
        return SignInAttempt(account, device, address_key(address_of(request)))

    def _told_to_wait(self, seconds: int, *, target: str, name: str) -> Response:
        problem = TEXTS["wait"].format(seconds=seconds)
        if seconds > WORTH_ANOTHER_WAY_S:
            problem += " " + TEXTS["wait_elsewhere"]
        answer = self._shown(login_page, 429, target=target, name=name, problem=problem)
        answer.headers["retry-after"] = str(seconds)
        return answer

    def _too_busy(self, page: object, **values: str) -> Response:
        answer = self._shown(page, 503, problem=TEXTS["busy"], **values)
        answer.headers["retry-after"] = "5"
        return answer

    def _is_ours(self, request: Request, form: dict[str, str]) -> bool:
        return is_ours(self._site, request, form.get("nonce", ""))

    def _shown(self, page: object, status: int = 200, **values: str) -> Response:
        assert callable(page)
        nonce = secrets.token_urlsafe(24)
        by_provider = {} if page is logout_page else {"by_provider": self._site.provider is not None}
        answer = HTMLResponse(page(nonce=nonce, **by_provider, **values), status, headers=DOOR_HEADERS)
        answer.headers.append("set-cookie", self._site.cookies.form(nonce))
        return answer


async def _form_of(request: Request) -> dict[str, str]:
    """Return a form's fields, each once; of a body that is too long nothing."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_FORM_BYTES:
            return {}
    try:
        parsed = parse_qs(body.decode("ascii"), keep_blank_values=True, max_num_fields=20, errors="replace")
    except ValueError:
        return {}
    return {name: values[0] for name, values in parsed.items()}
