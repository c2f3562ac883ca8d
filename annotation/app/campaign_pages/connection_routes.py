"""Routes of the page for a campaign's connections: tokens, webhooks and entries of services; with hours and pay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from benchwright.errors import BenchwrightError

from ...pay.invoice import write_pay
from ...store.campaigns.open_and_closed import close_campaign, reopen_campaign
from ...store.integrations.api_tokens import MOST_DAYS, SCOPES, ApiTokens
from ...store.integrations.crowd import SERVICES, CrowdEntries
from ...store.integrations.webhooks import EVENTS, Webhooks
from ...webhooks.addresses import resolved, target_of
from ..auth.known_pages import CONNECTIONS
from ..base.state import AppState, clock
from ..own_pages.curator_requests import CuratorRequest, curators_only, form_routes
from ..own_pages.html_fields import whole_number
from ..own_pages.once_shown import ChangeReport, ChangeReports
from ..own_pages.shell import own_page
from ..people_pages.campaign_choice import campaign_menu, no_such_campaign, wanted_campaign
from ..wording.connection_texts import TEXTS
from ..wording.own_page_texts import TEXTS as OWN_TEXTS
from ..wording.texts import TEXTS as APP_TEXTS
from ..wording.texts import message_of
from .connection_views import (
    MOST_TASKS,
    entries_section,
    fresh_secret,
    state_section,
    tokens_section,
    webhooks_section,
)
from .pay_section import pay_rows_of, pay_section

_T = TypeVar("_T", bound=str)
_PAY_TABLE = f"{CONNECTIONS}/pay.csv"


def connection_routes(state: AppState) -> list[Route]:
    """Return the routes for the page; the session middleware has already identified the account."""
    page = _ConnectionsPage(state)
    return [
        *form_routes(state, CONNECTIONS, page.show, {act: partial(page.change, act) for act in page.acts}),
        Route(_PAY_TABLE, curators_only(state, page.pay_table)),
    ]


class _ConnectionsPage:
    def __init__(self, state: AppState) -> None:
        self._state = state
        self._reports = ChangeReports()
        self.acts = {
            "close": self._close, "reopen": self._close, "token": self._make_token, "revoke": self._revoke,
            "webhook": self._make_webhook, "remove": self._remove, "entry": self._make_entry,
            "close-entry": self._close_entry,
        }  # fmt: skip

    def show(self, asked: CuratorRequest, *, act: str = "", **more: Any) -> Response:
        """Show the connections of a campaign; `act` is a refused change, whose input is shown again in its form."""
        state, names = self._state, self._state.store.campaign_names()
        wanted = wanted_campaign(asked, names)
        if wanted not in names:
            return no_such_campaign(CONNECTIONS, TEXTS["connections"], names, wanted)
        campaign, now = state.store.campaign(wanted), clock()
        report = self._reports.show(asked.account.name, wanted, now=now) if not asked.fields else ChangeReport("")

        def sent(form: str) -> Mapping[str, str]:
            return asked.fields if act == form else {}

        parts = [
            fresh_secret(report),
            campaign_menu(CONNECTIONS, names, wanted),
            state_section(campaign, asked),
            tokens_section(state, campaign, asked, sent("token"), now=now),
            webhooks_section(state, campaign, asked, sent("webhook")),
            entries_section(state, campaign, asked, sent("entry")),
            pay_section(state, campaign, asked.query, table=_PAY_TABLE),
        ]
        return own_page(TEXTS["connections"], "".join(parts), here=CONNECTIONS, campaign=wanted, **more)

    def change(self, act: str, asked: CuratorRequest) -> Response:
        """Make a change and show the page again; if the change is refused, show the reason above the input."""
        campaign = asked.fields.get("campaign", "")
        try:
            if campaign not in self._state.store.campaign_names():
                raise BenchwrightError(APP_TEXTS["no_such_campaign"].format(campaign=campaign[:100]))
            report = self.acts[act](campaign, asked)
        except BenchwrightError as error:
            return self.show(asked, act=act, problem=message_of(error), status=422)
        self._reports.put(asked.account.name, campaign, report, now=clock())
        return RedirectResponse(f"{CONNECTIONS}?{urlencode({'campaign': campaign})}", 303)

    def _close(self, campaign: str, asked: CuratorRequest) -> None:
        """Close or reopen the campaign as requested; do nothing if another curator already has."""
        is_closed = self._state.store.campaign(campaign).is_closed
        if is_closed == (asked.fields.get("to") == "closed"):
            return
        with self._state.store.writing(alone=True) as connection:
            (reopen_campaign if is_closed else close_campaign)(connection, campaign, by=asked.account.name, now=clock())

    def _make_token(self, campaign: str, asked: CuratorRequest) -> ChangeReport:
        sent = asked.fields
        days = _number_in(sent, "days", 1, MOST_DAYS)
        _, text = ApiTokens(self._state.store).make(
            campaign, _one_of(SCOPES, sent.get("scope", "")), sent.get("person", ""), label=sent.get("label", ""),
            by=asked.account.name, now=clock(), days=days,
        )  # fmt: skip
        return ChangeReport(TEXTS["token_once"], text)

    def _revoke(self, campaign: str, asked: CuratorRequest) -> None:
        number = whole_number(asked.fields.get("number", ""))
        ApiTokens(self._state.store).revoke(number, by=asked.account.name, now=clock(), campaign=campaign)

    def _make_webhook(self, campaign: str, asked: CuratorRequest) -> ChangeReport:
        url, events = asked.fields.get("url", "").strip(), [one for one in EVENTS if f"event-{one}" in asked.fields]
        allow_private = self._state.private_webhooks
        resolved(target_of(url, allow_private=allow_private), allow_private=allow_private)
        made = Webhooks(self._state.store).make(campaign, url, events, by=asked.account.name, now=clock())
        return ChangeReport(TEXTS["secret_once"], made[1])

    def _remove(self, campaign: str, asked: CuratorRequest) -> None:
        number = whole_number(asked.fields.get("number", ""))
        Webhooks(self._state.store).end(number, by=asked.account.name, now=clock(), campaign=campaign)

    def _make_entry(self, campaign: str, asked: CuratorRequest) -> None:
        sent = asked.fields
        codes = {name: sent.get(name, "").strip() for name in ("completed_code", "screened_out_code", "paused_code")}
        CrowdEntries(self._state.store).make(
            campaign,
            _one_of(SERVICES, sent.get("service", "")),
            completed_code=codes["completed_code"],
            screened_out_code=codes["screened_out_code"] or None,
            paused_code=codes["paused_code"] or None,
            tasks_per_visit=_number_in(sent, "tasks_per_visit", 0, MOST_TASKS) or None,
            by=asked.account.name,
            now=clock(),
        )

    def _close_entry(self, campaign: str, asked: CuratorRequest) -> None:
        entries, number = CrowdEntries(self._state.store), whole_number(asked.fields.get("number", ""))
        if number in {entry.id for entry in entries.of_campaign(campaign)}:
            entries.close(number, by=asked.account.name, now=clock())

    def pay_table(self, asked: CuratorRequest) -> Response:
        """Return the hours and pay of a campaign's people as a CSV file."""
        name = asked.query.get("campaign", "")
        if name not in self._state.store.campaign_names():
            return PlainTextResponse(APP_TEXTS["no_such_campaign"].format(campaign=name[:100]) + "\n", 404)
        try:
            rows = pay_rows_of(self._state, self._state.store.campaign(name), asked.query)
        except BenchwrightError as error:
            return PlainTextResponse(f"{message_of(error)}\n", 422)
        with TemporaryDirectory() as folder:
            path = Path(folder) / "pay.csv"
            write_pay(rows, path)
            data = path.read_bytes()
        file = f"attachment; filename*=UTF-8''{quote(f'pay-{name}.csv', safe='')}"
        return Response(data, media_type="text/csv", headers={"Content-Disposition": file, "Cache-Control": "no-store"})


def _one_of(options: Sequence[_T], sent: str) -> _T:
    """Return the option that a form sent, checked against the possible ones.

    Raises:
        BenchwrightError: The form sent a value that is not an option.
    """
    for option in options:
        if option == sent:
            return option
    raise BenchwrightError(OWN_TEXTS["not_own_form"])


def _number_in(sent: Mapping[str, str], name: str, least: int, most: int) -> int:
    """Return the number in a form's field.

    Raises:
        BenchwrightError: The value is not an integer from `least` to `most`.
    """
    text = sent.get(name, "").strip()
    if not (text.isascii() and text.isdecimal() and len(text) < 10 and least <= int(text) <= most):
        why = OWN_TEXTS["needs_number"].format(least=least, most=most, value=text[:40])
        raise BenchwrightError(f"{TEXTS[name]}: {why}")
    return int(text)
