"""The adjudicator's queue: its cases, their order, the annotators' shown decisions, and the effect of a decision."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from datetime import datetime, timedelta

import pytest

from benchwright.annotation.app.base.state import open_app_state
from benchwright.annotation.app.task_card.adjudication_card import adjudication_card
from benchwright.annotation.app.workbench.adjudicating import AdjudicatorWork
from benchwright.annotation.campaigns.answer import Answer
from benchwright.annotation.campaigns.review import Review
from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.campaigns.adjudications import disputed_tasks
from benchwright.annotation.store.database.records import RefusedError
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.adjudication import AdjudicationQueue
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.errors import BenchwrightError
from benchwright.records import Item
from benchwright.steps import CampaignContext
from benchwright.workspace.workspace import Workspace

pytestmark = [pytest.mark.both_databases, pytest.mark.slow]

MakeItems = Callable[..., list[Item]]
X, Y = {"question": "Which piece fits best?"}, {"question": "Which of the two?"}
STEP = Verify(rule="adjudicated(unanimous(2))", rounds=3)


@pytest.fixture
def store(context: CampaignContext) -> Iterator[ReviewStore]:
    with open_store(context.store_url) as opened:
        for name in ("ann", "ben", "cas", "dee", "judge", "other"):
            opened.upsert_annotator(name)
        yield opened


def decide(store: ReviewStore, item: Item, now: datetime, **said: str | dict[str, str]) -> int:
    """Let annotators decide an item: a word, or edits that revise; return its task."""
    [task] = [one for one in store.tasks("verify", states=("open", "done")) if one.item_id == item.item_id]
    for name, word in said.items():
        edits = word if isinstance(word, dict) else None
        decision = word if isinstance(word, str) else "revise"
        reasons = ("unclear",) if decision == "reject" else ()
        store.decide("verify", task.id, name, Submission(decision, reasons=reasons, edits=edits), now=now)
    return task.id


def adjudication_queue_of(store: ReviewStore, name: str = "judge", campaign: str = "verify") -> AdjudicationQueue:
    return AdjudicationQueue(store, store.campaign(campaign), name)


def test_what_the_rule_leaves_open_comes_first_and_what_all_agree_on_never(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    step = Verify(rule="adjudicated(majority(3))")
    agreed, outvoted, open_, half = make_items(jigsaw=4)
    step.advance([agreed, outvoted, open_, half], context)
    decide(store, agreed, now, ann="accept", ben="accept", cas="accept")
    second = decide(store, outvoted, now, ann="accept", ben="accept", cas="reject")
    first = decide(store, open_, now, ann="accept", ben="reject", cas=X)
    decide(store, half, now, ann="accept", ben="reject")  # cas has not decided yet
    queue = adjudication_queue_of(store).queue()
    assert [(one.task_id, one.waits) for one in queue] == [(first, True), (second, False)]
    assert [round(one.divided, 2) for one in queue] == [0.67, 0.33]


def test_a_case_that_is_skipped_comes_again_after_all_others(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    items = make_items(jigsaw=3)
    STEP.advance(items, context)
    tasks = [decide(store, item, now, ann="accept", ben="reject") for item in items]
    Workspace.create(context.workspace / "app").save_settings({})
    state = replace(open_app_state(context.workspace / "app", secure=False), store=store)
    account = state.accounts.add("judge", "adjudicator", now=now)
    skipped: list[int] = []
    for _ in tasks:
        skipped += AdjudicatorWork(state, account, store.campaign("verify")).held(skipped)
    assert sorted(skipped) == sorted(tasks)
    assert AdjudicatorWork(state, account, store.campaign("verify")).held(skipped) == skipped[:1]


def test_the_run_waits_for_the_adjudicator_and_takes_the_decision_up(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    one, two = items = make_items(jigsaw=2)
    STEP.advance(items, context)
    tasks = [decide(store, item, now, ann="accept", ben="reject") for item in (one, two)]
    waiting = STEP.advance(items, context).waiting
    assert waiting is not None
    assert "waits for an adjudicator: 2 of 2 items undecided" in waiting
    adjudication_queue = adjudication_queue_of(store)
    for task, decision in zip(tasks, ("accept", "reject"), strict=True):
        adjudication_queue.open(task, now=now)
        reasons = ("wrong_answer",) if decision == "reject" else ()
        adjudication_queue.decide(task, Submission(decision, reasons=reasons, note="seen it closely"), now=now)
    assert [(one.adjudication.decision, one.adjudication.reasons) for one in adjudication_queue.decided()] == [
        ("reject", ("wrong_answer",)),
        ("accept", ()),
    ]
    assert adjudication_queue.queue() == []
    verdicts = STEP.advance(items, context)
    assert [verdicts.outcomes[item.item_id].reason for item in items] == [None, "rejected"]
    evidence = verdicts.outcomes[one.item_id].evidence
    assert (evidence["adjudicated"], evidence["accept"], evidence["reject"]) == ("accept", 1, 1)
    assert "judge" not in json.dumps([verdicts.summary, dict(evidence)])


def test_names_are_told_only_once_the_case_is_decided(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    items = make_items(jigsaw=1)
    STEP.advance(items, context)
    task = decide(store, items[0], now, ann=X, ben="reject")
    adjudication_queue = adjudication_queue_of(store)
    card = asdict(adjudication_card(adjudication_queue.open(task, now=now), store.campaign("verify")))
    assert [one["label"] for one in card["answers"]] == ["Annotator 1", "Annotator 2"]
    assert {line for one in card["answers"] for line in one["lines"]} == {
        "Revise", f"question edited: {X['question']}", "Reject", "unclear",
    }  # fmt: skip
    assert "ann" not in json.dumps(card["answers"]).replace("Annotator", "")
    assert adjudication_queue.decided() == []
    adjudication_queue.decide(task, Submission("reject", reasons=("unclear",)), now=now)
    [case] = adjudication_queue.decided()
    assert (case.adjudication.decision, {annotation.annotator for annotation in case.annotations}) == (
        "reject",
        {"ann", "ben"},
    )


def test_edits_of_the_adjudicator_make_the_next_version(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    items = make_items(jigsaw=1)
    STEP.advance(items, context)
    task = decide(store, items[0], now, ann=X, ben=Y)
    adjudication_queue = adjudication_queue_of(store)
    adjudication_queue.open(task, now=now)
    adjudication_queue.decide(task, Submission("revise", edits={**Y, "right": "A"}), now=now)
    [version] = store.tasks("verify")
    assert (version.payload["question"], version.payload["answer"]) == (Y["question"], "A")
    assert TaskQueue(store, store.campaign("verify"), "judge").next(now=now) is None  # their own version
    decide(store, items[0], now, ann="accept", ben="accept")
    outcome = STEP.advance(items, context).outcomes[items[0].item_id]
    assert outcome.verdict == "keep"
    assert outcome.evidence["rounds"][0]["adjudicated"] == "revise"
    assert outcome.items[0].answer == "A"


def test_a_case_that_is_sent_back_goes_to_others_whose_decisions_alone_count(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    items = make_items(jigsaw=1)
    STEP.advance(items, context)
    task = decide(store, items[0], now, ann="accept", ben="reject")
    adjudication_queue = adjudication_queue_of(store)
    adjudication_queue.open(task, now=now)
    adjudication_queue.decide(task, Submission("send_back", note="look at the corner"), now=now)
    assert adjudication_queue.queue() == []
    waiting = STEP.advance(items, context).waiting
    assert waiting is not None
    assert "1 of 1 task and 2 slots" in waiting
    for name in ("ann", "ben", "judge"):
        assert store.claim("verify", name, now=now) is None, name
    decide(store, items[0], now, cas="accept", dee="accept")
    verdicts = STEP.advance(items, context)
    outcome = verdicts.outcomes[items[0].item_id]
    assert (outcome.verdict, outcome.evidence["accept"], outcome.evidence["reject"]) == ("keep", 2, 0)
    assert outcome.evidence["rounds"][0]["before_sent_back"] == {"accept": 1, "reject": 1}
    assert verdicts.summary["agreement"]["raters"] == 4


def test_a_case_that_is_sent_back_and_divided_again_comes_back(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    items = make_items(jigsaw=1)
    STEP.advance(items, context)
    task = decide(store, items[0], now, ann="accept", ben="reject")
    adjudication_queue = adjudication_queue_of(store)
    adjudication_queue.open(task, now=now)
    adjudication_queue.decide(task, Submission("send_back"), now=now)
    decide(store, items[0], now, cas="accept", dee="reject")
    assert [one.waits for one in adjudication_queue.queue()] == [True]
    adjudication_queue.open(task, now=now)
    adjudication_queue.decide(task, Submission("accept"), now=now)
    assert STEP.advance(items, context).summary["kept"] == 1


def test_nobody_adjudicates_what_they_judged_or_edited(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    items = make_items(jigsaw=1)
    STEP.advance(items, context)
    task = decide(store, items[0], now, ann=X, ben="accept")
    for name in ("ann", "ben"):
        assert adjudication_queue_of(store, name).queue() == []
        with pytest.raises(RefusedError, match="not open to you"):
            adjudication_queue_of(store, name).open(task, now=now)
    adjudication_queue_of(store).open(task, now=now)
    adjudication_queue_of(store).decide(task, Submission("revise", edits=X), now=now)
    decide(store, items[0], now, cas="accept", dee="reject")
    assert adjudication_queue_of(store, "ann").queue() == []  # of whatever version
    assert len(adjudication_queue_of(store, "other").queue()) == 1


def test_whoever_opened_a_case_answers_that_item_in_no_blind_campaign(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    items = make_items(jigsaw=1)
    STEP.advance(items, context)
    Answer(annotators_per_item=1).advance(items, context._replace(stage="answer"))
    task = decide(store, items[0], now, ann="accept", ben="reject")
    assert store.claim("answer", "other", now=now, lease_s=1) is not None
    adjudication_queue_of(store).open(task, now=now)
    with pytest.raises(RefusedError, match="was shown the right answer in campaign 'verify'"):
        store.claim("answer", "judge", now=now.replace(year=2027), task=store.tasks("answer")[0].id)


def test_two_adjudicators_decide_a_case_once(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    items = make_items(jigsaw=1)
    STEP.advance(items, context)
    task = decide(store, items[0], now, ann="accept", ben="reject")
    for name in ("judge", "other"):
        adjudication_queue_of(store, name).open(task, now=now)
    adjudication_queue_of(store, "other").decide(task, Submission("accept"), now=now)
    with pytest.raises(RefusedError, match="another adjudicator has decided it"):
        adjudication_queue_of(store).decide(task, Submission("reject"), now=now)


@pytest.mark.parametrize(
    ("decision", "edits", "words"),
    [
        pytest.param("burn", None, "is not one of accept, reject, revise, send_back", id="no decision"),
        pytest.param("revise", None, "a revision must include edits", id="nothing edited"),
        pytest.param(
            "revise", {"question": "Which piece fits?"}, "a revision must include edits", id="nothing changed"
        ),
        pytest.param("accept", X, "no other decision may include any", id="an accept with edits"),
        pytest.param("reject", None, "a rejection needs a reason: one of wrong_answer", id="a reject without a reason"),
        pytest.param("revise", {"right": "Q"}, "not among its choices", id="no such key"),
    ],
)
def test_decisions_that_cannot_be_are_refused(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime,
    decision: str, edits: dict[str, str] | None, words: str,
) -> None:  # fmt: skip
    items = make_items(jigsaw=1)
    STEP.advance(items, context)
    task = decide(store, items[0], now, ann="accept", ben="reject")
    adjudication_queue = adjudication_queue_of(store)
    with pytest.raises(RefusedError, match="open the case"):
        adjudication_queue.decide(task, Submission("accept"), now=now)
    adjudication_queue.open(task, now=now)
    with pytest.raises(RefusedError, match=words):
        adjudication_queue.decide(task, Submission(decision, edits=edits), now=now)
    assert len(adjudication_queue.queue()) == 1


def test_in_the_last_round_nothing_is_revised(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    items, step = make_items(jigsaw=1), Verify(rule="adjudicated(unanimous(2))", rounds=1)
    step.advance(items, context)
    task = decide(store, items[0], now, ann="accept", ben="reject")
    adjudication_queue = adjudication_queue_of(store)
    case = adjudication_queue.open(task, now=now)
    assert case.is_last
    assert adjudication_card(case, store.campaign("verify")).editable is None
    with pytest.raises(RefusedError, match="round 1 is the last"):
        adjudication_queue.decide(task, Submission("revise", edits=X), now=now)


def test_campaigns_without_an_adjudicator_have_no_cases(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    items = make_items(jigsaw=1)
    Verify().advance(items, context)
    task = decide(store, items[0], now, ann="accept", ben="reject")
    assert adjudication_queue_of(store).queue() == []
    with pytest.raises(BenchwrightError, match="has no adjudicator"):
        adjudication_queue_of(store).open(task, now=now)


def test_a_review_that_fails_without_edits_waits_for_the_adjudicator(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    review = context._replace(stage="review")
    step, items = Review(rule="adjudicated(unanimous(2))"), make_items(implication=1)
    step.advance(items, review)
    for name in ("ann", "ben"):
        adjudication_queue = TaskQueue(store, store.campaign("review"), name)
        task = adjudication_queue.next(now=now)
        assert task is not None
        adjudication_queue.answer(task.slot_id, "B", now=now)
        votes = {"accurate": "yes", "reasonable": "yes", "difficult": "no"}
        adjudication_queue.submit(task.slot_id, Submission(fields={**votes, "note": f"{name}'s note"}), now=now)
    waiting = step.advance(items, review).waiting
    assert waiting is not None
    assert "waits for an adjudicator: 1 of 1" in waiting
    judge = adjudication_queue_of(store, campaign="review")
    [head] = judge.queue()
    case = judge.open(head.task_id, now=now)
    card = adjudication_card(case, store.campaign("review"))
    assert {tuple(one["lines"][:4]) for one in card.answers} == {
        ("Answer: B", "Accurate? Yes", "Reasonable? Yes", "Difficult? No")
    }
    judge.decide(head.task_id, Submission("revise", edits={"choices": {"A": "the one on the left"}}), now=now)
    [version] = store.tasks("review")
    assert version.payload["choices"][0]["text"] == "the one on the left"


@pytest.mark.parametrize("rule", ["adjudicated(unanimous(2))", "adjudicated(at_least(1, of=2))"])
def test_only_tasks_on_which_annotators_differ_or_propose_something_are_read(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime, rule: str
) -> None:
    items = make_items(jigsaw=6)
    Verify(rule=rule).advance(items, context)
    said = [("accept", "accept"), ("reject", "reject"), ("accept", "reject"), (X, Y), ("accept", "accept")]
    tasks = [
        decide(store, item, now + timedelta(minutes=number), ann=first, ben=second)
        for number, (item, (first, second)) in enumerate(zip(items, said, strict=False))
    ]
    campaign = store.campaign("verify")
    with store.reading() as connection:
        read = set(connection.execute(disputed_tasks(campaign)).scalars())
    assert read == {tasks[2], tasks[3]}
    assert {case.task_id for case in adjudication_queue_of(store).queue()} == read
    assert [case.task_id for case in adjudication_queue_of(store).queue(task=tasks[2])] == [tasks[2]]
    assert adjudication_queue_of(store).queue(task=tasks[0]) == []
