"""Messages from curators to the annotators of a campaign, each shown until its recipient confirms it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from benchwright.errors import BenchwrightError

from ..campaigns.tasks import find_campaign
from ..database.audit import record
from ..database.conversation_tables import message_receipts, messages
from ..database.dialects import insert_into
from ..database.records import Campaign
from ..database.schema import annotators, campaigns

LONGEST = 2000
"""Maximum number of characters in a message."""


@dataclass(frozen=True)
class Message:
    """A message to annotators.

    Attributes:
        id: Number of the message in the store.
        campaign: Campaign whose annotators see it.
        recipient: The only annotator who sees it; None if all annotators of the campaign do.
        words: Text of the message.
        sent_at: Time of sending.
        sent_by: Curator who sent it.
        withdrawn_by: Curator who withdrew it; None while it is shown.
        readers: Annotators who confirmed it, in chronological order.
    """

    id: int
    campaign: str
    recipient: str | None
    words: str
    sent_at: datetime
    sent_by: str
    withdrawn_by: str | None
    readers: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the entry that `review messages --json` lists."""
        return {
            "id": self.id,
            "campaign": self.campaign,
            "recipient": self.recipient,
            "words": self.words,
            "sent_at": self.sent_at.isoformat(),
            "sent_by": self.sent_by,
            "withdrawn_by": self.withdrawn_by,
            "readers": list(self.readers),
        }


def send_message(
    connection: sa.Connection, campaign: str, words: str, *, recipient: str | None, by: str, now: datetime
) -> int:
    """Send a message to all annotators of a campaign or to one of them, and return the message's number.

    Raises:
        BenchwrightError: The text is empty, too long or contains a null character; simulated annotators decide in the
            campaign; or no annotator has the recipient's name.
    """
    text = words.strip()
    if not text or len(text) > LONGEST or "\0" in text:
        raise BenchwrightError(f"a message has 1 to {LONGEST} characters, without nulls; this one has {len(text)}")
    addressed = find_campaign(connection, campaign)
    if addressed.is_simulated:
        raise BenchwrightError(f"simulated annotators decide in campaign {campaign!r}; they read no messages")
    recipient_id = None if recipient is None else _person(connection, recipient)
    values = {"campaign_id": addressed.id, "recipient_id": recipient_id, "words": text, "sent_at": now, "sent_by": by}
    number = connection.execute(sa.insert(messages).values(values).returning(messages.c.id)).scalar_one()
    record(connection, "message_sent", actor=by, at=now, campaign=campaign, message=number)
    return int(number)


def withdraw_message(connection: sa.Connection, campaign: str, number: int, *, by: str, now: datetime) -> None:
    """Stop showing a message, but keep a record of it.

    Raises:
        BenchwrightError: The campaign has no such message, or the message is withdrawn already.
    """
    of_campaign = sa.select(campaigns.c.id).where(campaigns.c.name == campaign).scalar_subquery()
    shown = (messages.c.id == number) & (messages.c.campaign_id == of_campaign) & messages.c.withdrawn_at.is_(None)
    change = sa.update(messages).where(shown).values(withdrawn_at=now, withdrawn_by=by)
    if connection.execute(change).rowcount == 0:
        raise BenchwrightError(f"campaign {campaign!r} shows no message {number}; `review messages` lists them")
    record(connection, "message_withdrawn", actor=by, at=now, campaign=campaign, message=number)


def sent_messages(connection: sa.Connection, campaign: Campaign) -> list[Message]:
    """Return all messages in a campaign, latest first, each with the annotators who confirmed it."""
    readers: dict[int, list[str]] = {}
    query = (
        sa.select(message_receipts.c.message_id, annotators.c.name)
        .join(annotators, message_receipts.c.annotator_id == annotators.c.id)
        .join(messages, message_receipts.c.message_id == messages.c.id)
        .where(messages.c.campaign_id == campaign.id)
        .order_by(message_receipts.c.read_at, annotators.c.name)
    )
    for number, name in connection.execute(query):
        readers.setdefault(number, []).append(name)
    rows = connection.execute(_MESSAGES.where(messages.c.campaign_id == campaign.id).order_by(messages.c.id.desc()))
    return [_message(row, readers.get(row.id, ())) for row in rows]


def unread_messages(connection: sa.Connection, shown_in: Sequence[Campaign], name: str) -> list[Message]:
    """Return the messages that an annotator has not confirmed yet, oldest first.

    Args:
        connection: Connection in a read transaction.
        shown_in: Campaigns in which the annotator may decide, whose messages are searched.
        name: Name of the annotator.
    """
    if not shown_in:
        return []
    own_id = sa.select(annotators.c.id).where(annotators.c.name == name).scalar_subquery()
    confirmed = sa.exists().where(
        message_receipts.c.message_id == messages.c.id, message_receipts.c.annotator_id == own_id
    )
    query = _MESSAGES.where(
        messages.c.campaign_id.in_([campaign.id for campaign in shown_in]),
        messages.c.withdrawn_at.is_(None),
        messages.c.recipient_id.is_(None) | (messages.c.recipient_id == own_id),
        ~confirmed,
    ).order_by(messages.c.id)
    return [_message(row) for row in connection.execute(query)]


def confirm_message(connection: sa.Connection, number: int, name: str, *, now: datetime) -> None:
    """Record when an annotator first confirmed a message.

    Raises:
        BenchwrightError: No such message exists for this annotator.
    """
    annotator_id = _person(connection, name)
    query = sa.select(messages.c.id).where(
        messages.c.id == number, messages.c.recipient_id.is_(None) | (messages.c.recipient_id == annotator_id)
    )
    if connection.execute(query).one_or_none() is None:
        raise BenchwrightError(f"there is no message {number} for you")
    values = {"message_id": number, "annotator_id": annotator_id, "read_at": now}
    connection.execute(insert_into(connection, message_receipts).values(values).on_conflict_do_nothing())


_recipients = annotators.alias("recipients")
_MESSAGES = (
    sa.select(messages, campaigns.c.name.label("campaign"), _recipients.c.name.label("recipient"))
    .join(campaigns, messages.c.campaign_id == campaigns.c.id)
    .outerjoin(_recipients, messages.c.recipient_id == _recipients.c.id)
)


def _message(row: Any, readers: Sequence[str] = ()) -> Message:
    return Message(
        row.id, row.campaign, row.recipient, row.words, row.sent_at, row.sent_by, row.withdrawn_by, tuple(readers)
    )


def _person(connection: sa.Connection, name: str) -> int:
    query = sa.select(annotators.c.id).where(annotators.c.name == name, annotators.c.kind == "person")
    found: int | None = connection.execute(query).scalar_one_or_none()
    if found is None:
        raise BenchwrightError(f"no annotator is called {name!r}; `review users` lists all accounts")
    return found
