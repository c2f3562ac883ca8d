"""Current work: annotators who hold tasks, the first of these tasks, and today's decisions."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from benchwright.annotation.forms.kinds import ATTENTION
from benchwright.annotation.forms.payloads import TaskInput
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.progress.overview import Overview
from benchwright.annotation.store.assignment.assignment import assign_task, claim_task
from benchwright.annotation.store.review_store import ReviewStore

OpenCampaign = Callable[..., ReviewStore]


@pytest.mark.both_databases
def test_whoever_holds_tasks_is_at_work_with_the_first_of_them(open_campaign: OpenCampaign, now: datetime) -> None:
    store = open_campaign(tasks=5)
    campaign = store.campaign("verify")
    overview = Overview(store, campaign)
    assert overview.at_work(now=now) == []
    lease = store.claim("verify", "ann", now=now)
    assert lease is not None
    store.submit(lease.slot_id, "ann", Submission("accept"), now=now + timedelta(seconds=20))
    later = now + timedelta(minutes=1)
    own = [store.claim("verify", "ann", now=later), store.claim("verify", "ben", now=later + timedelta(seconds=1))]
    assert None not in own
    [ben, ann] = overview.at_work(now=later + timedelta(minutes=2))
    assert (ben.annotator, ben.held, ben.today, ben.last_at) == ("ben", 1, 0, None)
    assert (ann.annotator, ann.held, ann.today, ann.last_at) == ("ann", 1, 1, now + timedelta(seconds=20))
    assert ann.item_id == own[0].item_id  # type: ignore[union-attr] # it is there
    assert ann.since == later
    assert overview.at_work(now=later + timedelta(hours=1)) == [], "a lease that ended is nobody's work"


def test_what_a_curator_assigned_for_days_is_nobodys_work(open_campaign: OpenCampaign, now: datetime) -> None:
    store = open_campaign(tasks=2)
    campaign = store.campaign("verify")
    [first, _] = store.tasks("verify")
    with store.writing(alone=True) as connection:
        assign_task(connection, campaign, "ann", first.id, by="cur", now=now, until=now + timedelta(days=7))
    assert Overview(store, campaign).at_work(now=now) == []


def test_an_attention_check_is_not_named(open_campaign: OpenCampaign, now: datetime) -> None:
    store = open_campaign(tasks=0)
    check = TaskInput("check-1", "content", {"task": ATTENTION, "question": "Reject."}, gold="reject")
    store.upsert_tasks("verify", [check])
    campaign = store.campaign("verify")
    [task] = store.tasks("verify", states=("retired",))
    with store.writing(alone=True) as connection:
        claim_task(connection, campaign, "ann", task.id, now=now, lease_s=600, on_gold=True)
    [ann] = Overview(store, campaign).at_work(now=now)
    assert (ann.annotator, ann.task_id, ann.item_id) == ("ann", None, None)
