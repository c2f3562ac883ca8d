"""Gold tasks, whose right decisions are known: the tasks themselves, and annotators' decisions on them.

They are not part of the campaign's own work: they are retired from it, so that no count includes them. Each is given
once to every annotator who asks for tasks, and looks like any other task.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from benchwright.errors import BenchwrightError
from benchwright.texts.normalization import counted

from ...forms.kinds import ATTENTION
from ..database.audit import COMMAND_LINE, clock, record
from ..database.records import Campaign
from ..database.schema import annotators, slots, tasks
from .decisions import latest_annotations

IS_NO_CHECK: sa.ColumnElement[bool] = tasks.c.item_task.is_distinct_from(ATTENTION)
"""Whether a gold task is a genuine question, and not only a check that the annotator reads it."""

IS_ITEM: sa.ColumnElement[bool] = tasks.c.gold.is_(None) | IS_NO_CHECK
"""Whether a task is about an item, image or pair, and not an attention check."""

IS_LISTED: sa.ColumnElement[bool] = IS_ITEM & tasks.c.gold_of.is_(None)
"""Whether a task is about an item, image or pair that is shown in lists, which omit copies of accepted ones."""


class TaskPlacement(NamedTuple):
    """The content and priority planned for an item's task, and its right decision if it is to be a gold task."""

    content_hash: str
    priority: int
    gold: str | None
    gold_why: str | None = None
    gold_regions: str | None = None


class GoldAnswer(NamedTuple):
    """An annotator's decision on a gold item, in its latest version."""

    item_id: str
    annotator: str
    decision: str
    right: str


def mark(
    connection: sa.Connection, campaign: Campaign, current: Sequence[Any], wanted: Mapping[str, TaskPlacement]
) -> set[int]:
    """Set the priorities and right decisions of tasks as planned, and return the gold tasks among them.

    Args:
        connection: Connection in a write transaction.
        campaign: Campaign of the tasks.
        current: Rows of the tasks, each with id, item_id, priority, gold, gold_why and gold_regions.
        wanted: Planned priority and right decision, by item id.

    Raises:
        BenchwrightError: A gold task would become an ordinary one, but more annotators have answered it than an
            ordinary task takes.
    """
    named, unnamed = 0, 0
    for row in current:
        now = wanted[row.item_id]
        values: dict[str, Any] = {
            "priority": now.priority,
            "gold": now.gold,
            "gold_why": now.gold_why,
            "gold_regions": now.gold_regions,
        }
        if all(getattr(row, column) == value for column, value in values.items()):
            continue
        if now.gold is not None:
            values["state"] = "retired"
            named += row.gold != now.gold
        elif row.gold is not None:
            _take_extra_slots(connection, campaign, row)
            unnamed += 1
        connection.execute(sa.update(tasks).where(tasks.c.id == row.id).values(values))
    if named or unnamed:
        record(
            connection,
            "gold_named",
            actor=COMMAND_LINE,
            at=clock(),
            campaign=campaign.name,
            named=named,
            unnamed=unnamed,
        )
    return {row.id for row in current if wanted[row.item_id].gold is not None}


def _take_extra_slots(connection: sa.Connection, campaign: Campaign, row: Any) -> None:
    """Remove the slots that a gold task had in addition to those of an ordinary task."""
    extra = (slots.c.task_id == row.id) & (slots.c.slot > campaign.slots_per_task)
    used = sa.select(sa.func.count()).select_from(slots).where(extra, slots.c.annotator_id.is_not(None))
    if count := connection.execute(used).scalar_one():
        raise BenchwrightError(
            f"item {row.item_id} was sent out as gold in campaign {campaign.name!r}, to {counted(count, 'annotator')} "
            f"more than {campaign.rule} allows; name it as gold again, with a corrected decision if necessary"
        )
    connection.execute(sa.delete(slots).where(extra))


class GoldMarks(NamedTuple):
    """An annotator's marks on a gold item, in their latest version, together with the right marks.

    Args:
        annotator: Name of the annotator.
        decision: Their decision.
        right: The right decision.
        fields: Values of their form, as JSON values.
        gold_regions: Right regions and tolerance, as JSON values; None if only the decision is known.
        payload: Content of the task as JSON values.
    """

    annotator: str
    decision: str
    right: str
    fields: Mapping[str, Any]
    gold_regions: Mapping[str, Any] | None
    payload: Mapping[str, Any]


def gold_marks(connection: sa.Connection, campaign: Campaign, *, is_aside: bool = False) -> list[GoldMarks]:
    """Return the annotators' marks on a campaign's gold items, by annotator and item.

    Args:
        connection: Connection in a read transaction.
        campaign: Campaign.
        is_aside: Whether to return marks that curators set aside instead of those that count; default False.
    """
    latest = latest_annotations(only_set_aside=is_aside).subquery()
    columns = (annotators.c.name, latest.c.decision, tasks.c.gold, latest.c.fields, tasks.c.gold_regions)
    query = _on_gold(campaign, latest, *columns, tasks.c.payload)
    return [
        GoldMarks(
            name,
            decision,
            right,
            json.loads(fields or "{}"),
            None if regions is None else json.loads(regions),
            json.loads(payload),
        )
        for name, decision, right, fields, regions, payload in connection.execute(query)
    ]


def gold_answers(connection: sa.Connection, campaign: Campaign) -> list[GoldAnswer]:
    """Return the annotators' decisions on a campaign's gold items, by annotator and item."""
    latest = latest_annotations().subquery()
    query = _on_gold(campaign, latest, tasks.c.item_id, annotators.c.name, latest.c.decision, tasks.c.gold)
    return [GoldAnswer(*row) for row in connection.execute(query)]


class KnownAnswer(NamedTuple):
    """An annotator's decision on a gold item or an attention check, in its latest version.

    Args:
        annotator: Name.
        task: Task of the item.
        decision: Their decision.
        right: The right one.
        is_check: Whether the item is an attention check.
        has_regions: Whether the right answer includes regions, so that the decision alone does not settle it.
    """

    annotator: str
    task: str
    decision: str
    right: str
    is_check: bool
    has_regions: bool


def known_answers(connection: sa.Connection, campaign: Campaign, *, of: str | None = None) -> list[KnownAnswer]:
    """Return the annotators' decisions on gold items and attention checks, by annotator and item.

    Args:
        connection: Connection in a read transaction.
        campaign: Campaign.
        of: The only annotator to look at; default None, all.
    """
    query = (
        sa.select(
            annotators.c.name, tasks.c.item_task, slots.c.decision, tasks.c.gold, ~IS_NO_CHECK, tasks.c.gold_regions
        )
        .select_from(slots.join(tasks, slots.c.task_id == tasks.c.id).join(annotators))
        .where(tasks.c.campaign_id == campaign.id, tasks.c.gold.is_not(None), slots.c.decision.is_not(None))
        .order_by(annotators.c.name, tasks.c.item_id)
    )
    if of is not None:
        query = query.where(annotators.c.name == of)
    return [
        KnownAnswer(name, task or "", said, right, bool(is_check), regions is not None)
        for name, task, said, right, is_check, regions in connection.execute(query)
    ]


def gold_task_ids(connection: sa.Connection, campaign: Campaign) -> frozenset[int]:
    """Return the ids of a campaign's gold tasks, without attention checks and copies of accepted items."""
    query = sa.select(tasks.c.id).where(tasks.c.campaign_id == campaign.id, tasks.c.gold.is_not(None), IS_LISTED)
    return frozenset(connection.execute(query).scalars())


def has_known_answers(connection: sa.Connection, campaign: Campaign) -> bool:
    """Return whether any annotator has answered a gold item or an attention check of a campaign."""
    query = (
        sa.select(slots.c.id)
        .select_from(slots.join(tasks, slots.c.task_id == tasks.c.id))
        .where(tasks.c.campaign_id == campaign.id, tasks.c.gold.is_not(None), slots.c.decision.is_not(None))
        .limit(1)
    )
    return connection.execute(query).first() is not None


def is_known(connection: sa.Connection, slot_id: int) -> bool:
    """Return whether a slot belongs to a gold item or an attention check."""
    query = sa.select(tasks.c.gold).join(slots, slots.c.task_id == tasks.c.id).where(slots.c.id == slot_id)
    return connection.execute(query).scalar_one_or_none() is not None


def _on_gold(campaign: Campaign, latest: sa.Subquery, *columns: sa.ColumnElement[Any]) -> sa.Select[Any]:
    """Return the query for columns of the newest decisions on a campaign's gold items, by annotator and item."""
    return (
        sa.select(*columns)
        .select_from(latest)
        .join(slots, latest.c.slot_id == slots.c.id)
        .join(tasks, slots.c.task_id == tasks.c.id)
        .join(annotators, slots.c.annotator_id == annotators.c.id)
        .where(tasks.c.campaign_id == campaign.id, tasks.c.gold.is_not(None), IS_NO_CHECK)
        .order_by(annotators.c.name, tasks.c.item_id)
    )


def copied_items(connection: sa.Connection, campaign: Campaign) -> frozenset[str]:
    """Return the ids of the accepted items that a campaign's gold tasks repeat."""
    query = sa.select(tasks.c.gold_of).where(
        tasks.c.campaign_id == campaign.id, tasks.c.gold.is_not(None), tasks.c.gold_of.is_not(None)
    )
    return frozenset(connection.execute(query).scalars())
