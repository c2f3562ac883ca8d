"""Change a campaign's rule in place, keeping the decisions already made.

    unanimous(2) ──▶ at_least(2, of=3)     every task gets a third slot, and opens again for it
    majority(3)  ──▶ unanimous(3)          the same decisions, with another outcome
    unanimous(3) ──▶ unanimous(2)          only while no task has a third decision

The change deletes no decision, and all of them still count: a rule for fewer annotators than have decided a task is
refused. The number of annotators per item stays fixed once an item has been revised or sent back, since each of its
versions got that many.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from benchwright.errors import BenchwrightError
from benchwright.texts.normalization import counted

from ..database.records import Campaign
from ..database.schema import campaigns, slots, tasks
from .adjudications import list_adjudicated
from .tasks import find_campaign, make_slots, note_campaign, reopen

_AWAY = 1000
"""Offset added to slot numbers during renumbering, larger than any rule's number of slots."""


def check_rule_change(connection: sa.Connection, campaign: Campaign, *, slots_per_task: int) -> None:
    """Check that the number of decisions on each task of a campaign can be changed.

    Raises:
        BenchwrightError: The number cannot be changed; the message states the reason and the remedy.
    """
    if campaign.is_simulated:
        raise BenchwrightError("simulated annotators decide in this campaign; change its step in the recipe and run it")
    if slots_per_task == campaign.slots_per_task:
        return
    otherwise = "give the step another name for a new campaign"
    later = sa.select(sa.func.count()).where(tasks.c.campaign_id == campaign.id, tasks.c.round > 1)
    sent_back = sum(adjudicated.sent_back for adjudicated in list_adjudicated(connection, campaign).values())
    if sent_back or connection.execute(later).scalar_one():
        raise BenchwrightError(
            f"items of {campaign.name!r} were revised or sent back, each version under "
            f"{counted(campaign.slots_per_task, 'decision')}; keep that number, or {otherwise}"
        )
    full = len(_overfull(connection, campaign, slots_per_task))
    if full:
        raise BenchwrightError(
            f"{counted(full, 'task has', 'tasks have')} more than {counted(slots_per_task, 'decision')}, or "
            f"annotators at work on them; choose a rule for more annotators, or {otherwise}"
        )


def change_rule(
    connection: sa.Connection, name: str, *, rule: str, slots_per_task: int, by: str, now: datetime
) -> Campaign:
    """Change the rule of a campaign, and return the changed campaign.

    Tasks that lack decisions under the new rule open. The caller must close those that the rule or an adjudicator has
    settled (`settlement.closing`).

    Args:
        connection: Connection of a transaction with sole use of the store.
        name: Name of the campaign.
        rule: The rule as recipes and pages spell it, such as `unanimous(3)`.
        slots_per_task: Number of annotators who decide each task.
        by: Name of the curator, for the log.
        now: Time of the call.

    Raises:
        BenchwrightError: No such campaign exists, or the change is impossible.
    """
    before = find_campaign(connection, name)
    check_rule_change(connection, before, slots_per_task=slots_per_task)
    values = {"rule": rule, "slots": slots_per_task}
    connection.execute(sa.update(campaigns).where(campaigns.c.id == before.id).values(values))
    campaign = find_campaign(connection, name)
    if slots_per_task < before.slots_per_task:
        _take_free_slots(connection, campaign)
    elif slots_per_task > before.slots_per_task:
        make_slots(connection, campaign)
    if slots_per_task != before.slots_per_task:
        _reopen_or_finish(connection, campaign)
    note_campaign(connection, "campaign_changed", campaign, actor=by, at=now)
    return campaign


def _overfull(connection: sa.Connection, campaign: Campaign, most: int) -> Sequence[int]:
    """Return the tasks, except gold tasks, on which more than `most` annotators have decided or are at work."""
    query = (
        sa.select(slots.c.task_id)
        .join(tasks, slots.c.task_id == tasks.c.id)
        .where(*_counted(campaign), slots.c.annotator_id.is_not(None))
        .group_by(slots.c.task_id)
        .having(sa.func.count() > most)
    )
    return connection.execute(query).scalars().all()


def _counted(campaign: Campaign) -> tuple[sa.ColumnElement[bool], ...]:
    """Return the conditions for slots whose number is set by a rule; gold and set-aside slots are excluded."""
    return tasks.c.campaign_id == campaign.id, tasks.c.gold.is_(None), slots.c.slot > 0


def _take_free_slots(connection: sa.Connection, campaign: Campaign) -> None:
    """Remove the free slots beyond the number that the rule allows, and number the remaining ones from 1."""
    query = (
        sa.select(slots.c.id, slots.c.task_id, slots.c.slot, slots.c.annotator_id)
        .join(tasks, slots.c.task_id == tasks.c.id)
        .where(*_counted(campaign))
        .order_by(slots.c.task_id, slots.c.annotator_id.is_(None), slots.c.slot)
    )
    gone: list[int] = []
    moved: list[dict[str, int]] = []
    task, place = -1, 0
    for row in connection.execute(query):
        task, place = row.task_id, 1 if row.task_id != task else place + 1
        if place > campaign.slots_per_task:
            gone.append(row.id)
        elif row.slot != place:
            moved.append({"of_slot": row.id, "number": place})
    is_one = slots.c.id == sa.bindparam("of_slot")
    if gone:
        connection.execute(sa.delete(slots).where(is_one), [{"of_slot": number} for number in gone])
    if moved:  # first to numbers out of the way: no two slots of a task may share one at any moment
        number: sa.BindParameter[int] = sa.bindparam("number")
        away = [{**one, "number": one["number"] + _AWAY} for one in moved]
        connection.execute(sa.update(slots).where(is_one).values(slot=number), away)
        connection.execute(sa.update(slots).where(is_one).values(slot=number), moved)


def _reopen_or_finish(connection: sa.Connection, campaign: Campaign) -> None:
    """Set each task, except gold tasks, to open or done according to its slots; adjudicated tasks stay done."""
    ruled = {version for version, said in list_adjudicated(connection, campaign).items() if said.decision is not None}
    query = sa.select(tasks.c.id, tasks.c.item_id, tasks.c.content_hash).where(
        tasks.c.campaign_id == campaign.id, tasks.c.gold.is_(None), tasks.c.state.in_(("open", "done"))
    )
    rows = connection.execute(query).all()
    reopen(connection, [row.id for row in rows if (row.item_id, row.content_hash) not in ruled])
