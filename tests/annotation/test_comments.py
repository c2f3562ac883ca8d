"""Comments and flags, an annotator's history with earlier decisions, and the time a browser may claim."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

import pytest

from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.database.records import RefusedError
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.store.submissions.comments import LONGEST, MOST
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.errors import BenchwrightError
from benchwright.records import Item
from benchwright.steps import CampaignContext

pytestmark = pytest.mark.both_databases

MakeItems = Callable[..., list[Item]]
AtDesk = Callable[[str], TaskQueue]


@pytest.fixture
def store(context: CampaignContext, make_items: MakeItems) -> Iterator[ReviewStore]:
    Verify(rule="unanimous(2)").advance(make_items(jigsaw=4), context)
    with open_store(context.store_url) as opened:
        for name in ("ann", "ben"):
            opened.upsert_annotator(name)
        yield opened


@pytest.fixture
def queue_of(store: ReviewStore) -> AtDesk:
    return lambda name: TaskQueue(store, store.campaign("verify"), name)


def test_a_comment_and_a_flag_are_seen_by_who_made_them_and_by_curators_flags_first(
    queue_of: AtDesk, store: ReviewStore, now: datetime
) -> None:
    ann, ben = queue_of("ann"), queue_of("ben")
    task = ann.next(now=now)
    assert task is not None
    ann.remark(task.task_id, "  which of the two?\n", is_flag=False, now=now)
    ann.remark(task.task_id, "", is_flag=True, now=now)
    assert [(one.words, one.is_flag) for one in ann.open(task.task_id, now=now).remarks] == [
        ("which of the two?", False), ("", True)
    ]  # fmt: skip
    while (other := ben.next(now=now)) is not None:
        assert other.remarks == ()
        ben.submit(other.slot_id, Submission("accept"), now=now)
    found = store.remarks("verify")
    assert [(one.annotator, one.is_flag) for one in found] == [("ann", True), ("ann", False)]
    assert (found[0].item_id, found[0].question) == (task.item.item_id, task.item.question)
    assert store.decisions("verify")[0].annotator == "ben", "a remark decides nothing"
    assert ann.open(task.task_id, now=now).annotation is None


def test_what_is_settled_leaves_the_list_and_stays_on_record(
    queue_of: AtDesk, store: ReviewStore, now: datetime
) -> None:
    ann = queue_of("ann")
    task = ann.next(now=now)
    assert task is not None
    ann.remark(task.task_id, "look", is_flag=True, now=now)
    [flag] = store.remarks("verify")
    store.settle_remark("verify", flag.id, by="cur", now=now)
    assert store.remarks("verify") == []
    assert [one.settled_by for one in store.remarks("verify", settled=True)] == ["cur"]
    with pytest.raises(BenchwrightError, match=f"no open flag or comment {flag.id}"):
        store.settle_remark("verify", flag.id, by="cur", now=now)
    assert store.audited().broken is None


@pytest.mark.parametrize(
    ("words", "why"),
    [("", "the comment is empty"), ("x" * (LONGEST + 1), "at most 2000"), ("a\0b", "no nulls")],
    ids=["empty", "long", "null"],
)
def test_a_comment_that_cannot_be_kept_is_refused(queue_of: AtDesk, now: datetime, words: str, why: str) -> None:
    ann = queue_of("ann")
    task = ann.next(now=now)
    assert task is not None
    with pytest.raises(RefusedError, match=why):
        ann.remark(task.task_id, words, is_flag=False, now=now)


def test_nobody_remarks_on_the_task_of_another_or_without_end(queue_of: AtDesk, now: datetime) -> None:
    ann, ben = queue_of("ann"), queue_of("ben")
    task = ann.next(now=now)
    assert task is not None
    theirs = ben.next(now=now)
    if theirs is not None and theirs.task_id == task.task_id:
        ben.skip(task.task_id, now=now)
    with pytest.raises(RefusedError, match="not yours"):
        ben.remark(task.task_id, "mine?", is_flag=True, now=now)
    for n in range(MOST):
        ann.remark(task.task_id, f"{n}", is_flag=False, now=now)
    with pytest.raises(RefusedError, match=f"you have made {MOST} comments"):
        ann.remark(task.task_id, "one more", is_flag=False, now=now)


def test_the_history_tells_what_was_said_before_what_was_remarked_and_goes_on_page_by_page(
    queue_of: AtDesk, now: datetime
) -> None:
    ann = queue_of("ann")
    for minute in range(3):
        task = ann.next(now=now + timedelta(minutes=minute))
        assert task is not None
        ann.submit(task.slot_id, Submission("accept"), now=now + timedelta(minutes=minute))
    later = now + timedelta(minutes=9)
    ann.submit(task.slot_id, Submission("reject", reasons=("unclear",)), now=later)
    ann.submit(task.slot_id, Submission("revise", note="which one?"), now=later)
    ann.remark(task.task_id, "hm", is_flag=False, now=later)
    newest, *rest = ann.history()
    assert [one.decision for one in newest.earlier] == ["accept", "reject"]
    assert newest.earlier[0].submitted_at == now + timedelta(minutes=2)
    assert (newest.annotation.decision, newest.annotation.version) == ("revise", 3)
    assert [one.words for one in newest.remarks] == ["hm"]
    assert all(one.earlier == () and one.remarks == () for one in rest)
    assert [one.task_id for one in ann.history(limit=1, after=1)] == [rest[0].task_id]


@pytest.mark.parametrize(
    ("claimed", "kept"),
    [(12.5, 12.5), (0.0, 0.0), (-3.0, 0.0), (1e9, 60.0), (float("inf"), None), (float("nan"), None), (None, None)],
    ids=str,
)
def test_a_browser_claims_no_more_time_than_passed_since_the_hand_out(
    queue_of: AtDesk, store: ReviewStore, now: datetime, claimed: float | None, kept: float | None
) -> None:
    ann = queue_of("ann")
    task = ann.next(now=now)
    assert task is not None
    ann.open(task.task_id, now=now + timedelta(seconds=30))
    ann.submit(task.slot_id, Submission("accept", active_s=claimed), now=now + timedelta(seconds=60))
    [said] = store.decisions("verify")
    assert said.active_s == kept
    assert said.seconds == (60.0 if kept is None else kept)


def test_a_change_claims_no_more_time_than_passed_since_the_version_before(
    queue_of: AtDesk, store: ReviewStore, now: datetime
) -> None:
    ann = queue_of("ann")
    task = ann.next(now=now)
    assert task is not None
    ann.submit(task.slot_id, Submission("accept", active_s=20), now=now + timedelta(seconds=40))
    ann.submit(task.slot_id, Submission("accept", active_s=999), now=now + timedelta(seconds=41))
    assert [(one.version, one.active_s) for one in store.decisions("verify")] == [(1, 20)], (
        "the same again is no change"
    )
    ann.submit(task.slot_id, Submission("reject", reasons=("unclear",), active_s=999), now=now + timedelta(seconds=45))
    assert [(one.version, one.active_s) for one in store.decisions("verify")] == [(2, 5)]
