"""The item index's reading of the store, on both databases: changed items, and the facts about one."""

from __future__ import annotations

from datetime import datetime

import pytest

from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.payloads import TaskInput
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.counts.item_facts import items_changed_since, store_stamp, task_facts
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.task_queue import TaskQueue

pytestmark = pytest.mark.both_databases


def changed(store: ReviewStore, stamp: dict[str, int]) -> set[str]:
    with store.reading() as connection:
        return items_changed_since(connection, stamp)


def stamped(store: ReviewStore) -> dict[str, int]:
    with store.reading() as connection:
        return store_stamp(connection)


def test_items_that_something_happened_to_are_named_and_known(store_url: str, now: datetime) -> None:
    form = CampaignForm(decisions=["accept", "reject"], reasons=["unclear"])
    with open_store(store_url) as store:
        store.upsert_campaign(
            "verify", kind="verify", rule="unanimous(2)", slots_per_task=2, form=form, settings={}, seed=1
        )
        work = [TaskInput(f"item-{n:03}", f"content-{n}", {"task": "t", "question": "Which?"}) for n in range(5)]
        store.upsert_tasks("verify", work)
        store.upsert_annotator("ann")
        assert changed(store, {}) == {task.item_id for task in work}
        before = stamped(store)
        task = store.tasks("verify")[3]
        store.decide("verify", task.id, "ann", Submission("reject", reasons=("unclear",), note="no"), now=now)
        assert stamped(store) != before
        assert task.item_id in changed(store, before)
        before = stamped(store)
        TaskQueue(store, store.campaign("verify"), "ann").remark(task.id, "look", is_flag=True, now=now)
        assert task.item_id in changed(store, before)
        before = stamped(store)
        store.upsert_tasks("verify", work[:4])
        assert changed(store, before) >= {"item-004"}
        with store.reading() as connection:
            [facts] = task_facts(connection, [task.item_id])
        assert (facts.state, facts.round, facts.has_open_flag, facts.remarks) == ("open", 1, True, ("look",))
        assert [(vote.annotator, vote.decision, vote.note) for vote in facts.annotations] == [("ann", "reject", "no")]
