"""Statements for an annotator's task queue: their own tasks, history, drafts, and skipped tasks."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

import sqlalchemy as sa

from ...forms.assignment_settings import assignment_settings_of
from ..campaigns.decisions import latest_annotations
from ..database.dialects import insert_into
from ..database.records import Campaign
from ..database.schema import annotations_table, annotators, drafts, skips, slots, tasks
from . import statements as sql
from .eligibility import count_barred, eligibility_parameters, may_judge
from .next_task import TasksAhead
from .quotas import may_still_get
from .statements import IS_CURRENT, IS_INDEXED_GOLD

MAX_HISTORY = 200

_latest = latest_annotations(also_set_aside=True).subquery()
_by_name = annotators.c.name == sa.bindparam("name")
_id_of_name = sa.select(annotators.c.id).where(_by_name).scalar_subquery()

OWNER = (
    sa.select(slots.c.submitted_at, slots.c.lease_until)
    .join(annotators)
    .where(slots.c.task_id == sa.bindparam("task"), _by_name)
)
"""An annotator's slot of a task, if any."""

_OWN: sa.Select[Any] = (
    sa.select(
        tasks.c.id.label("task_id"),
        tasks.c.item_id,
        tasks.c.content_hash,
        tasks.c.round,
        tasks.c.payload,
        tasks.c.shortest_s,
        tasks.c.gold,
        tasks.c.gold_why,
        tasks.c.gold_regions,
        IS_CURRENT.label("is_current"),
        slots.c.id.label("slot_id"),
        slots.c.slot,
        slots.c.lease_until,
        slots.c.submitted_at.label("decided_at"),
        annotators.c.name,
        annotators.c.kind,
        _latest.c.decision,
        _latest.c.reasons,
        _latest.c.note,
        _latest.c.fields,
        _latest.c.edits,
        _latest.c.active_s,
        _latest.c.version,
        _latest.c.started_at,
        _latest.c.submitted_at,
        drafts.c.body,
        drafts.c.saved_at,
    )
    .select_from(slots)
    .join(tasks, slots.c.task_id == tasks.c.id)
    .join(annotators, slots.c.annotator_id == annotators.c.id)
    .outerjoin(_latest, _latest.c.slot_id == slots.c.id)
    .outerjoin(drafts, (drafts.c.task_id == tasks.c.id) & (drafts.c.annotator_id == annotators.c.id))
    .where(tasks.c.campaign_id == sa.bindparam("campaign"), _by_name)
)
OWN_TASK: sa.Select[Any] = _OWN.where(tasks.c.id == sa.bindparam("task"))
OWN_HISTORY: sa.Select[Any] = (
    _OWN.where(slots.c.submitted_at.is_not(None))
    .order_by(_latest.c.submitted_at.desc(), _latest.c.id.desc())
    .limit(sa.bindparam("most"))
    .offset(sa.bindparam("after"))
)
SLOT_AT = sa.select(slots.c.id).where(slots.c.task_id == sa.bindparam("task"), slots.c.slot == sa.bindparam("place"))
ALL_VERSIONS = (
    sa.select(
        annotations_table,
        slots.c.slot,
        tasks.c.item_id,
        tasks.c.content_hash,
        tasks.c.round,
        annotators.c.name,
        annotators.c.kind,
    )
    .join(slots, annotations_table.c.slot_id == slots.c.id)
    .join(tasks, slots.c.task_id == tasks.c.id)
    .join(annotators, slots.c.annotator_id == annotators.c.id)
    .where(annotations_table.c.slot_id.in_(sa.bindparam("slots", expanding=True)))
    .order_by(annotations_table.c.slot_id, annotations_table.c.version)
)
"""All versions of the annotations in these slots."""


class OwnProgress(NamedTuple):
    """Progress of an annotator in a campaign: the number of tasks decided and the number still ahead."""

    decided: int
    ahead: TasksAhead


def count_own(connection: sa.Connection, campaign: Campaign, annotator: str, now: datetime) -> OwnProgress:
    """Return how many tasks an annotator has decided, and how many more they can decide.

    The counts come from indexes and from this annotator's own slots, never task by task.
    """
    who_id = connection.execute(sa.select(_id_of_name), {"name": annotator}).scalar_one()
    parameters = {"campaign": campaign.id, "name": annotator, "now": now, **eligibility_parameters(campaign, who_id)}

    counts = _counts(blind=bool(parameters["shows_key"]))
    row = connection.execute(counts.at_once, parameters).one()._mapping
    other_tasks = row["open"] - row["open_mine"] - row["all_held"]
    other_tasks -= sum(row[f"barred_{number}"] for number in range(counts.barred))
    may_get = may_still_get(connection, assignment_settings_of(campaign.settings), annotator, parameters)
    ahead = TasksAhead(
        held=row["held"],
        others=max(0, other_tasks if may_get.left is None else min(other_tasks, may_get.left)),
        gold=row["gold_left"],
    )
    return OwnProgress(row["decided"], ahead)


_annotator_id: sa.BindParameter[int] = sa.bindparam("annotator")
_of_campaign = tasks.c.campaign_id == sa.bindparam("campaign")
_is_open = _of_campaign & (tasks.c.state == "open")
_mine = slots.alias("mine")
_has_mine = sa.exists().where(_mine.c.task_id == tasks.c.id, _mine.c.annotator_id == _annotator_id)
_free = slots.alias("free")
_has_free = sa.exists().where(
    _free.c.task_id == tasks.c.id,
    _free.c.submitted_at.is_(None),
    _free.c.annotator_id.is_(None) | (_free.c.lease_until <= sa.bindparam("now")),
)
_DECIDED = sql.count_own(IS_CURRENT).where(slots.c.submitted_at.is_not(None))
_OPEN = sa.select(sa.func.count()).select_from(tasks).where(_is_open)
_OPEN_MINE = sql.count_own(tasks.c.state == "open")


class _Counts(NamedTuple):
    """A query for all counts, and how many of them count tasks that the annotator may not judge, one per reason."""

    at_once: sa.Select[Any]
    barred: int


@cache
def _counts(*, blind: bool) -> _Counts:
    """Return the counts for an annotator; keys seen elsewhere matter only in blind campaigns."""
    unseen = may_judge(blind=blind)
    barred = count_barred(~_has_mine, blind=blind)
    queries = {
        "open": _OPEN,
        "open_mine": _OPEN_MINE,
        "decided": _DECIDED,
        "held": sql.count_own(IS_CURRENT, *unseen).where(slots.c.submitted_at.is_(None)),
        # Open tasks all of whose undecided slots are held by others.
        "all_held": sa.select(sa.func.count(sa.distinct(slots.c.task_id)))
        .select_from(slots)
        .where(slots.c.lease_until > sa.bindparam("now"), sql.task_is(_is_open, ~_has_free, ~_has_mine, *unseen)),
        "gold_left": sa.select(sa.func.count())
        .select_from(tasks)
        .where(_of_campaign, IS_INDEXED_GOLD, ~_has_mine, *unseen),
        **{f"barred_{number}": query for number, query in enumerate(barred)},
    }
    at_once = sa.select(*(query.scalar_subquery().label(name) for name, query in queries.items()))
    return _Counts(at_once, len(barred))


def put_draft(connection: sa.Connection, task_id: int, annotator: str, body: str, now: datetime) -> None:
    """Write a draft, replacing any existing one."""
    _put(connection, drafts, task_id, annotator, {"body": body, "saved_at": now})


def drop_draft(connection: sa.Connection, slot_id: int, annotator: str) -> None:
    """Remove the draft that belongs to a slot."""
    of_slot = sa.select(slots.c.task_id).where(slots.c.id == slot_id).scalar_subquery()
    connection.execute(
        sa.delete(drafts).where(drafts.c.task_id == of_slot, drafts.c.annotator_id == _id_of_name),
        {"name": annotator},
    )


def put_skip(connection: sa.Connection, task_id: int, annotator: str, now: datetime) -> None:
    """Record that an annotator skipped a task in order to do it later."""
    _put(connection, skips, task_id, annotator, {"skipped_at": now})


def _put(connection: sa.Connection, table: sa.Table, task_id: int, annotator: str, values: dict[str, Any]) -> None:
    annotator_id = connection.execute(sa.select(annotators.c.id).where(_by_name), {"name": annotator}).scalar_one()
    put = insert_into(connection, table).values(task_id=task_id, annotator_id=annotator_id, **values)
    connection.execute(put.on_conflict_do_update(index_elements=["task_id", "annotator_id"], set_=values))
