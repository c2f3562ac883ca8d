"""Routes for signing in, signing out and accepting an invitation.

Each form carries a nonce that must equal the nonce in the browser's cookie, so that no other site can submit it.
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

from ...store.database.records import RefusedError
from ..base.state import AppState, clock
from ..languages.language import use_language
from ..security.attempts import SignInAttempt, account_key, address_key
from ..security.passwords import HashingBusyError, check_new_password
from ..wording.texts import TEXTS, message_of
from .middleware import ACCOUNT, LOGIN, LOGOUT, WELCOME, token_from
from .pages import closed_page, login_page, logout_page, welcome_page
from .sessions import OPEN_PAGE_HEADERS, address_of, is_own_form, local_path, redirect_with_cookie, start_session

_MAX_FORM_BYTES = 16 * 1024
_LONG_WAIT_S = 30
"""Waiting time in seconds above which the page also names other ways to sign in."""


def login_routes(state: AppState) -> list[Route]:
    """Return the routes for signing in, accepting an invitation and signing out."""
    routes = _LoginRoutes(state)
    return [
        Route(LOGIN, routes.login, methods=["GET", "POST"]),
        Route(WELCOME, routes.welcome, methods=["GET", "POST"]),
        Route(LOGOUT, routes.logout, methods=["GET", "POST"]),
    ]


class _LoginRoutes:
    def __init__(self, state: AppState) -> None:
        self._state = state

    async def login(self, request: Request) -> Response:
        """Show the sign-in form, or check the name and password and open a session."""
        if request.method != "POST":
            target = local_path(request.query_params.get("next", "/"))
            return self._in_picked_language(request, login_page, target=target)
        form = await form_of(request)
        name, target = form.get("name", "").strip()[:100], local_path(form.get("next", "/"))
        if not self._is_own_form(request, form):
            return self._form_page(login_page, 400, target=target, name=name, problem=TEXTS["form_expired"])
        attempts, attempt, now = self._state.attempts, self._attempt(request, name), clock()
        if (wait := attempts.wait(attempt, now=now)) > timedelta(0):
            return self._wait_page(ceil(wait.total_seconds()), target=target, name=name)
        # Counts as failed before the password check, so that simultaneous attempts wait too.
        attempts.failed(attempt, now=now)
        password_hash = await run_in_threadpool(self._state.accounts.password_hash, name)
        try:
            is_right = await self._state.hashing.is_right(form.get("password", ""), password_hash)
        except HashingBusyError:
            attempts.not_tried(attempt)
            return self._busy_page(login_page, target=target, name=name)
        if not is_right:
            await run_in_threadpool(self._state.accounts.note_refused, name, address=address_of(request), now=now)
            return self._form_page(login_page, 401, target=target, name=name, problem=TEXTS["wrong"])
        attempts.succeeded(attempt)
        return await start_session(self._state, request, name, target)

    async def welcome(self, request: Request) -> Response:
        """Show an invited user the form for choosing a password, or set the password and open a session."""
        is_post = request.method == "POST"
        form = await form_of(request) if is_post else {}
        token = form.get("invitation", "") if is_post else request.query_params.get("invitation", "")
        account = await run_in_threadpool(self._state.accounts.invited, token, now=clock())
        if account is None:
            return HTMLResponse(closed_page(TEXTS["no_invitation"]), 403, headers=OPEN_PAGE_HEADERS)
        if not is_post:
            return self._in_picked_language(request, welcome_page, token=token, name=account.name)
        password = form.get("password", "")
        try:
            if not self._is_own_form(request, form):
                raise RefusedError(TEXTS["form_expired"])
            if password != form.get("again", ""):
                raise RefusedError(TEXTS["not_the_same"])
            check_new_password(password, name=account.name)
            password_hash = await self._state.hashing.hash_password(password)
            await run_in_threadpool(self._state.accounts.accept, token, password_hash, now=clock())
        except HashingBusyError:
            return self._busy_page(welcome_page, token=token, name=account.name)
        except BenchwrightError as error:
            return self._form_page(welcome_page, 400, token=token, name=account.name, problem=message_of(error))
        self._state.attempts.forget_account(account.name)
        return await start_session(self._state, request, account.name, "/")

    async def logout(self, request: Request) -> Response:
        """Show the sign-out form, or end this session or all sessions of the account."""
        if request.method != "POST":
            return self._form_page(logout_page, name=request.scope[ACCOUNT].name)
        form = await form_of(request)
        if not self._is_own_form(request, form):
            return self._form_page(logout_page, 400, name=request.scope[ACCOUNT].name)
        token = token_from(request, self._state.cookies)
        if form.get("everywhere"):
            await run_in_threadpool(self._state.accounts.end_sessions, request.scope[ACCOUNT].name)
        elif token is not None:
            await run_in_threadpool(self._state.accounts.end_session, token)
        return redirect_with_cookie(LOGIN, self._state.cookies.cleared())

    def _attempt(self, request: Request, name: str) -> SignInAttempt:
        account = account_key(name)
        device = self._state.cookies.device_in(account, request.headers.get("cookie", ""))
        return SignInAttempt(account, device, address_key(address_of(request)))

    def _wait_page(self, seconds: int, *, target: str, name: str) -> Response:
        problem = TEXTS["wait"].format(seconds=seconds)
        if seconds > _LONG_WAIT_S:
            problem += " " + TEXTS["wait_elsewhere"]
        response = self._form_page(login_page, 429, target=target, name=name, problem=problem)
        response.headers["retry-after"] = str(seconds)
        return response

    def _busy_page(self, page: object, **values: str) -> Response:
        response = self._form_page(page, 503, problem=TEXTS["busy"], **values)
        response.headers["retry-after"] = "5"
        return response

    def _is_own_form(self, request: Request, form: dict[str, str]) -> bool:
        return is_own_form(self._state, request, form.get("nonce", ""))

    def _in_picked_language(self, request: Request, page: object, **values: str) -> Response:
        """Return a page in the language that its link names, which the browser and later the account store."""
        language = self._state.languages.of_tag(request.query_params.get("language"))
        if language is None:
            return self._form_page(page, 200, **values)
        with use_language(language):
            response = self._form_page(page, 200, **values)
        response.headers.append("set-cookie", self._state.cookies.language(language.tag, is_new=True))
        return response

    def _form_page(self, page: object, status: int = 200, **values: str) -> Response:
        """Return a page with a form, and set the cookie that contains the form's nonce."""
        assert callable(page)
        nonce = secrets.token_urlsafe(24)
        offered: dict[str, object] = {}
        if page is not logout_page:
            offered = {"languages": self._state.languages.all, "by_provider": self._state.provider is not None}
        response = HTMLResponse(page(nonce=nonce, **offered, **values), status, headers=OPEN_PAGE_HEADERS)
        response.headers.append("set-cookie", self._state.cookies.form(nonce))
        return response


async def form_of(request: Request) -> dict[str, str]:
    """Return the first value of each form field, or no fields if the body is longer than `_MAX_FORM_BYTES`."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MAX_FORM_BYTES:
            return {}
    try:
        parsed = parse_qs(body.decode("ascii"), keep_blank_values=True, max_num_fields=20, errors="replace")
    except ValueError:
        return {}
    return {name: values[0] for name, values in parsed.items()}
