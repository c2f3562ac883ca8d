"""Routes for the entry and exit of crowd workers: the address for the service, and the page with the code."""

from __future__ import annotations

import secrets
from html import escape
from urllib.parse import parse_qsl, quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from ...store.integrations.crowd import CrowdEntries, CrowdEntry, EntryRefused
from ..auth.login import form_of
from ..auth.middleware import ACCOUNT
from ..auth.pages import hidden_field, plain_page, post_form
from ..auth.sessions import OPEN_PAGE_HEADERS, is_own_form, start_session
from ..base.state import AppState, clock
from ..wording.texts import TEXTS, title_of
from .leaving import Leaving, leave
from .services import MTURK_FRAMES, OPENED, Arrival, arrival_of, mturk_submit, prolific_back

ENTER, LEAVE = "/enter", "/leave"


def entry_routes(state: AppState) -> list[Route]:
    """Return the routes for workers: `/enter/KEY` is open, like the sign-in page; `/leave` needs a session."""
    routes = _EntryRoutes(state)
    return [
        Route(ENTER + "/{key:str}", routes.enter, methods=["GET", "POST"]),
        Route(LEAVE, routes.leave, methods=["GET"]),
    ]


class _EntryRoutes:
    def __init__(self, state: AppState) -> None:
        self._state = state

    async def enter(self, request: Request) -> Response:
        """Show the work ahead, or begin a visit and a session."""
        entry = await run_in_threadpool(CrowdEntries(self._state.store).of_key, request.path_params["key"])
        if entry is None:
            return _said("crowd_bad_link", 403)
        try:
            if request.method != "POST":
                return self._entry_page(entry, arrival_of(entry.service, request.query_params))
            form = await form_of(request)
            arrival = arrival_of(entry.service, form)
            if arrival.is_preview or not is_own_form(self._state, request, form.get("nonce", "")):
                return _said("form_expired", 400)
            return await self._begin(request, entry, arrival)
        except EntryRefused as refused:
            return _said(refused.reason, 403)

    async def _begin(self, request: Request, entry: CrowdEntry, arrival: Arrival) -> Response:
        """Begin a visit; the session of a browser whose user is not a crowd worker stays unchanged."""
        token = self._state.cookies.token_of(request.headers.get("cookie", ""))
        account = await run_in_threadpool(self._state.account_of, token)
        entries = CrowdEntries(self._state.store)
        if account is not None and await run_in_threadpool(entries.latest_visit, account.name) is None:
            return _said("crowd_signed_in", 409)
        name = await run_in_threadpool(
            entries.enter,
            entry,
            arrival.worker,
            study=arrival.study,
            session=arrival.session,
            submit_to=arrival.submit_to,
            now=clock(),
        )
        return await start_session(self._state, request, name, f"/review?campaign={quote(entry.campaign, safe='')}")

    def _entry_page(self, entry: CrowdEntry, arrival: Arrival) -> Response:
        """Return the page on which a worker begins; in Mechanical Turk's frame, a link to a separate window."""
        path = f"{ENTER}/{entry.key}"
        title = TEXTS["crowd_welcome"].format(campaign=title_of(entry.campaign))
        why = TEXTS["crowd_how_many"].format(count=entry.tasks) if entry.tasks else TEXTS["crowd_why"]
        nonce = secrets.token_urlsafe(24)
        if arrival.is_preview:
            body = f"<p>{escape(TEXTS['crowd_accept_first'])}</p>"
        elif arrival.is_framed and entry.service == "mturk":
            url = escape(f"{path}?{arrival.to_query(entry.service, **{OPENED: '1'})}", quote=True)
            body = f'<a class="button" href="{url}" target="_blank" rel="noopener">{escape(TEXTS["crowd_open"])}</a>'
            body += f"<p>{escape(TEXTS['crowd_stay'])}</p>"
        else:
            values = parse_qsl(arrival.to_query(entry.service, **{OPENED: "1"}))
            fields = "".join(hidden_field(name, value) for name, value in values)
            body = post_form(path, hidden_field("nonce", nonce) + fields, TEXTS["crowd_begin"])
        response = HTMLResponse(plain_page(title, why, "", body), headers=_headers(frames=entry.service == "mturk"))
        response.headers.append("set-cookie", self._state.cookies.form(nonce))
        return response

    async def leave(self, request: Request) -> Response:
        """Show the code and the way back once no work remains."""
        account = request.scope[ACCOUNT]
        store = self._state.store
        visit = await run_in_threadpool(CrowdEntries(store).latest_visit, account.name)
        if visit is None:
            return _said("crowd_no_visit", 404)
        leaving = await run_in_threadpool(leave, store, visit, account.name, now=clock())
        if leaving.state == "working":
            target = f"/review?campaign={quote(visit.entry.campaign, safe='')}"
            link = f'<a class="button" href="{escape(target, quote=True)}">{escape(TEXTS["crowd_go_on"])}</a>'
            words = TEXTS["crowd_left"].format(left=leaving.left)
            return HTMLResponse(plain_page(TEXTS["crowd_not_done"], words, "", link), headers=_headers())
        body, action = _way_back(visit.entry, leaving, visit.session, visit.submit_to)
        page = plain_page(TEXTS["crowd_thanks"], TEXTS[f"crowd_{leaving.state}"], "", body)
        return HTMLResponse(page, headers=_headers(action=action))


def _way_back(entry: CrowdEntry, leaving: Leaving, session: str, submit_to: str | None) -> tuple[str, str]:
    """Return the code and the way back to the service, in HTML, and the host to which the form is submitted."""
    if leaving.code is None:
        return f"<p>{escape(TEXTS['crowd_no_code'])}</p>", ""
    code = f"<p>{escape(TEXTS['crowd_code'])} <strong><code>{escape(leaving.code)}</code></strong></p>"
    if entry.service == "prolific":
        url = escape(prolific_back(leaving.code), quote=True)
        return f'{code}<a class="button" href="{url}">{escape(TEXTS["crowd_to_prolific"])}</a>', ""
    if submit_to is None:
        return code, ""
    fields = hidden_field("assignmentId", session) + hidden_field("code", leaving.code)
    return code + post_form(mturk_submit(submit_to), fields, TEXTS["crowd_to_mturk"]), submit_to


def _headers(*, frames: bool = False, action: str = "") -> dict[str, str]:
    """Return the headers of a page: the sites that may show the page in a frame, and the target of its form."""
    policy = OPEN_PAGE_HEADERS["Content-Security-Policy"]
    if frames:
        policy = policy.replace("frame-ancestors 'none'", f"frame-ancestors {MTURK_FRAMES}")
    if action:
        policy = policy.replace("form-action 'self'", f"form-action 'self' {action}")
    return {**OPEN_PAGE_HEADERS, "Content-Security-Policy": policy, "Referrer-Policy": "no-referrer"}


def _said(reason: str, status: int) -> Response:
    return HTMLResponse(plain_page(TEXTS["sorry"], "", TEXTS[reason], ""), status, headers=_headers())
