"""Signing in by an identity provider: out to it, and back with who somebody is there.

What an attempt is recognised by travels in a signed cookie of its own, so the answer opens a session only in the
browser that asked, once, and within ten minutes.
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

from ...store import Account, RefusedError
from ...store.accounts.accounts import Identities
from ..base.state import AppState, clock
from ..base.texts import TEXTS
from ..security.identity_provider import IdentityProvider, ProviderError, SignInFlow, new_flow
from .middleware import OIDC_BACK, OIDC_START
from .pages import closed_page
from .sessions import DOOR_HEADERS, address_of, inside, is_ours, let_in

logger = logging.getLogger(__name__)
LONGEST_CODE = 4096


def oidc_routes(site: AppState) -> list[Route]:
    """Return the routes of signing in by a provider; none where there is no provider."""
    if site.provider is None:
        return []
    doors = _OidcDoors(site, site.provider)
    return [Route(OIDC_START, doors.start, methods=["GET"]), Route(OIDC_BACK, doors.back, methods=["GET"])]


class _OidcDoors:
    def __init__(self, site: AppState, provider: IdentityProvider) -> None:
        self._site = site
        self._provider = provider

    async def start(self, request: Request) -> Response:
        """Send a browser to the provider, with an invitation in mind where it brings one."""
        flow, asked = new_flow(), request.query_params
        invitation = asked.get("invitation", "")[:200]
        if invitation and not is_ours(self._site, request, asked.get("nonce", "")):
            # Else a link could tie whoever follows it to an account that somebody else was invited to.
            return self._refused(TEXTS["form_expired"], 400)
        meant = {"flow": list(flow), "next": inside(asked.get("next", "/")), "invitation": invitation}
        try:
            where = await run_in_threadpool(self._provider.address, flow)
        except ProviderError as error:
            logger.warning("sign-in by the identity provider: %s", error)
            return self._refused(TEXTS["oidc_failed"], 502)
        answer = RedirectResponse(where, status_code=303, headers={"Cache-Control": "no-store"})
        answer.headers.append("set-cookie", self._site.cookies.attempt(json.dumps(meant), now=clock()))
        return answer

    async def back(self, request: Request) -> Response:
        """Open a session for whoever the provider says has come back."""
        told, meant = (
            request.query_params,
            self._site.cookies.attempt_in(request.headers.get("cookie", ""), now=clock()),
        )
        attempt = {} if meant is None else json.loads(meant)
        flow = SignInFlow(*attempt.get("flow", ("", "", "")))
        is_same = hmac.compare_digest(told.get("state", "").encode(), flow.state.encode())
        if not flow.state or not is_same or not self._provider.is_ours(told.get("iss")):
            return self._refused(TEXTS["form_expired"], 400)
        try:
            account = await run_in_threadpool(self._account, told.get("code", ""), flow, attempt["invitation"])
        except ProviderError as error:
            logger.warning("sign-in by the identity provider: %s", error)
            return self._refused(TEXTS["oidc_failed"], 502)
        except RefusedError as error:
            address = address_of(request)
            await run_in_threadpool(self._site.accounts.note_refused, None, address=address, now=clock())
            return self._refused(str(error), 403)
        answer = await let_in(self._site, request, account.name, attempt["next"])
        answer.headers.append("set-cookie", self._site.cookies.attempt_over())
        return answer

    def _account(self, code: str, flow: SignInFlow, invitation: str) -> Account:
        if not 0 < len(code) <= LONGEST_CODE:
            raise RefusedError(TEXTS["oidc_refused"])
        now = clock()
        identity = self._provider.identity(code, flow, now=now)
        known = Identities(self._site.store)
        account = known.accept(invitation, identity, now=now) if invitation else known.account_of(identity)
        if account is None:
            raise RefusedError(TEXTS["oidc_unknown"])
        return account

    def _refused(self, problem: str, status: int) -> Response:
        answer = HTMLResponse(closed_page(problem), status, headers=DOOR_HEADERS)
        answer.headers.append("set-cookie", self._site.cookies.attempt_over())
        return answer


def check_provider(provider: IdentityProvider) -> None:
    """Ask a provider once, so that a wrong address is told when the app starts.

    Raises:
        BenchwrightError: It does not answer as one.
    """
    try:
        provider.address(new_flow())
    except ProviderError as error:
        raise BenchwrightError(str(error)) from error
