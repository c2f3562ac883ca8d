"""Counts over a campaign, computed by the database, so that pages and commands need not read individual decisions.

Over 100,000 items with 300,000 decisions each query takes tenths of a second, from the narrow columns of `schema` and
their indexes. Decisions count in every round (`lineage`); open work counts in the last round only.
"""

from __future__ import annotations

import json
from collections import Counter
from datetime import date, datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from ..campaigns.decisions import is_withdrawn, latest_annotations
from ..campaigns.gold import IS_NO_CHECK
from ..campaigns.lineage import is_current, is_of_any_round
from ..database.dialects import day_of, member_of
from ..database.records import TASK_STATES, Campaign
from ..database.schema import (
    adjudications,
    annotations_table,
    annotators,
    revision_requests,
    revisions,
    set_asides,
    slots,
    tasks,
    votes_set_aside,
)

_NOTE = "note"
"""Field of typed forms that contains the text accompanying reasons."""


class ReasonCount(NamedTuple):
    """The number of newest decisions with a reason, the accompanying decision, and the newest items as examples."""

    decision: str
    reason: str
    times: int
    examples: tuple[DecisionExample, ...]


class DecisionExample(NamedTuple):
    """A decision that serves as an example: the task's id, the item's id, and the annotator's note."""

    task_id: int
    item_id: str
    note: str | None


class AnnotatorOpinion(NamedTuple):
    """An annotator's decision on a task."""

    annotator: str
    decision: str
    note: str | None


class DividedTask(NamedTuple):
    """A task whose annotators disagree."""

    task_id: int
    item_id: str
    task: str | None
    said: list[AnnotatorOpinion]


class SlotCounts(NamedTuple):
    """Numbers of slots in current tasks, by state."""

    submitted: int
    leased: int
    free: int


class DayOfWork(NamedTuple):
    """The number of tasks that an annotator decided on a day in UTC, and the active seconds for the timed ones."""

    annotator: str
    day: date
    decisions: int
    seconds: float
    timed: int


def count_slots(connection: sa.Connection, campaign: Campaign, *, now: datetime) -> SlotCounts:
    """Return how many slots in current tasks are filled, held and free."""
    held = slots.c.submitted_at.is_(None) & (slots.c.lease_until > now)
    query = (
        sa.select(sa.func.count(), sa.func.count(slots.c.decision), sa.func.sum(sa.case((held, 1), else_=0)))
        .select_from(slots.join(tasks))
        .where(is_current(campaign), ~is_withdrawn(now), slots.c.slot > 0)
    )
    every, submitted, leased = connection.execute(query).one()
    return SlotCounts(submitted, int(leased or 0), every - submitted - int(leased or 0))


def count_people(connection: sa.Connection, campaign: Campaign) -> int:
    """Return how many annotators have decided at least one task; the search for each ends at the first decided slot."""
    has_said = (
        sa.exists()
        .where(slots.c.annotator_id == annotators.c.id, slots.c.decision.is_not(None), tasks.c.id == slots.c.task_id)
        .where(is_of_any_round(campaign, scanned=True))
    )
    return int(connection.execute(sa.select(sa.func.count()).select_from(annotators).where(has_said)).scalar_one())


def count_by_annotator(connection: sa.Connection, campaign: Campaign) -> dict[str, dict[str, int]]:
    """Return how often each annotator made each decision, by name."""
    counted = (
        sa.select(slots.c.annotator_id, slots.c.decision, sa.func.count().label("times"))
        .select_from(slots.join(tasks))
        .where(is_of_any_round(campaign), slots.c.decision.is_not(None))
        .group_by(slots.c.annotator_id, slots.c.decision)
        .subquery()
    )
    query = (
        sa.select(annotators.c.name, counted.c.decision, counted.c.times)
        .join(annotators, counted.c.annotator_id == annotators.c.id)
        .order_by(annotators.c.name, counted.c.decision)
    )
    counts: dict[str, dict[str, int]] = {}
    for row in connection.execute(query):
        counts.setdefault(row.name, {})[row.decision] = row.times
    return counts


def count_by_day(connection: sa.Connection, campaign: Campaign) -> dict[str, int]:
    """Return the number of decisions on each day with any, by day in UTC."""
    day = day_of(slots.c.submitted_at).label("day")
    query = (
        sa.select(day, sa.func.count())
        .select_from(slots.join(tasks))
        .where(is_of_any_round(campaign), slots.c.decision.is_not(None))
        .group_by(sa.text("day"))
        .order_by(sa.text("day"))
    )
    return {str(row[0]): int(row[1]) for row in connection.execute(query)}


def count_days_of_work(connection: sa.Connection, campaign: Campaign, *, since: datetime) -> list[DayOfWork]:
    """Return each annotator's decisions on each day since a given time; only their first versions count."""
    day, took = day_of(annotations_table.c.submitted_at).label("day"), annotations_table.c.active_s
    query = (
        sa.select(
            annotators.c.name, day, sa.func.count(), sa.func.coalesce(sa.func.sum(took), 0.0), sa.func.count(took)
        )
        .select_from(
            annotations_table.join(slots)
            .join(tasks, slots.c.task_id == tasks.c.id)
            .join(annotators, slots.c.annotator_id == annotators.c.id)
        )
        .where(
            annotations_table.c.submitted_at >= since,
            annotations_table.c.version == 1,
            is_of_any_round(campaign, scanned=True),
        )
        .group_by(annotators.c.name, sa.text("day"))
        .order_by(annotators.c.name, sa.text("day"))
    )
    return [
        DayOfWork(name, date.fromisoformat(str(on)), int(times), float(seconds), int(timed))
        for name, on, times, seconds, timed in connection.execute(query)
    ]


def most_missing(connection: sa.Connection, campaign: Campaign) -> int:
    """Return the largest number of decisions that any open task of a campaign lacks; 0 if no task is open."""
    lacks = (
        sa.select(sa.func.count().label("lacks"))
        .select_from(slots.join(tasks))
        .where(tasks.c.campaign_id == campaign.id, tasks.c.state == "open", slots.c.submitted_at.is_(None))
        .group_by(slots.c.task_id)
        .subquery()
    )
    return int(connection.execute(sa.select(sa.func.max(lacks.c.lacks))).scalar_one() or 0)


def count_reasons(
    connection: sa.Connection, campaign: Campaign, *, examples: int = 3, field: str | None = None
) -> list[ReasonCount]:
    """Return the reasons for newest decisions, most frequent first, each with its newest decisions as examples.

    Args:
        connection: Connection in a read transaction.
        campaign: Campaign.
        examples: Number of tasks to name for each reason; default 3.
        field: Field of a typed form that holds the reasons; default None, the reasons stored with the decision.
    """
    reasons = annotations_table.c.reasons if field is None else member_of(annotations_table.c.fields, field)
    wrote = annotations_table.c.note if field is None else member_of(annotations_table.c.fields, _NOTE)
    alike = (annotations_table.c.decision, reasons)
    newest = sa.func.row_number().over(partition_by=alike, order_by=annotations_table.c.id.desc())
    decisions = (
        latest_annotations()
        .join(slots, annotations_table.c.slot_id == slots.c.id)
        .join(tasks, slots.c.task_id == tasks.c.id)
        # Few decisions have reasons, and the query should begin with those.
        .where(is_of_any_round(campaign, scanned=True), reasons.is_not(None), reasons != "[]")
        .with_only_columns(
            annotations_table.c.decision,
            reasons.label("reasons"),
            annotations_table.c.id,
            wrote.label("note"),
            slots.c.task_id,
            tasks.c.item_id,
            newest.label("place"),
            sa.func.count().over(partition_by=alike).label("times"),
        )
        .subquery()
    )
    times: Counter[tuple[str, str]] = Counter()
    shown: dict[tuple[str, str], dict[int, DecisionExample]] = {}
    # Enough rows for `examples` different tasks, even if each task has all its slots among them.
    most = max(1, examples * campaign.slots_per_task)
    for row in connection.execute(
        sa.select(decisions).where(decisions.c.place <= most).order_by(decisions.c.id.desc())
    ):
        for reason in json.loads(row.reasons):
            key = (row.decision, reason)
            times[key] += row.times if row.place == 1 else 0
            shown.setdefault(key, {}).setdefault(row.task_id, DecisionExample(row.task_id, row.item_id, row.note))
    ordered = sorted(times.items(), key=lambda entry: (-entry[1], entry[0]))
    return [ReasonCount(*key, count, tuple(shown[key].values())[:examples]) for key, count in ordered]


def list_divided(connection: sa.Connection, campaign: Campaign, *, most: int) -> list[DividedTask]:
    """Return the newest current tasks whose annotators disagree, with each annotator's decision, by name."""
    differ = (
        sa.select(sa.func.min(slots.c.decision) != sa.func.max(slots.c.decision))
        .where(slots.c.task_id == tasks.c.id)
        .scalar_subquery()
    )
    chosen = (
        sa.select(tasks.c.id, tasks.c.item_id, tasks.c.item_task)
        # `scanned` keeps SQLite off the index on campaigns: walking by task id, it stops as soon as it has enough.
        .where(is_current(campaign, scanned=True), differ)
        .order_by(tasks.c.id.desc())
        .limit(most)
        .subquery()
    )
    newest = latest_annotations().subquery()
    query = (
        sa.select(chosen, annotators.c.name, newest.c.decision, newest.c.note)
        .join(slots, slots.c.task_id == chosen.c.id)
        .join(newest, newest.c.slot_id == slots.c.id)
        .join(annotators, slots.c.annotator_id == annotators.c.id)
        .order_by(chosen.c.id.desc(), annotators.c.name)
    )
    divided_tasks: dict[int, DividedTask] = {}
    for row in connection.execute(query):
        divided_task = divided_tasks.setdefault(row.id, DividedTask(row.id, row.item_id, row.item_task, []))
        divided_task.said.append(AnnotatorOpinion(row.name, row.decision, row.note))
    return list(divided_tasks.values())


def count_gold(
    connection: sa.Connection, campaign: Campaign, *, is_check: bool = False, is_aside: bool = False
) -> dict[str, tuple[int, int]]:
    """Return, by name, how many gold tasks each annotator decided correctly, and how many in all.

    Args:
        connection: Connection in a read transaction.
        campaign: Campaign.
        is_check: Whether to count attention checks instead, which are not gold items; default False.
        is_aside: Whether to count answers that curators set aside, instead of those that count; default False.
    """
    gold = tasks.c.gold
    said: sa.ColumnElement[Any] = slots.c.decision
    given = slots.join(tasks, slots.c.task_id == tasks.c.id).join(annotators)
    if is_aside:
        latest = latest_annotations(only_set_aside=True).subquery()
        given, said = given.join(latest, latest.c.slot_id == slots.c.id), latest.c.decision
    right = sa.func.sum(sa.case((said == gold, 1), else_=0))
    of_these = ~IS_NO_CHECK if is_check else IS_NO_CHECK
    query = (
        sa.select(annotators.c.name, right, sa.func.count())
        .select_from(given)
        .where(tasks.c.campaign_id == campaign.id, gold.is_not(None), said.is_not(None), of_these)
        .group_by(annotators.c.name)
        .order_by(annotators.c.name)
    )
    return {row[0]: (int(row[1]), int(row[2])) for row in connection.execute(query)}


def count_too_fast(connection: sa.Connection, campaign: Campaign) -> dict[str, tuple[int, int]]:
    """Return, for each annotator, how many timed decisions were faster than believable, and how many were timed.

    Only first versions that a browser timed without pauses are counted; annotators who have none are omitted.
    """
    counts: dict[str, tuple[int, int]] = {}
    for (name, _), (fast, of) in too_fast_by_task(connection, campaign).items():
        before = counts.get(name, (0, 0))
        counts[name] = (before[0] + fast, before[1] + of)
    return counts


def too_fast_by_task(
    connection: sa.Connection, campaign: Campaign, *, of: str | None = None
) -> dict[tuple[str, str], tuple[int, int]]:
    """Return the counts that `count_too_fast` returns, by annotator and task of the items.

    Args:
        connection: Connection in a read transaction.
        campaign: Campaign.
        of: The only annotator to look at; default None, all.
    """
    took, shortest = annotations_table.c.active_s, tasks.c.shortest_s
    fast = sa.func.sum(sa.case((took < shortest, 1), else_=0))
    query = (
        sa.select(annotators.c.name, tasks.c.item_task, fast, sa.func.count())
        .select_from(
            annotations_table.join(slots)
            .join(tasks, slots.c.task_id == tasks.c.id)
            .join(annotators, slots.c.annotator_id == annotators.c.id)
        )
        .where(
            is_of_any_round(campaign, scanned=True),
            slots.c.decision.is_not(None),  # and not set aside
            annotations_table.c.version == 1,
            took.is_not(None),
            shortest.is_not(None),
        )
        .group_by(annotators.c.name, tasks.c.item_task)
        .order_by(annotators.c.name, tasks.c.item_task)
    )
    if of is not None:
        query = query.where(annotators.c.name == of)
    return {(row[0], row[1] or ""): (int(row[2]), int(row[3])) for row in connection.execute(query)}


def stamp(connection: sa.Connection, campaign: Campaign) -> tuple[int, ...]:
    """Return numbers that change whenever any count of this module does."""
    newest = sa.select(sa.func.coalesce(sa.func.max(annotations_table.c.id), 0)).scalar_subquery()
    of_campaign = tasks.c.campaign_id == campaign.id
    states = [sa.func.coalesce(sa.func.sum(sa.case((tasks.c.state == state, 1), else_=0)), 0) for state in TASK_STATES]
    newest_of_others = [
        sa.select(sa.func.coalesce(sa.func.max(table.c.id), 0)).scalar_subquery()
        for table in (adjudications, revisions, revision_requests, set_asides)
    ]
    aside = sa.select(sa.func.count()).select_from(votes_set_aside).scalar_subquery()
    row = connection.execute(sa.select(newest, *newest_of_others, aside, *states).where(of_campaign)).one()
    return (campaign.id, *(int(number) for number in row))
