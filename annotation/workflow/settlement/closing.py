"""Close tasks early, if the campaign's settings ask for it, once the missing decisions cannot change the outcome.

The rule itself determines whether they can. The free slots of a closed task stay empty; an annotator who holds one may
still finish, and their decision counts. If a changed decision makes the missing ones matter again, or the setting is
withdrawn, the task reopens, unless an adjudicator has decided it in the meantime. Tasks that closed because their
decision is sure enough (`further_votes`) stay closed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from ...forms.assignment_settings import AssignmentSettings, assignment_settings_of
from ...store.campaigns.adjudications import list_adjudicated
from ...store.campaigns.closings import closings_in_force
from ...store.campaigns.decisions import each_decision
from ...store.database.records import Campaign
from ...store.database.schema import slots, tasks
from ...store.review_store import ReviewStore
from .further_votes import close_sure, estimate_anew
from .revisions import each_version
from .rounds import NOBODY, votes_in
from .settle import CLOSING, OPEN, policy_of, settle

_AT_ONCE = 500


def check_closes(handout: AssignmentSettings, kind: str) -> None:
    """Check that tasks of this kind of campaign can close before every annotator has decided.

    Raises:
        ValueError: They cannot close early; the message names the kinds whose tasks can.
    """
    if handout.close_decided and kind not in CLOSING:
        raise ValueError(
            f"{kind!r} cannot close decided tasks early: every answer counts there; {', '.join(sorted(CLOSING))} can"
        )


def close_early(store: ReviewStore, name: str | Campaign, *, task: int | None = None) -> None:
    """Close tasks that need no further decision under the campaign's settings, and reopen tasks that need one again.

    Args:
        store: The review store.
        name: The campaign, or its name.
        task: Id of the only task to look at; default None, all tasks.
    """
    campaign = store.campaign(name) if isinstance(name, str) else name
    if task is None:
        estimate_anew(store, campaign)
    close_sure(store, campaign, task=task)
    close_decided(store, campaign, task=task)


def close_decided(store: ReviewStore, name: str | Campaign, *, task: int | None = None) -> int:
    """Close tasks that are settled, reopen tasks that no longer are, and return how many tasks changed.

    Safe to repeat. Call it in the transaction of a decision, or in a run for decisions from elsewhere.

    Args:
        store: The review store.
        name: The campaign, or its name.
        task: Id of the only task to look at; default None, all tasks.
    """
    campaign = store.campaign(name) if isinstance(name, str) else name
    if campaign.kind not in CLOSING or campaign.is_simulated:
        return 0
    closes = assignment_settings_of(campaign.settings).close_decided
    if not closes and task is not None:
        return 0
    with store.writing(alone=True) as connection:
        rows = _unfinished(connection, campaign, task=task, only_closed=not closes)
        if not rows:
            return 0
        decided = _decided(connection, campaign, task=task)
        to_close = [row.id for row in rows if row.state == "open" and (row.item_id, row.content_hash) in decided]
        sure = closings_in_force(connection, campaign, task=task)
        to_open = [
            row.id
            for row in rows
            if row.state == "done" and row.id not in sure and (row.item_id, row.content_hash) not in decided
        ]
        _set_state(connection, to_close, "done")
        _set_state(connection, to_open, "open")
        return len(to_close) + len(to_open)


def count_closed(store: ReviewStore, campaign: Campaign) -> int:
    """Return how many tasks are closed although not all of their annotators have decided."""
    with store.reading() as connection:
        return len(_unfinished(connection, campaign, task=None, only_closed=True))


def _unfinished(connection: sa.Connection, campaign: Campaign, *, task: int | None, only_closed: bool) -> Sequence[Any]:
    """Return tasks with an undecided slot, except gold tasks, which all annotators get."""
    has_free = sa.exists().where(slots.c.task_id == tasks.c.id, slots.c.submitted_at.is_(None))
    states = ("done",) if only_closed else ("open", "done")
    query = sa.select(tasks.c.id, tasks.c.item_id, tasks.c.content_hash, tasks.c.state).where(
        tasks.c.campaign_id == campaign.id, tasks.c.state.in_(states), tasks.c.gold.is_(None), has_free
    )
    return connection.execute(query if task is None else query.where(tasks.c.id == task)).all()


def _decided(connection: sa.Connection, campaign: Campaign, *, task: int | None) -> set[tuple[str, str]]:
    """Return the versions of items that are settled, which means that no missing decision can change the outcome."""
    policy = policy_of(campaign)
    adjudicated = list_adjudicated(connection, campaign, task=task)
    return {
        version
        for version, annotations in each_version(each_decision(connection, campaign, task=task))
        if settle(policy, votes_in(policy, annotations, adjudicated.get(version, NOBODY))) != OPEN
    }


def _set_state(connection: sa.Connection, ids: Sequence[int], state: str) -> None:
    for start in range(0, len(ids), _AT_ONCE):
        some = tasks.c.id.in_(ids[start : start + _AT_ONCE])
        connection.execute(sa.update(tasks).where(some).values(state=state))
