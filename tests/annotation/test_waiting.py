"""Open work of an annotator, campaign by campaign: only tasks they may decide, counted without decisions."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from benchwright.annotation.forms.assignment_settings import SETTING
from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.payloads import TaskInput
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.accounts.accounts import Accounts
from benchwright.annotation.store.accounts.campaign_access import AccessControl
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.annotation.workflow.waiting import next_campaign, open_tasks_of, waiting_for

from .sqlite_work import instructions

PAYLOAD = {
    "task": "t", "question": "q", "answer": "A", "choices": [{"key": "A", "text": "a"}, {"key": "B", "text": "b"}],
}  # fmt: skip


@pytest.fixture
def store(tmp_path: Path, empty_store: bytes) -> Iterator[ReviewStore]:
    path = tmp_path / "review.sqlite"
    path.write_bytes(empty_store)
    with open_store(f"sqlite:///{path}") as opened:
        yield opened


def campaign(
    store: ReviewStore, name: str, *, tasks: int, kind: str = "verify", slots: int = 2, items: str = "i", **handout: Any
) -> None:
    form = CampaignForm(decisions_from="choices") if kind == "answer" else CampaignForm(decisions=["accept", "reject"])
    store.upsert_campaign(
        name, kind=kind, rule=f"unanimous({slots})", slots_per_task=slots, form=form,
        settings={SETTING: handout} if handout else {}, seed=3,
    )  # fmt: skip
    store.upsert_tasks(name, [TaskInput(f"{items}{n}", "content", PAYLOAD) for n in range(tasks)])


def people(store: ReviewStore, now: datetime, *names: str, role: str = "annotator") -> None:
    for name in names:
        Accounts(store).add(name, role, now=now)


def decide(store: ReviewStore, name: str, annotator: str, *, times: int, now: datetime) -> None:
    queue = TaskQueue(store, store.campaign(name), annotator)
    for _ in range(times):
        task = queue.next(now=now)
        assert task is not None
        queue.submit(task.slot_id, Submission("A" if queue.campaign.kind == "answer" else "accept"), now=now)


def counts(store: ReviewStore, annotator: str, now: datetime) -> dict[str, tuple[int, int]]:
    found = waiting_for(store, store.campaigns(), annotator, now=now)
    return {one.campaign.name: (one.left, one.share_left) for one in found}


def test_campaigns_come_in_the_order_in_which_they_opened(store: ReviewStore) -> None:
    for name in ("verify", "answer", "check"):
        campaign(store, name, tasks=1)
    assert [one.name for one in store.campaigns()] == ["verify", "answer", "check"]
    assert store.campaign_names() == ["answer", "check", "verify"]


def test_an_item_whose_key_somebody_saw_does_not_wait_for_them_where_it_is_answered(
    store: ReviewStore, now: datetime
) -> None:
    people(store, now, "ann", "ben")
    campaign(store, "verify", tasks=5)
    campaign(store, "answer", tasks=5, kind="answer")
    decide(store, "verify", "ann", times=2, now=now)
    assert counts(store, "ann", now) == {"verify": (3, 3), "answer": (3, 3)}
    assert counts(store, "ben", now) == {"verify": (5, 5), "answer": (5, 5)}


def test_what_was_begun_comes_first_then_the_order_of_the_recipe(store: ReviewStore, now: datetime) -> None:
    people(store, now, "ann", "ben")
    for name in ("pair", "screen", "verify"):
        campaign(store, name, tasks=3, items=name, slots=1)

    def goes_on() -> str | None:
        found = next_campaign(waiting_for(store, store.campaigns(), "ann", now=now))
        return found and found.campaign.name

    assert goes_on() == "pair"
    decide(store, "screen", "ann", times=1, now=now)
    assert goes_on() == "screen"
    decide(store, "screen", "ann", times=2, now=now)
    assert goes_on() == "pair"
    decide(store, "pair", "ben", times=3, now=now)
    assert goes_on() == "verify"
    decide(store, "verify", "ben", times=3, now=now)
    assert goes_on() is None


def test_a_task_that_is_held_waits_where_it_was_begun(store: ReviewStore, now: datetime) -> None:
    people(store, now, "ann")
    for name in ("pair", "screen"):
        campaign(store, name, tasks=3, items=name, slots=1)
    assert TaskQueue(store, store.campaign("screen"), "ann").next(now=now) is not None
    found = next_campaign(waiting_for(store, store.campaigns(), "ann", now=now))
    assert found is not None
    assert found.campaign.name == "screen"


def test_what_waits_is_within_a_share_that_the_recipe_gives(store: ReviewStore, now: datetime) -> None:
    people(store, now, "ann", "ben", "cas")
    campaign(store, "verify", tasks=20, share=0.3)
    assert counts(store, "ann", now)["verify"] == (6, 6)
    decide(store, "verify", "ann", times=2, now=now)
    assert counts(store, "ann", now)["verify"] == (4, 4)


def test_without_shares_an_even_part_is_told_beside_all_that_is_open(store: ReviewStore, now: datetime) -> None:
    people(store, now, "ann", "ben", "cas", "dan", "eve")
    people(store, now, "cur", role="curator")
    campaign(store, "verify", tasks=196)
    assert counts(store, "ann", now)["verify"] == (196, 79)
    decide(store, "verify", "ann", times=3, now=now)
    assert counts(store, "ann", now)["verify"] == (193, 76)
    AccessControl(store).assign("verify", ["ann", "ben", "cas", "dan"])
    assert counts(store, "ann", now)["verify"] == (193, 95)
    Accounts(store).disable("dan")
    assert counts(store, "ann", now)["verify"] == (193, 128)


def test_whoever_has_done_their_part_may_go_on(store: ReviewStore, now: datetime) -> None:
    people(store, now, "ann", "ben", "cas", "dan")
    campaign(store, "verify", tasks=8)
    decide(store, "verify", "ann", times=4, now=now)
    queue = TaskQueue(store, store.campaign("verify"), "ann")
    assert queue.share_left(queue.progress(now=now)) == 0
    assert counts(store, "ann", now)["verify"] == (4, 4)


def test_open_tasks_are_counted_by_campaign(store: ReviewStore, now: datetime) -> None:
    people(store, now, "ann")
    campaign(store, "verify", tasks=4, slots=1)
    campaign(store, "answer", tasks=3, slots=1, items="a", kind="answer")
    decide(store, "verify", "ann", times=4, now=now)
    assert open_tasks_of(store, store.campaigns()) == {"verify": 0, "answer": 3}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["verify", "answer"])
def test_decisions_of_others_cost_nothing_to_count(
    tmp_path: Path, empty_store: bytes, now: datetime, kind: str
) -> None:  # fmt: skip
    costs = []
    for decided in (2, 200):
        path = tmp_path / f"{decided}.sqlite"
        path.write_bytes(empty_store)
        with open_store(f"sqlite:///{path}") as store:
            people(store, now, "ann", "ben", "cas", "dan")
            campaign(store, "one", tasks=400, kind=kind, slots=3)
            decide(store, "one", "ben", times=decided, now=now)
            costs.append(instructions(store, lambda: waiting_for(store, store.campaigns(), "ann", now=now)))
    assert costs[1] < 1.2 * costs[0] + 1000
