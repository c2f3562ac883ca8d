"""The store's facts about single items, and the items whose facts have changed.

These functions keep an index of all items up to date. `store_stamp` needs only a few look-ups of the last row of a
table. `items_changed_since` names the changed items, so that the index never reads a campaign's decisions twice.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from ..campaigns.adjudications import OPENED, SEND_BACK, adjudication_of
from ..campaigns.decisions import annotation_of, latest_annotations
from ..campaigns.gold import IS_LISTED
from ..campaigns.revision_requests import how_returned
from ..campaigns.tasks import list_campaigns
from ..database.locks import has_row_locks
from ..database.records import Adjudicated, Annotation, TaskState
from ..database.schema import (
    adjudications,
    annotations_table,
    annotators,
    audit_log,
    campaigns,
    closings,
    overrides,
    remarks,
    revision_requests,
    revisions,
    slots,
    tasks,
)

_ROWS = {
    "annotations": annotations_table,
    "adjudications": adjudications,
    "revisions": revisions,
    "remarks": remarks,
    "closings": closings,
    "revision_requests": revision_requests,
    "tasks": tasks,
    "overrides": overrides,
    "audit_log": audit_log,
    "campaigns": campaigns,
}
"""Tables in which every change that is visible in an index of items adds a row."""
_OF_CAMPAIGNS = (
    "campaign_changed", "gold_named", "tasks_changed", "votes_returned", "votes_set_aside", "votes_taken_back",
    "votes_withdrawn",
)  # fmt: skip
"""Actions in the audit log after which any task of a campaign may be in another state."""
_WITHDRAWN = "withdrawn"
"""Part of a stamp: the number of withdrawn closings, which add no row."""
_AT_ONCE = 400
_LATE = 200
"""Number of rows before a stamp to read again on a server, which may commit a row after one with a higher number."""


class TaskFacts(NamedTuple):
    """A task about an item, with all actions of annotators and adjudicators on the task.

    Args:
        task_id: Id of the task in the store.
        campaign_id: Campaign of the task.
        item_id: Item of the question.
        content_hash: Digest of the content it shows.
        state: `open`, `done` or `retired`.
        round: Round of the item, from 1.
        is_gold: Whether its right decision is known.
        annotations: Newest version of each decision, by slot.
        adjudicated: Actions of adjudicators and of the item's writer on it.
        remarks: Texts of comments and flags.
        has_open_flag: Whether a flag on it is unsettled.
        talkers: People who commented on it or adjudicated it.
        openers: People who opened it to adjudicate or view it, and so know its key and the others' decisions.
    """

    task_id: int
    campaign_id: int
    item_id: str
    content_hash: str
    state: TaskState
    round: int
    is_gold: bool
    annotations: Sequence[Annotation]
    adjudicated: Adjudicated
    remarks: Sequence[str]
    has_open_flag: bool
    talkers: Sequence[str]
    openers: Sequence[str]


def store_stamp(connection: sa.Connection) -> dict[str, int]:
    """Return, by table, the last row's number in each table with facts about items, and the number of withdrawals."""
    columns = [
        sa.select(sa.func.coalesce(sa.func.max(table.c.id), 0)).scalar_subquery().label(name)
        for name, table in _ROWS.items()
    ]
    withdrawn = sa.select(sa.func.count()).select_from(closings).where(closings.c.is_withdrawn).scalar_subquery()
    columns.append(withdrawn.label(_WITHDRAWN))
    return {name: int(number) for name, number in connection.execute(sa.select(*columns)).mappings().one().items()}


def items_changed_since(connection: sa.Connection, stamp: Mapping[str, int]) -> set[str]:
    """Return the items that have changed in any way since a stamp was taken.

    If a campaign was opened or changed, or tasks were retired or reopened, these are all items of that campaign.

    Args:
        connection: Connection in a read transaction.
        stamp: Result of `store_stamp`; empty for all items.
    """
    late = _LATE if has_row_locks(connection) else 0

    def since(name: str) -> sa.ColumnElement[bool]:
        return _ROWS[name].c.id > stamp.get(name, 0) - late

    if not stamp:
        every = sa.union(sa.select(tasks.c.item_id).where(IS_LISTED), sa.select(overrides.c.record_id))
        return set(connection.execute(every).scalars())
    of_items = [
        sa.select(tasks.c.item_id).where(since("tasks")),
        sa.select(tasks.c.item_id).select_from(tasks.join(slots).join(annotations_table)).where(since("annotations")),
        *(
            sa.select(tasks.c.item_id).join(table, table.c.task_id == tasks.c.id).where(since(table.name))
            for table in (adjudications, remarks, revisions, closings)
        ),
        sa.select(overrides.c.record_id).where(since("overrides")),
        *_of_requests(since),
    ]
    items = {item_id for query in of_items for item_id in connection.execute(query).scalars()}
    if store_stamp(connection)[_WITHDRAWN] != stamp.get(_WITHDRAWN, 0):
        of_closings = sa.select(tasks.c.item_id).join(closings, closings.c.task_id == tasks.c.id)
        items.update(connection.execute(of_closings).scalars())
    return items | _of_acts(connection, stamp)


def _of_requests(since: Callable[[str], sa.ColumnElement[bool]]) -> tuple[sa.Select[tuple[str]], ...]:
    """Return queries for the items that were sent back, and for those whose revisions have been submitted."""
    r = revision_requests.c
    handed_in = (
        sa.select(r.item_id)
        .join(slots, (slots.c.task_id == r.revision_id) & (slots.c.slot == r.slot))
        .join(annotations_table, annotations_table.c.slot_id == slots.c.id)
    )
    return sa.select(r.item_id).where(since("revision_requests")), handed_in.where(since("annotations"))


def _of_acts(connection: sa.Connection, stamp: Mapping[str, int]) -> set[str]:
    """Return the items that actions in the audit log changed without adding rows to any other table."""
    query = sa.select(audit_log.c.act, audit_log.c.about).where(
        audit_log.c.id > stamp.get("audit_log", 0), audit_log.c.act.in_((*_OF_CAMPAIGNS, "remark_settled"))
    )
    names, settled = set(), set()
    for act, about in connection.execute(query):
        document = json.loads(about)
        if act == "remark_settled":
            settled.add(int(document["remark"]))
        elif act != "tasks_changed" or document["retired"] or document["reopened"]:
            names.add(str(document["campaign"]))
    of_campaigns = sa.select(tasks.c.item_id).join(campaigns).where(campaigns.c.name.in_(names))
    of_remarks = sa.select(tasks.c.item_id).join(remarks, remarks.c.task_id == tasks.c.id)
    items = set(connection.execute(of_campaigns).scalars()) if names else set()
    if settled:
        items.update(connection.execute(of_remarks.where(remarks.c.id.in_(settled))).scalars())
    return items


def task_facts(connection: sa.Connection, item_ids: Sequence[str]) -> Iterator[TaskFacts]:
    """Yield every task about these items, including gold and retired tasks, by item, campaign and round.

    The result omits tasks of archived campaigns and attention checks, which are not items.
    """
    for start in range(0, len(item_ids), _AT_ONCE):
        yield from _of_some(connection, item_ids[start : start + _AT_ONCE])


def payloads_of(connection: sa.Connection, task_ids: Sequence[int]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield, by task, the payload of each of these tasks, in no particular order."""
    for start in range(0, len(task_ids), _AT_ONCE):
        query = sa.select(tasks.c.id, tasks.c.payload).where(tasks.c.id.in_(task_ids[start : start + _AT_ONCE]))
        for task_id, payload in connection.execute(query):
            yield task_id, json.loads(payload)


class ItemRevision(NamedTuple):
    """The origin of a task's version of an item: the two tasks, the edits as JSON values, author and time."""

    task_id: int
    revised_from: int
    edits: Mapping[str, Any]
    annotator: str
    at: datetime


def revisions_of(connection: sa.Connection, item_id: str) -> list[ItemRevision]:
    """Return the revisions of an item in all campaigns, earliest first."""
    query = (
        sa.select(revisions, annotators.c.name)
        .join(tasks, revisions.c.task_id == tasks.c.id)
        .join(annotators, revisions.c.annotator_id == annotators.c.id)
        .where(tasks.c.item_id == item_id)
        .order_by(revisions.c.id)
    )
    return [
        ItemRevision(row.task_id, row.revised_from, json.loads(row.edits), row.name, row.revised_at)
        for row in connection.execute(query)
    ]


def _of_some(connection: sa.Connection, item_ids: Sequence[str]) -> Iterator[TaskFacts]:
    of_items = tasks.c.item_id.in_(item_ids)
    query = (
        sa.select(tasks.c.id, tasks.c.campaign_id, tasks.c.item_id, tasks.c.content_hash, tasks.c.state, tasks.c.gold)
        .add_columns(sa.func.coalesce(revisions.c.round, 1).label("round"))
        .select_from(tasks.join(campaigns).outerjoin(revisions, revisions.c.task_id == tasks.c.id))
        .where(of_items, ~campaigns.c.is_archived, IS_LISTED)
        .order_by(tasks.c.item_id, tasks.c.campaign_id, sa.text("round"), tasks.c.id)
    )
    rows = connection.execute(query).all()
    annotations = _annotations(connection, of_items)
    adjudicated, adjudicators, openers = _adjudicated(connection, of_items)
    comments = _comments(connection, of_items)
    for row in rows:
        said = comments.get(row.id, [])
        yield TaskFacts(
            row.id,
            row.campaign_id,
            row.item_id,
            row.content_hash,
            row.state,
            row.round,
            row.gold is not None,
            annotations.get(row.id, ()),
            adjudicated.get(row.id, Adjudicated(0, None)),
            tuple(comment.words for comment in said if comment.words),
            any(comment.is_flag and comment.settled_at is None for comment in said),
            (*adjudicators.get(row.id, ()), *(comment.name for comment in said)),
            openers.get(row.id, ()),
        )


def _annotations(connection: sa.Connection, of_items: sa.ColumnElement[bool]) -> dict[int, list[Annotation]]:
    query = (
        latest_annotations()
        .join(slots, annotations_table.c.slot_id == slots.c.id)
        .join(tasks, slots.c.task_id == tasks.c.id)
        .join(annotators, slots.c.annotator_id == annotators.c.id)
        .where(of_items)
        .add_columns(
            tasks.c.id.label("task_id"),
            tasks.c.item_id,
            tasks.c.content_hash,
            tasks.c.round,
            tasks.c.regions_agree,
            slots.c.slot,
            annotators.c.name,
            annotators.c.kind,
        )
        .order_by(slots.c.task_id, slots.c.slot)
    )
    by_task: dict[int, list[Annotation]] = {}
    for row in connection.execute(query):
        by_task.setdefault(row.task_id, []).append(annotation_of(row))
    return by_task


def _adjudicated(
    connection: sa.Connection, of_items: sa.ColumnElement[bool]
) -> tuple[dict[int, Adjudicated], dict[int, list[str]], dict[int, list[str]]]:
    """Return, by task, the actions of adjudicators and writers, the adjudicators, and those who opened the task."""
    query = (
        sa.select(adjudications, tasks.c.item_id, tasks.c.content_hash, annotators.c.name)
        .join(tasks, adjudications.c.task_id == tasks.c.id)
        .join(annotators, adjudications.c.annotator_id == annotators.c.id)
        .where(of_items)
        .order_by(adjudications.c.id)
    )
    by_task: dict[int, Adjudicated] = {}
    names: dict[int, list[str]] = {}
    openers: dict[int, list[str]] = {}
    for row in connection.execute(query):
        if row.decision == OPENED:
            openers.setdefault(row.task_id, []).append(row.name)
            continue
        sent_back = by_task.get(row.task_id, Adjudicated(0, None)).sent_back
        names.setdefault(row.task_id, []).append(row.name)
        if row.decision == SEND_BACK:
            by_task[row.task_id] = Adjudicated(sent_back + 1, None)
            continue
        by_task[row.task_id] = Adjudicated(sent_back, adjudication_of(row))
    for campaign in list_campaigns(connection):
        if campaign.form.to_writer:
            returned = how_returned(campaign)
            of_campaign = sa.select(tasks.c.id, returned).where(tasks.c.campaign_id == campaign.id, of_items)
            for task_id, how in connection.execute(of_campaign.where(returned.is_not(None))):
                by_task[task_id] = by_task.get(task_id, Adjudicated(0, None))._replace(returned=how)
    return by_task, names, openers


class _Comment(NamedTuple):
    name: str
    words: str
    is_flag: bool
    settled_at: datetime | None


def _comments(connection: sa.Connection, of_items: sa.ColumnElement[bool]) -> dict[int, list[_Comment]]:
    query = (
        sa.select(remarks.c.task_id, annotators.c.name, remarks.c.words, remarks.c.is_flag, remarks.c.settled_at)
        .join(tasks, remarks.c.task_id == tasks.c.id)
        .join(annotators, remarks.c.annotator_id == annotators.c.id)
        .where(of_items)
        .order_by(remarks.c.id)
    )
    by_task: dict[int, list[_Comment]] = {}
    for task_id, *comment in connection.execute(query):
        by_task.setdefault(task_id, []).append(_Comment(*comment))
    return by_task
