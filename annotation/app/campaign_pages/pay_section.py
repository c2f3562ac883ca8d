"""Part of the connections page, as HTML: hours and pay of a campaign's people."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from urllib.parse import urlencode

from benchwright.errors import BenchwrightError

from ...forms.assignment_settings import assignment_settings_of
from ...pay.invoice import PayRow, PayTerms, pay_rows, read_rate
from ...store.database.records import Campaign
from ..auth.known_pages import CONNECTIONS
from ..base.state import AppState
from ..base.tables import table_html
from ..own_pages.html_fields import FieldWords, hidden, text_field
from ..people_pages.campaign_choice import menu_form
from ..wording.connection_texts import TEXTS
from ..wording.texts import message_of

_RATE, _CURRENCY = "15.00", "USD"


def pay_rows_of(state: AppState, campaign: Campaign, query: Mapping[str, str]) -> list[PayRow]:
    """Return the hours and pay of a campaign's people at the rate in an address, or else at the campaign's rate.

    Raises:
        BenchwrightError: The rate or the currency is invalid.
    """
    rate, currency = _terms(campaign, query)
    return pay_rows(state.store, campaign.name, PayTerms(read_rate(rate, of=TEXTS["rate"]), currency.strip()))


def pay_section(state: AppState, campaign: Campaign, query: Mapping[str, str], *, table: str) -> str:
    """Return the table of hours and pay, with a menu for rate and currency and a link to download the table.

    Args:
        state: State of the app.
        campaign: The campaign.
        query: Parameters of the address, of which `rate` and `currency` are used.
        table: Path of the file.
    """
    rate, currency = _terms(campaign, query)
    problem, body = "", ""
    try:
        rows = pay_rows_of(state, campaign, query)
    except BenchwrightError as error:
        problem, rows = message_of(error), []
    fields = (
        f"{hidden('campaign', campaign.name)}"
        f"{text_field('rate', rate, FieldWords(TEXTS['rate'], '', problem), more='maxlength=12 inputmode=decimal')}"
        f"{text_field('currency', currency, FieldWords(TEXTS['currency']), more='maxlength=3')}"
    )
    if rows:
        heads = [TEXTS[name] for name in ("person", "tasks", "aside", "hours", "active_hours", "amount")]
        address = f"{table}?{urlencode({'campaign': campaign.name, 'rate': rate, 'currency': currency})}"
        body = table_html(TEXTS["pay"], heads, [_cells(row) for row in rows])
        body += (
            f'<div class="buttons"><a class="button quiet" id="pay-table" href="{escape(address, quote=True)}"'
            f" download>{escape(TEXTS['pay_table'])}</a></div>"
        )
    menu = menu_form(f"{CONNECTIONS}#pay", fields, button="show-pay")
    return f'<h2 id="pay">{escape(TEXTS["pay"])}</h2><p>{escape(TEXTS["pay_why"])}</p>{menu}{body}'


def _terms(campaign: Campaign, query: Mapping[str, str]) -> tuple[str, str]:
    pay = assignment_settings_of(campaign.settings).pay
    rate, currency = (_RATE, _CURRENCY) if pay is None else (f"{pay.rate:.2f}", pay.currency)
    return query.get("rate", rate), query.get("currency", currency)


def _cells(row: PayRow) -> list[str]:
    return [
        row.person, str(row.tasks), str(row.set_aside), str(row.hours), str(row.active_hours),
        f"{row.amount} {row.currency}",
    ]  # fmt: skip
