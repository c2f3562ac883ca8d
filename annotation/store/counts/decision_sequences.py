"""Decisions on each task in the order of its slots, counted by the database, to simulate rules with fewer annotators.

Counts of decisions (`decision_counts`) lose the order of annotators. A rule for two annotators, applied where three
decided, must use the first two, so this module keeps the order. Tasks with equal decisions in equal order count
together. Only tasks with edits, or with a decision of an adjudicator, are read one by one.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from ...forms.kinds import MARK
from ..campaigns.adjudications import OPENED, REVISE, SEND_BACK, ruled_tasks
from ..campaigns.decisions import latest_annotations
from ..campaigns.lineage import ROUND, has_rounds, is_current
from ..campaigns.revision_requests import how_returned
from ..database.dialects import JOINT, joined_texts, member_of
from ..database.records import Campaign, Returned, TaskState
from ..database.schema import adjudications, annotations_table, revisions, slots, tasks

_AT_ONCE = 2000
_OF_SLOT = ":"
_NO_EDITS: Mapping[int, Mapping[int, str]] = {}


class DecisionSequence(NamedTuple):
    """The decisions on a task that count, in the order of its slots, which is the order of assignment.

    Args:
        state: State of the task.
        round: Round of its item, from 1.
        decisions: Decisions in their newest versions, since the task was last sent back; if a campaign has criteria,
            votes: a `1` or `0` for each criterion.
        edits: For each decision, the index of its proposed edits, from 1 in order of first appearance, or 0 if it has
            none. Empty if no annotator proposes edits.
        adjudicated: The adjudicator's decision; None if there is none that counts.
        is_disputed: Whether annotators' regions differ by more than the campaign allows.
        returned: Outcome of sending the item back to its writer.
    """

    state: TaskState
    round: int
    decisions: tuple[str, ...]
    edits: tuple[int, ...] = ()
    adjudicated: str | None = None
    is_disputed: bool = False
    returned: Returned | None = None


class TaskSequence(NamedTuple):
    """The decisions on a task of an item."""

    task_id: int
    item_id: str
    sequence: DecisionSequence


def count_sequences(
    connection: sa.Connection, campaign: Campaign, criteria: Sequence[str] = ()
) -> Counter[DecisionSequence]:
    """Return each sequence of decisions with the number of current tasks that have it.

    Args:
        connection: Connection in a read transaction.
        campaign: Campaign.
        criteria: Fields answered with `yes` or `no` that count instead of decisions.
    """
    query = _by_task(campaign, criteria).where(~_is_special(campaign)).subquery()
    alike = [query.c.state, query.c.in_round, query.c.is_disputed, query.c.returned, query.c.given]
    counted: Counter[DecisionSequence] = Counter()
    rows: Sequence[Any] = connection.execute(sa.select(*alike, sa.func.count()).group_by(*alike)).all()
    for state, in_round, disputed, returned, given, times in rows:
        decisions = tuple(_in_order(given).values())
        sequence = DecisionSequence(state, in_round, decisions, is_disputed=bool(disputed), returned=returned)
        counted[sequence] += times
    counted.update(task.sequence for task in _special(connection, campaign, criteria))
    return counted


def list_sequences(
    connection: sa.Connection,
    campaign: Campaign,
    criteria: Sequence[str] = (),
    *,
    among: sa.Select[tuple[int]] | None = None,
    task: int | None = None,
) -> list[TaskSequence]:
    """Return, by task, the decisions on each begun current task.

    Args:
        connection: Connection in a read transaction.
        campaign: Campaign.
        criteria: Fields answered with `yes` or `no` that count instead of decisions.
        among: Query for the ids of the tasks to look at; default None, all tasks.
        task: Id of the only task to look at; default None, all tasks.
    """
    of_these = [*([] if among is None else [tasks.c.id.in_(among)]), *([] if task is None else [tasks.c.id == task])]
    query = _by_task(campaign, criteria).where(~_is_special(campaign), tasks.c.is_begun, *of_these)
    listed = [
        TaskSequence(
            task_id,
            item_id,
            DecisionSequence(
                state, in_round, tuple(_in_order(given).values()), is_disputed=bool(disputed), returned=returned
            ),
        )
        for task_id, item_id, state, in_round, disputed, returned, given in connection.execute(query)
    ]
    return sorted([*listed, *_special(connection, campaign, criteria, of_these)])


def _by_task(campaign: Campaign, criteria: Sequence[str]) -> sa.Select[Any]:
    """Return a query for task, item, state, round, and all decisions, each preceded by its slot number."""
    slot = sa.cast(slots.c.slot, sa.Text) + _OF_SLOT
    if criteria:
        yes = [sa.case((member_of(annotations_table.c.fields, name) == "yes", "1"), else_="0") for name in criteria]
        votes: sa.ColumnElement[str] = yes[0]
        for vote in yes[1:]:
            votes = votes.concat(vote)
        given = (
            latest_annotations()
            .join(slots, annotations_table.c.slot_id == slots.c.id)
            .where(slots.c.task_id == tasks.c.id)
            .with_only_columns(joined_texts(slot.concat(votes)))
        )
    else:
        given = sa.select(joined_texts(slot + slots.c.decision)).where(
            slots.c.task_id == tasks.c.id, slots.c.decision.is_not(None)
        )
    in_round = ROUND if has_rounds(campaign) else sa.literal(1)
    query = sa.select(
        tasks.c.id,
        tasks.c.item_id,
        tasks.c.state,
        in_round.label("in_round"),
        (tasks.c.regions_agree.is_(False) if campaign.kind == MARK else sa.literal(0)).label("is_disputed"),
        how_returned(campaign).label("returned"),
        given.correlate(tasks).scalar_subquery().label("given"),
    )
    if has_rounds(campaign):
        query = query.select_from(tasks.outerjoin(revisions, revisions.c.task_id == tasks.c.id))
    return query.where(is_current(campaign))


def _is_special(campaign: Campaign) -> sa.ColumnElement[bool]:
    """Return the condition for tasks to be read one by one: those with edits that matter, and adjudicated ones."""
    is_ruled = tasks.c.id.in_(ruled_tasks())
    if not _takes_edits(campaign):
        return is_ruled
    is_revised = sa.exists().where(slots.c.task_id == tasks.c.id, slots.c.decision == REVISE)
    return is_ruled | is_revised


def _takes_edits(campaign: Campaign) -> bool:
    """Return whether annotators may decide to revise, so that their proposed edits affect the outcome."""
    return campaign.form.typed is None and REVISE in campaign.form.decisions


def _special(
    connection: sa.Connection,
    campaign: Campaign,
    criteria: Sequence[str],
    of_these: Sequence[sa.ColumnElement[bool]] = (),
) -> list[TaskSequence]:
    rows = connection.execute(_by_task(campaign, criteria).where(_is_special(campaign), *of_these)).all()
    task_ids = [row.id for row in rows]
    edits = _edits(connection, task_ids) if _takes_edits(campaign) else _NO_EDITS
    rulings = _rulings(connection, task_ids)
    listed = []
    for task_id, item_id, state, in_round, disputed, returned, given in rows:
        sent_back, verdict = rulings.get(task_id, (0, None))
        of_task = edits.get(task_id, {})
        counted = {slot: code for slot, code in _in_order(given).items() if slot > sent_back * campaign.slots_per_task}
        numbers: dict[str, int] = {}
        proposed = tuple(
            numbers.setdefault(of_task[slot], len(numbers) + 1) if slot in of_task else 0 for slot in counted
        )
        sequence = DecisionSequence(
            state,
            in_round,
            tuple(counted.values()),
            proposed if any(proposed) else (),
            verdict,
            bool(disputed),
            returned,
        )
        listed.append(TaskSequence(task_id, item_id, sequence))
    return listed


def _in_order(given: str | None) -> dict[int, str]:
    """Return the decisions by slot, in slot order."""
    pairs = [] if given is None else [part.split(_OF_SLOT, 1) for part in given.split(JOINT)]
    return dict(sorted((int(slot), code) for slot, code in pairs))


def _edits(connection: sa.Connection, task_ids: Sequence[int]) -> dict[int, dict[int, str]]:
    """Return the edits proposed in each slot, by task."""
    edits: dict[int, dict[int, str]] = {}
    for some in _in_parts(task_ids):
        query = (
            latest_annotations()
            .join(slots, annotations_table.c.slot_id == slots.c.id)
            .where(slots.c.task_id.in_(some), annotations_table.c.edits.is_not(None))
            .with_only_columns(slots.c.task_id, slots.c.slot, annotations_table.c.edits)
        )
        for task_id, slot, text in connection.execute(query):
            if json.loads(text):
                edits.setdefault(task_id, {})[slot] = text
    return edits


def _rulings(connection: sa.Connection, task_ids: Sequence[int]) -> dict[int, tuple[int, str | None]]:
    """Return, by task, how often the task was sent back, and the adjudicator's decision after that."""
    rulings: dict[int, tuple[int, str | None]] = {}
    for some in _in_parts(task_ids):
        query = sa.select(adjudications.c.task_id, adjudications.c.decision).where(
            adjudications.c.task_id.in_(some), adjudications.c.decision != OPENED
        )
        for task_id, decision in connection.execute(query.order_by(adjudications.c.id)):
            sent_back, _ = rulings.get(task_id, (0, None))
            rulings[task_id] = (sent_back + 1, None) if decision == SEND_BACK else (sent_back, decision)
    return rulings


def _in_parts(task_ids: Sequence[int]) -> Iterable[Sequence[int]]:
    return (task_ids[start : start + _AT_ONCE] for start in range(0, len(task_ids), _AT_ONCE))
