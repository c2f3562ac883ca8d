"""The frame of the app's own pages: head, links to the account's other pages, style and script.

The pages are plain HTML with forms, so that fields keep their focus, every step has an address, and the browser's Back
and Forward work as usual. One script saves drafts, uploads tables and follows commands.
"""

from __future__ import annotations

from functools import cache
from html import escape
from pathlib import Path
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from benchwright.texts.hidden_characters import escaped

from ...store.accounts.accounts import Account
from ..auth.known_pages import (
    AGREEMENT,
    ANNOTATORS,
    BUILD,
    CONNECTIONS,
    FLAGS,
    GUIDELINES,
    HISTORY,
    MESSAGES,
    NEW_BENCHMARK,
    PEOPLE,
    PUBLISH,
    REASONS,
    RECIPE,
    RULES,
    SEND,
    THRESHOLDS,
)
from ..auth.middleware import LANGUAGE, LOGOUT, signed_in_account
from ..base.state import current_state
from ..languages.language import chosen_language
from ..wording.own_page_texts import TEXTS
from ..wording.texts import TEXTS as APP_TEXTS

_ASSETS = "/own-pages"
_HEADERS = {"Cache-Control": "no-store"}
_LINKS = (
    ("items", "/items"), ("progress", "/progress"), ("agreement", AGREEMENT), ("annotators", ANNOTATORS),
    ("reasons", REASONS), ("flags", FLAGS), ("messages", MESSAGES), ("rules", RULES),
    ("thresholds", THRESHOLDS), ("guidelines", GUIDELINES),
    ("connections", CONNECTIONS), ("people", PEOPLE), ("build", BUILD), ("send", SEND),
    ("new_benchmark", NEW_BENCHMARK), ("recipe", RECIPE), ("publish", PUBLISH),
)  # fmt: skip
_WORK_LINKS = (("home", "/home"), ("review", "/review"), ("history", HISTORY))
_OF_CAMPAIGN = frozenset(
    {
        "progress",
        "agreement",
        "annotators",
        "reasons",
        "flags",
        "messages",
        "rules",
        "guidelines",
        "connections",
        "review",
        "history",
        "adjudicate",
    }
)
"""Pages that show one campaign: on a page of a campaign, links lead to the same one."""
_MEDIA_TYPES = {
    "page.css": "text/css", "page.js": "text/javascript", "send.js": "text/javascript", "list.css": "text/css",
    "list.js": "text/javascript",
}  # fmt: skip


def own_page(
    title: str,
    body: str,
    *,
    here: str,
    campaign: str = "",
    problem: str = "",
    notice: str = "",
    status: int = 200,
    steps: str = "",
    worker: Account | None = None,
) -> HTMLResponse:
    """Return a page.

    Args:
        title: Title of the page.
        body: Its content, as HTML.
        here: Path of its entry in the head.
        campaign: Campaign that the page shows; empty for none.
        problem: Report of a failure, shown first; empty for none.
        notice: Report of a success, shown first; empty for none.
        status: Status of the response.
        steps: Links to the steps of a dialogue, as HTML; empty for none.
        worker: Account on a page of annotators' work, which is as wide as the window and whose head leads to the
            account's work; default None, for a page of curators.
    """
    language = chosen_language()
    width = "" if worker is None else ' class="wide"'
    alert = f'<p class="alert" role="alert">{escape(problem)}</p>' if problem else ""
    alert += f'<p class="done" role="status">{escape(notice)}</p>' if notice else ""
    return HTMLResponse(
        f'<!doctype html><html lang="{language.tag}" dir="{language.direction}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">'
        f'<title>{escape(title)} · Benchwright</title><link rel="stylesheet" href="{_ASSETS}/page.css">'
        f'<script src="{_ASSETS}/page.js" defer></script></head><body><header>'
        f'<nav aria-label="{escape(TEXTS["pages"])}">{_links(here, campaign, worker)}</nav>'
        f'<span class="who">{_account_and_languages()}<a href="{LOGOUT}">{escape(TEXTS["sign_out"])}</a></span>'
        "</header>"
        f'<main id="main"{width}><h1>{escape(title)}</h1>{steps}{alert}{body}</main></body></html>',
        status,
        headers=_HEADERS,
    )


def _links(here: str, campaign: str, worker: Account | None) -> str:
    """Return links to the pages of an account's work, or else to curators' pages."""
    listed = _LINKS if worker is None else _work_links(worker)
    query = f"?{urlencode({'campaign': campaign})}" if campaign else ""
    return "".join(
        f'<a href="{path}{escape(query) if name in _OF_CAMPAIGN else ""}"'
        f"{' aria-current=page' if path == here else ''}>{escape((TEXTS if name in TEXTS else APP_TEXTS)[name])}</a>"
        for name, path in listed
    )


def _work_links(worker: Account) -> tuple[tuple[str, str], ...]:
    decides = () if worker.role == "annotator" else (("adjudicate", "/adjudicate"),)
    steers = (("items", "/items"), ("progress", "/progress")) if worker.role == "curator" else ()
    return (*_WORK_LINKS, *decides, *steers)


def _account_and_languages() -> str:
    """Return the account's name and a link to the page in each other language."""
    account = signed_in_account()
    name = "" if account is None else f"<span><bdi>{escape(escaped(account.name))}</bdi></span>"
    others = (language for language in current_state().languages.all if language is not chosen_language())
    links = "".join(
        f'<a href="{LANGUAGE}?to={language.tag}" lang="{language.tag}" hreflang="{language.tag}">'
        f"{escape(language.name)}</a>"
        for language in others
    )
    return name + links


def own_page_routes() -> list[Route]:
    """Return the routes of the style and the script of these pages."""

    async def asset(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in _MEDIA_TYPES:
            return Response(status_code=404)
        return Response(_asset(name), media_type=_MEDIA_TYPES[name], headers={"Cache-Control": "no-cache"})

    return [Route(f"{_ASSETS}/{{name:str}}", asset)]


@cache
def _asset(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")
