"""Find the task that an annotator gets next.

The most urgent task comes first. Among equally urgent ones, tasks that others have begun precede untouched ones, unless
the campaign sets `begun_first` otherwise. Within each kind, the first free task after a random position comes first;
that position is drawn anew for each task. Every annotator thus goes through the campaign in a different order, without
any sorting. A search among begun tasks skips those that the annotator has decided, and so takes at most as many steps
as they have made decisions. At gold positions (`gold_schedule`), a gold task comes instead. Skipped tasks come last.

The search locks its result for `assignment` to take, and skips tasks that others are taking.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import sqlalchemy as sa

from benchwright.seeds import seed_for

from ...forms.assignment_settings import AssignmentSettings, assignment_settings_of
from ..database.records import Campaign
from ..database.schema import SHUFFLE_PRIME
from . import statements as sql
from .gold_schedule import GoldSchedule
from .quotas import may_still_get

_Parameters = Mapping[str, Any]


class TasksAhead(NamedTuple):
    """Numbers of tasks ahead of an annotator in a campaign; only `held` includes tasks that the annotator holds."""

    held: int
    others: int
    gold: int


class NextTask(NamedTuple):
    """The task that an annotator gets next.

    Args:
        task: Id of the task.
        slot: Free slot of the task, with the columns of a lease; None if the caller must still find one.
    """

    task: int
    slot: sa.Row[Any] | None


def read_position(connection: sa.Connection, parameters: _Parameters) -> sa.Row[Any]:
    """Return the values that determine an annotator's next task; see `statements.position_of`."""
    return connection.execute(sql.position_of(blind=bool(parameters["shows_key"])), parameters).one()


def next_task(
    connection: sa.Connection,
    campaign: Campaign,
    annotator: str,
    parameters: _Parameters,
    position: sa.Row[Any],
) -> NextTask | None:
    """Return the next task for an annotator, other than a task that they hold; None if no task is left.

    Args:
        connection: Connection in a write transaction.
        campaign: Campaign.
        annotator: Name.
        parameters: Parameters `campaign`, `annotator` and `shows_key`.
        position: Row from `read_position`.

    Returns:
        The task. Its slot is locked with it, unless the task is gold or was skipped before and the slot is still to be
        found.
    """
    settings = assignment_settings_of(campaign.settings)
    start = {"start": seed_for(campaign.seed, campaign.name, annotator, position.place) % SHUFFLE_PRIME}
    allowed = may_still_get(connection, settings, annotator, parameters)
    if allowed.left == 0:
        return None
    bounds = {"names": list(allowed.waiting), "waiting": len(allowed.waiting)} if allowed.waiting else {}
    values = {**parameters, **start, **bounds}
    if (
        position.any_gold is not None
        and _gold_places(campaign, annotator, settings).is_gold(position.place)
        and _most_urgent(connection, values, position.priority, begun_first=False, locking="none") is not None
    ):
        gold = _first_from(connection, {**parameters, **start}, gold=True, locking="none")
        if gold is not None:
            return NextTask(gold.id, None)
    lockings: tuple[sql.Locking, ...] = ("skip", "wait")
    for locking in lockings:
        ordinary = _most_urgent(
            connection, values, position.priority, begun_first=settings.begun_first, locking=locking
        )
        if ordinary is not None:
            return NextTask(ordinary.task_id, ordinary)
    query = sql.first_skipped(blind=bool(parameters["shows_key"]), bounded=bool(bounds))
    skipped = connection.execute(query, {**parameters, **bounds}).scalar_one_or_none()
    return None if skipped is None else NextTask(skipped, None)


def _gold_places(campaign: Campaign, annotator: str, settings: AssignmentSettings) -> GoldSchedule:
    """Return the positions of gold tasks in an annotator's sequence of tasks."""
    return GoldSchedule(
        settings.gold_rate, lambda window: seed_for(campaign.seed, campaign.name, annotator, "gold", window)
    )


def left_for(campaign: Campaign, annotator: str, *, had: int, ahead: TasksAhead) -> int:
    """Return how many tasks, including gold tasks, an annotator still has to decide, as far as is known."""
    places = _gold_places(campaign, annotator, assignment_settings_of(campaign.settings))
    return ahead.held + places.ahead(had, other_tasks=ahead.others, gold=ahead.gold)


def _most_urgent(
    connection: sa.Connection, parameters: _Parameters, highest: int | None, *, begun_first: bool, locking: sql.Locking
) -> sa.Row[Any] | None:
    priority = highest
    while priority is not None:
        for begun in (True, False) if begun_first else (False,):
            slot = _first_from(
                connection, {**parameters, "priority": priority}, gold=False, begun=begun, locking=locking
            )
            if slot is not None:
                return slot
        priority = connection.execute(sql.PRIORITY_BELOW, {**parameters, "priority": priority}).scalar_one_or_none()
    return None


def _first_from(
    connection: sa.Connection, parameters: _Parameters, *, gold: bool, locking: sql.Locking, begun: bool = False
) -> sa.Row[Any] | None:
    """Return the first task from the search's starting position on, or else the first task before that position."""
    for is_after in (True, False):
        is_bounded = "waiting" in parameters and not gold
        query = sql.first_free(
            gold=gold,
            after=is_after,
            blind=bool(parameters["shows_key"]),
            bounded=is_bounded,
            begun=begun,
            locking=locking,
        )
        row = connection.execute(query, parameters).one_or_none()
        if row is not None:
            return row
    return None
