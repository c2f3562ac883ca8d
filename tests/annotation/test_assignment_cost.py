"""Assigning a task and storing a decision take the same work in campaigns of any size: no query scans all tasks."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from benchwright.annotation.forms.assignment_settings import SETTING
from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.payloads import TaskInput
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.task_queue import TaskQueue

from .sqlite_work import instructions

pytestmark = pytest.mark.slow


def fill(store: ReviewStore, *, tasks: int) -> None:
    for name, kind in (("other", "verify"), ("verify", "verify"), ("answer", "answer")):
        form = (
            CampaignForm(decisions_from="choices") if kind == "answer" else CampaignForm(decisions=["accept", "reject"])
        )
        store.upsert_campaign(
            name, kind=kind, rule="unanimous(3)", slots_per_task=3, form=form, settings={SETTING: {"gold_rate": 0.3}},
            seed=3,
        )  # fmt: skip
        payload = {"choices": [{"key": "A", "text": "a"}, {"key": "B", "text": "b"}], "answer": "A"}
        work = [TaskInput(f"{name[0]}-{n}", "content", payload, priority=n % 2) for n in range(tasks)]
        work += [TaskInput(f"g{name[0]}-{n}", "content", payload, gold="accept") for n in range(10)]
        store.upsert_tasks(name, work)
    for name in ("ann", "ben", "cas"):
        store.upsert_annotator(name)


@pytest.mark.parametrize("campaign", ["verify", "answer"])
def test_ten_times_the_tasks_take_no_more_work_to_hand_out_and_to_take_in(
    tmp_path: Path, empty_store: bytes, now: datetime, campaign: str
) -> None:
    costs: dict[int, list[int]] = {}
    for tasks in (200, 2000):
        path = tmp_path / f"{tasks}.sqlite"
        path.write_bytes(empty_store)
        with open_store(f"sqlite:///{path}") as store:
            fill(store, tasks=tasks)
            said = "A" if campaign == "answer" else "accept"

            def decide(store: ReviewStore = store, said: str = said) -> None:
                for name in ("ann", "ben", "cas") * 10:
                    lease = store.claim(campaign, name, now=now)
                    assert lease is not None
                    store.submit(lease.slot_id, name, Submission(said), now=now)

            def look(store: ReviewStore = store) -> None:
                for _ in range(10):
                    store.claim_ahead(campaign, "ann", most=3, now=now)

            decide()
            costs[tasks] = [instructions(store, decide), instructions(store, look)]
    for small, large in zip(costs[200], costs[2000], strict=True):
        assert large < 1.5 * small + 1000


def test_progress_counts_an_index_and_nothing_task_by_task(tmp_path: Path, empty_store: bytes, now: datetime) -> None:
    path = tmp_path / "review.sqlite"
    path.write_bytes(empty_store)
    with open_store(f"sqlite:///{path}") as store:
        fill(store, tasks=2000)
        queue = TaskQueue(store, store.campaign("verify"), "ann")
        assert instructions(store, lambda: queue.progress(now=now)) < 10 * 2000
