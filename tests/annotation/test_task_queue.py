"""An annotator's task queue: own tasks only, drafts that survive a reload, skipping, history, changed decisions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

import pytest

from benchwright.annotation.campaigns.review import Review
from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.forms.assignment_settings import LEASE_S
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.database.records import RefusedError, StaleError
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.task_queue import TaskQueue, may_see
from benchwright.records import Item
from benchwright.steps import CampaignContext

pytestmark = pytest.mark.both_databases

MakeItems = Callable[..., list[Item]]
AtDesk = Callable[[str], TaskQueue]


@pytest.fixture
def store(context: CampaignContext, make_items: MakeItems) -> Iterator[ReviewStore]:
    Verify(rule="unanimous(2)").advance(make_items(jigsaw=4), context)
    with open_store(context.store_url) as opened:
        for name in ("ann", "ben", "cas"):
            opened.upsert_annotator(name)
        yield opened


@pytest.fixture
def queue_of(store: ReviewStore) -> AtDesk:
    return lambda name: TaskQueue(store, store.campaign("verify"), name)


def test_the_same_task_lies_there_until_it_is_decided(queue_of: AtDesk, now: datetime) -> None:
    queue = queue_of("ann")
    task = queue.next(now=now)
    assert task == queue.next(now=now)
    assert (task.annotation, dict(task.draft), task.is_current) == (None, {}, True)
    queue.submit(task.slot_id, Submission("accept"), now=now)
    assert queue.next(now=now).task_id != task.task_id


def test_tasks_are_taken_ahead_in_order_and_given_back_unless_another_window_took_them(
    queue_of: AtDesk, store: ReviewStore, now: datetime
) -> None:
    queue, later = queue_of("ann"), now + timedelta(seconds=9)
    held = queue.hold(3, now=now)
    assert len(set(held)) == 3
    assert queue.hold(3, now=now) == held
    assert store.status("verify", now=now).slots["leased"] == 3
    task = queue.next(now=now)
    assert task.task_id == held[0]
    queue.submit(task.slot_id, Submission("accept"), now=now)
    following = queue.hold(3, now=later)
    assert following[:2] == held[1:]
    queue.give_back(following[1:], since=now, now=later)  # a window that was there before
    assert queue.hold(1, now=later) == following
    queue.give_back([*following[1:], task.task_id, 10**6], since=later, now=later)
    assert queue.hold(1, now=later) == following[:1]
    assert [entry.task_id for entry in queue.history()] == [task.task_id]


def test_nobody_takes_more_ahead_than_their_part(queue_of: AtDesk, now: datetime) -> None:
    queue = queue_of("ann")
    while held := queue.hold(3, now=now):
        assert len(held) <= max(1, queue.share_left(queue.progress(now=now)))
        queue.submit(queue.slot_of(held[0], now=now), Submission("accept"), now=now)


def test_looking_again_begins_the_lease_anew(queue_of: AtDesk, now: datetime) -> None:
    queue, most = queue_of("ann"), timedelta(seconds=LEASE_S)
    task = queue.next(now=now)
    queue.open(task.task_id, now=now + most / 2)
    assert queue.open(task.task_id, now=now + most).task_id == task.task_id
    with pytest.raises(RefusedError, match="not yours"):
        queue.open(task.task_id, now=now + 3 * most)


def test_a_draft_outlives_the_reload_and_the_lease_and_ends_with_the_decision(queue_of: AtDesk, now: datetime) -> None:
    queue = queue_of("ann")
    task = queue.next(now=now)
    queue.save_draft(task.task_id, {"note": "the left pie"}, now=now)
    queue.save_draft(task.task_id, {"note": "the left piece fits"}, now=now)
    later = now + timedelta(seconds=2 * LEASE_S)
    again = queue.next(now=later)
    assert (again.task_id, dict(again.draft)) == (task.task_id, {"note": "the left piece fits"})
    queue.submit(again.slot_id, Submission("reject", reasons=("unclear",), note="the left piece fits"), now=later)
    assert dict(queue.open(task.task_id, now=later).draft) == {}


def test_a_decision_can_be_changed_and_the_first_one_stays_as_a_version(
    queue_of: AtDesk, store: ReviewStore, now: datetime
) -> None:
    queue = queue_of("ann")
    task = queue.next(now=now)
    queue.submit(task.slot_id, Submission("accept"), now=now)
    queue.submit(task.slot_id, Submission("reject", reasons=("unclear",), note="on second thoughts"), now=now)
    [one] = store.decisions("verify")
    assert (one.decision, one.reasons, one.note, one.version) == ("reject", ("unclear",), "on second thoughts", 2)


def test_the_history_is_ones_own_the_latest_first(queue_of: AtDesk, now: datetime) -> None:
    ann, ben = queue_of("ann"), queue_of("ben")
    taken = []
    for number in range(3):
        moment = now + timedelta(minutes=number)
        taken.append(ann.next(now=moment))
        ann.submit(taken[-1].slot_id, Submission("accept"), now=moment)
    ben.submit(ben.next(now=now).slot_id, Submission("reject"), now=now)
    past = ann.history()
    assert [one.task_id for one in past] == [task.task_id for task in reversed(taken)]
    assert {one.annotation.decision for one in past} == {"accept"}
    assert len(ann.history(limit=2)) == 2


def test_a_skipped_task_comes_again_when_no_other_is_left(queue_of: AtDesk, now: datetime) -> None:
    queue = queue_of("ann")
    skipped = queue.next(now=now)
    queue.save_draft(skipped.task_id, {"note": "hm"}, now=now)
    queue.skip(skipped.task_id, now=now)
    for _ in range(3):
        task = queue.next(now=now)
        assert task.task_id != skipped.task_id
        queue.submit(task.slot_id, Submission("accept"), now=now)
    again = queue.next(now=now)
    assert (again.task_id, dict(again.draft)) == (skipped.task_id, {"note": "hm"})
    queue.skip(again.task_id, now=now)
    assert queue.next(now=now).task_id == skipped.task_id


def test_what_is_decided_cannot_be_skipped(queue_of: AtDesk, now: datetime) -> None:
    queue = queue_of("ann")
    task = queue.next(now=now)
    queue.submit(task.slot_id, Submission("accept"), now=now)
    with pytest.raises(RefusedError, match="is decided"):
        queue.skip(task.task_id, now=now)


def test_nobody_opens_changes_or_sees_the_task_of_another(queue_of: AtDesk, store: ReviewStore, now: datetime) -> None:
    ann, ben = queue_of("ann"), queue_of("ben")
    task = ann.next(now=now)
    if ben.next(now=now).task_id == task.task_id:
        ben.skip(task.task_id, now=now)
    for act in (
        lambda: ben.open(task.task_id, now=now),
        lambda: ben.skip(task.task_id, now=now),
        lambda: ben.save_draft(task.task_id, {"note": "mine now"}, now=now),
        lambda: ben.submit(task.slot_id, Submission("reject"), now=now),
        lambda: ben.open(task.task_id + 1000, now=now),
    ):
        with pytest.raises(RefusedError):
            act()
    assert dict(ann.open(task.task_id, now=now).draft) == {}
    assert [may_see(store, task.task_id, name, now=now) for name in ("ann", "ben", "nobody")] == [True, False, False]


def test_pictures_are_seen_while_the_lease_lasts_and_after_deciding(
    queue_of: AtDesk, store: ReviewStore, now: datetime
) -> None:
    queue = queue_of("ann")
    task = queue.next(now=now)
    later = now + timedelta(seconds=LEASE_S)
    assert not may_see(store, task.task_id, "ann", now=later)
    queue.submit(task.slot_id, Submission("accept"), now=now)
    assert may_see(store, task.task_id, "ann", now=later)


def test_progress_counts_what_is_decided_and_what_could_still_be_taken(queue_of: AtDesk, now: datetime) -> None:
    ann, ben, cas = queue_of("ann"), queue_of("ben"), queue_of("cas")
    assert ann.progress(now=now) == (0, 4)
    task = ann.next(now=now)
    assert ann.progress(now=now) == (0, 4)
    ann.submit(task.slot_id, Submission("accept"), now=now)
    assert ann.progress(now=now) == (1, 3)
    while (task := ben.next(now=now)) is not None:
        ben.submit(task.slot_id, Submission("accept"), now=now)
    assert ben.progress(now=now) == (4, 0)
    assert cas.progress(now=now) == (0, 3)


def test_a_long_draft_is_refused(queue_of: AtDesk, now: datetime) -> None:
    queue = queue_of("ann")
    task = queue.next(now=now)
    with pytest.raises(RefusedError, match="at most 64 kB"):
        queue.save_draft(task.task_id, {"note": "x" * 70_000}, now=now)


def test_a_decision_of_a_window_that_has_not_seen_the_last_one_is_refused(queue_of: AtDesk, now: datetime) -> None:
    queue = queue_of("ann")
    task = queue.next(now=now)
    assert task is not None
    queue.submit(task.slot_id, Submission("accept"), now=now, seen_version=task.seen.version)
    with pytest.raises(StaleError, match="in another window"):
        queue.submit(task.slot_id, Submission("reject", reasons=("unclear",)), now=now, seen_version=task.seen.version)
    queue.submit(
        task.slot_id, Submission("accept"), now=now, seen_version=task.seen.version
    )  # the same again is nothing new
    again = queue.open(task.task_id, now=now)
    assert (again.annotation and again.annotation.decision, again.seen.version) == ("accept", 1)
    queue.submit(task.slot_id, Submission("reject", reasons=("unclear",)), now=now, seen_version=again.seen.version)
    assert queue.open(task.task_id, now=now).seen.version == 2


def test_a_decision_waits_until_what_was_written_in_another_window_was_seen(queue_of: AtDesk, now: datetime) -> None:
    queue = queue_of("ann")
    task = queue.next(now=now)
    assert task is not None
    queue.save_draft(task.task_id, {"note": "left", "window": "a"}, now=now, seen=task.seen)
    with pytest.raises(StaleError, match="both texts are kept"):
        queue.check_seen(task.task_id, {"note": "right", "window": "b"}, task.seen, now=now)
    kept = queue.open(task.task_id, now=now)
    assert dict(kept.draft) == {"note": "left", "window": "a", "other": {"note": "right"}}
    queue.check_seen(task.task_id, {"note": "right", "window": "b"}, kept.seen, now=now)
    queue.check_seen(task.task_id, {"note": "left, then", "window": "a"}, task.seen, now=now)


def test_answering_once_more_in_another_window_leaves_the_votes_that_are_being_given(
    context: CampaignContext, make_items: MakeItems, now: datetime
) -> None:
    Review(rule="unanimous(1)").advance(make_items(jigsaw=1), context._replace(stage="review"))
    with open_store(context.store_url) as store:
        store.upsert_annotator("ann")
        queue = TaskQueue(store, store.campaign("review"), "ann")
        task = queue.next(now=now)
        assert task is not None
        queue.answer(task.slot_id, "A", now=now)
        queue.save_draft(task.task_id, {"fields": {"accurate": "no"}}, now=now)
        queue.answer(task.slot_id, "A", now=now)
        assert dict(queue.open(task.task_id, now=now).draft) == {"fields": {"accurate": "no"}}
