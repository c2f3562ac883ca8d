"""Hours of work, measured from the times of annotators' actions in the store.

The page counts seconds on a task up to half a minute without a key or the pointer. The time between tasks is also work:
reading guidelines, thinking, a short break. So work is the time between two traces of a person that are at most a
**paid pause of 20 minutes** apart, following the rule of the United States on rest periods ("Rest periods of short
duration, running from 5 minutes to about 20 minutes, ... must be counted as hours worked", 29 CFR 785.18). A longer gap
does not count at all. Traces are decisions with their time, answers before a key is shown, comments, practice, and
coming through an entry for crowd workers. An isolated trace counts only its own time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa

from ..store.database.integration_tables import crowd_entries, crowd_visits, crowd_workers
from ..store.database.records import Campaign
from ..store.database.schema import (
    annotations_table,
    annotators,
    blind_answers,
    practice_answers,
    practice_attempts,
    remarks,
    slots,
    tasks,
    votes_set_aside,
)

PAID_PAUSE_S = 20 * 60
"""Seconds between two traces up to which the time between them is work."""


class WorkSpan(NamedTuple):
    """A span of time in which a person worked; both ends are equal for a single point in time."""

    begin: datetime
    end: datetime


class PersonHours(NamedTuple):
    """The work of one person in a campaign.

    Args:
        person: Name.
        tasks: Number of tasks that they decided, including gold items, attention checks and votes set aside.
        set_aside: Number of votes among these that are now excluded from all counts.
        hours: Hours of work, including short pauses.
        active_hours: Hours on tasks as the page counted them; untimed decisions add nothing.
        first: First trace.
        last: Last trace.
    """

    person: str
    tasks: int
    set_aside: int
    hours: float
    active_hours: float
    first: datetime
    last: datetime


def hours_in(spans: Iterable[WorkSpan], *, pause_s: float = PAID_PAUSE_S) -> float:
    """Return the hours of work in spans, given in any order; gaps no longer than a paid pause are included.

    Args:
        spans: Spans of work; they may overlap.
        pause_s: Seconds of the longest paid pause.
    """
    total, reached = 0.0, None
    for span in sorted(spans):
        if reached is None or (span.begin - reached).total_seconds() > pause_s:
            total += (span.end - span.begin).total_seconds()
            reached = span.end
        elif span.end > reached:
            total += (span.end - reached).total_seconds()
            reached = span.end
    return total / 3600


def people_hours(
    connection: sa.Connection,
    campaign: Campaign,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    pause_s: float = PAID_PAUSE_S,
) -> list[PersonHours]:
    """Return the hours of all people with any action in a campaign, by name.

    Args:
        connection: Connection in a read transaction.
        campaign: The campaign.
        since: Beginning of the period; default the first act.
        until: End of the period, exclusive; default the last act.
        pause_s: Seconds of the longest paid pause.
    """
    spans: dict[str, list[WorkSpan]] = defaultdict(list)
    decided: dict[str, set[int]] = defaultdict(set)
    aside: dict[str, set[int]] = defaultdict(set)
    active_s: dict[str, float] = defaultdict(float)

    def is_in(moment: datetime) -> bool:
        return (since is None or moment >= since) and (until is None or moment < until)

    for row in connection.execute(_decisions(), {"campaign": campaign.id}):
        if not is_in(row.submitted_at):
            continue
        spans[row.name].append(_span(row, since, pause_s))
        active_s[row.name] += row.active_s or 0.0
        decided[row.name].add(row.task_id)
        if row.aside is not None:
            aside[row.name].add(row.task_id)
    for name, moment in _moments(connection, campaign):
        if is_in(moment):
            spans[name].append(WorkSpan(moment, moment))
    return [
        PersonHours(
            name,
            len(decided[name]),
            len(aside[name]),
            hours_in(own, pause_s=pause_s),
            active_s[name] / 3600,
            min(span.begin for span in own),
            max(span.end for span in own),
        )
        for name, own in sorted(spans.items())
    ]


def _span(row: Any, since: datetime | None, pause_s: float) -> WorkSpan:
    """Return the span of a decision: its time on the task or, if untimed, the time since assignment, at most one pause.

    An untimed change of a decision is a moment.
    """
    elapsed_s = (row.submitted_at - row.started_at).total_seconds()
    untimed_s = min(max(0.0, elapsed_s), pause_s) if row.version == 1 else 0.0
    begin = row.submitted_at - timedelta(seconds=untimed_s if row.active_s is None else row.active_s)
    return WorkSpan(begin if since is None else max(begin, since), row.submitted_at)


def _decisions() -> sa.Select[Any]:
    a = annotations_table.c
    joined = (
        annotations_table.join(slots, a.slot_id == slots.c.id)
        .join(tasks, slots.c.task_id == tasks.c.id)
        .join(annotators, slots.c.annotator_id == annotators.c.id)
        .outerjoin(votes_set_aside, votes_set_aside.c.slot_id == slots.c.id)
    )
    return (
        sa.select(annotators.c.name, slots.c.task_id, a.version, a.started_at, a.submitted_at, a.active_s)
        .add_columns(votes_set_aside.c.slot_id.label("aside"))
        .select_from(joined)
        .where(tasks.c.campaign_id == sa.bindparam("campaign"), annotators.c.kind == "person")
        .order_by(a.id)
    )


def _moments(connection: sa.Connection, campaign: Campaign) -> Iterator[tuple[str, datetime]]:
    """Yield the times of people's actions other than decisions."""
    name, of_campaign = annotators.c.name, tasks.c.campaign_id == campaign.id
    answered = blind_answers.join(tasks).join(annotators)
    said = remarks.join(tasks).join(annotators)
    practised = practice_attempts.join(annotators)
    came = crowd_visits.join(crowd_entries).join(crowd_workers).join(annotators)
    own_practice = practice_attempts.c.campaign_id == campaign.id
    queries = (
        sa.select(name, blind_answers.c.answered_at).select_from(answered).where(of_campaign),
        sa.select(name, remarks.c.made_at).select_from(said).where(of_campaign),
        sa.select(name, practice_attempts.c.begun_at).select_from(practised).where(own_practice),
        sa.select(name, practice_answers.c.answered_at)
        .select_from(practice_answers.join(practised))
        .where(own_practice),
        sa.select(name, crowd_visits.c.began_at).select_from(came).where(crowd_entries.c.campaign_id == campaign.id),
    )
    for query in queries:
        for row in connection.execute(query.where(annotators.c.kind == "person")):
            yield row[0], row[1]


def workers_of(connection: sa.Connection) -> Mapping[str, tuple[str, str]]:
    """Return, by pseudonym, each crowd worker's service and the worker's id there, for payment."""
    query = sa.select(annotators.c.name, crowd_workers.c.service, crowd_workers.c.worker).join(
        crowd_workers, crowd_workers.c.annotator_id == annotators.c.id
    )
    return {row.name: (row.service, row.worker) for row in connection.execute(query)}
