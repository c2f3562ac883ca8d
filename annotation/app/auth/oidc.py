"""Routes for signing in through an identity provider: the redirect to the provider, and the return with a code.

A separate signed cookie identifies an attempt. So the provider's answer opens a session only in the browser that
began the attempt, only once, and within ten minutes.
"""

from __future__ import annotations

import hmac
import json
import logging

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from benchwright.errors import BenchwrightError

from ...store.accounts.accounts import Account, Identities
from ...store.database.records import RefusedError
from ..base.state import AppState, clock
from ..security.identity_provider import IdentityProvider, ProviderError, SignInFlow, new_flow
from ..wording.texts import TEXTS, message_of
from .middleware import OIDC_BACK, OIDC_START
from .pages import closed_page
from .sessions import OPEN_PAGE_HEADERS, address_of, is_own_form, local_path, start_session

logger = logging.getLogger(__name__)
_LONGEST_CODE = 4096


def oidc_routes(state: AppState) -> list[Route]:
    """Return the routes for signing in through a provider; empty if there is no provider."""
    if state.provider is None:
        return []
    routes = _OidcRoutes(state, state.provider)
    return [Route(OIDC_START, routes.start, methods=["GET"]), Route(OIDC_BACK, routes.back, methods=["GET"])]


class _OidcRoutes:
    def __init__(self, state: AppState, provider: IdentityProvider) -> None:
        self._state = state
        self._provider = provider

    async def start(self, request: Request) -> Response:
        """Redirect a browser to the provider, and store the invitation, if any, that the user accepts."""
        flow, query = new_flow(), request.query_params
        invitation = query.get("invitation", "")[:200]
        if invitation and not is_own_form(self._state, request, query.get("nonce", "")):
            # Without this check a link could tie a user who follows it to an account for which another person was
            # invited.
            return self._refusal(TEXTS["form_expired"], 400)
        attempt = {"flow": list(flow), "next": local_path(query.get("next", "/")), "invitation": invitation}
        try:
            url = await run_in_threadpool(self._provider.address, flow)
        except ProviderError as error:
            logger.warning("sign-in by the identity provider: %s", error)
            return self._refusal(TEXTS["oidc_failed"], 502)
        response = RedirectResponse(url, status_code=303, headers={"Cache-Control": "no-store"})
        response.headers.append("set-cookie", self._state.cookies.attempt(json.dumps(attempt), now=clock()))
        return response

    async def back(self, request: Request) -> Response:
        """Open a session for the identity that the provider confirms."""
        query = request.query_params
        cookie = self._state.cookies.attempt_in(request.headers.get("cookie", ""), now=clock())
        attempt = {} if cookie is None else json.loads(cookie)
        flow = SignInFlow(*attempt.get("flow", ("", "", "")))
        is_same = hmac.compare_digest(query.get("state", "").encode(), flow.state.encode())
        if not flow.state or not is_same or not self._provider.is_ours(query.get("iss")):
            return self._refusal(TEXTS["form_expired"], 400)
        try:
            account = await run_in_threadpool(self._account, query.get("code", ""), flow, attempt["invitation"])
        except ProviderError as error:
            logger.warning("sign-in by the identity provider: %s", error)
            return self._refusal(TEXTS["oidc_failed"], 502)
        except RefusedError as error:
            address = address_of(request)
            await run_in_threadpool(self._state.accounts.note_refused, None, address=address, now=clock())
            return self._refusal(message_of(error), 403)
        response = await start_session(self._state, request, account.name, attempt["next"])
        response.headers.append("set-cookie", self._state.cookies.attempt_over())
        return response

    def _account(self, code: str, flow: SignInFlow, invitation: str) -> Account:
        if not 0 < len(code) <= _LONGEST_CODE:
            raise RefusedError(TEXTS["oidc_refused"])
        now = clock()
        identity = self._provider.identity(code, flow, now=now)
        identities = Identities(self._state.store)
        account = identities.accept(invitation, identity, now=now) if invitation else identities.account_of(identity)
        if account is None:
            raise RefusedError(TEXTS["oidc_unknown"])
        return account

    def _refusal(self, problem: str, status: int) -> Response:
        response = HTMLResponse(closed_page(problem), status, headers=OPEN_PAGE_HEADERS)
        response.headers.append("set-cookie", self._state.cookies.attempt_over())
        return response


def check_provider(provider: IdentityProvider) -> None:
    """Request a provider's endpoints once, so that a wrong address fails when the app starts.

    Raises:
        BenchwrightError: The address does not answer as an OpenID provider.
    """
    try:
        provider.address(new_flow())
    except ProviderError as error:
        raise BenchwrightError(str(error)) from error
