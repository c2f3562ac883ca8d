"""Parts of the page for a campaign's connections, as HTML: state, tokens, webhooks and entries."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from html import escape

from benchwright.texts.hidden_characters import escaped

from ...store.database.records import Campaign
from ...store.integrations.api_tokens import DAYS, MOST_DAYS, SCOPES, ApiToken, ApiTokens
from ...store.integrations.crowd import SERVICES, CrowdEntries, CrowdEntry
from ...store.integrations.webhooks import EVENTS, Webhook, Webhooks
from ..auth.known_pages import CONNECTIONS
from ..base.state import AppState
from ..base.tables import table_html
from ..entry.services import entry_link
from ..own_pages.curator_requests import TOKEN, CuratorRequest
from ..own_pages.html_fields import FieldWords, choice_field, hidden, text_field
from ..own_pages.once_shown import ChangeReport
from ..wording.connection_texts import TEXTS

MOST_TASKS = 10_000
"""Maximum number of tasks in one submission of a worker."""
_MOST_DELIVERIES = 20
_SERVICE_NAMES = {"prolific": "Prolific", "mturk": "Mechanical Turk"}


def fresh_secret(report: ChangeReport) -> str:
    """Return a new secret for the curator to copy; empty if there is none."""
    if not report.secret:
        return ""
    return (
        f'<section class="done" role="status"><p>{escape(report.words)}</p>'
        f'<code id="secret" dir="ltr" tabindex="0">{escape(report.secret)}</code></section>'
    )


def state_section(campaign: Campaign, asked: CuratorRequest) -> str:
    """Return the section that states whether tasks are assigned, with the button that changes this."""
    is_closed = campaign.is_closed
    words = TEXTS["campaign_is_closed" if is_closed else "campaign_is_open"]
    act, to = ("reopen", "open") if is_closed else ("close", "closed")
    button = f'<button class="quiet" type="submit" id="state">{escape(TEXTS[f"{act}_campaign"])}</button>'
    return (
        f"<h2>{escape(TEXTS['campaign_state'])}</h2><p>{escape(words)}</p>"
        f'<form method="post" action="{CONNECTIONS}/{act}" data-row>{_hidden(campaign, asked)}'
        f"{hidden('to', to)}{button}</form>"
    )


def tokens_section(
    state: AppState, campaign: Campaign, asked: CuratorRequest, sent: Mapping[str, str], *, now: datetime
) -> str:
    """Return the campaign's tokens for the HTTP API, and the form for creating a token, with refused input."""
    tokens = ApiTokens(state.store).of_campaign(campaign.name)
    rows = "".join(_token_row(token, campaign, asked, now=now) for token in tokens)
    people = {account.name: escaped(account.name) for account in state.accounts.all() if not account.is_disabled}
    scopes: dict[str, str] = {scope: TEXTS[f"scope_{scope}"] for scope in SCOPES}
    fields = [
        text_field("label", sent.get("label", ""), FieldWords(TEXTS["label"]), more='maxlength=100 dir="auto"'),
        choice_field("scope", sent.get("scope", SCOPES[0]), FieldWords(TEXTS["scope"]), scopes),
        choice_field("person", sent.get("person", ""), FieldWords(TEXTS["person"]), people),
        text_field(
            "days", sent.get("days", str(DAYS)), FieldWords(TEXTS["days"]), kind="number",
            more=f"min=1 max={MOST_DAYS} required",
        ),
    ]  # fmt: skip
    return _section("tokens", rows) + _form("token", f'<div class="two">{"".join(fields)}</div>', campaign, asked)


def _token_row(token: ApiToken, campaign: Campaign, asked: CuratorRequest, *, now: datetime) -> str:
    state = token.state(now=now)
    facts = [
        TEXTS[f"scope_{token.scope}"],
        escaped(token.person),
        TEXTS[f"state_{state}"],
        f"{TEXTS['ends']}: {token.ends_at:%Y-%m-%d}",
    ]
    if token.used_at is not None:
        facts.append(f"{TEXTS['used']}: {token.used_at:%Y-%m-%d %H:%M}")
    act = _row_act("revoke", TEXTS["revoke"], token.id, campaign, asked) if state == "works" else ""
    return _row(f"token-{token.id}", f"{token.id}: {escaped(token.label)}", facts, act)


def webhooks_section(state: AppState, campaign: Campaign, asked: CuratorRequest, sent: Mapping[str, str]) -> str:
    """Return the campaign's webhooks, their latest deliveries, and the form that adds a webhook, with refused input."""
    webhooks = Webhooks(state.store)
    rows = "".join(_webhook_row(webhooks, one, campaign, asked) for one in webhooks.of_campaign(campaign.name))
    checks = "".join(
        f'<label class="check"><input type="checkbox" name="event-{event}" value="yes"'
        f"{' checked' if not sent or f'event-{event}' in sent else ''}>"
        f"<span>{escape(_event_words(event))}</span></label>"
        for event in EVENTS
    )
    url = text_field(
        "url", sent.get("url", ""), FieldWords(TEXTS["address"]), kind="url", more='maxlength=2000 dir="ltr" required'
    )
    events = f'<fieldset class="line"><legend>{escape(TEXTS["events"])}</legend>{checks}</fieldset>'
    return _section("webhooks", rows) + _form("webhook", url + events, campaign, asked)


def _webhook_row(webhooks: Webhooks, webhook: Webhook, campaign: Campaign, asked: CuratorRequest) -> str:
    act = _row_act("remove", TEXTS["remove"], webhook.id, campaign, asked)
    deliveries = [
        [
            _event_words(each.event), TEXTS[f"state_{each.state}"], str(each.attempts),
            each.error or (each.status and str(each.status)) or "",
        ]
        for each in reversed(webhooks.deliveries(webhook.id, most=_MOST_DELIVERIES, newest=True))
    ]  # fmt: skip
    more = ""
    if deliveries:
        heads = [TEXTS[name] for name in ("events", "state", "attempts", "answer")]
        table = table_html(TEXTS["deliveries"], heads, deliveries)
        more = f"<details><summary>{escape(TEXTS['deliveries'])}</summary>{table}</details>"
    events = ", ".join(map(_event_words, webhook.events))
    return _row(f"webhook-{webhook.id}", escaped(webhook.url), [events], act, more)


def entries_section(state: AppState, campaign: Campaign, asked: CuratorRequest, sent: Mapping[str, str]) -> str:
    """Return the campaign's entries for crowd workers, and the form for creating an entry, with refused input."""
    listed = CrowdEntries(state.store).of_campaign(campaign.name)
    rows = "".join(_entry_row(entry, campaign, asked) for entry in listed)
    fields = [
        choice_field("service", sent.get("service", SERVICES[0]), FieldWords(TEXTS["service"]), _SERVICE_NAMES),
        text_field(
            "tasks_per_visit", sent.get("tasks_per_visit", "0"), FieldWords(TEXTS["tasks_per_visit"]), kind="number",
            more=f"min=0 max={MOST_TASKS} required",
        ),
        *(
            text_field(name, sent.get(name, ""), FieldWords(TEXTS[name]), more='maxlength=50 dir="auto"')
            for name in ("completed_code", "screened_out_code", "paused_code")
        ),
    ]  # fmt: skip
    return _section("entries", rows) + _form("entry", f'<div class="two">{"".join(fields)}</div>', campaign, asked)


def _entry_row(entry: CrowdEntry, campaign: Campaign, asked: CuratorRequest) -> str:
    link = f'<code dir="ltr">{escape(entry_link(entry, asked.base))}</code>'
    facts = [TEXTS["is_closed"]] if entry.closed_at else []
    act = "" if entry.closed_at else _row_act("close-entry", TEXTS["close_entry"], entry.id, campaign, asked)
    name = f"{entry.id}: {_SERVICE_NAMES[entry.service]}, {escaped(entry.completed_code)}"
    return _row(f"entry-{entry.id}", name, facts, act, link)


def _section(name: str, rows: str) -> str:
    listed = f'<ul class="rows">{rows}</ul>' if rows else ""
    return f"<h2>{escape(TEXTS[name])}</h2><p>{escape(TEXTS[f'{name}_why'])}</p>{listed}"


def _row(row_id: str, name: str, facts: list[str], act: str, more: str = "") -> str:
    """Return a line of a list.

    Args:
        row_id: Id of its name on the page.
        name: Its name.
        facts: Short texts about it.
        act: Its button, as HTML; empty if there is none.
        more: Content that follows the texts, as HTML.
    """
    said = " · ".join(f"<bdi>{escape(fact)}</bdi>" for fact in facts)
    return (
        f'<li class="one"><div class="words"><strong id="{row_id}"><bdi>{escape(name)}</bdi></strong>'
        f"<small>{said}</small>{more}</div>{act}</li>"
    )


def _row_act(act: str, words: str, number: int, campaign: Campaign, asked: CuratorRequest) -> str:
    subject = {"revoke": "token", "remove": "webhook", "close-entry": "entry"}[act]
    return (
        f'<form method="post" action="{CONNECTIONS}/{act}" data-row>{_hidden(campaign, asked)}'
        f'{hidden("number", str(number))}<button class="quiet" type="submit" id="{act}-{number}"'
        f' aria-describedby="{subject}-{number}">{escape(words)}</button></form>'
    )


def _form(act: str, fields: str, campaign: Campaign, asked: CuratorRequest) -> str:
    return (
        f'<section class="card"><form method="post" action="{CONNECTIONS}/{act}">{_hidden(campaign, asked)}{fields}'
        f'<div class="buttons"><button type="submit" id="make-{act}">{escape(TEXTS[f"make_{act}"])}</button></div>'
        "</form></section>"
    )


def _hidden(campaign: Campaign, asked: CuratorRequest) -> str:
    return hidden(TOKEN, asked.token) + hidden("campaign", campaign.name)


def _event_words(code: str) -> str:
    """Return the label of an event."""
    return TEXTS[f"event_{code.replace('.', '_')}"]
