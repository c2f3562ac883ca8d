"""What was found or checked before the turn to write is taken or written only if it is still as it was."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest

from benchwright.annotation.forms import CampaignForm, Submission, TaskInput
from benchwright.annotation.store import RefusedError, ReviewStore
from benchwright.annotation.store.assignment import FoundTask, find_next, take_found
from benchwright.annotation.store.database import Campaign, ChangedError, Lease
from benchwright.annotation.store.submissions import CheckedSubmission, check, write

pytestmark = pytest.mark.both_databases

Open = Callable[..., ReviewStore]
LEASE_S = 60.0
NOW = datetime(2026, 1, 1, tzinfo=UTC)
"""Before any lease here ends."""


@pytest.fixture
def one_task(open_campaign: Open) -> ReviewStore:
    return open_campaign(tasks=1, slots=1)


def found(store: ReviewStore, name: str) -> FoundTask:
    with store.reading() as connection:
        task = find_next(connection, store.campaign("verify"), name, now=NOW)
    assert task is not None
    return task


def take(store: ReviewStore, name: str, task: FoundTask, now: datetime) -> Lease | None:
    campaign: Campaign = store.campaign("verify")
    with store.writing() as connection:
        return take_found(connection, campaign, name, task, now=now, lease_s=LEASE_S)


def ready(store: ReviewStore, lease: Lease, now: datetime, decision: str = "accept") -> CheckedSubmission:
    with store.reading() as connection:
        return check(connection, lease.slot_id, lease.annotator, Submission(decision), now=now, amend=True)


def is_written(store: ReviewStore, decision: CheckedSubmission) -> bool:
    with suppress(ChangedError), store.writing() as connection:
        write(connection, decision)
        return True
    return False


def test_a_slot_that_somebody_else_took_meanwhile_is_not_taken(one_task: ReviewStore, now: datetime) -> None:
    for_ben = found(one_task, "ben")
    assert one_task.claim("verify", "ann", now=now) is not None
    assert take(one_task, "ben", for_ben, now) is None
    assert one_task.claim("verify", "ben", now=now) is None


def test_of_two_tabs_of_one_annotator_one_gets_a_task(open_campaign: Open, now: datetime) -> None:
    store = open_campaign(tasks=5, slots=3)
    first = found(store, "ann")
    for _ in range(3):  # the place where the search starts differs from time to time: whichever task it is
        second = found(store, "ann")
    held = take(store, "ann", first, now)
    assert held is not None
    assert take(store, "ann", second, now) is None
    again = store.claim("verify", "ann", now=now)
    assert again is not None
    assert again.slot_id == held.slot_id


def test_a_task_that_went_away_meanwhile_is_not_taken(one_task: ReviewStore, now: datetime) -> None:
    for_ann = found(one_task, "ann")
    one_task.upsert_tasks("verify", [])
    assert take(one_task, "ann", for_ann, now) is None


def test_a_lease_that_ended_meanwhile_is_not_begun_anew(one_task: ReviewStore, now: datetime) -> None:
    assert one_task.claim("verify", "ann", now=now, lease_s=LEASE_S) is not None
    own = found(one_task, "ann")
    later = now + timedelta(seconds=LEASE_S)
    assert one_task.claim("verify", "ben", now=later, lease_s=LEASE_S) is not None
    assert take(one_task, "ann", own, later) is None


def test_a_decision_on_a_slot_that_went_to_another_meanwhile_is_not_written(
    one_task: ReviewStore, now: datetime
) -> None:
    lease = one_task.claim("verify", "ann", now=now, lease_s=LEASE_S)
    assert lease is not None
    decision = ready(one_task, lease, now)
    later = now + timedelta(seconds=LEASE_S)
    assert one_task.claim("verify", "ben", now=later) is not None
    assert not is_written(one_task, decision)
    assert one_task.decisions("verify") == []
    with pytest.raises(RefusedError, match="does not hold"):
        one_task.submit(lease.slot_id, "ann", Submission("accept"), now=later)


def test_of_two_decisions_that_were_checked_at_once_the_second_is_checked_again(
    one_task: ReviewStore, now: datetime
) -> None:
    lease = one_task.claim("verify", "ann", now=now)
    assert lease is not None
    both = ready(one_task, lease, now, "accept"), ready(one_task, lease, now, "reject")
    assert [is_written(one_task, one) for one in both] == [True, False]
    one_task.submit(lease.slot_id, "ann", Submission("reject", reasons=("unclear",)), now=now, amend=True)
    [said] = one_task.decisions("verify")
    assert (said.decision, said.version) == ("reject", 2)
    assert one_task.audited().broken is None


def test_a_decision_by_a_form_that_changed_meanwhile_is_checked_again(one_task: ReviewStore, now: datetime) -> None:
    lease = one_task.claim("verify", "ann", now=now)
    assert lease is not None
    decision = ready(one_task, lease, now)
    one_task.upsert_campaign(
        "verify", kind="verify", rule="unanimous(1)", slots_per_task=1,
        form=CampaignForm(decisions=["reject"], reasons=[]), settings={}, seed=1,
    )  # fmt: skip
    one_task.upsert_tasks("verify", [TaskInput("item-000", "content-0", {"n": 0})])
    assert not is_written(one_task, decision)
    with pytest.raises(RefusedError, match="'accept' is none of reject"):
        one_task.submit(lease.slot_id, "ann", Submission("accept"), now=now)
