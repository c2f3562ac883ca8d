"""Data on the disk before a commit returns: every decision, no lease. And connections that broke while idle."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import event

from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.payloads import TaskInput
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.database import connection
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.records import Item

pytestmark = pytest.mark.both_databases

MakeItems = Callable[..., list[Item]]

LEVELS = {"sqlite": ("PRAGMA synchronous", {1: False, 2: True}), "postgresql": ("SHOW synchronous_commit", {"off": False, "on": True})}  # fmt: skip


@pytest.fixture
def queue(store: ReviewStore, make_items: MakeItems) -> TaskQueue:
    if store._engine.dialect.name == "postgresql":  # the tests' server is told to wait for no disk
        with store.writing() as one:
            one.exec_driver_sql("SET synchronous_commit = on")
    store.upsert_campaign(
        "verify",
        kind="verify",
        rule="single",
        slots_per_task=1,
        form=CampaignForm(decisions=["accept"]),
        settings={},
        seed=1,
    )
    items = make_items(jigsaw=3)
    store.upsert_tasks(
        "verify", [TaskInput(one.item_id, one.content_hash, one.model_dump(mode="json")) for one in items]
    )
    store.upsert_annotator("ann")
    return TaskQueue(store, store.campaign("verify"), "ann")


def flushed_by(store: ReviewStore, act: Callable[[], object]) -> list[bool]:
    """Return whether the commit of each writing transaction of an act waits for the disk, in order."""
    question, meaning = LEVELS[store._engine.dialect.name]
    found: list[bool] = []

    def ask(committed: sa.Connection) -> None:
        if committed.get_execution_options().get(connection.WRITING, False):
            found.append(meaning[committed.exec_driver_sql(question).scalar_one()])

    event.listen(store._engine, "commit", ask)
    act()
    event.remove(store._engine, "commit", ask)
    return found


def test_a_decision_waits_for_the_disk_and_a_lease_does_not(
    store: ReviewStore, queue: TaskQueue, now: datetime
) -> None:
    held: list[Any] = []
    assert flushed_by(store, lambda: held.append(queue.next(now=now))) == [False]
    assert flushed_by(store, lambda: queue.submit(held[0].slot_id, Submission("accept"), now=now)) == [True]
    assert flushed_by(store, lambda: queue.next(now=now)) == [False]
    assert flushed_by(store, lambda: store.record("noted", actor="ann", now=now)) == [True]


def test_a_connection_that_broke_while_it_lay_unused_is_replaced(postgres: str) -> None:
    with open_store(postgres) as store, open_store(postgres) as other:
        with store.reading() as one:
            pid = one.execute(sa.text("SELECT pg_backend_pid()")).scalar_one()
        with other.reading() as one:
            assert one.execute(sa.text("SELECT pg_terminate_backend(:pid)"), {"pid": pid}).scalar_one()
        assert store.campaign_names() == []
