"""Discussions of items after a campaign: posts by annotators and curators once the item is no longer judged.

A discussion shows the key and all decisions, so it opens only when it can influence no decision: the campaign is
closed, no annotator holds a task of the item, and no open campaign asks about it. Reopening a campaign hides its
discussions until it closes again. Annotators who took part keep their decision and no longer judge the item.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from benchwright.errors import BenchwrightError

from ..database.audit import record
from ..database.conversation_tables import item_posts
from ..database.records import Campaign, RefusedError
from ..database.schema import annotators, campaigns, slots, tasks

LONGEST = 2000
"""Maximum number of characters in a post."""
MOST = 200
"""Maximum number of posts on one item of a campaign."""


@dataclass(frozen=True)
class Post:
    """A post in a discussion: author, text and time."""

    id: int
    author: str
    words: str
    posted_at: datetime


def may_be_discussed(connection: sa.Connection, campaign: Campaign, item_id: str) -> bool:
    """Return whether an item of a campaign may be discussed: no annotator can judge it anymore.

    The function rereads the campaign's state and ignores the one in the argument.
    """
    of_item = tasks.c.item_id == item_id
    is_asked = sa.exists().where(of_item, tasks.c.campaign_id == campaign.id)
    is_closed = sa.exists().where(campaigns.c.id == campaign.id, campaigns.c.closed_at.is_not(None))
    is_held = sa.exists().where(of_item, slots.c.task_id == tasks.c.id, slots.c.lease_until.is_not(None))
    is_open = sa.exists().where(
        of_item,
        tasks.c.state == "open",
        campaigns.c.id == tasks.c.campaign_id,
        campaigns.c.closed_at.is_(None),
        ~campaigns.c.is_archived,
        ~campaigns.c.is_simulated,
    )
    return bool(connection.execute(sa.select(is_asked & is_closed & ~is_held & ~is_open)).scalar_one())


def discussed_task(connection: sa.Connection, campaign: Campaign, item_id: str, *, of: str | None) -> int | None:
    """Return the latest task for an item in a campaign, whose pictures a discussion shows; None if there is no task.

    Args:
        connection: Connection in a read transaction.
        campaign: Campaign.
        item_id: Id of the item.
        of: Annotator who decided the task; None for any task.
    """
    query = sa.select(sa.func.max(tasks.c.id)).where(tasks.c.campaign_id == campaign.id, tasks.c.item_id == item_id)
    if of is not None:
        query = query.where(
            slots.c.task_id == tasks.c.id,
            slots.c.submitted_at.is_not(None),
            annotators.c.id == slots.c.annotator_id,
            annotators.c.name == of,
        )
    found: int | None = connection.execute(query).scalar_one()
    return found


def decisions_on(connection: sa.Connection, task_id: int) -> dict[str, int]:
    """Return how many annotators made each decision on a task, most frequent first."""
    query = (
        sa.select(slots.c.decision, sa.func.count())
        .where(slots.c.task_id == task_id, slots.c.decision.is_not(None))
        .group_by(slots.c.decision)
        .order_by(sa.func.count().desc(), slots.c.decision)
    )
    return {row[0]: row[1] for row in connection.execute(query)}


def post_counts(connection: sa.Connection, campaign: Campaign) -> dict[str, int]:
    """Return the number of posts on each item of a campaign, omitting items that have none."""
    query = (
        sa.select(item_posts.c.item_id, sa.func.count())
        .where(item_posts.c.campaign_id == campaign.id)
        .group_by(item_posts.c.item_id)
    )
    return {row[0]: row[1] for row in connection.execute(query)}


def posts_on(connection: sa.Connection, campaign: Campaign, item_id: str) -> list[Post]:
    """Return the posts on an item of a campaign, earliest first; the caller checks who may read them."""
    query = (
        sa.select(item_posts.c.id, annotators.c.name, item_posts.c.words, item_posts.c.posted_at)
        .join(annotators, item_posts.c.annotator_id == annotators.c.id)
        .where(item_posts.c.campaign_id == campaign.id, item_posts.c.item_id == item_id)
        .order_by(item_posts.c.id)
    )
    return [Post(*row) for row in connection.execute(query)]


def add_post(
    connection: sa.Connection, campaign: Campaign, item_id: str, words: str, *, author: str, now: datetime
) -> None:
    """Add a post to the discussion of an item; the caller checks that the author may take part.

    Raises:
        RefusedError: The item may not be discussed now; the text is empty, too long or contains a null character; or
            the item has too many posts.
        BenchwrightError: The author has no account.
    """
    text = words.strip()
    if not text or len(text) > LONGEST or "\0" in text:
        raise RefusedError(f"a post has 1 to {LONGEST} characters, without nulls; this one has {len(text)}")
    if not may_be_discussed(connection, campaign, item_id):
        raise RefusedError("annotators may still judge this item; it can be discussed once they no longer can")
    annotator_id = connection.execute(
        sa.select(annotators.c.id).where(annotators.c.name == author)
    ).scalar_one_or_none()
    if annotator_id is None:
        raise BenchwrightError(f"{author!r} has no account in this review store")
    of_item = (item_posts.c.campaign_id == campaign.id) & (item_posts.c.item_id == item_id)
    if connection.execute(sa.select(sa.func.count()).where(of_item)).scalar_one() >= MOST:
        raise RefusedError(f"this item has {MOST} posts, the maximum")
    values = {
        "campaign_id": campaign.id, "item_id": item_id, "annotator_id": annotator_id, "words": text, "posted_at": now,
    }  # fmt: skip
    connection.execute(sa.insert(item_posts).values(values))
    record(connection, "posted", actor=author, at=now, campaign=campaign.name, item=item_id)
