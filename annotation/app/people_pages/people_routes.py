"""Routes of the accounts page: add, invite, change roles, lock and unlock; and assign annotators to campaigns."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, get_args

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from benchwright.errors import BenchwrightError

from ...exchange.invitations import invite_people, links_table, read_invitees
from ...store.accounts.accounts import Account, Accounts, Role
from ...store.accounts.campaign_access import AccessControl
from ..auth.known_pages import PEOPLE
from ..auth.middleware import ACCOUNT
from ..base.state import AppState, clock
from ..new_benchmark.opening import FreshInvitations
from ..own_pages.curator_requests import CuratorRequest, base_of, curators_only, form_routes, script_endpoint
from ..own_pages.shell import own_page
from ..wording.account_words import invitation_path
from ..wording.curator_texts import TEXTS as CURATOR_TEXTS
from ..wording.own_page_texts import TEXTS as OWN_TEXTS
from ..wording.texts import TEXTS, message_of
from .people_views import MOST_BYTES, access_forms, accounts_table, add_form, file_form, invitations

_LINKS_FILE = "invitations.csv"
_KEPT_FOR = timedelta(hours=12)


def people_routes(state: AppState) -> list[Route]:
    """Return the routes for the page; the session middleware has already identified the account."""
    page = _PeoplePage(state)
    return [
        *form_routes(state, PEOPLE, page.show, {act: partial(page.change, act) for act in _PeoplePage.ACTS}),
        Route(f"{PEOPLE}/file", script_endpoint(page.take_file, MOST_BYTES, too_large="send_large"), methods=["PUT"]),
        Route(f"{PEOPLE}/{_LINKS_FILE}", curators_only(state, page.links)),
    ]


class _PeoplePage:
    ACTS = ("add", "invite", "role", "lock", "unlock", "access")

    def __init__(self, state: AppState) -> None:
        self._state = state
        self._invitations = FreshInvitations()
        self._tables: dict[str, tuple[datetime, str]] = {}

    def show(self, asked: CuratorRequest, *, sent: Mapping[str, str] | None = None, **more: Any) -> Response:
        """Show accounts, new invitations, and the annotators of each campaign."""
        state, name = self._state, asked.account.name
        accounts = state.accounts.all()
        links = [
            (invited, asked.base + invitation_path(token)) for invited, token in self._invitations.of(name, now=clock())
        ]
        parts = [
            add_form(asked, sent or {}),
            invitations(links, table=f"{PEOPLE}/{_LINKS_FILE}" if self._table_of(name) else ""),
            accounts_table(accounts, asked),
            file_form(),
            access_forms(state, [account.name for account in accounts], asked),
        ]
        return own_page(TEXTS["people"], f"<p>{TEXTS['people_why']}</p>{''.join(parts)}", here=PEOPLE, **more)

    def change(self, act: str, asked: CuratorRequest) -> Response:
        """Make a change, and show the page again; if the change is refused, show the reason above the input."""
        try:
            self._change(act, asked)
        except BenchwrightError as error:
            return self.show(asked, sent=asked.fields, problem=message_of(error), status=422)
        return RedirectResponse(PEOPLE, 303)

    def _change(self, act: str, asked: CuratorRequest) -> None:
        accounts = Accounts(self._state.store, by=asked.account.name)
        name = asked.fields.get("name", "")
        if act == "add":
            name = name.strip()
            accounts.add(name, _role_in(asked.fields), now=clock())
        if act in {"add", "invite"}:
            token = accounts.invite(name, now=clock())
            self._invitations.keep(asked.account.name, [(name, token)], now=clock())
        elif act == "role":
            accounts.set_role(name, _role_in(asked.fields))
        elif act in {"lock", "unlock"}:
            if name == asked.account.name:
                raise BenchwrightError(OWN_TEXTS["not_yourself"])
            accounts.disable(name, disabled=act == "lock")
        elif act == "access":
            self._assign(asked.fields)

    def _assign(self, sent: Mapping[str, str]) -> None:
        """Replace the annotators assigned to a campaign, or open it to all."""
        control, campaign = AccessControl(self._state.store), sent.get("campaign", "")
        if campaign not in self._state.store.campaign_names():
            raise BenchwrightError(TEXTS["no_such_campaign"].format(campaign=campaign[:100]))
        if sent.get("who") != "only":
            control.open_to_everybody(campaign)
            return
        names = [account.name for account in self._state.accounts.all() if f"person-{account.id}" in sent]
        before = control.of(campaign).names
        control.assign(campaign, names)
        if removed := sorted(set(before) - set(names)):
            control.take_off(campaign, removed)

    def take_file(self, request: Request, body: bytes) -> Response:
        """Invite the people in a file sent by the page's script, or report all faults of the file."""
        account: Account = request.scope[ACCOUNT]
        with TemporaryDirectory() as folder:
            path = Path(folder) / "people.csv"
            path.write_bytes(body)
            try:
                invitees = read_invitees(path, self._state.store)
                invited = invite_people(self._state.store, invitees, by=account.name, now=clock())
            except BenchwrightError as error:
                words = message_of(error).replace(str(path), request.query_params.get("name", "")[:200])
                return PlainTextResponse(f"{words}\n", 422)
        base = base_of(self._state, request)
        table = links_table(invited, lambda token: base + invitation_path(token))
        self._tables[account.name] = (clock(), table)
        fresh = [(person.invitee.name, person.token) for person in invited if person.token is not None]
        self._invitations.keep(account.name, fresh, now=clock())
        words = CURATOR_TEXTS["invited_many"].format(new=len(fresh), known=len(invited) - len(fresh))
        link = {"href": f"{PEOPLE}/{_LINKS_FILE}", "textContent": CURATOR_TEXTS["invitation_links"]}
        return JSONResponse({"words": words, "link": link})

    def links(self, asked: CuratorRequest) -> Response:
        """Return a file with the invitation links for the people in the file sent last."""
        table = self._table_of(asked.account.name)
        if table is None:
            return PlainTextResponse(OWN_TEXTS["no_links"] + "\n", 404)
        headers = {"Content-Disposition": f'attachment; filename="{_LINKS_FILE}"', "Cache-Control": "no-store"}
        return Response(table, media_type="text/csv", headers=headers)

    def _table_of(self, curator: str) -> str | None:
        kept = self._tables.get(curator)
        return None if kept is None or clock() - kept[0] > _KEPT_FOR else kept[1]


def _role_in(sent: Mapping[str, str]) -> Role:
    roles: Mapping[str, Role] = {role: role for role in get_args(Role)}
    role = roles.get(sent.get("role", ""))
    if role is None:
        raise BenchwrightError(f"role {sent.get('role', '')[:40]!r} is not one of {', '.join(roles)}")
    return role
