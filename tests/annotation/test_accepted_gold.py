"""Gold from accepted items: they go out as gold to annotators who did not judge them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from pydantic import ValidationError

from benchwright.annotation.campaigns.answer import Answer
from benchwright.annotation.campaigns.screen import ScreenItems
from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.progress.overview import Overview
from benchwright.annotation.store.campaigns.gold import copied_items
from benchwright.annotation.store.check import row_problems
from benchwright.annotation.store.counts.item_facts import task_facts
from benchwright.annotation.store.review_store import ReviewStore
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.errors import DataError
from benchwright.records import Item
from benchwright.steps import CampaignContext

MakeItems = Callable[..., list[Item]]
ACCEPT, REJECT = Submission("accept"), Submission("reject", reasons=("unclear",))


def verify(**gold_from: Any) -> Verify:
    handout = {"gold_from": {"votes": 2, **gold_from}, "gold_rate": 0.5, "pause": None}
    return Verify.model_validate({"rule": "unanimous(2)", "handout": handout})


def copies(store: ReviewStore, campaign: str = "verify") -> set[str]:
    with store.reading() as connection:
        return set(copied_items(connection, store.campaign(campaign)))


def work_off(store: ReviewStore, name: str, now: datetime, *, rejects: str = "", most: int = 99) -> list[str]:
    """Let an annotator take their tasks, one after the other; return the items' ids in the order of assignment."""
    store.upsert_annotator(name)
    queue, had = TaskQueue(store, store.campaign("verify"), name), list[str]()
    while len(had) < most and (task := queue.next(now=now)) is not None:
        had.append(store.payload(task.task_id)["item_id"])  # type: ignore[index]
        queue.submit(task.slot_id, REJECT if had[-1] == rejects else ACCEPT, now=now + timedelta(seconds=len(had)))
    return had


@pytest.mark.both_databases
def test_what_two_accepted_becomes_gold_at_once_for_a_third_and_never_for_the_two(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    items = make_items(jigsaw=6)
    ids = {item.item_id for item in items}
    verify().advance(items, context)
    assert copies(store) == set()
    bad = min(ids)
    assert set(work_off(store, "ann", now, most=5, rejects=bad)) < ids
    work_off(store, "ben", now, most=5, rejects=bad)
    accepted = copies(store)
    assert bad not in accepted
    assert 3 <= len(accepted) <= 5  # each had five of the six
    of_cas = work_off(store, "cas", now)
    assert len(of_cas) == len(set(of_cas))
    gold = [item_id for item_id in of_cas if item_id not in ids]
    assert gold  # mixed in among the two that were open still
    for name in ("ann", "ben"):
        assert set(work_off(store, name, now)) <= ids
    right, of = Overview(store, store.campaign("verify")).gold()["cas"]
    assert (right, of) == (len(gold), len(gold))
    assert list(row_problems(store)) == []


def test_copies_stand_in_no_list_and_change_no_outcome_and_what_is_accepted_no_more_is_taken_out(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    items = make_items(jigsaw=3)
    step = verify()
    step.advance(items, context)
    for name in ("ann", "ben"):
        work_off(store, name, now)
    with store.reading() as connection:
        every = [task.item_id for task in store.tasks("verify", states=("done", "retired"))]
        assert len(every) == 6
        assert {fact.item_id for fact in task_facts(connection, every)} == {item.item_id for item in items}
    verdicts = step.advance(items, context)
    assert set(verdicts.outcomes) == {item.item_id for item in items}
    assert (verdicts.summary["kept"], "gold" in verdicts.summary) == (3, False)
    before = copies(store)
    assert len(before) == 3
    [task] = [task for task in store.tasks("verify", states=("done",)) if task.item_id == items[0].item_id]
    queue, later = TaskQueue(store, store.campaign("verify"), "ann"), now + timedelta(hours=1)
    queue.submit(queue.slot_of(task.id, now=later), REJECT, now=later)
    step.advance(items, context)
    assert copies(store) == before - {items[0].item_id}


def test_the_accepted_of_one_campaign_are_gold_in_another_on_other_items(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    first, second = make_items(jigsaw=3), make_items(depth=4)
    Verify(rule="unanimous(2)").advance(first, context)
    other = context._replace(stage="later")
    step = ScreenItems.model_validate(
        {"rule": "unanimous(2)", "handout": {"gold_from": {"campaign": "verify", "votes": 2, "most": 2}}}
    )
    step.advance([*second, first[0]], other)
    for name in ("ann", "ben"):
        work_off(store, name, now)
    found = copies(store, "later")
    assert found == {item.item_id for item in first[1:]}  # the first one it asks about itself
    step.advance([*second, first[0]], other)
    assert copies(store, "later") == found
    with pytest.raises(DataError, match="names 'verfy', which is not an earlier campaign that accepts items"):
        ScreenItems.model_validate({"handout": {"gold_from": {"campaign": "verfy"}}}).advance(second, other)


@pytest.mark.parametrize(
    ("kind", "rule", "words"),
    [(Verify, {"rule": "unanimous(2)"}, "requires 3 votes"), (Answer, {}, "takes no `gold_from`")],
)
def test_gold_that_could_never_fill_itself_is_refused(kind: type[Any], rule: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        kind.model_validate({**rule, "handout": {"gold_from": {"votes": 3}}})
