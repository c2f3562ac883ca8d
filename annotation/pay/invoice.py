"""The table for an invoice: one row per person, with tasks, hours, rate and amount."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.errors import BenchwrightError
from benchwright.files.csv_cells import write_rows
from benchwright.files.spreadsheets import is_spreadsheet, write_sheet
from benchwright.workspace.written_once import written_once

from ..store.review_store import ReviewStore
from .hours import PAID_PAUSE_S, people_hours, workers_of

_CENT = Decimal("0.01")
_CURRENCY = re.compile("[A-Z]{3}")
_MOST_RATE = Decimal(100_000)
NUMBERS = ("tasks", "set_aside", "hours", "active_hours", "rate", "amount")
"""Columns that a spreadsheet stores as numbers."""
WORDS: Mapping[str, str] = {
    "person": "name or pseudonym",
    "service": "prolific or mturk, for crowd workers",
    "worker": "id of the person at the service, where it was asked for",
    "tasks": "tasks decided, including votes set aside",
    "set_aside": "votes among these that are set aside",
    "hours": "hours of work, including pauses up to 20 minutes",
    "active_hours": "hours on tasks, as counted by the page",
    "rate": "pay per hour",
    "amount": "hours times rate, to the cent",
    "currency": "code of the currency (ISO 4217)",
    "first": "first trace in the period",
    "last": "last trace in the period",
}


class PayTerms(NamedTuple):
    """The terms of payment.

    Args:
        rate: Pay for an hour.
        currency: Code of the currency (ISO 4217).
        rates: Pay for an hour by name, for people with a different rate.
        since: First day, in UTC; None for no lower bound.
        until: Last day, in UTC; None for no upper bound.
    """

    rate: Decimal
    currency: str = "USD"
    rates: Mapping[str, Decimal] = {}
    since: date | None = None
    until: date | None = None


class PayRow(NamedTuple):
    """The pay of one person; the fields are the columns of the table."""

    person: str
    service: str | None
    worker: str | None
    tasks: int
    set_aside: int
    hours: Decimal
    active_hours: Decimal
    rate: Decimal
    amount: Decimal
    currency: str
    first: datetime
    last: datetime

    def to_json(self) -> dict[str, Any]:
        """Return the entry that `review pay --json` prints, with amounts as numbers."""
        row = self._asdict()
        for name in ("hours", "active_hours", "rate", "amount"):
            row[name] = float(row[name])
        return {**row, "first": self.first.isoformat(), "last": self.last.isoformat()}

    def to_cells(self) -> dict[str, str]:
        """Return the row of the table."""
        cells = {name: "" if value is None else str(value) for name, value in self._asdict().items()}
        return {**cells, "first": f"{self.first:%Y-%m-%d %H:%M}", "last": f"{self.last:%Y-%m-%d %H:%M}"}


def read_rate(text: str, *, of: str) -> Decimal:
    """Return an hourly rate of pay.

    Args:
        text: Number, such as `12.50`.
        of: Source of the number, for the message.

    Raises:
        BenchwrightError: The text is not such a number.
    """
    if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,2})?", text.strip()) or Decimal(text.strip()) > _MOST_RATE:
        raise BenchwrightError(f"{of} {text[:40]!r}: expected an amount per hour, such as 12.50")
    return Decimal(text.strip())


def pay_rows(store: ReviewStore, campaign: str, terms: PayTerms, *, with_ids: bool = False) -> list[PayRow]:
    """Return the pay of all people for a campaign, by name.

    Args:
        store: Review store.
        campaign: Name of the campaign.
        terms: The terms of payment.
        with_ids: Whether rows name crowd workers by their ids at the service; default False.

    Raises:
        BenchwrightError: No such campaign exists, a rate is for an unknown person, or a value is invalid.
    """
    if not _CURRENCY.fullmatch(terms.currency):
        raise BenchwrightError(f"currency {terms.currency[:20]!r}: expected three capital letters, such as EUR")
    if terms.since and terms.until and terms.until < terms.since:
        raise BenchwrightError(f"the period ends ({terms.until}) before it begins ({terms.since})")
    since = None if terms.since is None else datetime.combine(terms.since, time(), UTC)
    until = (
        None if terms.until is None else datetime.combine(date.fromordinal(terms.until.toordinal() + 1), time(), UTC)
    )
    with store.reading() as connection:
        people = people_hours(connection, store.campaign(campaign), since=since, until=until, pause_s=PAID_PAUSE_S)
        workers = workers_of(connection)
    if unknown := sorted(set(terms.rates) - {each.person for each in people}):
        names = ", ".join(each.person for each in people[:20]) or "nobody"
        raise BenchwrightError(
            f"a rate names {unknown[0][:60]!r}, who did no work in the period; those who did: {names}"
        )
    rows = []
    for each in people:
        rate, hours = terms.rates.get(each.person, terms.rate), _cents(Decimal(each.hours))
        service, worker = workers.get(each.person, (None, None))
        rows.append(
            PayRow(
                person=each.person,
                service=service,
                worker=worker if with_ids else None,
                tasks=each.tasks,
                set_aside=each.set_aside,
                hours=hours,
                active_hours=_cents(Decimal(each.active_hours)),
                rate=rate,
                amount=_cents(hours * rate),
                currency=terms.currency,
                first=each.first,
                last=each.last,
            )
        )
    return rows


def _cents(value: Decimal) -> Decimal:
    return value.quantize(_CENT, rounding=ROUND_HALF_UP)


def write_pay(rows: Sequence[PayRow], out: Path) -> None:
    """Write the table as CSV or, depending on the file name, as a spreadsheet with numeric cells.

    Raises:
        BenchwrightError: The file exists with other content, or its folder is missing.
        PrerequisiteError: A spreadsheet is requested, and openpyxl is not installed.
    """
    if not out.parent.is_dir():
        raise BenchwrightError(
            f"{out} cannot be written: the folder {out.parent} does not exist; make it, or give another --out"
        )
    with written_once(out, otherwise="give another --out", private=True) as draft:
        if is_spreadsheet(out):
            with draft.open("wb") as sheet:
                write_sheet(
                    sheet,
                    list(WORDS),
                    (row.to_cells() for row in rows),
                    words=WORDS,
                    offered={},
                    title="pay",
                    numbers=NUMBERS,
                )
        else:
            write_rows(draft, list(WORDS), (row.to_cells() for row in rows))
