"""An annotator's outlook: remaining minutes at their own pace, and today's decisions."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.review_store import open_store
from benchwright.annotation.workflow.own_work import own_work
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.records import Item
from benchwright.steps import CampaignContext

pytestmark = pytest.mark.both_databases


def test_minutes_left_follow_the_median_of_ones_own_decisions_and_today_begins_at_midnight(
    context: CampaignContext, make_items: Callable[..., list[Item]], now: datetime
) -> None:
    Verify(rule="single").advance(make_items(jigsaw=8), context)
    with open_store(context.store_url) as store:
        store.upsert_annotator("ann")
        store.upsert_annotator("ben")
        campaign = store.campaign("verify")
        queue = TaskQueue(store, campaign, "ann")

        def decide(seconds: float, at: datetime) -> None:
            task = queue.next(now=at)
            assert task is not None
            queue.submit(task.slot_id, Submission("accept", active_s=seconds), now=at + timedelta(seconds=seconds))

        yesterday = now - timedelta(days=1)
        decide(10, yesterday)
        decide(500, yesterday + timedelta(minutes=20))
        [work] = own_work(store, [campaign], "ann", since=now, now=now)
        assert (work.decided, work.today, work.pace_s, work.minutes_left) == (2, 0, None, None)
        decide(20, now)
        later = now + timedelta(minutes=1)
        [work] = own_work(store, [campaign], "ann", since=now, now=later)
        assert (work.decided, work.today, work.pace_s) == (3, 1, 20)
        assert work.minutes_left == pytest.approx(20 * work.waiting.share_left / 60)
        latest = queue.history(limit=1)[0]
        slot = queue.slot_of(latest.task_id, now=later)
        queue.submit(slot, Submission("reject", ("unclear",), active_s=3), now=later)
        assert own_work(store, [campaign], "ann", since=now, now=later)[0].today == 1, "a change is no other decision"
        [other] = own_work(store, [campaign], "ben", since=now, now=later)
        assert (other.decided, other.today, other.pace_s) == (0, 0, None)
