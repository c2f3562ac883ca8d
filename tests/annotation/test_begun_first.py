"""Begun tasks go out before untouched ones, so that few tasks are under way and many are finished.

- They come first within a priority, in a separate order for each annotator, and never before more urgent tasks.
- A task is begun if an annotator holds or has decided it, and not if it was given back or its lease has ended.
- The setting can be switched off; then tasks go out evenly.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from benchwright.annotation.forms.assignment_settings import SETTING, AssignmentSettings
from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.payloads import TaskInput
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.check import row_problems
from benchwright.annotation.store.database.schema import slots, tasks
from benchwright.annotation.store.review_store import ReviewStore, open_store

from .sqlite_work import instructions

pytestmark = [pytest.mark.both_databases, pytest.mark.slow]
PEOPLE = ("ann", "ben", "cas", "dan", "eva", "fay")


def opened(
    store: ReviewStore, *, count: int, slots_per_task: int = 3, begun_first: bool = True, urgent: int = 0
) -> None:
    settings = AssignmentSettings(begun_first=begun_first).to_json()
    store.upsert_campaign(
        "verify", kind="verify", rule=f"unanimous({slots_per_task})", slots_per_task=slots_per_task, seed=4,
        form=CampaignForm(decisions=["accept", "reject"]), settings={SETTING: settings} if settings else {},
    )  # fmt: skip
    store.upsert_tasks(
        "verify", [TaskInput(f"item-{n:03}", "content", {}, priority=int(n < urgent)) for n in range(count)]
    )
    for name in PEOPLE:
        store.upsert_annotator(name)


def decide(store: ReviewStore, name: str, now: datetime, times: int = 1) -> list[str]:
    """Let an annotator decide, and return their items, in order."""
    items = []
    for _ in range(times):
        lease = store.claim("verify", name, now=now)
        assert lease is not None
        store.submit(lease.slot_id, name, Submission("accept"), now=now)
        items.append(lease.item_id)
    return items


def finished_and_under_way(store: ReviewStore) -> tuple[int, int]:
    with store.reading() as connection:
        counts = connection.execute(
            sa.select(tasks.c.state, sa.func.count()).where(tasks.c.is_begun).group_by(tasks.c.state)
        ).all()
    return (states := dict(tuple(row) for row in counts)).get("done", 0), states.get("open", 0)


@pytest.mark.parametrize(
    ("begun_first", "finished", "under_way"), [pytest.param(True, 12, 3, id="on"), pytest.param(False, 0, 30, id="off")]
)
def test_begun_tasks_are_finished_first(
    store: ReviewStore, now: datetime, begun_first: bool, finished: int, under_way: int
) -> None:
    opened(store, count=300, begun_first=begun_first)
    for turn in range(40):
        decide(store, PEOPLE[turn % 5], now)
    done, begun = finished_and_under_way(store)
    assert done >= finished
    assert (begun <= under_way) if begun_first else (begun >= under_way)
    assert len(store.decisions("verify")) == 40
    assert list(row_problems(store)) == []


def test_begun_tasks_come_after_more_urgent_ones_and_in_an_order_of_ones_own(store: ReviewStore, now: datetime) -> None:
    opened(store, count=60, urgent=5)
    urgent = {f"item-{n:03}" for n in range(5)}
    begun = decide(store, "ann", now, times=25)
    assert set(begun[:5]) == urgent
    got = {name: decide(store, name, now, times=25) for name in ("ben", "cas")}
    for items in got.values():
        assert set(items[:5]) == urgent
        assert set(items) == set(begun)
    assert got["ben"] != got["cas"] != begun


def test_what_is_given_back_or_held_no_longer_is_not_begun(store: ReviewStore, now: datetime) -> None:
    opened(store, count=40)
    held = [store.claim("verify", name, now=now, lease_s=60) for name in ("ann", "ben")]
    assert held[0] is not None
    assert held[1] is not None
    assert held[0].task_id == held[1].task_id  # what somebody else holds is begun
    assert finished_and_under_way(store) == (0, 1)
    store.release(held[0].slot_id, "ann", now=now)
    assert finished_and_under_way(store) == (0, 1)
    later = now + timedelta(seconds=61)
    assert store.claim("verify", "cas", now=later) is not None
    with store.reading() as connection:
        begun = connection.execute(sa.select(tasks.c.id).where(tasks.c.is_begun)).scalars().all()
        taken = connection.execute(
            sa.select(slots.c.task_id).where(slots.c.annotator_id.is_not(None)).distinct()
        ).scalars()
        assert begun == list(taken)
    assert len(begun) == 1
    with store.writing() as connection:
        connection.execute(sa.update(tasks).values(is_begun=~tasks.c.is_begun))
    assert len([problem for problem in row_problems(store) if "an annotator has begun it" in problem.what]) == 40


def test_whoever_has_decided_all_begun_tasks_begins_another(store: ReviewStore, now: datetime) -> None:
    opened(store, count=20, slots_per_task=2)
    assert len(set(decide(store, "ann", now, times=20))) == 20
    assert store.claim("verify", "ann", now=now) is None
    assert len(set(decide(store, "ben", now, times=20))) == 20


def test_ten_times_the_tasks_take_no_more_work_when_many_are_begun(
    tmp_path: Path, empty_store: bytes, now: datetime
) -> None:
    costs = []
    for count in (200, 2000):
        path = tmp_path / f"{count}.sqlite"
        path.write_bytes(empty_store)
        with open_store(f"sqlite:///{path}") as store:
            opened(store, count=count)
            decide(store, "ann", now, times=60)  # begun by one who works alone, who steps over them ever after
            costs.append(instructions(store, lambda store=store: decide(store, "ann", now, times=20)))
    assert costs[1] < 1.2 * costs[0]
