"""Middleware that answers 404 for unknown page addresses; Streamlit would show its first page and take a task."""

from __future__ import annotations

from urllib.parse import urlencode

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...store.accounts.accounts import Account, Role
from .middleware import ACCOUNT, LOGOUT, OPEN_PATHS, PROVIDER_PATHS
from .pages import unknown_page
from .sessions import OPEN_PAGE_HEADERS

_OTHER_PAGES = OPEN_PATHS | PROVIDER_PATHS | {"/", LOGOUT, "/leave"}
_EVERYBODYS = frozenset({"start", "home", "review", "practice"})
_ADJUDICATORS = _EVERYBODYS | {"adjudicate"}
_CURATORS = _ADJUDICATORS | {"items", "progress"}
NEW_BENCHMARK, RECIPE, PUBLISH = "/new-benchmark", "/recipe", "/publish"
BUILD, PEOPLE, FLAGS, MESSAGES, SEND = "/build", "/people", "/flags", "/messages", "/send-photographs"
ANNOTATORS, CONNECTIONS, GUIDELINES = "/annotators", "/connections", "/guidelines-edit"
RULES, THRESHOLDS, REASONS, AGREEMENT = "/rules", "/thresholds", "/reasons", "/agreement"
HISTORY, DISCUSSION = "/history", "/discussion"
ITEMS, ONE_ITEM = "/items", "/item"
"""Path prefixes of pages that the app serves without Streamlit."""
_OWN_PAGES_OF_ALL = (HISTORY, DISCUSSION)
ITEM = "item"
"""Query parameter of a discussion with the id of its item."""
ITEM_ID = "id"
"""Query parameter of the page of one item."""
_OWN_PAGES_OF_CURATORS = (
    ITEMS,
    NEW_BENCHMARK, RECIPE, PUBLISH, BUILD, PEOPLE, FLAGS, MESSAGES, SEND, ANNOTATORS, CONNECTIONS, GUIDELINES, RULES,
    THRESHOLDS, REASONS, AGREEMENT, ONE_ITEM,
)  # fmt: skip


class KnownPages:
    """ASGI middleware that passes HTML for known addresses only; it runs after the session middleware."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; if the answer is HTML and no page has the address, answer with 404 instead."""
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


def discussion_address(campaign: str, item_id: str, *, below: str = "") -> str:
    """Return the address of the discussion of an item in a campaign.

    Args:
        campaign: Name of the campaign.
        item_id: Id of the item.
        below: Rest of the path, such as `/post`; empty for the page itself.
    """
    return f"{DISCUSSION}{below}?{urlencode({'campaign': campaign, ITEM: item_id})}"


def item_address(record_id: str, *, below: str = "", **more: str) -> str:
    """Return the address of the page of an image or item.

    Args:
        record_id: Id of the image or item.
        below: Rest of the path, such as `/plan`; empty for the page itself.
        more: Further parameters.
    """
    return f"{ONE_ITEM}{below}?{urlencode({ITEM_ID: record_id, **more})}"


def _is_known(path: str, account: Account | None) -> bool:
    if path in _OTHER_PAGES or account is None or path.removeprefix("/") in _pages_of(account.role):
        return True
    own = _OWN_PAGES_OF_ALL + (_OWN_PAGES_OF_CURATORS if account.role == "curator" else ())
    return path in own or path.startswith(tuple(f"{page}/" for page in own))


def _pages_of(role: Role) -> frozenset[str]:
    """Return the names of a role's pages, as used after the slash in addresses."""
    if role == "annotator":
        return _EVERYBODYS
    return _ADJUDICATORS if role == "adjudicator" else _CURATORS
