"""Items sent back to their writers: the task in which an item was written, and the one in which it is revised.

A writer's task remains unchanged, with its decision. The revision is a separate task, which has a slot only for each
writer who must revise something.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa

from benchwright.canonical import digest

from ...forms.payloads import TaskInput
from ..database.audit import COMMAND_LINE, record
from ..database.records import Annotation, Campaign, Returned, Task
from ..database.schema import accounts, annotators, campaigns, revision_requests, slots, tasks
from .decisions import list_decisions
from .tasks import new_task, retire

_revision = tasks.alias("revision")


class RevisionRequest(NamedTuple):
    """A request that returns an item to its writer.

    Args:
        item_id: Id of the item.
        content_hash: Hash of the version that goes back.
        slot: Number of the writer's slot.
        stage: Campaign or check that sends the item back.
        annotator: Reviewer who sends the item back; None for a check.
        question: The item's question.
        words: Description of the requested change.
    """

    item_id: str
    content_hash: str
    slot: int
    stage: str
    annotator: str | None
    question: str
    words: str


class SentBack(NamedTuple):
    """An item sent back to its writer, and whether the writer has submitted a revision since."""

    request: RevisionRequest
    campaign: str
    record_id: str
    revision_id: int
    is_answered: bool
    is_simulated: bool
    """Whether simulated annotators wrote the item."""


def list_sent_back(connection: sa.Connection, item_id: str | None = None) -> dict[str, list[SentBack]]:
    """Return all items sent back to writers, or the entries for one item only, by item id, oldest first."""
    r = revision_requests.c
    open_slot = sa.exists().where(
        slots.c.task_id == r.revision_id, slots.c.slot == r.slot, slots.c.submitted_at.is_(None)
    )
    query = (
        sa.select(revision_requests, annotators.c.name, campaigns.c.name.label("campaign"), campaigns.c.is_simulated)
        .add_columns(tasks.c.item_id.label("record_id"), open_slot.label("is_open"))
        .select_from(
            revision_requests.join(tasks, r.task_id == tasks.c.id)
            .join(campaigns, tasks.c.campaign_id == campaigns.c.id)
            .outerjoin(annotators, r.annotator_id == annotators.c.id)
        )
        .order_by(r.id)
    )
    sent: dict[str, list[SentBack]] = {}
    for row in connection.execute(query if item_id is None else query.where(r.item_id == item_id)):
        request = RevisionRequest(row.item_id, row.content_hash, row.slot, row.stage, row.name, row.question, row.words)
        sent.setdefault(row.item_id, []).append(
            SentBack(request, row.campaign, row.record_id, row.revision_id, not row.is_open, row.is_simulated)
        )
    return sent


def how_returned(campaign: Campaign) -> sa.ColumnElement[Returned | None]:
    """Return a column for `tasks` that states the outcome of sending versions back to writers (`Returned`)."""
    if not campaign.form.to_writer:
        return sa.literal(None, sa.Text)
    r = revision_requests.c
    is_handed_in = sa.exists().where(
        slots.c.task_id == r.revision_id, slots.c.slot == r.slot, slots.c.submitted_at.is_not(None)
    )
    of_version = sa.exists().where(r.item_id == tasks.c.item_id, r.content_hash == tasks.c.content_hash)
    versions = sa.select(sa.func.count(r.content_hash.distinct())).where(r.item_id == tasks.c.item_id).scalar_subquery()
    return sa.case(
        (of_version.where(r.stage == campaign.name, ~is_handed_in), "with_writer"),
        (of_version.where(is_handed_in), "left"),
        (of_version, sa.null()),  # another campaign sent it back, and its writer has it
        (versions >= campaign.form.writer_rounds, "spent"),
        else_=sa.null(),
    )


def list_returned(
    connection: sa.Connection, campaign: Campaign, *, task: int | None = None
) -> dict[tuple[str, str], Returned]:
    """Return the outcome of each version that was sent back to its writer, by item id and content hash.

    Args:
        connection: Connection in a read transaction.
        campaign: Campaign that sends items back.
        task: Id of the only task to look at; default None, all tasks.
    """
    if not campaign.form.to_writer:
        return {}
    query = sa.select(tasks.c.item_id, tasks.c.content_hash, how_returned(campaign).label("returned")).where(
        tasks.c.campaign_id == campaign.id, tasks.c.item_id.in_(sa.select(revision_requests.c.item_id))
    )
    rows = connection.execute(query if task is None else query.where(tasks.c.id == task))
    return {(row.item_id, row.content_hash): row.returned for row in rows if row.returned is not None}


class RevisionCounts(NamedTuple):
    """Numbers of items returned to a campaign's writers, and of items that the campaign itself sent back.

    Args:
        open: Number of items that its writers still have to revise.
        done: Number of items that they have revised; each revision of an item is counted.
        with_writers: Number of items that the campaign itself sent back and that have not been revised yet.
    """

    open: int
    done: int
    with_writers: int


def count_revisions(connection: sa.Connection, campaign: Campaign) -> RevisionCounts:
    """Count the items returned to a campaign's writers, and those that it returned to other campaigns' writers."""
    r = revision_requests.c
    whole = (
        sa.select(r.item_id, r.stage, _revision.c.campaign_id, slots.c.submitted_at.is_(None).label("is_open"))
        .distinct()
        .select_from(
            revision_requests.join(_revision, r.revision_id == _revision.c.id).join(
                slots, (slots.c.task_id == r.revision_id) & (slots.c.slot == r.slot)
            )
        )
        .add_columns(r.content_hash)
        .where((_revision.c.state != "retired") | slots.c.submitted_at.is_not(None))
    )
    rows = connection.execute(whole.where((_revision.c.campaign_id == campaign.id) | (r.stage == campaign.name))).all()
    own = {(row.item_id, row.content_hash, row.is_open) for row in rows if row.campaign_id == campaign.id}
    return RevisionCounts(
        sum(is_open for *_, is_open in own),
        sum(not is_open for *_, is_open in own),
        len({row.item_id for row in rows if row.stage == campaign.name and row.is_open}),
    )


def newest_inputs(connection: sa.Connection, campaign: Campaign) -> dict[tuple[str, str], TaskInput]:
    """Return the newest revision for each revised task of a campaign, by item id and content hash."""
    was = tasks.alias("was")
    r = revision_requests.c
    query = (
        sa.select(was.c.item_id, was.c.content_hash.label("before"), _revision.c.content_hash, _revision.c.payload)
        .select_from(
            revision_requests.join(was, r.task_id == was.c.id).join(_revision, r.revision_id == _revision.c.id)
        )
        .where(was.c.campaign_id == campaign.id)
        .order_by(r.id)
    )
    next_of = {(row.item_id, row.before): row for row in connection.execute(query)}
    newest = {}
    for key, first in next_of.items():
        last = first
        while (later := next_of.get((last.item_id, last.content_hash))) is not None:
            last = later
        newest[key] = TaskInput(last.item_id, last.content_hash, json.loads(last.payload))
    return newest


def with_unrevised(connection: sa.Connection, campaign: Campaign, current: Sequence[Annotation]) -> list[Annotation]:
    """Return decisions on a campaign's current tasks; for revised tasks, include those that needed no revision.

    Args:
        connection: Connection in a read transaction.
        campaign: Campaign.
        current: Decisions on its current tasks.
    """
    r = revision_requests.c
    was = tasks.alias("was")
    query = (
        sa.select(was.c.item_id, was.c.content_hash, _revision.c.content_hash.label("next"))
        .select_from(
            revision_requests.join(was, r.task_id == was.c.id).join(_revision, r.revision_id == _revision.c.id)
        )
        .where(was.c.campaign_id == campaign.id)
    )
    before = {(row.item_id, row.next): row.content_hash for row in connection.execute(query)}
    if not before:
        return list(current)
    decided: dict[tuple[str, str], list[Annotation]] = {}
    for annotation in list_decisions(connection, campaign, with_retired=True):
        decided.setdefault((annotation.item_id, annotation.content_hash), []).append(annotation)
    whole = {(annotation.item_id, annotation.slot): annotation for annotation in current}
    for item_id, content in {(annotation.item_id, annotation.content_hash) for annotation in current}:
        while (content := before.get((item_id, content), "")) != "":
            for annotation in decided.get((item_id, content), ()):
                whole.setdefault((item_id, annotation.slot), annotation)
    return [whole[key] for key in sorted(whole)]


def writers_asked(connection: sa.Connection, campaign: Campaign) -> dict[int, tuple[str, ...]]:
    """Return, by task, the writers for whom each open revision is reserved; revisions open to all are omitted."""
    query = (
        sa.select(slots.c.task_id, annotators.c.name)
        .join(tasks, slots.c.task_id == tasks.c.id)
        .join(annotators, slots.c.annotator_id == annotators.c.id)
        .where(tasks.c.campaign_id == campaign.id, tasks.c.state == "open", slots.c.submitted_at.is_(None))
        .where(sa.exists().where(revision_requests.c.revision_id == tasks.c.id))
        .order_by(slots.c.task_id, slots.c.slot)
    )
    held: dict[int, tuple[str, ...]] = {}
    for task_id, name in connection.execute(query):
        held[task_id] = (*held.get(task_id, ()), name)
    return held


def is_being_revised(connection: sa.Connection, campaign: Campaign, record_id: str) -> bool:
    """Return whether a writer still has to revise an item that a campaign produced about a record."""
    query = (
        sa.select(tasks.c.id)
        .join(revision_requests, revision_requests.c.revision_id == tasks.c.id)
        .where(tasks.c.campaign_id == campaign.id, tasks.c.item_id == record_id, tasks.c.state == "open")
    )
    return connection.execute(query).first() is not None


def revision_of(connection: sa.Connection, task_id: int) -> int:
    """Return how often a task's item had been sent back before this task; 0 for the item's first version."""
    count, r = 0, revision_requests.c
    query = sa.select(r.task_id).where(r.revision_id == sa.bindparam("task")).limit(1)
    while (task_before := connection.execute(query, {"task": task_id}).scalar_one_or_none()) is not None:
        count, task_id = count + 1, task_before
    return count


def open_revision(
    connection: sa.Connection,
    campaign: Campaign,
    task: Task,
    requests: Sequence[RevisionRequest],
    payload: Mapping[str, object],
    *,
    holders: Mapping[int, str],
    now: datetime,
    until: datetime,
) -> int:
    """Open the task in which writers revise their items, replacing the one in which they wrote them; return its id.

    Args:
        connection: Connection in a write transaction.
        campaign: Campaign of the writers.
        task: Their present task.
        requests: Items that go back, with the reasons.
        payload: Payload of the new task.
        holders: Writer for whom each slot is reserved, by its number; other writers named in `requests` may take the
            slots left out.
        now: Time of the return.
        until: Time from which any writer in `requests` may take a reserved slot.
    """
    content = digest([task.content_hash, *([request.item_id, request.content_hash] for request in requests)])
    contents = sa.select(sa.func.count()).where(tasks.c.campaign_id == campaign.id, tasks.c.item_id == task.item_id)
    work = TaskInput(task.item_id, content, payload)
    row = new_task(campaign, work, round_=connection.execute(contents).scalar_one() + 1)
    kept = connection.execute(sa.select(tasks.c.priority, tasks.c.shortest_s).where(tasks.c.id == task.id)).one()
    revision_id = connection.execute(
        sa.insert(tasks).values({**row, **kept._mapping}).returning(tasks.c.id)
    ).scalar_one()
    ids = {name: _id_of(connection, name) for name in {*holders.values(), *_names(requests)}}
    for slot in sorted({request.slot for request in requests}):
        connection.execute(sa.insert(slots).values(task_id=revision_id, slot=slot))
        if slot in holders:  # a trigger sees from the change that the task is begun
            held = (slots.c.task_id == revision_id) & (slots.c.slot == slot)
            lease = {"annotator_id": ids[holders[slot]], "claimed_at": now, "lease_until": until}
            connection.execute(sa.update(slots).where(held).values(lease))
    retire(connection, [task.id])
    rows = [
        {
            **request._asdict(),
            "annotator_id": None if request.annotator is None else ids[request.annotator],
            "task_id": task.id,
            "revision_id": revision_id,
            "sent_at": now,
        }
        for request in requests
    ]
    for values in rows:
        del values["annotator"]
    connection.execute(sa.insert(revision_requests), rows)
    if not campaign.is_simulated:
        for request in requests:
            actor = COMMAND_LINE if request.annotator is None else request.annotator
            about = {"item": request.item_id, "content": request.content_hash, "stage": request.stage}
            record(connection, "sent_to_writer", actor=actor, at=now, task=task.id, revision=revision_id, **about)
    return int(revision_id)


def is_gone(connection: sa.Connection, name: str) -> bool:
    """Return whether an annotator's account is locked, as happens when a person is forgotten."""
    query = sa.select(accounts.c.id).join(annotators).where(annotators.c.name == name, accounts.c.is_disabled)
    return connection.execute(query).first() is not None


def _names(requests: Sequence[RevisionRequest]) -> set[str]:
    return {request.annotator for request in requests if request.annotator is not None}


def _id_of(connection: sa.Connection, name: str) -> int:
    return int(connection.execute(sa.select(annotators.c.id).where(annotators.c.name == name)).scalar_one())
