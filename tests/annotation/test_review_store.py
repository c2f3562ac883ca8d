"""The review store: updates of campaigns and tasks, assignment of slots, stored decisions."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.payloads import TaskInput
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.database.connection import connect
from benchwright.annotation.store.database.records import RefusedError, UpsertCounts
from benchwright.annotation.store.review_store import ReviewStore
from benchwright.errors import BenchwrightError

pytestmark = pytest.mark.both_databases

Open = Callable[..., ReviewStore]
CAMPAIGN = {
    "kind": "verify", "rule": "unanimous(2)", "slots_per_task": 2, "settings": {}, "seed": 1,
    "form": CampaignForm(decisions=["accept", "reject"], reasons=["unclear", "wrong_answer"]),
}  # fmt: skip


def work(**contents: str) -> list[TaskInput]:
    return [TaskInput(item_id, content, {"shows": content}) for item_id, content in contents.items()]


def decide(store: ReviewStore, annotator: str, decision: str, now: datetime, **more: Any) -> str:
    lease = store.claim("verify", annotator, now=now)
    assert lease is not None
    store.submit(lease.slot_id, annotator, Submission(decision, **more), now=now)
    return lease.item_id


# Tasks


def test_bringing_tasks_up_to_date_twice_changes_nothing(open_campaign: Open) -> None:
    store = open_campaign(tasks=3)
    before = store.tasks("verify")
    same = [TaskInput(task.item_id, task.content_hash, task.payload) for task in before]
    assert store.upsert_tasks("verify", same) == UpsertCounts(opened=0, kept=3, retired=0, reopened=0)
    assert store.tasks("verify") == before


def test_decisions_on_one_task_keep_its_texts_once(store: ReviewStore, now: datetime) -> None:
    store.upsert_campaign("verify", **CAMPAIGN)
    store.upsert_tasks("verify", work(an_item="a version"))
    for annotator in ("ann", "bob"):
        store.upsert_annotator(annotator)
        decide(store, annotator, "accept", now)
    one, other = store.decisions("verify")
    assert one.item_id is other.item_id  # a million items have millions of decisions, which are read together
    assert one.content_hash is other.content_hash


def test_an_unchanged_item_keeps_its_verdicts_and_a_changed_one_opens_a_new_round(
    store: ReviewStore, now: datetime
) -> None:
    store.upsert_campaign("verify", **CAMPAIGN)
    store.upsert_annotator("ann")
    store.upsert_tasks("verify", work(same="1", changed="1", removed="1"))
    for _ in range(3):
        decide(store, "ann", "accept", now)
    counts = store.upsert_tasks("verify", work(same="1", changed="2", added="1"))
    assert counts == UpsertCounts(opened=2, kept=1, retired=2, reopened=0)
    assert [one.item_id for one in store.decisions("verify")] == ["same"]
    rounds = {
        (t.item_id, t.content_hash): (t.round, t.state) for t in store.tasks("verify", states=("open", "retired"))
    }
    assert rounds == {
        ("same", "1"): (1, "open"),
        ("added", "1"): (1, "open"),
        ("changed", "1"): (1, "retired"),
        ("changed", "2"): (2, "open"),
        ("removed", "1"): (1, "retired"),
    }


def test_content_that_comes_back_brings_its_verdicts_along(store: ReviewStore, now: datetime) -> None:
    store.upsert_campaign("verify", **CAMPAIGN | {"slots_per_task": 1, "rule": "unanimous(1)"})
    store.upsert_annotator("ann")
    store.upsert_tasks("verify", work(one="1", two="1"))
    first = decide(store, "ann", "reject", now)
    store.upsert_tasks("verify", [])
    assert store.decisions("verify") == []
    assert store.upsert_tasks("verify", work(one="1", two="1")) == UpsertCounts(0, 0, 0, 2)
    assert [(one.item_id, one.decision) for one in store.decisions("verify")] == [(first, "reject")]
    assert {task.item_id for task in store.tasks("verify", states=("done",))} == {first}


def test_an_item_that_comes_twice_is_a_defect(open_campaign: Open) -> None:
    store = open_campaign(tasks=1)
    with pytest.raises(ValueError, match="item a appears twice"):
        store.upsert_tasks("verify", [*work(a="1"), *work(a="2")])


# Campaigns


def test_a_rule_under_which_people_have_decided_is_not_changed(open_campaign: Open, now: datetime) -> None:
    store = open_campaign(tasks=2)
    decide(store, "ann", "accept", now)
    with pytest.raises(
        BenchwrightError, match=r"contains 1 decision of people .verify under unanimous.2.., but the recipe"
    ):
        store.upsert_campaign("verify", **CAMPAIGN | {"rule": "at_least(4, of=5)", "slots_per_task": 5})


def test_a_rule_may_change_before_anybody_has_decided(open_campaign: Open, now: datetime) -> None:
    store = open_campaign(tasks=2)
    store.upsert_campaign("verify", **CAMPAIGN | {"rule": "at_least(2, of=3)", "slots_per_task": 3})
    store.upsert_tasks("verify", work(a="1"))
    assert store.status("verify", now=now).slots == {"free": 3, "leased": 0, "submitted": 0}


def test_simulated_decisions_never_stand_where_people_are_asked(store: ReviewStore, now: datetime) -> None:
    store.upsert_campaign("verify", **CAMPAIGN, is_simulated=True)
    store.upsert_tasks("verify", work(a="1"))
    store.upsert_annotator("simulated-1", kind="simulated")
    decide(store, "simulated-1", "accept", now)
    store.upsert_campaign("verify", **CAMPAIGN)
    store.upsert_tasks("verify", work(a="1"))
    assert store.decisions("verify") == []
    assert store.campaign_names() == ["verify"]


def test_a_simulated_annotator_gets_no_task_that_people_are_asked_for(open_campaign: Open, now: datetime) -> None:
    store = open_campaign(tasks=2)
    store.upsert_annotator("simulated-1", kind="simulated")
    with pytest.raises(RefusedError, match="is simulated; campaign 'verify' is for people"):
        store.claim("verify", "simulated-1", now=now)


@pytest.mark.parametrize("name", ["", " ann", "a" * 101, "a\nb", "a\0b", "simulated-7"])
def test_a_name_that_would_deceive_or_not_print_is_refused(store: ReviewStore, name: str) -> None:
    with pytest.raises(BenchwrightError, match="annotator"):
        store.upsert_annotator(name)


def test_an_unknown_campaign_is_answered_with_the_nearest(open_campaign: Open, now: datetime) -> None:
    store = open_campaign(tasks=1)
    with pytest.raises(BenchwrightError, match="no campaign 'verfy'; did you mean 'verify'"):
        store.claim("verfy", "ann", now=now)


# Handing out


def test_an_open_lease_is_handed_out_again_and_lasts_longer(open_campaign: Open, now: datetime) -> None:
    store = open_campaign(tasks=5)
    first = store.claim("verify", "ann", now=now, lease_s=60)
    again = store.claim("verify", "ann", now=now + timedelta(seconds=50), lease_s=60)
    assert first is not None
    assert again is not None
    assert (again.slot_id, again.claimed_at) == (first.slot_id, now)
    assert again.until == now + timedelta(seconds=110)


def test_nobody_gets_a_task_twice_and_no_task_more_annotators_than_slots(open_campaign: Open, now: datetime) -> None:
    store = open_campaign(tasks=4)
    for annotator in ("ann", "ben"):
        taken = [decide(store, annotator, "accept", now) for _ in range(4)]
        assert len(set(taken)) == 4
        assert store.claim("verify", annotator, now=now) is None
    assert store.claim("verify", "cas", now=now) is None
    assert store.status("verify", now=now).tasks == {"open": 0, "done": 4, "retired": 0}


def test_the_order_of_tasks_is_random_by_annotator_and_equal_for_equal_seeds(
    open_campaign: Open, now: datetime
) -> None:
    def order(annotator: str) -> list[str]:
        return [decide(store, annotator, "accept", now) for _ in range(12)]

    store = open_campaign(tasks=12, slots=3, seed=1)
    ann, ben = order("ann"), order("ben")
    assert ann != sorted(ann)
    assert ann != ben
    rotations = [ann[n:] + ann[:n] for n in range(12)]
    assert ben not in rotations
    store.upsert_tasks("verify", [TaskInput(f"item-{n:03}", f"other-{n}", {}) for n in range(12)])
    assert order("ann") == ann


def test_an_expired_lease_goes_to_whoever_asks_next(open_campaign: Open, now: datetime) -> None:
    store = open_campaign(tasks=1, slots=1)
    lost = store.claim("verify", "ann", now=now, lease_s=60)
    assert lost is not None
    assert store.claim("verify", "ben", now=now + timedelta(seconds=59)) is None
    assert store.status("verify", now=now + timedelta(seconds=60)).slots["free"] == 1
    taken = store.claim("verify", "ben", now=now + timedelta(seconds=60))
    assert taken is not None
    assert taken.slot_id == lost.slot_id
    with pytest.raises(RefusedError, match="the lease has ended"):
        store.submit(lost.slot_id, "ann", Submission("accept"), now=now + timedelta(seconds=61))


def test_a_decision_after_the_lease_is_refused_though_nobody_took_the_slot(open_campaign: Open, now: datetime) -> None:
    store = open_campaign(tasks=1)
    lease = store.claim("verify", "ann", now=now, lease_s=60)
    assert lease is not None
    with pytest.raises(RefusedError, match="the lease has ended"):
        store.submit(lease.slot_id, "ann", Submission("accept"), now=now + timedelta(seconds=60))
    assert store.decisions("verify") == []


def test_a_released_slot_is_free_and_anothers_is_left_alone(open_campaign: Open, now: datetime) -> None:
    store = open_campaign(tasks=1, slots=1)
    lease = store.claim("verify", "ann", now=now)
    assert lease is not None
    store.release(lease.slot_id, "ben")
    assert store.status("verify", now=now).slots["leased"] == 1
    store.release(lease.slot_id, "ann")
    assert store.claim("verify", "ben", now=now) is not None


def test_one_task_can_be_asked_for(open_campaign: Open, now: datetime) -> None:
    store = open_campaign(tasks=7)
    wanted = store.tasks("verify")[4]
    lease = store.claim("verify", "ann", now=now, task=wanted.id)
    assert lease is not None
    assert lease.item_id == wanted.item_id


@pytest.mark.parametrize(
    ("prepare", "why"),
    [
        pytest.param(["ann"], "this annotator has decided it already", id="own"),
        pytest.param(["ben", "cas"], "all unanimous.2. decisions are in", id="done"),
        pytest.param([], "the item has changed since", id="retired"),
    ],
)
def test_a_task_that_is_not_to_be_had_is_refused_with_the_reason(
    open_campaign: Open, now: datetime, prepare: list[str], why: str
) -> None:
    store = open_campaign(tasks=1)
    task = store.tasks("verify")[0]
    for annotator in prepare:
        store.decide("verify", task.id, annotator, Submission("accept"), now=now)
    if not prepare:
        store.upsert_tasks("verify", [])
    with pytest.raises(RefusedError, match=why):
        store.claim("verify", "ann", now=now, task=task.id)


# Decisions


def test_saying_the_same_again_changes_nothing_and_another_thing_is_refused(open_campaign: Open, now: datetime) -> None:
    store = open_campaign(tasks=1)
    lease = store.claim("verify", "ann", now=now)
    assert lease is not None
    store.submit(lease.slot_id, "ann", Submission("reject", reasons=("unclear",)), now=now)
    store.submit(lease.slot_id, "ann", Submission("reject", reasons=("unclear",)), now=now + timedelta(days=1))
    with pytest.raises(RefusedError, match="'ann' already decided 'reject' here"):
        store.submit(lease.slot_id, "ann", Submission("accept"), now=now)
    (only,) = store.decisions("verify")
    assert (only.decision, only.reasons, only.version, only.submitted_at) == ("reject", ("unclear",), 1, now)


def test_an_amended_decision_is_a_new_version_and_the_old_one_stays(
    open_campaign: Open, now: datetime, store_url: str
) -> None:
    store = open_campaign(tasks=1)
    lease = store.claim("verify", "ann", now=now)
    assert lease is not None
    store.submit(lease.slot_id, "ann", Submission("accept"), now=now)
    store.submit(lease.slot_id, "ann", Submission("reject", note="no"), now=now + timedelta(minutes=2), amend=True)
    (latest,) = store.decisions("verify")
    assert (latest.decision, latest.note, latest.version) == ("reject", "no", 2)
    engine = connect(store_url)
    with engine.connect() as connection:
        rows = connection.execute(sa.text("SELECT decision FROM annotations ORDER BY version")).scalars().all()
    engine.dispose()
    assert rows == ["accept", "reject"]


@pytest.mark.parametrize("statement", ["UPDATE annotations SET decision = 'reject'", "DELETE FROM annotations"])
def test_the_database_itself_keeps_annotations_from_being_changed(
    open_campaign: Open, now: datetime, statement: str, store_url: str
) -> None:
    store = open_campaign(tasks=1)
    decide(store, "ann", "accept", now)
    engine = connect(store_url)
    with engine.connect() as connection, pytest.raises(sa.exc.DatabaseError, match="only ever added"):
        connection.execute(sa.text(statement))
    engine.dispose()


@pytest.mark.parametrize(
    ("submission", "why"),
    [
        pytest.param(Submission("maybe"), "'maybe' is not one of accept, reject", id="decision"),
        pytest.param(Submission("reject", reasons=("ugly",)), "'ugly' is not one of unclear, wrong", id="reason"),
        pytest.param(Submission("reject", note="a\0b"), "a note can have at most", id="null character"),
        pytest.param(Submission("reject", note="x" * 10_001), "this one has 10001", id="long note"),
    ],
)
def test_what_the_form_does_not_know_is_refused_and_the_lease_stays(
    open_campaign: Open, now: datetime, submission: Submission, why: str
) -> None:
    store = open_campaign(tasks=1)
    lease = store.claim("verify", "ann", now=now)
    assert lease is not None
    with pytest.raises(RefusedError, match=why):
        store.submit(lease.slot_id, "ann", submission, now=now)
    assert store.status("verify", now=now).slots == {"free": 1, "leased": 1, "submitted": 0}


def test_a_decision_on_an_item_that_changed_meanwhile_is_refused(open_campaign: Open, now: datetime) -> None:
    store = open_campaign(tasks=1)
    lease = store.claim("verify", "ann", now=now)
    assert lease is not None
    store.upsert_tasks("verify", [TaskInput("item-000", "new content", {})])
    with pytest.raises(RefusedError, match="claim again"):
        store.submit(lease.slot_id, "ann", Submission("accept"), now=now)


def test_notes_and_times_come_back_as_they_went_in(open_campaign: Open, now: datetime) -> None:
    store = open_campaign(tasks=1)
    lease = store.claim("verify", "ann", now=now)
    assert lease is not None
    later = now + timedelta(seconds=90, microseconds=7)
    store.submit(lease.slot_id, "ann", Submission("accept", note="größer\nnow"), now=later)
    (one,) = store.decisions("verify")
    assert (one.note, one.edits) == ("größer\nnow", None)
    assert (one.started_at, one.submitted_at) == (now, later)


def test_a_moment_without_a_time_zone_is_refused(open_campaign: Open, now: datetime) -> None:
    store = open_campaign(tasks=1)
    with pytest.raises(sa.exc.StatementError, match="has no time zone"):
        store.claim("verify", "ann", now=now.replace(tzinfo=None))


def test_a_batch_happens_as_a_whole_or_not_at_all(open_campaign: Open, now: datetime) -> None:
    store = open_campaign(tasks=3)
    one, other = (task.id for task in store.tasks("verify")[:2])

    def all_or_nothing() -> None:
        with store.batch() as held:
            held.decide("verify", one, "ann", Submission("accept"), now=now)
            held.decide("verify", other, "ann", Submission("maybe"), now=now)

    with pytest.raises(RefusedError):
        all_or_nothing()
    assert store.status("verify", now=now).slots == {"free": 6, "leased": 0, "submitted": 0}


def test_a_batch_within_a_batch_undoes_a_refused_decision_and_nothing_else(open_campaign: Open, now: datetime) -> None:
    store = open_campaign(tasks=2)
    one, other = (task.id for task in store.tasks("verify"))
    with store.batch() as held:
        held.decide("verify", one, "ann", Submission("accept"), now=now)
        with pytest.raises(RefusedError), held.batch() as inner:
            inner.decide("verify", other, "ann", Submission("maybe"), now=now)
    assert store.status("verify", now=now).slots == {"free": 3, "leased": 0, "submitted": 1}
