"""How a worker's visit stands, and what it ends with."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, NamedTuple

from ...store.database.records import Campaign
from ...store.integrations.crowd import CrowdEntries, Visit, VisitResult
from ...store.review_store import ReviewStore
from ...workflow.practising import PracticeQueue
from ...workflow.task_queue import TaskQueue


class Leaving(NamedTuple):
    """How a visit stands.

    Args:
        state: What it ended with, or `working`.
        left: Tasks that are left while they work.
        code: Code to hand in; None while they work, or where the entry has none.
    """

    state: VisitResult | Literal["working"]
    left: int
    code: str | None


def leave(store: ReviewStore, visit: Visit, name: str, *, now: datetime) -> Leaving:
    """Return how a visit stands, and end it where nothing is left to do.

    Args:
        store: Review store.
        visit: The person's latest visit.
        name: Their pseudonym.
        now: Moment of the call.
    """
    if visit.result is not None:
        return Leaving(visit.result, 0, visit.entry.code_for(visit.result))
    campaign = store.campaign(visit.entry.campaign)
    result = _result_of(store, campaign, visit, name, now=now)
    if result is None:
        return Leaving("working", TaskQueue(store, campaign, name).progress(now=now).left, None)
    CrowdEntries(store).end_visit(visit, result, now=now)
    return Leaving(result, 0, visit.entry.code_for(result))


def _result_of(store: ReviewStore, campaign: Campaign, visit: Visit, name: str, *, now: datetime) -> VisitResult | None:
    """Return what a visit ends with now; None while there is something to do.

    A pause comes before anything else. Whoever did their part has completed it, also where others took the last tasks;
    whoever could not begin, since nothing was left or they did not qualify, is screened out.
    """
    queue, practice = TaskQueue(store, campaign, name), PracticeQueue(store, campaign, name).state()
    if queue.is_paused:
        return "paused"
    if not practice.is_qualified:
        return "screened_out" if practice.tries_left == 0 else None
    if visit.entry.tasks is not None and visit.decided >= visit.entry.tasks:
        return "completed"
    if not campaign.is_closed and queue.hold(1, now=now):
        return None
    return "completed" if visit.decided else "screened_out"
