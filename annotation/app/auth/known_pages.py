"""Middleware that answers unknown page addresses with 404; Streamlit would show its first page and take a task."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...store.accounts.accounts import Account, Role
from .middleware import ACCOUNT, LOGOUT, OPEN_PATHS, PROVIDER_PATHS
from .pages import unknown_page
from .sessions import OPEN_PAGE_HEADERS

_OTHER_PAGES = OPEN_PATHS | PROVIDER_PATHS | {"/", LOGOUT, "/leave"}
_EVERYBODYS = frozenset({"start", "home", "review", "practice", "history", "discussion"})
_ADJUDICATORS = _EVERYBODYS | {"adjudicate"}
_CURATORS = _ADJUDICATORS | {"items", "item", "progress", "agreement", "reasons"}
NEW_BENCHMARK, RECIPE, PUBLISH = "/new-benchmark", "/recipe", "/publish"
BUILD, PEOPLE, FLAGS, MESSAGES, SEND = "/build", "/people", "/flags", "/messages", "/send-photographs"
ANNOTATORS, CONNECTIONS, GUIDELINES = "/annotators", "/connections", "/guidelines-edit"
RULES, THRESHOLDS = "/rules", "/thresholds"
"""Path prefixes of curators' pages that the app serves without Streamlit."""
_OWN_PAGES = (
    NEW_BENCHMARK, RECIPE, PUBLISH, BUILD, PEOPLE, FLAGS, MESSAGES, SEND, ANNOTATORS, CONNECTIONS, GUIDELINES,
    RULES, THRESHOLDS,
)  # fmt: skip


class KnownPages:
    """ASGI middleware that passes HTML for known addresses only; it runs after the session middleware."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; if the answer is HTML and the address has no page, answer with 404 instead."""
        if scope["type"] != "http" or _is_known(scope["path"], scope[ACCOUNT]):
            await self._app(scope, receive, send)
            return
        is_replaced = False

        async def send_if_no_page(message: Message) -> None:
            nonlocal is_replaced
            if message["type"] == "http.response.start" and message["status"] == 200:
                is_replaced = Headers(raw=message["headers"]).get("content-type", "").startswith("text/html")
                if is_replaced:
                    await HTMLResponse(unknown_page(), 404, headers=OPEN_PAGE_HEADERS)(scope, receive, send)
            if not is_replaced:
                await send(message)

        await self._app(scope, receive, send_if_no_page)


def _is_known(path: str, account: Account | None) -> bool:
    if path in _OTHER_PAGES or account is None or path.removeprefix("/") in _pages_of(account.role):
        return True
    is_own = path in _OWN_PAGES or path.startswith(tuple(f"{page}/" for page in _OWN_PAGES))
    return is_own and account.role == "curator"


def _pages_of(role: Role) -> frozenset[str]:
    """Return the names of a role's pages, as used after the slash in addresses."""
    if role == "annotator":
        return _EVERYBODYS
    return _ADJUDICATORS if role == "adjudicator" else _CURATORS
