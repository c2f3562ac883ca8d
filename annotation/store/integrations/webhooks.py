"""Webhooks: addresses that a curator registered for a campaign's events, and the deliveries to them.

Events come from the audit log. Each webhook remembers how far it has read, so that no event is repeated or missed,
whenever the server was stopped. A delivery names the event and holds no text: the text is made from the store at the
time of sending, and so never names a person forgotten in the meantime.
"""

from __future__ import annotations

import json
import secrets
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from benchwright.errors import BenchwrightError

from ..campaigns.tasks import find_campaign
from ..database.audit import record
from ..database.integration_tables import webhook_deliveries, webhooks
from ..database.schema import audit_log, campaigns
from ..database.store_connection import StoreConnection

DECISION, SETTLED, FINISHED = "decision.saved", "item.settled", "campaign.finished"
PAUSED, RESUMED = "person.paused", "person.resumed"
EVENTS: tuple[str, ...] = (DECISION, SETTLED, FINISHED, PAUSED, RESUMED)
MOST_WEBHOOKS = 20
"""Maximum number of webhooks per campaign."""
DELAYS_S = (0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400)
"""Seconds between each attempt and the previous one: the schedule that Standard Webhooks recommends
(https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md).
"""
_LEASE_S = 30
"""Seconds after which an unfinished delivery is sent again, as the server may have been killed during it."""
GONE = "(receiver)"
"""Actor that removed a webhook whose receiver answered 410 Gone."""
SECRET_PREFIX = "whsec_"  # noqa: S105 - how a secret begins
_LONGEST_ERROR = 300


@dataclass(frozen=True)
class Webhook:
    """A webhook.

    Attributes:
        id: Number in the store.
        campaign: Name of the campaign.
        url: Address that receives the events.
        events: Names of the events to send.
        secret: Key of the signatures, in the format of Standard Webhooks.
        read_up_to: Last row of the audit log read for events.
        is_finished: Whether the campaign's end was announced and the campaign has not continued since.
        made_at: Time of its creation.
        made_by: Name of its creator.
        ended_at: Time of its removal; None while it receives events.
        ended_by: Name of the person who removed it.
    """

    id: int
    campaign: str
    url: str
    events: tuple[str, ...]
    secret: str
    read_up_to: int
    is_finished: bool
    made_at: datetime
    made_by: str
    ended_at: datetime | None
    ended_by: str | None

    def to_json(self) -> dict[str, Any]:
        """Return the entry that `review webhooks --json` and the API list, without the secret."""
        return {
            "id": self.id,
            "campaign": self.campaign,
            "url": self.url,
            "events": list(self.events),
            "made_at": self.made_at.isoformat(),
            "made_by": self.made_by,
            "ended_at": None if self.ended_at is None else self.ended_at.isoformat(),
            "ended_by": self.ended_by,
        }


@dataclass(frozen=True)
class Delivery:
    """An event to be delivered to a webhook.

    Attributes:
        id: Number in the store, stated in `webhook-id`, the same in each attempt.
        webhook_id: Webhook that receives it.
        event: Name of the event.
        happened_at: Time of the event.
        task_id: Task of the event; None for other events.
        slot_id: Slot of the decision; None for other events.
        version: Version of the decision; None for other events.
        annotator_id: Person of the event; None for other events.
        outcome: Outcome of an item; None for other events.
        attempts: Number of attempts.
        next_at: Time of the next attempt; None once the delivery has arrived or was given up.
        status: Status of the receiver's last answer; None if there was none.
        error: Reason why the last attempt failed; None if it succeeded.
        delivered_at: Time of arrival; None until then.
    """

    id: int
    webhook_id: int
    event: str
    happened_at: datetime
    task_id: int | None
    slot_id: int | None
    version: int | None
    annotator_id: int | None
    outcome: str | None
    attempts: int
    next_at: datetime | None
    status: int | None
    error: str | None
    delivered_at: datetime | None

    @property
    def state(self) -> str:
        """Return `delivered`, `waits` or `given_up`."""
        return "delivered" if self.delivered_at else "waits" if self.next_at else "given_up"

    def to_json(self) -> dict[str, Any]:
        """Return the entry of the delivery log."""
        moments = {name: getattr(self, name) for name in ("happened_at", "next_at", "delivered_at")}
        return {
            "id": self.id,
            "webhook": self.webhook_id,
            "event": self.event,
            "state": self.state,
            "task": self.task_id,
            "attempts": self.attempts,
            "status": self.status,
            "error": self.error,
            **{name: None if at is None else at.isoformat() for name, at in moments.items()},
        }


class Webhooks:
    """The webhooks in a review store. No method reads a clock: `now` is an argument."""

    def __init__(self, store: StoreConnection) -> None:
        self._store = store

    def make(
        self, campaign: str, url: str, events: Sequence[str] = (), *, by: str, now: datetime
    ) -> tuple[Webhook, str]:
        """Create a webhook, which receives events from now on, and return the webhook with its secret.

        Args:
            campaign: Name of the campaign.
            url: Address that receives the events; `webhooks.addresses` checks it.
            events: Names of events; empty for all.
            by: Name of its creator.
            now: Time of the call.

        Raises:
            BenchwrightError: No such campaign or event exists, simulated annotators decide, or the campaign has too
                many webhooks.
        """
        if unknown := sorted(set(events) - set(EVENTS)):
            raise BenchwrightError(f"event {unknown[0][:60]!r} is not one of {', '.join(EVENTS)}")
        chosen = [event for event in EVENTS if event in events] or list(EVENTS)
        secret = SECRET_PREFIX + b64encode(secrets.token_bytes(32)).decode()
        with self._store.writing() as connection:
            found = find_campaign(connection, campaign)
            if found.is_simulated:
                raise BenchwrightError(f"simulated annotators decide in campaign {campaign!r}, which sends no events")
            is_there = (webhooks.c.campaign_id == found.id) & webhooks.c.ended_at.is_(None)
            count = connection.execute(sa.select(sa.func.count()).select_from(webhooks).where(is_there)).scalar_one()
            if count >= MOST_WEBHOOKS:
                raise BenchwrightError(f"a campaign can have at most {MOST_WEBHOOKS} webhooks; remove one first")
            last = connection.execute(sa.select(sa.func.max(audit_log.c.id))).scalar_one() or 0
            values = {"campaign_id": found.id, "url": url, "events": json.dumps(chosen), "secret": secret}
            values |= {"read_up_to": last, "is_finished": False, "made_at": now, "made_by": by}
            made = connection.execute(sa.insert(webhooks).values(values).returning(webhooks.c.id)).scalar_one()
            record(connection, "webhook_made", actor=by, at=now, webhook=made, campaign=campaign, url=url)
            [webhook] = _listed(connection, webhooks.c.id == made)
        return webhook, secret

    def of_campaign(self, campaign: str | None = None, *, also_ended: bool = False) -> list[Webhook]:
        """Return the webhooks for a campaign, or for all campaigns, by number; removed ones only if `also_ended`."""
        with self._store.reading() as connection:
            wanted: list[sa.ColumnElement[bool]] = [] if also_ended else [webhooks.c.ended_at.is_(None)]
            if campaign is not None:
                wanted.append(webhooks.c.campaign_id == find_campaign(connection, campaign).id)
            return _listed(connection, sa.and_(sa.true(), *wanted))

    def end(self, webhook_id: int, *, by: str, now: datetime, campaign: str | None = None) -> Webhook:
        """Remove a webhook, which then receives nothing more, and keep its log.

        Raises:
            BenchwrightError: No such webhook exists, or it is not one of `campaign`.
        """
        is_it = (webhooks.c.id == webhook_id) & webhooks.c.ended_at.is_(None)
        with self._store.writing() as connection:
            found = _listed(connection, is_it) if 0 < webhook_id < 2**31 else []
            if not found or campaign not in {None, found[0].campaign}:
                raise BenchwrightError(f"no webhook has the number {webhook_id}; `review webhooks` lists all webhooks")
            connection.execute(sa.update(webhooks).where(is_it).values(ended_at=now, ended_by=by))
            waits = (webhook_deliveries.c.webhook_id == webhook_id) & webhook_deliveries.c.next_at.is_not(None)
            connection.execute(sa.update(webhook_deliveries).where(waits).values(next_at=None))
            record(connection, "webhook_ended", actor=by, at=now, webhook=webhook_id)
            [webhook] = _listed(connection, webhooks.c.id == webhook_id)
        return webhook

    def deliveries(self, webhook_id: int, *, after: int = 0, most: int = 100, newest: bool = False) -> list[Delivery]:
        """Return a webhook's deliveries, sent or pending, by number: the first after number `after`, or the latest."""
        where = (webhook_deliveries.c.webhook_id == webhook_id) & (webhook_deliveries.c.id > after)
        with self._store.reading() as connection:
            return _deliveries(connection, where, most=most, newest=newest)

    def send_again(self, webhook_id: int, delivery_id: int, *, by: str, now: datetime) -> None:
        """Repeat a delivery immediately, with the full number of attempts.

        Raises:
            BenchwrightError: The webhook has no such delivery, or was removed.
        """
        is_it = (webhook_deliveries.c.id == delivery_id) & (webhook_deliveries.c.webhook_id == webhook_id)
        with self._store.writing() as connection:
            is_there = _listed(connection, (webhooks.c.id == webhook_id) & webhooks.c.ended_at.is_(None))
            changed = sa.update(webhook_deliveries).where(is_it).values(next_at=now, attempts=0, delivered_at=None)
            if not is_there or connection.execute(changed).rowcount == 0:
                raise BenchwrightError(f"webhook {webhook_id} has no delivery {delivery_id}, or was removed")
            record(connection, "webhook_sent_again", actor=by, at=now, webhook=webhook_id, delivery=delivery_id)

    def take_due(self, *, now: datetime, most: int) -> list[tuple[Webhook, Delivery]]:
        """Return due deliveries, each reserved for this call: another server sends them only if this server dies."""
        due = (
            sa.select(webhook_deliveries.c.id)
            .where(webhook_deliveries.c.next_at <= now)
            .order_by(webhook_deliveries.c.next_at, webhook_deliveries.c.id)
            .limit(most)
        )
        with self._store.reading() as connection:
            if connection.execute(due).first() is None:
                return []
        with self._store.writing() as connection:
            ids = list(connection.execute(due.with_for_update(skip_locked=True)).scalars())
            held = {"next_at": now + timedelta(seconds=_LEASE_S), "attempts": webhook_deliveries.c.attempts + 1}
            connection.execute(sa.update(webhook_deliveries).where(webhook_deliveries.c.id.in_(ids)).values(held))
            taken = _deliveries(connection, webhook_deliveries.c.id.in_(ids), most=most)
            known = {each.id: each for each in _listed(connection, webhooks.c.ended_at.is_(None))}
        return [(known[each.webhook_id], each) for each in taken if each.webhook_id in known]

    def note_sent(self, delivery: Delivery, *, status: int | None, error: str | None, now: datetime) -> None:
        """Record the outcome of an attempt; after each failure the delay before the next attempt grows."""
        values: dict[str, Any] = {"status": status, "error": None if error is None else error[:_LONGEST_ERROR]}
        if error is None:
            values |= {"delivered_at": now, "next_at": None}
        elif delivery.attempts < len(DELAYS_S):
            values["next_at"] = now + timedelta(seconds=DELAYS_S[delivery.attempts])
        else:
            values["next_at"] = None
        with self._store.writing() as connection:
            is_it = webhook_deliveries.c.id == delivery.id
            connection.execute(sa.update(webhook_deliveries).where(is_it).values(values))
        if status == 410:
            self.end(delivery.webhook_id, by=GONE, now=now)


def _listed(connection: sa.Connection, where: sa.ColumnElement[bool]) -> list[Webhook]:
    query = sa.select(webhooks, campaigns.c.name.label("campaign")).join(campaigns).where(where).order_by(webhooks.c.id)
    return [
        Webhook(
            id=row.id,
            campaign=row.campaign,
            url=row.url,
            events=tuple(json.loads(row.events)),
            secret=row.secret,
            read_up_to=row.read_up_to,
            is_finished=row.is_finished,
            made_at=row.made_at,
            made_by=row.made_by,
            ended_at=row.ended_at,
            ended_by=row.ended_by,
        )
        for row in connection.execute(query)
    ]


def _deliveries(
    connection: sa.Connection, where: sa.ColumnElement[bool], *, most: int, newest: bool = False
) -> list[Delivery]:
    number = webhook_deliveries.c.id
    query = sa.select(webhook_deliveries).where(where).order_by(number.desc() if newest else number).limit(most)
    found = [Delivery(**row) for row in connection.execute(query).mappings()]
    return found[::-1] if newest else found
