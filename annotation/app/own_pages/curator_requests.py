"""What a request to the pages of our own must carry: a curator's session, and for each change the session's token.

The token is a digest of the session's own, so that it is the same in all tabs and after a reload, ends with the
session, and cannot be guessed by another site.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Awaitable, Callable
from typing import NamedTuple
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from ...store.accounts.accounts import Account
from ..auth.middleware import ACCOUNT, token_from
from ..auth.pages import unknown_page
from ..base.state import AppState
from ..routes.tasks import DRAFT_HEADER
from ..wording.own_page_texts import TEXTS

TOKEN = "token"  # noqa: S105 - the name of a field
MOST_BYTES = 3 << 20
"""Most bytes of a form: a recipe of a megabyte, as forms spell it."""
_MOST_FIELDS = 400


class CuratorRequest(NamedTuple):
    """A request of a curator.

    Attributes:
        account: The curator.
        token: Token that the session's forms carry.
        fields: Fields that were sent, without the token; none in a request that only looks.
        query: Parameters of the address.
        base: Address of the app as the browser knows it, such as `https://review.example.org`.
    """

    account: Account
    token: str
    fields: dict[str, str]
    query: dict[str, str]
    base: str


Responder = Callable[[CuratorRequest], Response]


def curators_only(
    state: AppState, look: Responder, change: Responder | None = None
) -> Callable[..., Awaitable[Response]]:
    """Return an endpoint that lets curators look at a page, and change something by a form of it.

    Args:
        state: State of the app.
        look: Answers a request that only looks; called in a thread.
        change: Answers a form; None where the page has none.
    """

    async def respond(request: Request) -> Response:
        account = request.scope[ACCOUNT]
        if not isinstance(account, Account) or account.role != "curator":
            return Response(unknown_page(), 404, media_type="text/html")
        token = form_token(state, request)
        asked = CuratorRequest(account, token, {}, dict(request.query_params), base_of(state, request))
        if request.method != "POST":
            return await run_in_threadpool(look, asked)
        fields = await _fields_of(request)
        if fields is None or change is None:
            return PlainTextResponse(TEXTS["too_long"] + "\n", 413)
        if not hmac.compare_digest(fields.pop(TOKEN, "").encode(), token.encode()):
            return PlainTextResponse(TEXTS["not_own_form"] + "\n", 403)
        return await run_in_threadpool(change, asked._replace(fields=fields))

    return respond


def base_of(state: AppState, request: Request) -> str:
    """Return the address of the app as the browser knows it, such as `https://review.example.org`."""
    return f"{'https' if state.cookies.is_secure else request.url.scheme}://{request.url.netloc}"


def is_from_page(request: Request) -> bool:
    """Return whether a request comes from a script of the app, sent by a curator.

    A page of another site cannot add the header, unless this server allowed it in answer to a preflight request.
    """
    account = request.scope[ACCOUNT]
    return isinstance(account, Account) and account.role == "curator" and DRAFT_HEADER in request.headers


def form_token(state: AppState, request: Request) -> str:
    """Return the token that the forms of a session carry."""
    session = token_from(request, state.cookies) or ""
    return hashlib.sha256(b"benchwright form " + session.encode()).hexdigest()


async def bounded_body(request: Request, most: int) -> bytes | None:
    """Return the body of a request; None where it is longer than `most` bytes, of which no more is read."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > most:
            return None
    return bytes(body)


async def _fields_of(request: Request) -> dict[str, str] | None:
    body = await bounded_body(request, MOST_BYTES)
    return None if body is None else fields_in(body)


def fields_in(body: bytes) -> dict[str, str] | None:
    """Return the last value of each field of a form; None where it is no form, or has too many fields.

    The last one counts, since a box that is checked follows the hidden field beside it.
    """
    try:
        parsed = parse_qs(body.decode("ascii"), keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="replace")
    except ValueError:
        return None
    return {name: values[-1].replace("\r\n", "\n") for name, values in parsed.items()}
