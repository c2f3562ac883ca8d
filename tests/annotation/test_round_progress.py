"""Curators' view of rounds, votes and adjudicators: it equals the summary of the closed campaign.

- Each round of an item is a unit of agreement; earlier rounds count, contents that items left behind do not.
- An adjudicator's decision is an item's outcome, and is compared with that of most annotators.
- Votes of a review count by criterion, a right answer among them.
- The page, the commands and the export state the same.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from benchwright.annotation.campaigns.review import Review
from benchwright.annotation.campaigns.running.verdicts import rounded
from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.exchange.export import export_everything
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.progress.adjudication_stats import AdjudicatedCount, adjudication_stats_of
from benchwright.annotation.progress.campaign_progress import RoundProgress, progress_of
from benchwright.annotation.progress.label_fields import label_field_named, label_fields_of
from benchwright.annotation.progress.overview import Overview
from benchwright.annotation.store.campaigns.adjudications import AdjudicatedTask
from benchwright.annotation.store.campaigns.decisions import list_decisions
from benchwright.annotation.store.database.records import RefusedError
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.adjudication import AdjudicationQueue
from benchwright.annotation.workflow.settlement.revisions import open_next_rounds
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.cli.main import invoke
from benchwright.records import Item
from benchwright.steps import CampaignContext
from benchwright.workspace.workspace import Workspace

pytestmark = [pytest.mark.both_databases, pytest.mark.slow]

MakeItems = Callable[..., list[Item]]
PEOPLE = tuple(f"p{n}" for n in range(12))
EDITS = {"question": "Which piece fits best?"}
CRITERIA = ("accurate", "reasonable", "difficult")


@pytest.fixture
def store(context: CampaignContext) -> Iterator[ReviewStore]:
    with open_store(context.store_url) as opened:
        for name in (*PEOPLE, "judge", "other"):
            opened.upsert_annotator(name)
        yield opened


def work_through(store: ReviewStore, name: str, now: datetime, *, seed: int) -> None:
    """Let all annotators decide their tasks at random, and two adjudicators their cases."""
    rng, campaign, busy = random.Random(seed), store.campaign(name), True
    while busy:
        busy = False
        for person in rng.sample(PEOPLE, len(PEOPLE)):
            queue = TaskQueue(store, campaign, person)
            while (task := queue.next(now=now)) is not None:
                busy, now = True, now + timedelta(minutes=20)
                say(queue, task.slot_id, rng, now, is_review=campaign.kind == "review")
        judge = AdjudicationQueue(store, campaign, rng.choice(("judge", "other")))
        for head in judge.queue():
            busy = True
            case = judge.open(head.task_id, now=now)
            options = ["accept", "reject"] if case.is_last else ["accept", "reject", "revise"]
            decision = rng.choice(options)
            edits = new_edits(rng) if decision == "revise" else None
            reasons = ("unclear",) if decision == "reject" and campaign.form.reasons else ()
            judge.decide(head.task_id, Submission(decision, reasons=reasons, note="so it is", edits=edits), now=now)


def new_edits(rng: random.Random) -> dict[str, str]:
    return {"question": f"Which of these {rng.randrange(10**9)} fits?"}


def say(queue: TaskQueue, slot: int, rng: random.Random, now: datetime, *, is_review: bool) -> None:
    edits = new_edits(rng) if rng.random() < 0.15 else None
    if is_review:
        queue.answer(slot, rng.choice("BBBA"), now=now)
        votes = {name: rng.choice(("yes", "yes", "yes", "no")) for name in CRITERIA}
        queue.submit(slot, Submission(fields=votes, edits=edits), now=now)
        return
    decision = "revise" if edits else rng.choice(("accept", "accept", "reject"))
    queue.submit(slot, Submission(decision, edits=edits, reasons=("unclear",) if decision == "reject" else ()), now=now)


def same_rounds(told: list[RoundProgress], closed: list[Mapping[str, int]]) -> bool:
    """Return whether both state the same for every round, now that no task is open."""
    return [(one.round, one.items, one.passed, one.dropped, one.revised, one.waiting + one.open) for one in told] == [
        (one["round"], one["items"], one["kept"], one["dropped"], one["revised"], 0) for one in closed
    ]


@pytest.mark.parametrize("rule", ["at_least(2, of=3)", "adjudicated(unanimous(2))"])
def test_rounds_and_agreement_are_those_of_the_closed_campaign(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime, rule: str
) -> None:
    step, items = Verify(rule=rule, rounds=3), make_items(jigsaw=7, counting=5)
    step.advance(items, context)
    work_through(store, "verify", now, seed=3)
    verdicts = step.advance(items, context)
    assert verdicts.waiting is None
    overview = Overview(store, store.campaign("verify"))
    patterns = overview.decision_counts()
    told = overview.rounds(patterns)
    assert len(told) > 1
    assert same_rounds(told, verdicts.summary["rounds"])
    asked = label_fields_of(overview.campaign)[0]
    said = overview.label_columns(asked)
    [whole] = overview.agreement_by("all", said, resamples=0)
    closed: dict[str, Any] = verdicts.summary["agreement"]
    assert rounded({**whole.agreement.to_json(), "ci": {}}) == {**closed, "ci": {}}
    by_round = overview.agreement_by("round", said, resamples=0)
    assert [(one.name, one.agreement.units) for one in by_round] == [(str(one.round), one.items) for one in told]
    kept = progress_of(overview.campaign, patterns).outcomes["accept"]
    assert kept == verdicts.summary["kept"] == sum(one.passed for one in told)
    by_task = {one.name: one.agreement.krippendorff_alpha for one in overview.agreement_by("task", said, resamples=0)}
    tasks = verdicts.summary["tasks"]
    assert rounded(by_task) == {name: tasks[name]["krippendorff_alpha"] for name in tasks}


def test_votes_of_a_review_are_those_of_the_closed_campaign(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    review = context._replace(stage="review")
    step, items = Review(rule="at_least(2, of=3)", rounds=2), make_items(implication=8)
    step.advance(items, review)
    work_through(store, "review", now, seed=5)
    verdicts = step.advance(items, review)
    overview = Overview(store, store.campaign("review"))
    patterns = overview.decision_counts()
    assert same_rounds(overview.rounds(patterns), verdicts.summary["rounds"])
    outcomes = progress_of(overview.campaign, patterns).outcomes
    assert list(outcomes) == ["accept", "failed_review", "begun", "untouched"]
    assert outcomes["accept"] == verdicts.summary["kept"]
    assert 0 < outcomes["accept"] < len(items)
    found = overview.criteria(resamples=0)
    assert [one.name for one in found] == ["answer_right", *CRITERIA]
    closed = {"answer_right" if name == "answer" else name: of for name, of in verdicts.summary["criteria"].items()}
    for one in found:
        told = {"percent": one.agreement.percent, "krippendorff_alpha": one.agreement.krippendorff_alpha}
        assert rounded(told) == closed[one.name], one.name
    with store.reading() as connection:
        said = list_decisions(connection, overview.campaign, with_retired=True)
    difficult = [(one.fields or {})["difficult"] for one in said]
    [last] = found[3:]
    assert (last.votes, last.yes) == (len(said), difficult.count("yes"))
    asked = label_field_named(overview.campaign, "difficult")
    [group] = overview.agreement_by("all", overview.label_columns(asked), resamples=0)
    assert (group.agreement, group.shares["yes"]) == (last.agreement, last.share_of_yes)


def test_contents_that_items_left_behind_count_nowhere(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    step, items = Verify(rule="unanimous(2)", rounds=2), make_items(jigsaw=2)
    step.advance(items, context)
    for task in store.tasks("verify"):
        for person in PEOPLE[:2]:
            store.decide("verify", task.id, person, Submission("revise", edits=EDITS), now=now)
    open_next_rounds(store, "verify")
    overview = Overview(store, store.campaign("verify"))
    asked = label_fields_of(overview.campaign)[0]
    assert overview.label_columns(asked).ratings.unit_count == 2
    changed = [items[0].model_copy(update={"question": "Something else?"}), items[1]]
    step.advance(changed, context)
    assert overview.label_columns(asked).ratings.unit_count == 1
    assert [(one.round, one.items, one.revised) for one in overview.rounds(overview.decision_counts())] == [
        (1, 2, 1), (2, 1, 0),
    ]  # fmt: skip
    assert overview.decisions_by_annotator() == {name: {"revise": 1} for name in PEOPLE[:2]}


def test_what_adjudicators_decide_is_the_outcome_and_is_compared_with_the_majority(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    step, items = Verify(rule="adjudicated(unanimous(3))"), make_items(jigsaw=4)
    step.advance(items, context)
    tasks = store.tasks("verify")
    for task in tasks:
        for person, decision in zip(PEOPLE, ("accept", "accept", "reject"), strict=False):
            reasons = ("unclear",) if decision == "reject" else ()
            store.decide("verify", task.id, person, Submission(decision, reasons=reasons), now=now)
    overview = Overview(store, store.campaign("verify"))
    before = overview.stamp()
    assert progress_of(overview.campaign, overview.decision_counts()).outcomes["waits"] == 4
    for task, name, decision in zip(
        tasks, ("judge", "judge", "other"), ("reject", "accept", "send_back"), strict=False
    ):
        queue = AdjudicationQueue(store, overview.campaign, name)
        queue.open(task.id, now=now)
        queue.decide(task.id, Submission(decision, reasons=("unclear",) if decision == "reject" else ()), now=now)
    assert overview.stamp() != before
    assert progress_of(overview.campaign, overview.decision_counts()).outcomes == {
        "accept": 1, "reject": 1, "revise": 0, "waits": 1, "begun": 0, "untouched": 1,
    }  # fmt: skip
    for person in PEOPLE[3:6]:  # those to whom it was sent back, whose decisions alone count now
        store.decide("verify", tasks[2].id, person, Submission("reject", reasons=("unclear",)), now=now)
    assert progress_of(overview.campaign, overview.decision_counts()).outcomes["reject"] == 2
    found = overview.adjudication_stats()
    assert (found.cases, found.against) == (3, 1)
    assert list(found.counts) == [
        AdjudicatedCount("judge", "accept", "accept", 1), AdjudicatedCount("judge", "reject", "accept", 1),
        AdjudicatedCount("other", "send_back", "accept", 1),
    ]  # fmt: skip
    assert [one.is_against for one in found.counts] == [False, True, False]


@pytest.mark.parametrize(
    ("decision", "said", "votes", "expected"),
    [
        pytest.param("reject", {"accept": 1, "reject": 1}, {}, ("divided", False), id="no majority"),
        pytest.param("reject", {"accept": 2, "reject": 1}, {}, ("accept", True), id="against"),
        pytest.param("accept", {"A": 2, "B": 1}, {"easy": 1, "true": 3}, ("missed_easy", True), id="against votes"),
        pytest.param("revise", {"A": 2}, {"easy": 1, "true": 0}, ("missed_easy+true", False), id="half is not most"),
        pytest.param("revise", {"A": 2}, {"easy": 2, "true": 2}, ("accept", True), id="passed by votes"),
    ],
)
def test_most_is_more_than_half(
    decision: str, said: dict[str, int], votes: dict[str, int], expected: tuple[str, bool]
) -> None:
    [found] = adjudication_stats_of([AdjudicatedTask(1, "judge", decision, said, votes)]).counts
    assert (found.majority, found.is_against) == expected


def test_a_rejecting_adjudicator_of_a_review_shows_in_outcomes_and_rulings(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    review = context._replace(stage="review")
    Review(rule="adjudicated(unanimous(2))").advance(make_items(implication=1), review)
    for person in PEOPLE[:2]:
        queue = TaskQueue(store, store.campaign("review"), person)
        task = queue.next(now=now)
        assert task is not None
        queue.answer(task.slot_id, "B", now=now)
        queue.submit(
            task.slot_id, Submission(fields={"accurate": "yes", "reasonable": "no", "difficult": "no"}), now=now
        )
    overview = Overview(store, store.campaign("review"))
    assert progress_of(overview.campaign, overview.decision_counts()).outcomes["waits"] == 1
    judge = AdjudicationQueue(store, overview.campaign, "judge")
    [head] = judge.queue()
    judge.open(head.task_id, now=now)
    with pytest.raises(RefusedError, match="a rejection needs a note that says why"):
        judge.decide(head.task_id, Submission("reject"), now=now)
    judge.decide(head.task_id, Submission("reject", note="Nobody could say."), now=now)
    assert progress_of(overview.campaign, overview.decision_counts()).outcomes["reject"] == 1
    assert list(overview.adjudication_stats().counts) == [
        AdjudicatedCount("judge", "reject", "missed_reasonable+difficult", 1)
    ]


def test_the_export_has_rounds_shares_and_rulings_with_nobody_named(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime, tmp_path: Path
) -> None:
    Verify(rule="adjudicated(unanimous(2))", rounds=2).advance(make_items(jigsaw=5), context)
    work_through(store, "verify", now, seed=8)
    overview = Overview(store, store.campaign("verify"))
    export_everything(store, tmp_path / "out", pseudonymous=True)
    rows = {name: pq.read_table(tmp_path / "out" / f"{name}.parquet").to_pylist() for name in (
        "rounds", "shares", "adjudicated", "agreement",
    )}  # fmt: skip
    told = overview.rounds(overview.decision_counts())
    assert rows["rounds"] == [{"campaign": "verify", **one._asdict()} for one in told]
    shares = {
        (row["by"], row["part"], row["label"]): row["share"] for row in rows["shares"] if row["aspect"] == "decision"
    }
    assert sum(shares["all", "", label] for label in ("accept", "reject", "revise")) == pytest.approx(1, abs=1e-5)
    assert {part for by, part, _ in shares if by == "round"} == {"1", "2"}
    assert {row["part"] for row in rows["agreement"] if row["by"] == "round"} == {"1", "2"}
    assert (
        sum(row["times"] for row in rows["adjudicated"])
        == sum(one.times for one in overview.adjudication_stats().counts)
        > 0
    )
    assert all(row["adjudicator"].startswith("annotator-") for row in rows["adjudicated"])


def test_the_commands_say_rounds_votes_shares_and_rulings(
    context: CampaignContext,
    store: ReviewStore,
    make_items: MakeItems,
    now: datetime,
    capsys: pytest.CaptureFixture[str],
) -> None:
    space = Workspace.create(context.workspace / "work")
    with open_store(space.store_url) as held:
        for name in (*PEOPLE, "judge", "other"):
            held.upsert_annotator(name)
        for step, stage, seed in (
            (Verify(rule="adjudicated(unanimous(2))"), "verify", 8),
            (Review(rounds=1), "review", 1),
        ):
            asked = context._replace(stage=stage, store_url=space.store_url)
            step.advance(make_items(**{stage: 4}), asked)
            work_through(held, stage, now, seed=seed)

    def said(*words: str) -> str:
        assert invoke(["review", *words, "--workspace", str(space.root)]) == 0
        return capsys.readouterr().out

    status = said("status")
    assert "\n  round 1: 4 items, " in status
    assert "\n  answer_right: 20 votes, 0." in status
    assert " where annotators said divided" in status
    review, verify = json.loads(said("status", "--json"))["campaigns"]
    assert [one["criterion"] for one in review["criteria"]] == ["answer_right", *CRITERIA]
    assert verify["adjudicated"]["cases"] > 0
    assert "criteria" not in verify
    text = said("agreement", "--campaign", "review", "--field", "answer_right", "--by", "round")
    assert f"said                yes {review['criteria'][0]['share_of_yes']:.2f}, no " in text
    assert "\nround 1: 4 units, 4 of them compared, 5 raters; alpha " in text
