"""Decisions by adjudicators, and the tasks that they opened, which show the key and the annotators' answers.

This module also reads adjudicators' decisions together with the annotators' decisions they saw.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from benchwright.canonical import canonical_json, digest

from ...forms.kinds import MARK
from ...forms.submission import Submission
from ..database.audit import record
from ..database.dialects import member_of
from ..database.locks import hold_annotator
from ..database.records import Adjudicated, Adjudication, Campaign
from ..database.schema import adjudications, annotations_table, annotators, closings, slots, tasks
from .decisions import latest_annotations
from .lineage import is_of_any_round
from .revision_requests import list_returned

OPENED, SEND_BACK, REVISE = "opened", "send_back", "revise"


_ADJUDICATED = (
    sa.select(adjudications, tasks.c.item_id, tasks.c.content_hash, annotators.c.name)
    .join(tasks, adjudications.c.task_id == tasks.c.id)
    .join(annotators, adjudications.c.annotator_id == annotators.c.id)
    .where(tasks.c.campaign_id == sa.bindparam("campaign"), adjudications.c.decision != OPENED)
    .order_by(adjudications.c.id)
)
_ADJUDICATED_OF_TASK = _ADJUDICATED.where(tasks.c.id == sa.bindparam("task"))


def list_adjudicated(
    connection: sa.Connection, campaign: Campaign, *, task: int | None = None
) -> dict[tuple[str, str], Adjudicated]:
    """Return the actions of adjudicators and writers on a campaign's tasks, by item id and content hash.

    The result omits tasks without such actions. The latest decision counts; sending a task back withdraws earlier
    decisions.
    """
    query = _ADJUDICATED if task is None else _ADJUDICATED_OF_TASK
    adjudicated: dict[tuple[str, str], Adjudicated] = {}
    for row in connection.execute(query, {"campaign": campaign.id, "task": task}):
        version = (row.item_id, row.content_hash)
        sent_back = adjudicated.get(version, Adjudicated(0, None)).sent_back
        if row.decision == SEND_BACK:
            adjudicated[version] = Adjudicated(sent_back + 1, None)
        else:
            adjudicated[version] = Adjudicated(sent_back, adjudication_of(row))
    for version, returned in list_returned(connection, campaign, task=task).items():
        adjudicated[version] = adjudicated.get(version, Adjudicated(0, None))._replace(returned=returned)
    return adjudicated


def adjudication_of(row: sa.Row[Any]) -> Adjudication:
    """Return the decision in a row of `adjudications` with the adjudicator's name, the item and its content."""
    return Adjudication(
        decision=row.decision,
        reasons=tuple(json.loads(row.reasons)),
        note=row.note,
        edits=None if row.edits is None else json.loads(row.edits),
        fields=None if row.fields is None else json.loads(row.fields),
        item_id=row.item_id,
        content_hash=row.content_hash,
        annotator=row.name,
        decided_at=row.decided_at,
    )


def done_tasks(
    connection: sa.Connection, campaign: Campaign, *, among: sa.Select[tuple[int]] | None = None
) -> dict[tuple[str, str], int]:
    """Return the tasks of a campaign that all their annotators have decided, by item id and content hash.

    Args:
        connection: Connection in a read transaction.
        campaign: Campaign.
        among: Query for the ids of the tasks to look at; default None, all tasks.
    """
    query = sa.select(tasks.c.item_id, tasks.c.content_hash, tasks.c.id)
    query = query.where(tasks.c.campaign_id == campaign.id, tasks.c.state == "done")
    rows = connection.execute(query if among is None else query.where(tasks.c.id.in_(among)))
    return {(row.item_id, row.content_hash): row.id for row in rows}


def disputed_tasks(
    campaign: Campaign, criteria: Sequence[str] = (), *, task: int | None = None
) -> sa.Select[tuple[int]]:
    """Return a query for the done tasks that may be waiting for an adjudicator or on which annotators differ.

    These are tasks with different decisions, with a revision, with regions that differ, or, under criteria, with edits
    or a vote other than `yes`. On all other tasks annotators agree on the rule's result. Tasks that adjudicators
    decided are included.

    Args:
        campaign: Campaign.
        criteria: Fields answered with `yes` or `no` that count instead of decisions.
        task: Id of the only task to look at; default None, all tasks.
    """
    if criteria:
        misses = [sa.func.coalesce(member_of(annotations_table.c.fields, name), "no") != "yes" for name in criteria]
        of_task = latest_annotations().join(slots, annotations_table.c.slot_id == slots.c.id)
        of_task = of_task.where(slots.c.task_id == tasks.c.id, sa.or_(annotations_table.c.edits.is_not(None), *misses))
        is_disputed: sa.ColumnElement[bool] = sa.exists(of_task.with_only_columns(sa.literal(1)).correlate(tasks))
    else:
        differ = sa.or_(
            sa.func.min(slots.c.decision) != sa.func.max(slots.c.decision), sa.func.max(slots.c.decision) == REVISE
        )
        is_disputed = sa.select(differ).where(slots.c.task_id == tasks.c.id).scalar_subquery()
        if campaign.kind == MARK:
            is_disputed = sa.or_(is_disputed, tasks.c.regions_agree.is_(False))
    query = sa.select(tasks.c.id).where(tasks.c.campaign_id == campaign.id, tasks.c.state == "done", is_disputed)
    return query if task is None else query.where(tasks.c.id == task)


def has_opened(connection: sa.Connection, task_id: int, name: str) -> bool:
    """Return whether a person has opened a task to adjudicate it."""
    query = (
        sa.select(adjudications.c.id)
        .join(annotators, adjudications.c.annotator_id == annotators.c.id)
        .where(adjudications.c.task_id == task_id, annotators.c.name == name)
    )
    return connection.execute(query).first() is not None


def items_judged_by(connection: sa.Connection, campaign: Campaign, name: str) -> set[str]:
    """Return the items that a person judged as an annotator in a campaign, in any round."""
    query = (
        sa.select(tasks.c.item_id)
        .join(slots, slots.c.task_id == tasks.c.id)
        .join(annotators, slots.c.annotator_id == annotators.c.id)
        .where(tasks.c.campaign_id == campaign.id, annotators.c.name == name)
    )
    return set(connection.execute(query).scalars())


def note_opened(connection: sa.Connection, task_id: int, name: str, *, now: datetime) -> None:
    """Record that an adjudicator has opened a task and therefore knows its key and the annotators' decisions."""
    add_adjudication(connection, task_id, name, Submission(OPENED), now=now)


def note_seen(connection: sa.Connection, task_id: int, name: str, *, now: datetime) -> None:
    """Record, once and in a write transaction, that a person has seen a task's key and the annotators' decisions."""
    hold_annotator(connection, name)
    if not has_opened(connection, task_id, name):
        note_opened(connection, task_id, name, now=now)


def add_adjudication(
    connection: sa.Connection, task_id: int, name: str, submission: Submission, *, now: datetime
) -> None:
    """Add an adjudicator's decision on a task, with its row in the audit log."""
    annotator_id = sa.select(annotators.c.id).where(annotators.c.name == name).scalar_subquery()
    columns = {
        "decision": submission.decision,
        "note": submission.note,
        "reasons": canonical_json(sorted(set(submission.reasons))),
        "edits": None if submission.edits is None else canonical_json(dict(submission.edits)),
    }
    if submission.fields is not None:
        columns["fields"] = canonical_json(dict(submission.fields))
    values = {"task_id": task_id, "annotator_id": annotator_id, "decided_at": now, **columns}
    connection.execute(sa.insert(adjudications).values(values))
    digest_of_columns = digest(columns)
    record(
        connection,
        "adjudicated",
        actor=name,
        at=now,
        task=task_id,
        decision=columns["decision"],
        said=digest_of_columns,
    )


def send_back(connection: sa.Connection, task_id: int, *, slots_more: int) -> None:
    """Reopen a task with `slots_more` additional slots, for annotators who have not judged it.

    If the task had been closed because its decision was sure enough, withdraw that closing.
    """
    last = connection.execute(sa.select(sa.func.max(slots.c.slot)).where(slots.c.task_id == task_id)).scalar_one()
    rows = [{"task_id": task_id, "slot": last + number} for number in range(1, slots_more + 1)]
    connection.execute(sa.insert(slots), rows)
    connection.execute(sa.update(tasks).where(tasks.c.id == task_id).values(state="open"))
    connection.execute(sa.update(closings).where(closings.c.task_id == task_id).values(is_withdrawn=True))


class OwnAdjudication(NamedTuple):
    """A decision by an adjudicator, with the task's payload as JSON values."""

    adjudication: Adjudication
    payload: Mapping[str, Any]


def tasks_adjudicated_by(name: str) -> sa.Select[tuple[int]]:
    """Return a query for the tasks that a person decided or sent back as an adjudicator."""
    return (
        sa.select(adjudications.c.task_id)
        .join(annotators, adjudications.c.annotator_id == annotators.c.id)
        .where(annotators.c.name == name, adjudications.c.decision != OPENED)
    )


def own_adjudications(connection: sa.Connection, campaign: Campaign, name: str, *, limit: int) -> list[OwnAdjudication]:
    """Return an adjudicator's latest decisions in a campaign, at most `limit`, newest first."""
    query = (
        sa.select(adjudications, annotators.c.name, tasks.c.item_id, tasks.c.content_hash, tasks.c.payload)
        .join(tasks, adjudications.c.task_id == tasks.c.id)
        .join(annotators, adjudications.c.annotator_id == annotators.c.id)
        .where(tasks.c.campaign_id == campaign.id, annotators.c.name == name, adjudications.c.decision != OPENED)
        .order_by(adjudications.c.id.desc())
        .limit(limit)
    )
    return [OwnAdjudication(adjudication_of(row), json.loads(row.payload)) for row in connection.execute(query)]


class AdjudicatedTask(NamedTuple):
    """A decision by an adjudicator on a task.

    Args:
        task_id: Id of the task in the store.
        adjudicator: Name of the adjudicator.
        decision: `accept`, `reject`, `revise` or `send_back`.
        said: Number of annotators who had made each decision, among the decisions valid at that time.
        votes: Number of annotators who answered each criterion with yes, if the campaign has criteria.
    """

    task_id: int
    adjudicator: str
    decision: str
    said: Mapping[str, int]
    votes: Mapping[str, int]


class OverruledDecision(NamedTuple):
    """An annotator's decision on a task that an adjudicator decided: slot, decision, edits, and votes."""

    slot: int
    decision: str
    edits: str | None
    votes: Sequence[str]


def ruled_tasks() -> sa.Select[tuple[int]]:
    """Return a query for the tasks that adjudicators decided or sent back."""
    return sa.select(adjudications.c.task_id).where(adjudications.c.decision != OPENED)


def list_rulings(connection: sa.Connection, campaign: Campaign, criteria: Sequence[str] = ()) -> list[AdjudicatedTask]:
    """Return the adjudicators' decisions in a campaign, including those in earlier rounds, in chronological order.

    Args:
        connection: Connection in a read transaction.
        campaign: Campaign.
        criteria: Fields answered with `yes` or `no`, whose votes count; default none.
    """
    query = (
        sa.select(adjudications.c.task_id, annotators.c.name, adjudications.c.decision)
        .join(tasks, adjudications.c.task_id == tasks.c.id)
        .join(annotators, adjudications.c.annotator_id == annotators.c.id)
        .where(is_of_any_round(campaign), adjudications.c.decision != OPENED)
        .order_by(adjudications.c.id)
    )
    overruled = overruled_decisions(connection, campaign, criteria)
    sent_back: Counter[int] = Counter()
    rulings = []
    for task_id, name, decision in connection.execute(query):
        first = sent_back[task_id] * campaign.slots_per_task
        counted = decisions_after_slot(overruled.get(task_id, ()), first, until=first + campaign.slots_per_task)
        decisions = Counter(overruled_decision.decision for overruled_decision in counted)
        rulings.append(AdjudicatedTask(task_id, name, decision, decisions, count_yes_votes(counted, criteria)))
        sent_back[task_id] += decision == SEND_BACK
    return rulings


def decisions_after_slot(
    decisions: Iterable[OverruledDecision], first: int, *, until: int | None = None
) -> list[OverruledDecision]:
    """Return the decisions in slots above `first`; a task gets additional slots whenever it is sent back."""
    return [decision for decision in decisions if first < decision.slot and (until is None or decision.slot <= until)]


def count_yes_votes(decisions: Iterable[OverruledDecision], criteria: Sequence[str]) -> dict[str, int]:
    """Return, for each criterion, the number of annotators who voted yes."""
    counted = Counter(
        name for decision in decisions for name, vote in zip(criteria, decision.votes, strict=False) if vote == "yes"
    )
    return {name: counted[name] for name in criteria}


def overruled_decisions(
    connection: sa.Connection, campaign: Campaign, criteria: Sequence[str]
) -> dict[int, list[OverruledDecision]]:
    """Return, by task, the newest versions of annotators' decisions on tasks that adjudicators decided."""
    votes = [member_of(annotations_table.c.fields, name) for name in criteria]
    query = (
        latest_annotations()
        .join(slots, annotations_table.c.slot_id == slots.c.id)
        .join(tasks, slots.c.task_id == tasks.c.id)
        .where(tasks.c.id.in_(ruled_tasks()), tasks.c.campaign_id + 0 == campaign.id)
        .with_only_columns(
            slots.c.task_id, slots.c.slot, annotations_table.c.decision, annotations_table.c.edits, *votes
        )
        .order_by(slots.c.task_id, slots.c.slot)
    )
    decisions_by_task: dict[int, list[OverruledDecision]] = {}
    for task_id, slot, decision, edits, *voted in connection.execute(query):
        decisions_by_task.setdefault(task_id, []).append(OverruledDecision(slot, decision, edits, voted))
    return decisions_by_task
