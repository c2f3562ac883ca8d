"""The database statements that assign tasks and record decisions.

They are built once: SQLAlchemy then finds their compiled form without traversing them, which halves the time that a
decision takes. Callers pass values as the parameters that each statement names.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

import sqlalchemy as sa

from ..campaigns.decisions import latest_annotations
from ..campaigns.guidelines import newest_of
from ..database.schema import (
    annotations_table,
    annotators,
    campaigns,
    drafts,
    followed,
    skips,
    slots,
    tasks,
)
from .eligibility import may_judge
from .quotas import LEAVES_ENOUGH

_ONE: sa.ColumnClause[int] = sa.literal_column("1", sa.Integer)
"""LIMIT of one row, as a literal: for a parameter, PostgreSQL expects a tenth of all rows and plans each search again,
which takes four times as long as the search."""
Locking = Literal["none", "skip", "wait"]
"""How a search treats tasks and slots that others have locked: it takes no locks, skips them, or waits."""
_FREE = {"annotator_id": None, "claimed_at": None, "lease_until": None}
_mine, _free = slots.alias("mine"), slots.alias("free")
_annotator_id: sa.BindParameter[int] = sa.bindparam("annotator")
_of_campaign = tasks.c.campaign_id == sa.bindparam("campaign")
IS_GOLD = tasks.c.gold.is_not(None)
IS_INDEXED_GOLD = tasks.c.gold >= sa.literal_column("''", sa.Text)
"""The same condition, in a form that every database looks up in an index."""
_IS_HANDED_OUT = (tasks.c.state == "open") | IS_GOLD
"""Whether a task may be assigned, or continued by its holder."""
IS_CURRENT = (tasks.c.state != "retired") | IS_GOLD
"""Whether annotators regard a task as one of the campaign's current tasks."""

_was_skipped = sa.exists().where(skips.c.task_id == tasks.c.id, skips.c.annotator_id == _annotator_id)
_has_mine = sa.exists().where(_mine.c.task_id == tasks.c.id, _mine.c.annotator_id == _annotator_id)
_has_free = sa.exists().where(_free.c.task_id == tasks.c.id, _free.c.annotator_id.is_(None))
_has_open_slot = sa.exists().where(slots.c.task_id == tasks.c.id, slots.c.submitted_at.is_(None))

_has_ended = slots.c.submitted_at.is_(None) & (slots.c.lease_until <= sa.bindparam("now"))
ANY_EXPIRED = sa.select(slots.c.id).where(_has_ended).limit(_ONE)
EXPIRED = (
    sa.select(slots.c.id, slots.c.task_id, slots.c.annotator_id, annotators.c.name, annotators.c.kind)
    .join(tasks, slots.c.task_id == tasks.c.id)
    .join(annotators, slots.c.annotator_id == annotators.c.id)
    .where(_has_ended)
    .order_by(slots.c.lease_until)
    .limit(sa.literal_column("500"))
    .with_for_update(of=[tasks, slots], key_share=True, skip_locked=True)
)
"""Slots whose leases have ended, up to a limit, in the only order for which databases can use an index."""
FREE = sa.update(slots).where(slots.c.id == sa.bindparam("held"), slots.c.submitted_at.is_(None)).values(_FREE)


def count_own(*of_task: sa.ColumnElement[bool]) -> sa.Select[Any]:
    """Return a query that counts an annotator's slots of those tasks in a campaign that meet the conditions.

    A database must begin with the annotator's slots, which are few, and not with the campaign's tasks.
    """
    return (
        sa.select(sa.func.count())
        .select_from(slots)
        .where(slots.c.annotator_id == _annotator_id, task_is(_of_campaign, *of_task))
    )


def task_is(*such: sa.ColumnElement[bool]) -> sa.ColumnElement[bool]:
    """Return the condition that a slot's task meets given conditions, in a form that databases evaluate slot by slot.

    Databases may reverse a join or EXISTS, especially without statistics, and then scan all tasks.
    """
    query: sa.Select[Any] = (
        sa.select(sa.literal_column("1")).where(tasks.c.id == slots.c.task_id, *such).correlate(slots)
    )
    return query.scalar_subquery() == sa.literal_column("1")


_COUNT_HAD = count_own(IS_CURRENT)
"""Number of tasks in a campaign, including gold ones, that an annotator has decided or holds."""
_ANY_GOLD = sa.select(tasks.c.id).where(_of_campaign, IS_INDEXED_GOLD).order_by(tasks.c.gold).limit(_ONE)
# Not max(): PostgreSQL reads that from the index only where it has good statistics of the table.
_HIGHEST_PRIORITY = (
    sa.select(tasks.c.priority)
    .where(_of_campaign, tasks.c.state == "open")
    .order_by(tasks.c.priority.desc())
    .limit(_ONE)
)
PRIORITY_BELOW = _HIGHEST_PRIORITY.where(tasks.c.priority < sa.bindparam("priority"))


_LEASE = sa.select(
    slots.c.id,
    slots.c.task_id,
    slots.c.slot,
    slots.c.annotator_id,
    slots.c.claimed_at,
    slots.c.lease_until,
    tasks.c.item_id,
    tasks.c.content_hash,
    tasks.c.round,
    tasks.c.payload,
).join(tasks)
_IN_PLAY = _LEASE.where(_of_campaign, _IS_HANDED_OUT).limit(_ONE)
_OF_TASK = tasks.c.id == sa.bindparam("task")
# The sum keeps SQLite from walking a campaign's tasks: an annotator holds few slots, which have an index.
_OWN = (
    _LEASE.where(tasks.c.campaign_id + 0 == sa.bindparam("campaign"), IS_CURRENT)
    .where(slots.c.annotator_id == _annotator_id, slots.c.submitted_at.is_(None))
    .limit(_ONE)
)
_FREE_OF_TASK = _IN_PLAY.where(_OF_TASK, slots.c.annotator_id.is_(None), ~_has_mine).order_by(slots.c.slot)


@cache
def first_free(
    *, gold: bool, after: bool, blind: bool, bounded: bool, begun: bool = False, locking: Locking = "none"
) -> sa.Select[Any]:
    """Return a query for the first task that an annotator can take, either from a position on or before it.

    For a gold task, which may have no slot yet, it returns the id; for others a free slot, with the columns of a lease.

    Args:
        gold: Whether to search gold tasks; otherwise, search the tasks of a priority that have a free slot.
        after: Whether to search from `start` on; otherwise, search before it.
        blind: Whether to exclude tasks whose key the annotator saw.
        bounded: Whether to exclude tasks reserved for annotators with shares.
        begun: Whether to search only begun tasks; default False.
        locking: Whether to lock the slot and its task, and how to treat locked ones; gold tasks are not locked.
    """
    query: sa.Select[Any] = sa.select(tasks.c.id) if gold else _LEASE
    query = query.where(_of_campaign, ~_has_mine, ~_was_skipped)
    query = (
        query.where(IS_INDEXED_GOLD)
        if gold
        else query.where(
            tasks.c.state == "open", tasks.c.priority == sa.bindparam("priority"), slots.c.annotator_id.is_(None)
        )
    )
    query = query.where(tasks.c.is_begun) if begun else query
    start = sa.bindparam("start", type_=sa.BigInteger)
    query = query.where(tasks.c.shuffle >= start if after else tasks.c.shuffle < start)
    query = query.where(*may_judge(blind=blind))
    query = (query.where(LEAVES_ENOUGH) if bounded else query).order_by(tasks.c.shuffle)
    return query.limit(_ONE) if gold else _locked(query.order_by(slots.c.slot).limit(_ONE), locking)


def _locked(query: sa.Select[Any], locking: Locking) -> sa.Select[Any]:
    if locking == "none":
        return query
    return query.with_for_update(of=[tasks, slots], key_share=True, skip_locked=locking == "skip")


@cache
def first_skipped(*, blind: bool, bounded: bool) -> sa.Select[Any]:
    """Return a query for the task that an annotator skipped the longest ago, among those that they can take."""
    query = (
        sa.select(tasks.c.id)
        .join(skips, skips.c.task_id == tasks.c.id)
        .where(
            _of_campaign,
            skips.c.annotator_id == _annotator_id,
            ~_has_mine,
            IS_GOLD | ((tasks.c.state == "open") & _has_free),
        )
    )
    query = query.where(*may_judge(blind=blind))
    query = query.where(IS_GOLD | LEAVES_ENOUGH) if bounded else query
    return query.order_by(skips.c.skipped_at, tasks.c.id).limit(_ONE)


@cache
def own(*, of_task: bool, blind: bool) -> sa.Select[Any]:
    """Return a query for the slot that an annotator has held longest, of any task or of a given one."""
    query = (_OWN.where(_OF_TASK) if of_task else _OWN).order_by(slots.c.claimed_at, slots.c.id)
    return query.where(*may_judge(blind=blind))


@cache
def all_own(*, blind: bool) -> sa.Select[Any]:
    """Return a query for all slots that an annotator holds, in order of assignment."""
    query = _OWN.limit(None).order_by(slots.c.claimed_at, slots.c.id)
    return query.with_only_columns(slots.c.id, slots.c.task_id, slots.c.claimed_at).where(*may_judge(blind=blind))


@cache
def position_of(*, blind: bool) -> sa.Select[Any]:
    """Return a single query for all values that determine an annotator's next task.

    They are: the number of tasks they have had, the highest priority of open tasks, a gold task, and the slot they
    still hold.
    """
    queries = {"place": _COUNT_HAD, "priority": _HIGHEST_PRIORITY, "any_gold": _ANY_GOLD}
    held = own(of_task=False, blind=blind).with_only_columns(slots.c.id)
    return sa.select(*(query.scalar_subquery().label(name) for name, query in {**queries, "held": held}.items()))


@cache
def free_of_task(*, blind: bool) -> sa.Select[Any]:
    """Return a query for a free slot of one task."""
    return _FREE_OF_TASK.where(*may_judge(blind=blind))


MAKE_SLOT = sa.insert(slots).from_select(
    ["task_id", "slot"],
    sa.select(slots.c.task_id, sa.func.max(slots.c.slot) + 1)
    .where(slots.c.task_id == sa.bindparam("task"))
    .group_by(slots.c.task_id),
)
"""Add one more slot to a task, since gold tasks have one for every annotator who asks."""
HELD_LEASE = _locked(
    _LEASE.where(
        slots.c.id == sa.bindparam("held"), slots.c.annotator_id == _annotator_id, slots.c.submitted_at.is_(None)
    ),
    "wait",
)
"""The slot that an annotator holds, locked together with its task."""
GOLD_OF_TASK = sa.select(tasks.c.gold).where(tasks.c.id == sa.bindparam("task"))

TAKE = (
    sa.update(slots)
    .where(slots.c.id == sa.bindparam("held"))
    .values(annotator_id=_annotator_id, claimed_at=sa.bindparam("since"), lease_until=sa.bindparam("until"))
)

RENEW = (
    sa.update(slots)
    .where(
        slots.c.id.in_(sa.bindparam("slots", expanding=True)),
        slots.c.submitted_at.is_(None),
        slots.c.lease_until < sa.bindparam("until"),
    )
    .values(lease_until=sa.bindparam("until"))
)
"""Extend the leases of some slots; longer reservations by a curator are left unchanged."""

HELD_BY = (
    sa.select(slots.c.id, slots.c.task_id, slots.c.annotator_id, annotators.c.name, annotators.c.kind)
    .join(annotators, slots.c.annotator_id == annotators.c.id)
    .where(
        slots.c.id == sa.bindparam("held"), slots.c.submitted_at.is_(None), annotators.c.name == sa.bindparam("name")
    )
)

HELD = (
    sa.select(
        slots,
        annotators.c.name,
        tasks.c.state,
        tasks.c.payload,
        tasks.c.campaign_id,
        tasks.c.gold,
        campaigns.c.form,
        campaigns.c.settings,
        campaigns.c.is_archived,
        campaigns.c.is_simulated,
        campaigns.c.kind.label("campaign_kind"),
        newest_of(campaigns.c.id).label("guidelines_id"),
    )
    .join(tasks, slots.c.task_id == tasks.c.id)
    .join(campaigns)
    .outerjoin(annotators)
    .where(slots.c.id == sa.bindparam("held"))
)
LATEST_ANNOTATION = latest_annotations(also_set_aside=True).where(annotations_table.c.slot_id == sa.bindparam("held"))
INSERT_ANNOTATION = sa.insert(annotations_table).inline()
FILL = (
    sa.update(slots)
    .where(slots.c.id == sa.bindparam("held"), slots.c.annotator_id == _annotator_id)
    .values(submitted_at=sa.bindparam("now"), lease_until=None)
)
"""Mark a slot as decided."""
FOLLOW = sa.insert(followed)
DROP_DRAFT = sa.delete(drafts).where(drafts.c.task_id == sa.bindparam("task"), drafts.c.annotator_id == _annotator_id)
FINISH = (
    sa.update(tasks)
    .where(tasks.c.id == sa.bindparam("task"), tasks.c.state == "open", ~_has_open_slot)
    .values(state="done")
)
