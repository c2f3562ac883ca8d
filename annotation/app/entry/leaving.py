"""The state of a worker's visit, and the visit's result."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, NamedTuple

from ...store.database.records import Campaign
from ...store.integrations.crowd import CrowdEntries, Visit, VisitResult
from ...store.review_store import ReviewStore
from ...workflow.practising import PracticeQueue
from ...workflow.task_queue import TaskQueue


class Leaving(NamedTuple):
    """The state of a visit.

    Args:
        state: Result of the visit, or `working`.
        left: Number of remaining tasks while the worker works.
        code: Completion code; None while the worker works, or if the entry has none.
    """

    state: VisitResult | Literal["working"]
    left: int
    code: str | None


def leave(store: ReviewStore, visit: Visit, name: str, *, now: datetime) -> Leaving:
    """Return the state of a visit, and end the visit if no work remains.

    Args:
        store: Review store.
        visit: The worker's latest visit.
        name: The worker's pseudonym.
        now: Time of the call.
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
    """Return the result of a visit that ends now, or None while work remains.

    A pause takes precedence. Workers who did their part have completed the visit, even if others took the last tasks.
    Workers who could not begin, because no tasks were left or they did not qualify, are screened out.
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
