"""Votes whose annotations were deleted on the server; they are not counted until the annotations return.

They are set aside (`set_asides`) one by one, by an action that ends at the moment it begins: the annotator is not
paused and may decide the same tasks again. Answers given before the key was shown remain, and so do texts by
annotators.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from ...forms.kinds import AUTHORED_KINDS
from ..database.audit import record
from ..database.records import Campaign, RefusedError
from ..database.schema import annotators, set_asides, slots, tasks
from .set_asides import DELETED_ELSEWHERE, lay_aside, take_one_back, votes_aside

_WHY = "the annotation was deleted there"


class Vote(NamedTuple):
    """An annotator's vote on a task.

    Attributes:
        task_id: Id of the task in the store.
        annotator: Name.
    """

    task_id: int
    annotator: str


def withdraw_votes(
    connection: sa.Connection, campaign: Campaign, given: Collection[Vote], *, now: datetime
) -> frozenset[Vote]:
    """Exclude votes whose annotations were deleted from all counts, and return those that had counted until now.

    Tasks that lack votes then open again. Tasks that an adjudicator decided stay decided, and gold items stay
    unchanged.

    Args:
        connection: Connection in a write transaction with sole use of the store.
        campaign: The campaign.
        given: The votes. In kinds of campaigns in which annotators write items or submit pictures, none is withdrawn.
        now: Time of the action.
    """
    if campaign.kind in AUTHORED_KINDS or campaign.is_simulated:
        return frozenset()
    by_annotator: dict[str, list[int]] = {}
    for vote in given:
        by_annotator.setdefault(vote.annotator, []).append(vote.task_id)
    withdrawn: set[Vote] = set()
    for name, task_ids in sorted(by_annotator.items()):
        rows = _counted(connection, campaign, name, task_ids)
        if not rows:
            continue
        act = connection.execute(
            sa.insert(set_asides).values(
                campaign_id=campaign.id, annotator_id=rows[0].annotator_id, set_at=now, set_by=DELETED_ELSEWHERE,
                why=_WHY, taken_back_at=now, taken_back_by=DELETED_ELSEWHERE,
            )
        ).inserted_primary_key  # fmt: skip
        assert act is not None
        lay_aside(connection, campaign, rows, act=act[0])
        items = sorted(row.item_id for row in rows)
        about = {"campaign": campaign.name, "annotator": name, "votes": len(rows), "items": items}
        record(connection, "votes_withdrawn", actor=DELETED_ELSEWHERE, at=now, **about)
        withdrawn |= {Vote(row.task_id, name) for row in rows}
    return frozenset(withdrawn)


def bring_back(connection: sa.Connection, campaign: Campaign, vote: Vote, *, now: datetime) -> bool:
    """Let a vote whose annotation has returned count again, and return whether it was withdrawn.

    Args:
        connection: Connection in a write transaction with sole use of the store.
        campaign: The campaign.
        vote: The vote.
        now: Time of the action.

    Raises:
        RefusedError: Another annotator has decided in its place, or holds the task now.
    """
    row = connection.execute(
        _withdrawn(campaign).where(slots.c.task_id == vote.task_id, annotators.c.name == vote.annotator)
    ).one_or_none()
    if row is None:
        return False
    done = take_one_back(connection, row, now=now)
    if done == "replaced":
        raise RefusedError("it was deleted there, and another annotator has decided in its place")
    if done == "held":
        raise RefusedError("it was deleted there, and another annotator is at its item now; pull again later")
    _log_return(connection, campaign, vote.annotator, 1, by=DELETED_ELSEWHERE, now=now)
    return True


def bring_all_back(connection: sa.Connection, campaign: Campaign, *, by: str, now: datetime) -> tuple[int, int]:
    """Let all withdrawn votes of a campaign count again.

    Args:
        connection: Connection in a write transaction with sole use of the store.
        campaign: The campaign.
        by: Curator who requests it.
        now: Time of the action.

    Returns:
        Number of votes that count again, and number of those in whose place others have decided or are deciding now.
    """
    back: dict[str, int] = {}
    stay = 0
    query = _withdrawn(campaign).add_columns(annotators.c.name).order_by(slots.c.id)
    for row in connection.execute(query).all():
        if take_one_back(connection, row, now=now) == "back":
            back[row.name] = back.get(row.name, 0) + 1
        else:
            stay += 1
    for name, votes in sorted(back.items()):
        _log_return(connection, campaign, name, votes, by=by, now=now)
    return sum(back.values()), stay


def _counted(connection: sa.Connection, campaign: Campaign, name: str, task_ids: Collection[int]) -> list[Any]:
    """Return the votes of an annotator on the given tasks that count."""
    query = (
        sa.select(slots.c.id, slots.c.slot, slots.c.task_id, slots.c.annotator_id, tasks.c.state, tasks.c.item_id)
        .join(tasks, slots.c.task_id == tasks.c.id)
        .join(annotators, slots.c.annotator_id == annotators.c.id)
        .where(
            tasks.c.campaign_id == campaign.id,
            tasks.c.gold.is_(None),
            annotators.c.name == name,
            slots.c.decision.is_not(None),
        )
        .order_by(slots.c.id)
    )
    wanted = set(task_ids)
    return [row for row in connection.execute(query) if row.task_id in wanted]


def _withdrawn(campaign: Campaign) -> sa.Select[Any]:
    query = votes_aside(campaign.id).join(annotators, set_asides.c.annotator_id == annotators.c.id)
    return query.where(set_asides.c.set_by == DELETED_ELSEWHERE)


def _log_return(
    connection: sa.Connection, campaign: Campaign, name: str, votes: int, *, by: str, now: datetime
) -> None:
    record(connection, "votes_returned", actor=by, at=now, campaign=campaign.name, annotator=name, votes=votes)
