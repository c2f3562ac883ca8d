"""``benchwright review pay``: annotators' hours and pay, as a table."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.errors import BenchwrightError
from benchwright.terminal.output import emit, json_option, note
from benchwright.texts.normalization import counted, printable

from ..selection import campaign_option, open_for_commands, pick_campaign, workspace_option

if TYPE_CHECKING:
    from ...pay.invoice import PayRow

_DAY = click.DateTime(["%Y-%m-%d"])


@click.command("pay")
@workspace_option
@campaign_option
@click.option(
    "--rate", metavar="AMOUNT", help="Pay per hour, such as 12.50.  [default: the `handout.pay` of the recipe]"
)
@click.option(
    "--rate-of", "rates", multiple=True, metavar="NAME=AMOUNT", help="Pay per hour for one person; may be repeated."
)
@click.option(
    "--currency",
    metavar="CODE",
    help="Code of the currency (ISO 4217).  [default: the `handout.pay` of the recipe, else USD]",
)
@click.option("--from", "since", type=_DAY, metavar="DAY", help="First day, in UTC.  [default: from the first]")
@click.option("--to", "until", type=_DAY, metavar="DAY", help="Last day, in UTC.  [default: to the last]")
@click.option(
    "--worker-ids", "with_ids", is_flag=True, help="Name crowd workers by their ids at the service, to pay them there."
)
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="FILE", help="Write the table, as .csv or .xlsx (extra `tables`)."
)
@json_option(
    """
    `{"campaign", "people": [{"person", "service", "worker", "tasks", "set_aside", "hours", "active_hours", "rate",
    "amount", "currency", "first", "last"}], "hours", "amount", "out"}`; `service` and `worker` are null for people who
    came by no entry, `worker` also without `--worker-ids`
    """
)
def pay(
    workspace: Path | None,
    campaign: str | None,
    rate: str | None,
    rates: tuple[str, ...],
    currency: str | None,
    since: datetime | None,
    until: datetime | None,
    with_ids: bool,
    out: Path | None,
    as_json: bool,
) -> None:
    """Show each annotator's hours in a campaign, and their pay.

    Hours are the time between two traces of a person at most 20 minutes apart: short pauses are paid (29 CFR 785.18),
    longer ones are not. `active_hours` are those on tasks alone, with up to half a minute without a key or the pointer.
    Votes set aside are paid like others, and also counted separately. Decisions from tables have no time.
    """
    from ...forms.assignment_settings import assignment_settings_of
    from ...pay.invoice import PayTerms, pay_rows, read_rate, write_pay
    from ...store.database.audit import COMMAND_LINE, clock

    own = {}
    for text in rates:
        person, sign, stated = text.rpartition("=")
        if not sign or not person.strip():
            raise BenchwrightError(f"--rate-of {text[:60]!r}: expected a name and an amount, such as ann=15")
        own[person.strip()] = read_rate(stated, of=f"--rate-of {person.strip()}")
    with open_for_commands(workspace) as store:
        name = pick_campaign(store, campaign)
        stated_pay = assignment_settings_of(store.campaign(name).settings).pay
        if rate is None and stated_pay is None:
            raise BenchwrightError(f"the recipe states no pay for {name!r}; give --rate AMOUNT, such as 12.50")
        terms = PayTerms(
            read_rate(f"{stated_pay.rate:.2f}" if rate is None and stated_pay is not None else str(rate), of="--rate"),
            currency or ("USD" if stated_pay is None else stated_pay.currency),
            own,
            None if since is None else since.date(),
            None if until is None else until.date(),
        )
        rows = pay_rows(store, name, terms, with_ids=with_ids)
        if out is not None:
            write_pay(rows, out)
        if out is not None or with_ids:
            store.record_read("pay_counted", actor=COMMAND_LINE, now=clock(), campaign=name, with_ids=with_ids)
    if out is not None:
        note(f"written to {out}")
    hours, amount = sum(row.hours for row in rows), sum(row.amount for row in rows)
    document = {
        "campaign": name,
        "people": [row.to_json() for row in rows],
        "hours": float(hours),
        "amount": float(amount),
        "out": None if out is None else str(out),
    }
    total = f"{counted(len(rows), 'person', 'people')}, {counted(float(hours), 'hour')}, {amount} {terms.currency}"
    emit(document, as_json=as_json, text=lambda: _text(rows, total))


def _text(rows: list[PayRow], total: str) -> str:
    lines = []
    for row in rows:
        aside = f", {row.set_aside} of them set aside" if row.set_aside else ""
        who = f"{row.person} ({row.service} {row.worker})" if row.worker else row.person
        hours = counted(float(row.hours), "hour")
        lines.append(f"{who}: {counted(row.tasks, 'task')}{aside}, {hours} at {row.rate}, {row.amount} {row.currency}")
    return "\n".join(map(printable, [*lines, total]))
