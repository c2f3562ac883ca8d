"""``benchwright review webhooks``: addresses to which the review app sends a campaign's events."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.errors import BenchwrightError
from benchwright.terminal.output import emit, json_option
from benchwright.texts.normalization import counted, printable

from ..selection import campaign_option, open_for_commands, pick_campaign, workspace_option

if TYPE_CHECKING:
    from ...store.integrations.webhooks import Delivery, Webhook

_EVENTS = ("decision.saved", "item.settled", "campaign.finished", "person.paused", "person.resumed")
_MOST = 100


@click.command("webhooks")
@workspace_option
@campaign_option
@click.option("--add", metavar="URL", help="Address that receives events from now on; prints its secret, once.")
@click.option(
    "--event",
    "events",
    type=click.Choice(_EVENTS),
    multiple=True,
    help="With --add: an event to send; may be repeated.  [default: all]",
)
@click.option(
    "--private", is_flag=True, help="With --add: allow an address in a private network; `serve` has to allow it, too."
)
@click.option("--remove", type=int, metavar="ID", help="Number of a webhook to remove.")
@click.option("--log", type=int, metavar="ID", help="Number of a webhook whose deliveries to list, newest last.")
@click.option("--again", type=int, metavar="DELIVERY", help="With --log: number of a delivery to send again.")
@click.option("--by", metavar="NAME", help="Your name, for the log.  [default: (command line)]")
@json_option(
    """
    `{"webhooks": [{"id", "campaign", "url", "events", "made_at", "made_by", "ended_at", "ended_by"}], "secret",
    "deliveries": [{"id", "webhook", "event", "state", "task", "attempts", "status", "error", "happened_at", "next_at",
    "delivered_at"}]}`; `secret` is that of a new webhook, null without one; `deliveries` are those of --log, where
    `state` is `delivered`, `waits` or `given_up`
    """
)
def webhooks(
    workspace: Path | None,
    campaign: str | None,
    add: str | None,
    events: tuple[str, ...],
    private: bool,
    remove: int | None,
    log: int | None,
    again: int | None,
    by: str | None,
    as_json: bool,
) -> None:
    """List the webhooks, after adding or removing one, or list the deliveries to one.

    The app sends events while it runs, signed (Standard Webhooks), and retries failed deliveries for three days. It
    reaches public addresses by https only, unless `review serve --private-webhooks` allows others.
    """
    from ...store.database.audit import COMMAND_LINE, clock
    from ...store.integrations.webhooks import Webhooks
    from ...webhooks.addresses import target_of

    if sum(value is not None for value in (add, remove, log)) > 1:
        raise BenchwrightError("give only one of --add, --remove and --log")
    if again is not None and log is None:
        raise BenchwrightError("--again needs --log, which names the webhook")
    secret, deliveries, who, now = None, [], by or COMMAND_LINE, clock()
    with open_for_commands(workspace) as store:
        kept = Webhooks(store)
        if add is not None:
            target_of(add, allow_private=private)
            _, secret = kept.make(pick_campaign(store, campaign), add, events, by=who, now=now)
        if remove is not None:
            kept.end(remove, by=who, now=now, campaign=campaign)
        if log is not None:
            if again is not None:
                kept.send_again(log, again, by=who, now=now)
            deliveries = kept.deliveries(log, most=_MOST, newest=True)
        listed = kept.of_campaign(campaign)
    document = {
        "webhooks": [webhook.to_json() for webhook in listed],
        "secret": secret,
        "deliveries": [delivery.to_json() for delivery in deliveries],
    }
    emit(document, as_json=as_json, text=lambda: _text(listed, secret, deliveries))


def _text(listed: list[Webhook], secret: str | None, deliveries: list[Delivery]) -> str:
    lines = [f"{each.id}: {each.campaign} to {each.url}, {', '.join(each.events)}" for each in listed]
    lines = lines or ["no webhooks yet"]
    for each in deliveries:
        why = f", {each.error}" if each.error else ""
        lines.append(f"  {each.id}: {each.event}, {each.state} after {counted(each.attempts, 'attempt')}{why}")
    lines += [f"its secret, shown this once: {secret}"] if secret else []
    return "\n".join(map(printable, lines))
