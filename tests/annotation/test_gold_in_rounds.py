"""Assignment in campaigns with rounds: gold outside of rounds, and the urgency of a version for each annotator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

import pytest

from benchwright.annotation.app.task_card.card import card_of
from benchwright.annotation.campaigns.review import Review
from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.forms.assignment_settings import AssignmentSettings
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.errors import DataError
from benchwright.records import Item
from benchwright.steps import CampaignContext

pytestmark = pytest.mark.both_databases

MakeItems = Callable[..., list[Item]]
EDITS = {"question": "Which piece fits best?"}
YES = {"accurate": "yes", "reasonable": "yes", "difficult": "yes"}


@pytest.fixture
def store(context: CampaignContext) -> Iterator[ReviewStore]:
    with open_store(context.store_url) as opened:
        for name in ("ann", "ben", "cas"):
            opened.upsert_annotator(name)
        yield opened


def gold_file(folder: Path, *rows: str) -> AssignmentSettings:
    (folder / "gold.csv").write_text("\n".join(["item_id,decision", *rows]), encoding="utf-8")
    return AssignmentSettings(gold=str(folder / "gold.csv"), gold_rate=0.5)


def test_a_gold_item_that_annotators_edit_opens_no_round_and_keeps_its_known_decision(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, tmp_path: Path, now: datetime
) -> None:
    items = make_items(jigsaw=3)
    verify = Verify(rule="single", rounds=3, handout=gold_file(tmp_path, f"{items[1].item_id},accept"))
    verify.advance(items, context)
    queue, said = TaskQueue(store, store.campaign("verify"), "ann"), []
    while (task := queue.next(now=now)) is not None:
        is_gold = task.item.item_id == items[1].item_id
        queue.submit(
            task.slot_id, Submission("revise" if is_gold else "accept", edits=EDITS if is_gold else None), now=now
        )
        said.append(task.item.item_id)
    assert sorted(said) == sorted(one.item_id for one in items)
    verdicts = verify.advance(items, context)
    assert verdicts.waiting is None
    outcome = verdicts.outcomes[items[1].item_id]
    assert (outcome.verdict, outcome.items, outcome.evidence) == ("keep", (), {"gold": "accept"})
    assert (verdicts.summary["total"], verdicts.summary["agreement"]["units"]) == (2, 2)
    assert [(one.decision, one.right) for one in store.gold_answers("verify")] == [("revise", "accept")]


def test_an_item_that_was_revised_and_then_named_gold_is_judged_as_it_came(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, tmp_path: Path, now: datetime
) -> None:
    items = make_items(jigsaw=2)
    plain = Verify(rule="single", rounds=3)
    plain.advance(items, context)
    ann = TaskQueue(store, store.campaign("verify"), "ann")
    for _ in items:
        task = ann.next(now=now)
        assert task is not None
        is_first = task.item.item_id == items[0].item_id
        ann.submit(
            task.slot_id, Submission("revise" if is_first else "accept", edits=EDITS if is_first else None), now=now
        )
    assert plain.advance(items, context).waiting is not None
    known = plain.model_copy(update={"handout": gold_file(tmp_path, f"{items[0].item_id},reject")})
    outcome = known.advance(items, context).outcomes[items[0].item_id]
    assert (outcome.verdict, outcome.reason, outcome.items) == ("drop", "rejected", ())
    assert plain.advance(items, context).waiting is not None  # named no more, its second round is open again


def test_reviewers_answer_gold_items_blind_and_are_judged_by_the_key(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, tmp_path: Path, now: datetime
) -> None:
    items = make_items(implication=2)
    review = Review(rule="single", handout=gold_file(tmp_path, f"{items[0].item_id},"))
    review.advance(items, context)
    campaign = store.campaign("verify")
    queue, got = TaskQueue(store, campaign, "ann"), 0
    while (task := queue.next(now=now)) is not None:
        assert asdict(card_of(task, campaign))["right"] is None
        queue.answer(task.slot_id, "B", now=now)
        opened = queue.open(task.task_id, now=now)
        assert opened.answered == "B"
        assert asdict(card_of(opened, campaign))["right"] == "B"
        queue.submit(task.slot_id, Submission(fields=YES, active_s=3), now=now)
        got += 1
    assert got == 2
    verdicts = review.advance(items, context)
    assert verdicts.waiting is None
    assert verdicts.outcomes[items[0].item_id].evidence == {"gold": "B"}
    assert (verdicts.summary["total"], verdicts.summary["gold"]) == (1, {"items": 1, "kept": 1})
    assert [(one.item_id, one.decision, one.right) for one in store.gold_answers("verify")] == [
        (items[0].item_id, "B", "B")
    ]
    audited = store.audited()
    assert (audited.broken, audited.decisions) == (None, 2)


def test_a_review_takes_no_gold_whose_key_is_wrong(
    context: CampaignContext, make_items: MakeItems, tmp_path: Path
) -> None:
    items = make_items(implication=1)
    with pytest.raises(DataError, match="'A' is not a decision here; this campaign takes B"):
        Review(handout=gold_file(tmp_path, f"{items[0].item_id},A")).advance(items, context)


def test_how_a_review_is_handed_out_decides_no_result() -> None:
    assert Review(handout=AssignmentSettings(share=0.5)).parameters() == Review().parameters()


def test_the_next_version_of_an_item_is_as_urgent_as_the_one_before(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    items = make_items(jigsaw=5)
    handout = AssignmentSettings(priorities={items[2].item_id: 7})
    Verify(rule="single", handout=handout).advance(items, context)
    ann, ben = (TaskQueue(store, store.campaign("verify"), name) for name in ("ann", "ben"))
    task = ann.next(now=now)
    assert task is not None
    assert task.item.item_id == items[2].item_id
    ann.submit(task.slot_id, Submission("revise", edits=EDITS), now=now)
    coming = ben.next(now=now)
    assert coming is not None
    assert (coming.item.item_id, coming.item.question) == (items[2].item_id, EDITS["question"])


def test_no_slot_is_kept_for_somebody_who_may_not_judge_their_own_version(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    [item] = make_items(jigsaw=1)
    verify = Verify(rule="single", handout=AssignmentSettings(shares={"ann": 1}))
    verify.advance([item], context)
    ann, ben = (TaskQueue(store, store.campaign("verify"), name) for name in ("ann", "ben"))
    assert ben.next(now=now) is None  # it is kept for ann
    task = ann.next(now=now)
    assert task is not None
    ann.submit(task.slot_id, Submission("revise", edits=EDITS), now=now)
    assert ann.next(now=now) is None
    assert ben.progress(now=now) == (0, 1)
    second = ben.next(now=now)
    assert second is not None
    ben.submit(second.slot_id, Submission("accept"), now=now)
    assert verify.advance([item], context).outcomes[item.item_id].verdict == "keep"
