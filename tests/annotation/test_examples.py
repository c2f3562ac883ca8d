"""Examples in guidelines: decided items chosen by a curator, hidden from annotators who have yet to decide on them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import pytest

from benchwright.annotation.campaigns.answer import Answer
from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.review_store import ReviewStore
from benchwright.annotation.store.submissions.examples import Examples
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.errors import BenchwrightError
from benchwright.records import Item
from benchwright.steps import CampaignContext

pytestmark = pytest.mark.both_databases
MakeItems = Callable[..., list[Item]]


def shown(store: ReviewStore, name: str, campaign: str = "verify") -> list[str]:
    return [example.words for example in Examples(store).shown_to(store.campaign(campaign), name)]


def decide_all(store: ReviewStore, name: str, now: datetime) -> None:
    queue = TaskQueue(store, store.campaign("verify"), name)
    while (task := queue.next(now=now)) is not None:
        queue.submit(task.slot_id, Submission(decision="accept"), now=now)


def test_an_example_is_decided_chosen_with_a_sentence_and_kept_from_those_who_may_still_be_asked(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    items = make_items(jigsaw=2)
    Verify(rule="unanimous(2)").advance(items, context)
    for name in ("ann", "ben", "cas"):
        store.upsert_annotator(name)
    examples = Examples(store)
    item_of = {task.id: task.item_id for task in store.tasks("verify")}
    first, second = sorted(item_of, key=lambda task: item_of[task] != items[0].item_id)
    with pytest.raises(BenchwrightError, match="only an item that is decided, and is not gold, can be an example"):
        examples.add(first, "It is clear.", is_accepted=True, by="cur", now=now)
    for name in ("ann", "ben"):
        decide_all(store, name, now)
    with pytest.raises(BenchwrightError, match="give a reason in a sentence"):
        examples.add(first, "  ", is_accepted=True, by="cur", now=now)
    examples.add(first, "It is clear.", is_accepted=True, by="cur", now=now)
    examples.add(second, "Two options fit.", is_accepted=False, by="cur", now=now)
    with pytest.raises(BenchwrightError, match="it is already an example"):
        examples.add(first, "Again.", is_accepted=True, by="cur", now=now)
    assert shown(store, "ann") == shown(store, "cas") == ["It is clear.", "Two options fit."]
    example = examples.of_tasks([first])[first]
    assert examples.one_for(example.id, "cas") is not None

    # The same item waits elsewhere, without its key: whoever may still be asked there no longer sees it, and cas, who
    # has seen it, is not asked.
    Answer(annotators_per_item=2).advance(items[:1], context._replace(stage="answer"))
    store.upsert_annotator("dan")
    assert shown(store, "dan") == ["Two options fit."]
    assert shown(store, "ann") == ["Two options fit."]  # though whoever knows its key is not asked
    assert TaskQueue(store, store.campaign("answer"), "cas").next(now=now) is None
    assert TaskQueue(store, store.campaign("answer"), "dan").next(now=now) is not None
    assert examples.one_for(example.id, "dan") is None

    examples.withdraw(example.id, by="cur", now=now)
    examples.withdraw(example.id, by="cur", now=now)
    assert shown(store, "ann") == ["Two options fit."]
    with store.reading() as connection:
        acts = connection.exec_driver_sql(
            "SELECT actor, act FROM audit_log WHERE act IN ('example_shown', 'example_withdrawn') ORDER BY id"
        ).all()
    assert [tuple(row) for row in acts] == [("cur", "example_shown")] * 2 + [("cur", "example_withdrawn")]


def test_whoever_has_still_to_decide_on_an_item_of_another_round_sees_no_example_of_it(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    [item] = make_items(jigsaw=1)
    Verify(rule="unanimous(1)").advance([item], context)
    for name in ("ann", "ben"):
        store.upsert_annotator(name)
    [task] = store.tasks("verify")
    decide_all(store, "ann", now)
    Examples(store).add(task.id, "It is clear.", is_accepted=True, by="cur", now=now)
    assert shown(store, "ben") == ["It is clear."]
    changed = item.model_copy(update={"question": "Which of the two fits?"})
    Verify(rule="unanimous(1)").advance([changed], context)
    assert shown(store, "ben") == shown(store, "ann") == []
