"""The number of tasks that an annotator may still get in a campaign with shares for annotators.

An annotator with a share gets exactly that many tasks, which the campaign reserves. Near the end, the others get only
tasks that leave a slot for the named annotators who have not yet completed their share.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import ceil
from typing import Any, NamedTuple

import sqlalchemy as sa

from ...forms.assignment_settings import AssignmentSettings
from ..database.records import Campaign
from ..database.schema import accounts, annotators, assignments, slots, tasks
from .eligibility import count_barred

_mine, _free = slots.alias("mine"), slots.alias("free")
_of_campaign = tasks.c.campaign_id == sa.bindparam("campaign")
_counts = _of_campaign & (tasks.c.state != "retired")
_is_open = _of_campaign & (tasks.c.state == "open")
_of_names = annotators.c.name.in_(sa.bindparam("names", expanding=True))
_counted = sa.select(sa.func.count())
_by_annotator = slots.join(tasks).join(annotators, slots.c.annotator_id == annotators.c.id)

_TAKEN = _counted.select_from(slots).where(
    slots.c.annotator_id == sa.bindparam("annotator"), sa.exists().where(tasks.c.id == slots.c.task_id, _counts)
)
_ITEMS = _counted.select_from(tasks).where(_counts)
_OPEN = _counted.select_from(tasks).where(_is_open)
_FREE_SLOTS = _counted.select_from(slots.join(tasks)).where(_is_open, slots.c.annotator_id.is_(None))
_TAKEN_BY = (
    sa.select(
        annotators.c.name,
        sa.func.count().label("all"),
        sa.func.sum(sa.case((tasks.c.state == "open", 1), else_=0)).label("open"),
    )
    .select_from(_by_annotator)
    .where(_counts, _of_names)
    .group_by(annotators.c.name)
)
_ALL_HELD = _counted.select_from(tasks).where(
    _is_open,
    tasks.c.id.in_(sa.select(slots.c.task_id).where(slots.c.lease_until.is_not(None))),
    ~sa.exists().where(_free.c.task_id == tasks.c.id, _free.c.annotator_id.is_(None)),
    ~sa.exists().where(
        _mine.c.task_id == tasks.c.id,
        _mine.c.annotator_id == annotators.c.id,
        annotators.c.name == sa.bindparam("name"),
    ),
)
_IDS = sa.select(annotators.c.name, annotators.c.id).where(_of_names)
_is_theirs = sa.exists().where(_mine.c.task_id == tasks.c.id, _mine.c.annotator_id == sa.bindparam("annotator"))
_has_free = sa.exists().where(_free.c.task_id == tasks.c.id, _free.c.annotator_id.is_(None))
LEAVES_ENOUGH = _counted.where(_free.c.task_id == tasks.c.id, _free.c.annotator_id.is_(None)).correlate(
    tasks
).scalar_subquery() + _counted.select_from(_mine.join(annotators)).where(
    _mine.c.task_id == tasks.c.id, _of_names
).correlate(tasks).scalar_subquery() > sa.bindparam("waiting")
"""Whether a task has a free slot beyond those reserved for the `waiting` annotators in `names` who have none."""


_can_sign_in = (accounts.c.annotator_id == annotators.c.id) & ~accounts.c.is_disabled
_workers = sa.table("crowd_workers", sa.column("annotator_id"))
_comes_by_visits = sa.exists().where(_workers.c.annotator_id == annotators.c.id)
_is_other = (annotators.c.name != sa.bindparam("name")) & ~_comes_by_visits
_OTHERS = _counted.select_from(annotators.join(accounts, _can_sign_in)).where(_is_other, accounts.c.role != "curator")
_OTHERS_ASSIGNED = _counted.select_from(annotators.join(accounts, _can_sign_in).join(assignments)).where(
    _is_other, assignments.c.campaign_id == sa.bindparam("campaign")
)


class Quota(NamedTuple):
    """Limit on the number of tasks that an annotator may still get.

    Args:
        left: Number of further tasks; None if there is no limit.
        waiting: Names of the annotators for whom each task reserves a slot.
    """

    left: int | None = None
    waiting: tuple[str, ...] = ()


def may_still_get(
    connection: sa.Connection, settings: AssignmentSettings, annotator: str, parameters: Mapping[str, Any]
) -> Quota:
    """Return the limit on the number of tasks that an annotator may still get.

    Args:
        connection: Connection in a read transaction.
        settings: Assignment settings of the campaign.
        annotator: Name.
        parameters: Parameters `campaign`, `annotator`, and those of `eligibility`.
    """
    # Imported here, because a run that assigns no tasks never needs it.
    from ..accounts.visits import visit_left

    of_visit = visit_left(connection, parameters["campaign"], parameters["annotator"])
    by_share = _by_share(connection, settings, annotator, parameters)
    if of_visit is None:
        return by_share
    return by_share._replace(left=of_visit if by_share.left is None else min(of_visit, by_share.left))


def _by_share(
    connection: sa.Connection, settings: AssignmentSettings, annotator: str, parameters: Mapping[str, Any]
) -> Quota:
    share = settings.shares.get(annotator, settings.share)
    if share is None and not settings.shares:
        return Quota()
    items = connection.execute(_ITEMS, parameters).scalar_one()
    most = items if share is None else _part(share, items)
    left = max(0, most - connection.execute(_TAKEN, parameters).scalar_one())
    if annotator in settings.shares or not settings.shares:
        return Quota(left)
    kept, waiting = _kept(connection, settings, parameters, items=items)
    free = connection.execute(_FREE_SLOTS, parameters).scalar_one()
    return Quota(max(0, min(left, free - kept)), waiting)


def even_part(connection: sa.Connection, campaign: Campaign, annotator: str) -> int:
    """Return an annotator's number of tasks in a campaign if all who may decide take equal numbers.

    All who may decide are the annotators assigned to it, or else every annotator and adjudicator who can sign in. Of
    the curators, who may also decide, only the one in question is included. Crowd workers, who come and go, are not
    included. Gold items are not included.
    """
    items = connection.execute(_ITEMS, {"campaign": campaign.id}).scalar_one()
    people = connection.execute(
        _OTHERS_ASSIGNED if campaign.is_for_assigned else _OTHERS,
        {
            "campaign": campaign.id,
            "name": annotator,
        },
    ).scalar_one()
    return min(items, -(-items * campaign.slots_per_task // (people + 1)))


def _kept(
    connection: sa.Connection, settings: AssignmentSettings, parameters: Mapping[str, Any], *, items: int
) -> tuple[int, tuple[str, ...]]:
    """Return the number of slots reserved for named annotators, and names of annotators who need every open task."""
    named = {"names": list(settings.shares)}
    taken = {row.name: (row.all, row.open) for row in connection.execute(_TAKEN_BY, {**parameters, **named})}
    ids = {row.name: row.id for row in connection.execute(_IDS, named)}
    is_open = connection.execute(_OPEN, parameters).scalar_one()
    kept, waiting = 0, []
    for name, share in settings.shares.items():
        of_all, of_open = taken.get(name, (0, 0))
        owed = max(0, _part(share, items) - of_all)
        if not owed:
            continue
        reach = is_open - of_open - connection.execute(_ALL_HELD, {**parameters, "name": name}).scalar_one()
        reach -= _barred(
            connection, {**parameters, "annotator": ids.get(name), "editor": parameters["editor"] and ids.get(name)}
        )
        kept += min(owed, max(0, reach))
        if 0 < reach <= owed:
            waiting.append(name)
    return kept, tuple(waiting)


def _barred(connection: sa.Connection, parameters: Mapping[str, Any]) -> int:
    """Return how many open tasks with a free slot an annotator may not judge, other than those assigned to them."""
    queries = count_barred(~_is_theirs, _has_free, blind=bool(parameters["shows_key"]))
    return sum(connection.execute(query, parameters).scalar_one() for query in queries)


def _part(share: float, items: int) -> int:
    return ceil(Fraction(str(share)) * items)
