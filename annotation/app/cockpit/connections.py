"""The curator's page of a campaign's outside connections: tokens, webhooks, crowd entries; with hours and pay."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import streamlit as st

from benchwright.errors import BenchwrightError

from ...forms.assignment_settings import assignment_settings_of
from ...pay.invoice import PayTerms, pay_rows, read_rate, write_pay
from ...store.campaigns.open_and_closed import close_campaign, reopen_campaign
from ...store.integrations.api_tokens import DAYS, MOST_DAYS, SCOPES, ApiTokens
from ...store.integrations.crowd import SERVICES, CrowdEntries
from ...store.integrations.webhooks import EVENTS, Webhooks
from ...webhooks.addresses import resolved, target_of
from ..base.request import PageRequest
from ..base.state import clock
from ..base.tables import show_rows
from ..entry.services import entry_link
from ..wording.connection_texts import TEXTS
from ..wording.directed_text import inert
from ..wording.texts import message_of

_NEW = "connections-new"
"""Session key that holds a new secret until the page shows it once."""
_MOST_DELIVERIES = 20
_SERVICE_NAMES = {"prolific": "Prolific", "mturk": "Mechanical Turk"}


def show_connections(request: PageRequest) -> None:
    """Show and change the connections of programs and services to the campaign."""
    if (new := st.session_state.pop(_NEW, None)) is not None:
        words, secret = new
        st.success(words)
        st.code(secret, language=None)
    _show_state(request)
    _show_tokens(request)
    _show_webhooks(request)
    _show_entries(request)
    _show_pay(request)


def _do(act: Callable[[], tuple[str, str] | None]) -> None:
    """Carry out a curator's request and show the page again; if it fails, show the reason."""
    try:
        new = act()
    except BenchwrightError as error:
        st.error(inert(message_of(error)))
        return
    if new is not None:
        st.session_state[_NEW] = new
    st.rerun()


def _show_state(request: PageRequest) -> None:
    store, campaign, by = request.state.store, request.campaign, request.account.name
    st.subheader(TEXTS["campaign_state"])
    st.text(TEXTS["campaign_is_closed" if campaign.is_closed else "campaign_is_open"])
    change, words = (reopen_campaign, "reopen_campaign") if campaign.is_closed else (close_campaign, "close_campaign")

    def changed() -> None:
        with store.writing(alone=True) as connection:
            change(connection, campaign.name, by=by, now=clock())

    if st.button(TEXTS[words]):
        _do(changed)


def _show_tokens(request: PageRequest) -> None:
    tokens, name, now = ApiTokens(request.state.store), request.campaign.name, clock()
    st.subheader(TEXTS["tokens"])
    st.caption(TEXTS["tokens_why"])
    listed = tokens.of_campaign(name)
    rows = [
        {
            TEXTS["label"]: token.label,
            TEXTS["scope"]: TEXTS[f"scope_{token.scope}"],
            TEXTS["person"]: token.person,
            TEXTS["state"]: TEXTS[f"state_{token.state(now=now)}"],
            TEXTS["ends"]: token.ends_at,
            TEXTS["used"]: token.used_at,
        }
        for token in listed
    ]
    if rows:
        show_rows(rows, label=TEXTS["tokens"])
    working = {token.id: token for token in listed if token.state(now=now) == "works"}
    if working:
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            chosen = st.selectbox(
                TEXTS["which_token"], list(working), format_func=lambda number: f"{number}: {working[number].label}"
            )
            if st.button(TEXTS["revoke"]):
                _do(lambda: _nothing(tokens.revoke(chosen, by=request.account.name, now=clock(), campaign=name)))
    people = [account.name for account in request.state.accounts.all() if not account.is_disabled]
    with st.form("token", border=True):
        label = st.text_input(TEXTS["label"], max_chars=100)
        scope = st.selectbox(TEXTS["scope"], SCOPES, format_func=lambda code: TEXTS[f"scope_{code}"])
        person = st.selectbox(TEXTS["person"], people)
        days = st.number_input(TEXTS["days"], 1, MOST_DAYS, DAYS)
        if st.form_submit_button(TEXTS["make_token"]):

            def made() -> tuple[str, str]:
                by = request.account.name
                _, text = tokens.make(name, scope, person or "", label=label, by=by, now=clock(), days=int(days))
                return TEXTS["token_once"], text

            _do(made)


def _show_webhooks(request: PageRequest) -> None:
    webhooks, name, by = Webhooks(request.state.store), request.campaign.name, request.account.name
    st.subheader(TEXTS["webhooks"])
    st.caption(TEXTS["webhooks_why"])
    listed = {webhook.id: webhook for webhook in webhooks.of_campaign(name)}
    rows = [
        {TEXTS["address"]: each.url, TEXTS["events"]: ", ".join(map(_event_words, each.events))}
        for each in listed.values()
    ]
    if rows:
        show_rows(rows, label=TEXTS["webhooks"])
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            chosen = st.selectbox(TEXTS["which_webhook"], list(listed), format_func=lambda number: listed[number].url)
            if st.button(TEXTS["remove"]):
                _do(lambda: _nothing(webhooks.end(chosen, by=by, now=clock(), campaign=name)))
        deliveries = [
            {
                TEXTS["events"]: _event_words(each.event),
                TEXTS["state"]: TEXTS[f"state_{each.state}"],
                TEXTS["attempts"]: each.attempts,
                TEXTS["answer"]: each.error or (each.status and str(each.status)) or "",
            }
            for each in reversed(webhooks.deliveries(chosen, most=_MOST_DELIVERIES, newest=True))
        ]
        if deliveries:
            st.caption(TEXTS["deliveries"])
            show_rows(deliveries, label=TEXTS["deliveries"])
    allow_private = request.state.private_webhooks
    with st.form("webhook", border=True):
        url = st.text_input(TEXTS["address"], max_chars=2000)
        events = st.multiselect(TEXTS["events"], EVENTS, default=EVENTS, format_func=_event_words)
        if st.form_submit_button(TEXTS["make_webhook"]):

            def made() -> tuple[str, str]:
                resolved(target_of(url.strip(), allow_private=allow_private), allow_private=allow_private)
                return TEXTS["secret_once"], webhooks.make(name, url.strip(), events, by=by, now=clock())[1]

            _do(made)


def _show_entries(request: PageRequest) -> None:
    entries, name, by = CrowdEntries(request.state.store), request.campaign.name, request.account.name
    st.subheader(TEXTS["entries"])
    st.caption(TEXTS["entries_why"])
    listed = entries.of_campaign(name)
    for entry in listed:
        closed = f" · {TEXTS['is_closed']}" if entry.closed_at else ""
        st.text(f"{entry.id}: {_SERVICE_NAMES[entry.service]}, {entry.completed_code}{closed}")
        st.code(entry_link(entry, _app_url()), language=None)
    is_open = [entry.id for entry in listed if entry.closed_at is None]
    if is_open:
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            chosen = st.selectbox(TEXTS["which_entry"], is_open)
            if st.button(TEXTS["close_entry"]):
                _do(lambda: _nothing(entries.close(chosen, by=by, now=clock())))
    with st.form("entry", border=True):
        service = st.selectbox(TEXTS["service"], SERVICES, format_func=lambda code: _SERVICE_NAMES[code])
        tasks = st.number_input(TEXTS["tasks_per_visit"], 0, 10_000, 0)
        completed, screened_out, paused = (
            st.text_input(TEXTS[f"{code}_code"], max_chars=50) for code in ("completed", "screened_out", "paused")
        )
        if st.form_submit_button(TEXTS["make_entry"]):

            def made() -> None:
                entries.make(
                    name,
                    service,
                    completed_code=completed.strip(),
                    screened_out_code=screened_out.strip() or None,
                    paused_code=paused.strip() or None,
                    tasks_per_visit=int(tasks) or None,
                    by=by,
                    now=clock(),
                )

            _do(made)


def _show_pay(request: PageRequest) -> None:
    st.subheader(TEXTS["pay"])
    st.caption(TEXTS["pay_why"])
    with st.container(horizontal=True, gap="small"):
        pay = assignment_settings_of(request.campaign.settings).pay
        rate = st.text_input(TEXTS["rate"], "15.00" if pay is None else f"{pay.rate:.2f}", max_chars=12)
        currency = st.text_input(TEXTS["currency"], "USD" if pay is None else pay.currency, max_chars=3)
    try:
        terms = PayTerms(read_rate(rate, of=TEXTS["rate"]), currency.strip())
        rows = pay_rows(request.state.store, request.campaign.name, terms)
    except BenchwrightError as error:
        st.error(inert(message_of(error)))
        return
    if not rows:
        return
    shown = [
        {
            TEXTS["person"]: row.person,
            TEXTS["tasks"]: row.tasks,
            TEXTS["aside"]: row.set_aside,
            TEXTS["hours"]: float(row.hours),
            TEXTS["active_hours"]: float(row.active_hours),
            TEXTS["amount"]: f"{row.amount} {row.currency}",
        }
        for row in rows
    ]
    show_rows(shown, label=TEXTS["pay"])
    with TemporaryDirectory() as folder:
        path = Path(folder) / "pay.csv"
        write_pay(rows, path)
        data = path.read_bytes()
    st.download_button(TEXTS["pay_table"], data, file_name=f"pay-{request.campaign.name}.csv", mime="text/csv")


def _event_words(code: str) -> str:
    """Return the words for an event."""
    return TEXTS[f"event_{code.replace('.', '_')}"]


def _nothing(_done: object) -> None:
    """Discard the result of an act, which has no secret to show."""


def _app_url() -> str:
    """Return the address of the app as the browser knows it."""
    return (st.context.url or "").rstrip("/").rpartition("/")[0]
