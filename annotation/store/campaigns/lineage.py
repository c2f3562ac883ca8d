"""Conditions for the tasks of a campaign that count: those on items' current versions, and those of earlier rounds.

A task retired because its item changed or left the recipe is not counted anywhere. A task retired because its item was
revised belongs to an earlier round of the item, and the decisions on it still count for that round.
"""

from __future__ import annotations

import sqlalchemy as sa

from ..database.records import Campaign
from ..database.schema import revisions, tasks

ROUND = sa.func.coalesce(revisions.c.round, 1)
"""The round of a task, in queries that outer-join `revisions` to it."""


def has_rounds(campaign: Campaign) -> bool:
    """Return whether revised items in a campaign get another round."""
    return bool(campaign.form.rounds)


def of_earlier_rounds(campaign: Campaign) -> sa.Select[tuple[int]]:
    """Return a query for the tasks whose revisions led, over one or more rounds, to a current task."""
    current = tasks.alias("current")
    last = (
        sa.select(revisions.c.revised_from.label("id"))
        .join(current, revisions.c.task_id == current.c.id)
        .where(current.c.campaign_id == campaign.id, current.c.state != "retired")
        .cte("earlier_rounds", recursive=True)
    )
    link = revisions.alias("link")
    earlier = last.union(sa.select(link.c.revised_from).join(last, link.c.task_id == last.c.id))
    return sa.select(earlier.c.id)


def is_current(campaign: Campaign, *, scanned: bool = False) -> sa.ColumnElement[bool]:
    """Return the condition for tasks on the current versions of items; for `scanned`, see `is_of_any_round`."""
    return _is_of_campaign(campaign, scanned=scanned) & (tasks.c.state != "retired")


def is_of_any_round(campaign: Campaign, *, scanned: bool = False) -> sa.ColumnElement[bool]:
    """Return the condition for current tasks and for tasks of the rounds that preceded them.

    Args:
        campaign: Campaign of the tasks.
        scanned: Whether SQLite should reach the tasks from another table instead of the index on campaigns; default
            False.
    """
    if not has_rounds(campaign):
        return is_current(campaign, scanned=scanned)
    is_earlier = tasks.c.id.in_(of_earlier_rounds(campaign)) & tasks.c.gold.is_(None)
    return _is_of_campaign(campaign, scanned=scanned) & ((tasks.c.state != "retired") | is_earlier)


def _is_of_campaign(campaign: Campaign, *, scanned: bool) -> sa.ColumnElement[bool]:
    # A sum keeps SQLite from using the index.
    return (tasks.c.campaign_id + 0 if scanned else tasks.c.campaign_id) == campaign.id
