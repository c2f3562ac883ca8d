"""Checks of requests to the app's own pages: the account's role and, for each change, the session's form token.

The form token is a digest of the session's token. So it is equal in all tabs and after a reload, ends with the session,
and another site cannot guess it.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import NamedTuple
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from ...store.accounts.accounts import ROLES, Account, Role
from ..auth.middleware import ACCOUNT, token_from
from ..auth.pages import unknown_page
from ..base.state import AppState
from ..routes.tasks import DRAFT_HEADER
from ..wording.own_page_texts import TEXTS

TOKEN = "token"  # noqa: S105 - the name of a field
MOST_BYTES = 3 << 20
"""Maximum size of a form in bytes, which allows a recipe of one megabyte in form encoding."""
_MOST_FIELDS = 400
CURATORS: frozenset[Role] = frozenset({"curator"})
EVERYBODY: frozenset[Role] = frozenset(ROLES)
"""Roles that may open a page."""


class AccountRequest(NamedTuple):
    """A request of a signed-in account that may open the page.

    Attributes:
        account: The account.
        token: Token that the session's forms carry.
        fields: Sent fields, without the token; empty in a request that only reads.
        query: Parameters of the address.
        base: Address of the app in the browser, such as `https://review.example.org`.
    """

    account: Account
    token: str
    fields: dict[str, str]
    query: dict[str, str]
    base: str


CuratorRequest = AccountRequest
"""A request of a curator, on the pages that only curators may open."""
Responder = Callable[[AccountRequest], Response]


def curators_only(
    state: AppState, look: Responder, change: Responder | None = None
) -> Callable[..., Awaitable[Response]]:
    """Return an endpoint for curators; for the arguments, see `endpoint_for`."""
    return endpoint_for(CURATORS, state, look, change)


def endpoint_for(
    roles: Collection[Role], state: AppState, look: Responder, change: Responder | None = None
) -> Callable[..., Awaitable[Response]]:
    """Return an endpoint for accounts of some roles to read a page, and to make changes with its form.

    Args:
        roles: The roles; other accounts get the answer to an unknown address.
        state: State of the app.
        look: Function that answers a request that only reads; called in a thread.
        change: Function that answers a form; None if the page has none.
    """

    async def respond(request: Request) -> Response:
        account = request.scope[ACCOUNT]
        if not isinstance(account, Account) or account.role not in roles:
            return Response(unknown_page(), 404, media_type="text/html")
        token = form_token(state, request)
        asked = AccountRequest(account, token, {}, dict(request.query_params), base_of(state, request))
        if request.method != "POST":
            return await run_in_threadpool(look, asked)
        fields = await _fields_of(request)
        if fields is None or change is None:
            return PlainTextResponse(TEXTS["too_long"] + "\n", 413)
        if not hmac.compare_digest(fields.pop(TOKEN, "").encode(), token.encode()):
            return PlainTextResponse(TEXTS["not_own_form"] + "\n", 403)
        return await run_in_threadpool(change, asked._replace(fields=fields))

    return respond


def form_routes(
    state: AppState,
    path: str,
    show: Responder,
    changes: Mapping[str, Responder],
    *,
    roles: Collection[Role] = CURATORS,
) -> list[Route]:
    """Return the routes of a page and of the forms on it.

    Args:
        state: State of the app.
        path: Path of the page.
        show: Function that shows the page.
        changes: Function of each form, by the name that follows the page's path in the form's address.
        roles: Roles that may open the page; default curators.
    """
    return [
        Route(path, endpoint_for(roles, state, show)),
        *(
            Route(f"{path}/{name}", endpoint_for(roles, state, show, change), methods=["GET", "POST"])
            for name, change in changes.items()
        ),
    ]


def script_endpoint(
    act: Callable[[Request, bytes], Response], most: int, *, too_large: str = "too_long"
) -> Callable[[Request], Awaitable[Response]]:
    """Return an endpoint for requests that the app's own script sends on a curator's behalf.

    Args:
        act: Function that answers the request and its body; called in a thread.
        most: Maximum size of the body in bytes.
        too_large: Name of the text that refuses a larger body; it may contain the placeholder `{most}` for megabytes.
    """

    async def respond(request: Request) -> Response:
        if not is_from_page(request):
            return PlainTextResponse(TEXTS["not_own_form"] + "\n", 403)
        body = await _bounded_body(request, most)
        if body is None:
            return PlainTextResponse(TEXTS[too_large].format(most=most >> 20) + "\n", 413)
        return await run_in_threadpool(act, request, body)

    return respond


def draft_route(path: str, keep: Callable[[str, dict[str, str]], Response]) -> Route:
    """Return the route for a draft that the script sends during typing.

    Args:
        path: Path of the route.
        keep: Function that stores the curator's fields and answers; called in a thread.
    """

    def store(request: Request, body: bytes) -> Response:
        fields = fields_in(body)
        if fields is None:
            return PlainTextResponse(TEXTS["too_long"] + "\n", 400)
        return keep(request.scope[ACCOUNT].name, fields)

    return Route(path, script_endpoint(store, MOST_BYTES), methods=["PUT"])


def base_of(state: AppState, request: Request) -> str:
    """Return the app's address in the browser, such as `https://review.example.org`."""
    return f"{'https' if state.cookies.is_secure else request.url.scheme}://{request.url.netloc}"


def is_from_page(request: Request) -> bool:
    """Return whether a request was sent by a script of the app on a curator's behalf.

    A page of another site cannot add the header unless this server allows it in response to a preflight request.
    """
    account = request.scope[ACCOUNT]
    return isinstance(account, Account) and account.role == "curator" and DRAFT_HEADER in request.headers


def form_token(state: AppState, request: Request) -> str:
    """Return the token for the forms of a session."""
    session = token_from(request, state.cookies) or ""
    return hashlib.sha256(b"benchwright form " + session.encode()).hexdigest()


async def _bounded_body(request: Request, most: int) -> bytes | None:
    """Return the body of a request; stop reading and return None if the body is longer than `most` bytes."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > most:
            return None
    return bytes(body)


async def _fields_of(request: Request) -> dict[str, str] | None:
    body = await _bounded_body(request, MOST_BYTES)
    return None if body is None else fields_in(body)


def fields_in(body: bytes) -> dict[str, str] | None:
    """Return the last value of each field of a form, or None if the body is not a form or has too many fields.

    The last value counts because a checked box follows its hidden field.
    """
    try:
        parsed = parse_qs(body.decode("ascii"), keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="replace")
    except ValueError:
        return None
    return {name: values[-1].replace("\r\n", "\n") for name, values in parsed.items()}
