"""What adjudicators decided, beside what annotators had said until then."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import sqlalchemy as sa

from .adjudicating import OPENED, SEND_BACK
from .dialects import member_of
from .lineage import is_of_any_round
from .records import Campaign
from .reports import latest_annotations
from .schema import adjudications, annotations_table, annotators, slots, tasks


class Ruling(NamedTuple):
    """One decision of an adjudicator.

    Args:
        task_id: In the store.
        adjudicator: By name.
        decision: `accept`, `reject`, `revise` or `send_back`.
        said: What the annotators had said whose decisions counted then: how often each decision was given.
        votes: How many of them had said yes to each criterion, where the campaign has some.
    """

    task_id: int
    adjudicator: str
    decision: str
    said: Mapping[str, int]
    votes: Mapping[str, int]


class SaidOfRuled(NamedTuple):
    """What one annotator said of a task that an adjudicator decided: in which slot, what, its edits, and each vote."""

    slot: int
    decision: str
    edits: str | None
    votes: Sequence[str]


def ruled_tasks() -> sa.Select[tuple[int]]:
    """Return a query for the tasks that adjudicators decided or sent back."""
    return sa.select(adjudications.c.task_id).where(adjudications.c.decision != OPENED)


def list_rulings(connection: sa.Connection, campaign: Campaign, criteria: Sequence[str] = ()) -> list[Ruling]:
    """Return what adjudicators decided in a campaign, earlier rounds included, in the order in which they did.

    Args:
        connection: That reads.
        campaign: The campaign.
        criteria: Fields answered with `yes` or `no`, in which case votes are counted.
    """
    query = (
        sa.select(adjudications.c.task_id, annotators.c.name, adjudications.c.decision)
        .join(tasks, adjudications.c.task_id == tasks.c.id)
        .join(annotators, adjudications.c.annotator_id == annotators.c.id)
        .where(is_of_any_round(campaign), adjudications.c.decision != OPENED)
        .order_by(adjudications.c.id)
    )
    said = said_of_ruled(connection, campaign, criteria)
    sent_back: Counter[int] = Counter()
    found = []
    for task_id, name, decision in connection.execute(query):
        first = sent_back[task_id] * campaign.slots_per_task
        given = said_after(said.get(task_id, ()), first, until=first + campaign.slots_per_task)
        decisions = Counter(one.decision for one in given)
        found.append(Ruling(task_id, name, decision, decisions, counted_votes(given, criteria)))
        sent_back[task_id] += decision == SEND_BACK
    return found


def said_after(said: Iterable[SaidOfRuled], first: int, *, until: int | None = None) -> list[SaidOfRuled]:
    """Return what was said in slots after a number: each time a task is sent back it gets slots anew."""
    return [one for one in said if first < one.slot and (until is None or one.slot <= until)]


def counted_votes(said: Iterable[SaidOfRuled], criteria: Sequence[str]) -> dict[str, int]:
    """Return how many said yes to each criterion."""
    counted = Counter(name for one in said for name, vote in zip(criteria, one.votes, strict=False) if vote == "yes")
    return {name: counted[name] for name in criteria}


def said_of_ruled(
    connection: sa.Connection, campaign: Campaign, criteria: Sequence[str]
) -> dict[int, list[SaidOfRuled]]:
    """Return what annotators said of the tasks that adjudicators decided, in the newest version, by task."""
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
    found: dict[int, list[SaidOfRuled]] = {}
    for task_id, slot, decision, edits, *voted in connection.execute(query):
        found.setdefault(task_id, []).append(SaidOfRuled(slot, decision, edits, voted))
    return found
