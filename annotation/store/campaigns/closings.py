"""Tasks that closed early because their decisions leave little doubt, and the models that estimate the doubt.

A closing is in force until it is withdrawn, its task reopens, or an adjudicator rules on that task. The store keeps
models of the annotators as JSON, so that each closing can be traced to its model.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from benchwright.canonical import canonical_json

from ..database.dialects import insert_into
from ..database.records import Campaign
from ..database.schema import annotations_table, closings, rater_models, slots, tasks
from .adjudications import ruled_tasks
from .gold import IS_NO_CHECK

_AT_ONCE = 500
_has_votes = (tasks.c.state == "open") & tasks.c.is_begun
_IN_FORCE = (
    sa.select(closings, tasks.c.item_id, tasks.c.content_hash)
    .join(tasks, closings.c.task_id == tasks.c.id)
    .where(tasks.c.campaign_id == sa.bindparam("campaign"), tasks.c.state == "done", ~closings.c.is_withdrawn)
    .where(tasks.c.id.not_in(ruled_tasks()))
)


class KeptModel(NamedTuple):
    """A model of annotators, as kept in the store.

    Args:
        id: Id in the store.
        decisions: Number of decisions it is based on.
        up_to: Id of the newest version of a decision when it was made.
        document: The model as JSON values.
    """

    id: int
    decisions: int
    up_to: int
    document: Mapping[str, Any]


class Closing(NamedTuple):
    """The closing of a task whose decision is certain enough, with the fields of its row in the table."""

    task_id: int
    votes: int
    decision: str
    probability: float
    low: float
    high: float
    closed_at: datetime
    model_id: int | None


class TaskVote(NamedTuple):
    """An annotator's decision on a task, in its newest version, and the state of the task."""

    task_id: int
    state: str
    annotator_id: int
    decision: str
    submitted_at: datetime


def newest_model(connection: sa.Connection, campaign: Campaign) -> KeptModel | None:
    """Return the latest model of annotators in a campaign."""
    m = rater_models.c
    query = sa.select(m.id, m.decisions, m.up_to, m.body).where(m.campaign_id == campaign.id)
    row = connection.execute(query.order_by(m.up_to.desc()).limit(1)).one_or_none()
    return None if row is None else KeptModel(row.id, row.decisions, row.up_to, json.loads(row.body))


def add_model(
    connection: sa.Connection, campaign: Campaign, document: Mapping[str, Any], *, decisions: int, up_to: int
) -> None:
    """Store a model of a campaign's annotators, unless another process has just stored the same model."""
    row = {"campaign_id": campaign.id, "decisions": decisions, "up_to": up_to, "body": canonical_json(dict(document))}
    connection.execute(insert_into(connection, rater_models).values(row).on_conflict_do_nothing())


def newest_version(connection: sa.Connection) -> int:
    """Return the id of the newest version of any decision in the store, or 0 if there are no decisions."""
    return int(connection.execute(sa.select(sa.func.max(annotations_table.c.id))).scalar_one() or 0)


def count_since(connection: sa.Connection, campaign: Campaign, version: int) -> int:
    """Return how many versions of decisions were added to a campaign after the version with a given id."""
    query = (
        sa.select(sa.func.count())
        .select_from(annotations_table.join(slots).join(tasks, slots.c.task_id == tasks.c.id))
        .where(annotations_table.c.id > version, tasks.c.campaign_id + 0 == campaign.id)
    )
    return int(connection.execute(query).scalar_one())


def newest_ratings(connection: sa.Connection, campaign: Campaign, *, most: int) -> Sequence[Any]:
    """Return a campaign's newest decisions, each with task, annotator and, for gold tasks, the right decision."""
    query = (
        sa.select(slots.c.task_id, slots.c.annotator_id, slots.c.decision, tasks.c.gold)
        .join(tasks, slots.c.task_id == tasks.c.id)
        .where(
            tasks.c.campaign_id == campaign.id,
            tasks.c.is_begun,
            (tasks.c.state != "retired") | (tasks.c.gold.is_not(None) & IS_NO_CHECK),
            slots.c.decision.is_not(None),
        )
        .order_by(slots.c.submitted_at.desc(), slots.c.id.desc())
        .limit(most)
    )
    return connection.execute(query).all()


def list_votes(
    connection: sa.Connection, campaign: Campaign, *, task: int | None = None, also: Iterable[int] = ()
) -> dict[int, list[TaskVote]]:
    """Return, by task, the annotators' decisions on each task that might close or reopen.

    Args:
        connection: Connection in a read transaction.
        campaign: Campaign.
        task: Id of the only task to read, open or done; default None, all begun open tasks.
        also: Ids of additional tasks to read.
    """
    query = (
        sa.select(slots.c.task_id, tasks.c.state, slots.c.annotator_id, slots.c.decision, slots.c.submitted_at)
        .join(tasks, slots.c.task_id == tasks.c.id)
        .where(slots.c.decision.is_not(None), tasks.c.id.not_in(ruled_tasks()))
        .order_by(slots.c.task_id, slots.c.slot)
    )
    if task is not None:
        conditions = [(tasks.c.id == task) & (tasks.c.state != "retired")]
    else:
        ids = sorted(also)
        chunks = [ids[start : start + _AT_ONCE] for start in range(0, len(ids), _AT_ONCE)]
        of_campaign = tasks.c.campaign_id == campaign.id
        conditions = [of_campaign & _has_votes, *(of_campaign & tasks.c.id.in_(chunk) for chunk in chunks)]
    votes: dict[int, list[TaskVote]] = {}
    for condition in conditions:
        for row in connection.execute(query.where(condition)):
            votes.setdefault(row.task_id, []).append(TaskVote(*row))
    return votes


def list_begun_votes(connection: sa.Connection, campaign: Campaign) -> dict[int, list[TaskVote]]:
    """Return the decisions on each begun current task, by task and slot; adjudicated tasks are excluded."""
    query = (
        sa.select(slots.c.task_id, tasks.c.state, slots.c.annotator_id, slots.c.decision, slots.c.submitted_at)
        .join(tasks, slots.c.task_id == tasks.c.id)
        .where(tasks.c.campaign_id == campaign.id, tasks.c.is_begun, tasks.c.state != "retired")
        .where(slots.c.decision.is_not(None), tasks.c.id.not_in(ruled_tasks()))
        .order_by(slots.c.task_id, slots.c.slot)
    )
    votes: dict[int, list[TaskVote]] = {}
    for row in connection.execute(query):
        votes.setdefault(row.task_id, []).append(TaskVote(*row))
    return votes


def closings_in_force(connection: sa.Connection, campaign: Campaign, *, task: int | None = None) -> dict[int, Closing]:
    """Return the closings in force, by task; if a task id is given, only that task's closing."""
    query = _IN_FORCE if task is None else _IN_FORCE.where(tasks.c.id == task)
    rows = connection.execute(query, {"campaign": campaign.id})
    return {row.task_id: Closing(*(getattr(row, name) for name in Closing._fields)) for row in rows}


def add_closings(connection: sa.Connection, made: Sequence[Closing]) -> None:
    """Close tasks, and record the reasons."""
    if made:
        connection.execute(sa.insert(closings), [{**closing._asdict(), "is_withdrawn": False} for closing in made])
    task_ids = [closing.task_id for closing in made]
    for start in range(0, len(task_ids), _AT_ONCE):
        is_open = tasks.c.id.in_(task_ids[start : start + _AT_ONCE]) & (tasks.c.state == "open")
        connection.execute(sa.update(tasks).where(is_open).values(state="done"))


def withdraw(connection: sa.Connection, task_ids: Sequence[int]) -> None:
    """Withdraw the closings of tasks, and open the tasks that still lack decisions."""
    lacks = sa.exists().where(slots.c.task_id == tasks.c.id, slots.c.submitted_at.is_(None))
    for start in range(0, len(task_ids), _AT_ONCE):
        some = task_ids[start : start + _AT_ONCE]
        in_force = closings.c.task_id.in_(some) & ~closings.c.is_withdrawn
        connection.execute(sa.update(closings).where(in_force).values(is_withdrawn=True))
        connection.execute(
            sa.update(tasks).where(tasks.c.id.in_(some), tasks.c.state == "done", lacks).values(state="open")
        )


class SureCounts(NamedTuple):
    """The number of tasks closed because their decision is certain enough, and the number of votes thereby saved."""

    tasks: int
    votes_spared: int


def count_sure(connection: sa.Connection, campaign: Campaign) -> SureCounts:
    """Return how many tasks are closed because their decision is certain enough, and how many votes that saved."""
    in_force = _IN_FORCE.with_only_columns(sa.func.count(), sa.func.sum(campaign.slots_per_task - closings.c.votes))
    count, spared = connection.execute(in_force, {"campaign": campaign.id}).one()
    return SureCounts(int(count), int(spared or 0))
