"""Which tasks of a campaign count: those on items as they are now, and those of the rounds that led there.

A task that is retired because its item came out of the recipe otherwise counts nowhere. One that is retired because the
item was revised stands for an earlier round of it, and what was said there stays said.
"""

from __future__ import annotations

import sqlalchemy as sa

from ..database.records import Campaign
from ..database.schema import revisions, tasks

ROUND = sa.func.coalesce(revisions.c.round, 1)
"""The round of a task, where `revisions` is joined to it from the outside."""


def has_rounds(campaign: Campaign) -> bool:
    """Return whether items of a campaign come again once they are revised."""
    return bool(campaign.form.rounds)


def of_earlier_rounds(campaign: Campaign) -> sa.Select[tuple[int]]:
    """Return a query for the tasks whose revisions led to a current task, one round after the other."""
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
    """Return the condition for tasks on items as they are now; for `scanned` see `is_of_any_round`."""
    return _of(campaign, scanned=scanned) & (tasks.c.state != "retired")


def is_of_any_round(campaign: Campaign, *, scanned: bool = False) -> sa.ColumnElement[bool]:
    """Return the condition for current tasks and those of the rounds before them.

    Args:
        campaign: Campaign of the tasks.
        scanned: Whether SQLite is to come from another table to its tasks, and not by the index on campaigns.
    """
    if not has_rounds(campaign):
        return is_current(campaign, scanned=scanned)
    is_earlier = tasks.c.id.in_(of_earlier_rounds(campaign)) & tasks.c.gold.is_(None)
    return _of(campaign, scanned=scanned) & ((tasks.c.state != "retired") | is_earlier)


def _of(campaign: Campaign, *, scanned: bool) -> sa.ColumnElement[bool]:
    # A sum has no index.
    return (tasks.c.campaign_id + 0 if scanned else tasks.c.campaign_id) == campaign.id
