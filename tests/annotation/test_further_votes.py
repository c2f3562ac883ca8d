"""Further votes are requested only while the decision on a task is unsure, if a campaign is set so.

- The votes and their raters decide how sure a decision is; raters with many known decisions move it more.
- Sure tasks go to no further annotator, the rule settles them by their votes, and curators see which they are.
- A changed decision, another setting, or one more decision opens them again if they are no longer sure.
- The same decisions in the same order close the same tasks, even if the store was closed in between.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
import sqlalchemy as sa
from pydantic import ValidationError

from benchwright.annotation.agreement.posterior import PosteriorSampler, RaterModel, fitted, model_of, prior_model
from benchwright.annotation.campaigns.answer import Answer
from benchwright.annotation.campaigns.review import Review
from benchwright.annotation.campaigns.screen import ScreenItems
from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.cli.tasks import assignment_settings_of
from benchwright.annotation.exchange.export import export_everything
from benchwright.annotation.forms.assignment_settings import AssignmentSettings
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.progress.campaign_progress import progress_of
from benchwright.annotation.progress.overview import Overview
from benchwright.annotation.store.check import row_problems
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.adjudication import AdjudicationQueue
from benchwright.annotation.workflow.settlement.further_votes import LEAST_NEW, estimate_anew
from benchwright.annotation.workflow.settlement.rules import Rule, parse_rule
from benchwright.annotation.workflow.settlement.settle import SettlementPolicy, TaskVotes, settle
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.errors import BenchwrightError
from benchwright.records import Item
from benchwright.steps import CampaignContext

from .sqlite_work import instructions

pytestmark = pytest.mark.slow

MakeItems = Callable[..., list[Item]]
PEOPLE = ("ann", "ben", "cas", "dan", "eva")
LABELS = ("accept", "reject")
SPARING = AssignmentSettings.model_validate({"further_votes": {"first": 2, "until": 0.6}})


# The model


def test_the_prior_is_bayes_rule_with_raters_who_are_right_four_times_in_five() -> None:
    posterior = PosteriorSampler(prior_model(LABELS), seed=1).posterior([(1, "accept")])
    assert posterior is not None
    assert posterior.decision == "accept"
    assert posterior.probability == pytest.approx(0.8, abs=0.04)  # 0.8 / (0.8 + 0.2), over draws
    assert posterior.low < posterior.probability < posterior.high


def test_a_known_rater_counts_for_more_and_leaves_a_narrower_interval() -> None:
    sharp = {1: np.array([[96.0, 4.0], [4.0, 96.0]])}
    model = RaterModel(LABELS, np.array([50.0, 50.0]), sharp)
    sampler = PosteriorSampler(model, seed=3)
    known, unknown = (sampler.posterior([(rater, "reject")]) for rater in (1, 2))
    assert known is not None
    assert unknown is not None
    assert known.probability == pytest.approx(0.96, abs=0.01)
    assert known.high - known.low < unknown.high - unknown.low
    votes = [(1, "accept"), (2, "reject")]
    assert sampler.posterior(votes) == PosteriorSampler(model, seed=3).posterior(votes[::-1])
    assert sampler.posterior([(1, "a word of an earlier form")]) is None


def test_an_estimate_finds_the_errors_that_raters_were_given_and_gold_teaches_it() -> None:
    rng = np.random.default_rng(5)
    right = {1: 0.95, 2: 0.85, 3: 0.75, 4: 0.6}
    truths = rng.choice(LABELS, p=[0.7, 0.3], size=3000)
    rows = [
        (unit, rater, truth if rng.random() < share else LABELS[truth == "accept"])
        for unit, truth in enumerate(truths)
        for rater, share in right.items()
    ]
    model = fitted(LABELS, *zip(*rows, strict=True))
    for rater, share in right.items():
        means = model.rates[rater] / model.rates[rater].sum(axis=1, keepdims=True)
        assert np.diagonal(means) == pytest.approx([share, share], abs=0.05)
    again = model_of(model.to_json())
    assert again.labels == model.labels
    assert all(np.allclose(again.rates[rater], model.rates[rater], atol=1e-6) for rater in right)
    # Two who agree on nonsense are believed, unless gold says otherwise.
    units, raters, ratings = zip(*[(unit, rater, "accept") for unit in range(30) for rater in (1, 2)], strict=True)
    fooled = fitted(LABELS, units, raters, ratings)
    taught = fitted(LABELS, units, raters, ratings, dict.fromkeys(range(30), "reject"))
    assert fooled.rates[1][0, 0] > fooled.rates[1][1, 0]
    assert taught.rates[1][1, 0] > 30 > taught.rates[1][0, 0]


def test_a_rule_for_fewer_asks_for_as_large_a_share_of_them() -> None:
    assert [str(parse_rule("majority(5)").of_fewer(votes)) for votes in (1, 2, 3, 4, 5)] == [
        "unanimous(1)", "unanimous(2)", "at_least(2, of=3)", "at_least(3, of=4)", "at_least(3, of=5)"
    ]  # fmt: skip
    assert parse_rule("unanimous(4)").of_fewer(2) == Rule(2, 2)
    assert [parse_rule("at_least(4, of=5)").of_fewer(votes).need for votes in (2, 3, 4)] == [2, 3, 4]
    with pytest.raises(ValueError, match="has no 6 of 5"):
        parse_rule("majority(5)").of_fewer(6)


def test_only_a_closed_task_is_settled_by_the_votes_it_has() -> None:
    policy = SettlementPolicy(parse_rule("majority(5)"), 5, LABELS)
    votes = TaskVotes(2, {"reject": 2}, {})
    assert settle(policy, votes) == "open"
    assert settle(policy, votes._replace(is_closed=True)) == "reject"
    assert settle(policy, TaskVotes(2, {"accept": 1, "reject": 1}, {}, is_closed=True)) == "open"
    assert settle(policy, TaskVotes(5, {"reject": 3, "accept": 2}, {}, is_closed=True)) == "reject"


# Settings


def test_settings_are_bounded_and_refused_where_votes_cannot_be_spared() -> None:
    for wrong in ({"first": 0}, {"until": 0.5}, {"until": 1.0}, {"least": 2}):
        with pytest.raises(ValidationError):
            AssignmentSettings.model_validate({"further_votes": wrong})
    with pytest.raises(ValidationError, match=r"'answer' cannot spare votes.*errata, screen, screen_items, verify can"):
        Answer(handout=SPARING)
    with pytest.raises(ValidationError, match="'review' cannot spare votes"):
        Review(handout=SPARING)
    with pytest.raises(ValidationError, match="first is 2, but the rule takes 2 votes in all"):
        Verify(rule="unanimous(2)", handout=SPARING)
    assert Verify(rule="majority(3)", handout=SPARING).handout.further_votes is not None
    assert ScreenItems(rule="majority(3)", handout=SPARING).handout.further_votes is not None


def test_options_state_the_setting() -> None:
    rest: dict[str, Any] = {
        "gold": None, "gold_rate": None, "share": None, "share_of": (), "priority": (), "lease_s": None, "close_decided": False,
    }  # fmt: skip
    stated = assignment_settings_of(**rest, first_votes=3, sure_at=0.9, begun_first=False)
    assert stated.to_json() == {"begun_first": False, "further_votes": {"first": 3, "until": 0.9}}
    assert assignment_settings_of(**rest).further_votes is None
    with pytest.raises(BenchwrightError, match=r"--sure-at: Input should be less than"):
        assignment_settings_of(**rest, first_votes=3, sure_at=2)
    with pytest.raises(BenchwrightError, match="--sure-at can only be used with --first-votes"):
        assignment_settings_of(**rest, sure_at=0.9)


# In a campaign


@pytest.fixture
def people(store: ReviewStore) -> ReviewStore:
    for name in PEOPLE:
        store.upsert_annotator(name)
    return store


def opened(context: CampaignContext, items: list[Item], handout: AssignmentSettings = SPARING) -> Verify:
    step = Verify(rule="majority(5)", handout=handout)
    step.advance(items, context)
    return step


def say(store: ReviewStore, name: str, decision: str, now: datetime) -> int:
    """Decide the next task like the app, and return its id."""
    queue = TaskQueue(store, store.campaign("verify"), name)
    task = queue.next(now=now)
    assert task is not None
    queue.submit(task.slot_id, Submission(decision), now=now + timedelta(seconds=5))
    return task.task_id


def states(store: ReviewStore) -> list[str]:
    return [task.state for task in store.tasks("verify", states=("open", "done"))]


@pytest.mark.both_databases
def test_a_sure_task_goes_to_nobody_any_more_and_the_rule_settles_it(
    people: ReviewStore, context: CampaignContext, make_items: MakeItems, now: datetime, tmp_path: Path
) -> None:
    items = make_items(jigsaw=1)
    step = opened(context, items)
    say(people, "ann", "accept", now)
    assert states(people) == ["open"]
    say(people, "ben", "accept", now)
    assert states(people) == ["done"]
    queue = TaskQueue(people, people.campaign("verify"), "cas")
    assert queue.next(now=now) is None
    overview = Overview(people, people.campaign("verify"))
    assert overview.closed_sure() == (1, 3)
    assert overview.closed_early() == 1
    assert progress_of(overview.campaign, overview.decision_counts()).outcomes["accept"] == 1
    verdicts = step.advance(items, context)
    assert verdicts.waiting is None
    assert verdicts.outcomes[items[0].item_id].verdict == "keep"
    assert verdicts.summary["further_votes"] == {"first": 2, "until": 0.6, "closed_sure": 1, "votes_spared": 3}
    assert overview.closed_sure() == (1, 3)  # a run leaves it as it is
    assert list(row_problems(people)) == []
    export_everything(people, tmp_path / "out", formats=["parquet"])
    [row] = pq.read_table(tmp_path / "out" / "closings.parquet").to_pylist()
    assert (row["item_id"], row["votes"], row["decision"], row["is_withdrawn"]) == (
        items[0].item_id,
        2,
        "accept",
        False,
    )
    assert 0.6 <= row["ci_low"] <= row["probability"] <= row["ci_high"] <= 1


@pytest.mark.both_databases
def test_who_differs_is_asked_again_up_to_the_rules_most(
    people: ReviewStore, context: CampaignContext, make_items: MakeItems, now: datetime
) -> None:
    opened(context, make_items(jigsaw=1), AssignmentSettings.model_validate({"further_votes": {"until": 0.99}}))
    for name, decision in zip(PEOPLE, ("accept", "reject", "accept", "reject"), strict=False):
        say(people, name, decision, now)
        assert states(people) == ["open"]
    say(people, "eva", "accept", now)
    assert states(people) == ["done"]
    assert Overview(people, people.campaign("verify")).closed_sure() == (0, 0)


def test_a_revision_and_a_screened_out_image_are_never_spared_a_vote(
    people: ReviewStore, context: CampaignContext, make_items: MakeItems, now: datetime
) -> None:
    items = make_items(jigsaw=1)
    opened(context, items)
    queue = TaskQueue(people, people.campaign("verify"), "ann")
    for name in ("ann", "ben", "cas"):
        queue = TaskQueue(people, people.campaign("verify"), name)
        task = queue.next(now=now)
        assert task is not None
        queue.submit(task.slot_id, Submission("revise", note="which corner?"), now=now)
    assert states(people) == ["open"]
    screen = context._replace(stage="screen_items")
    ScreenItems(rule="majority(3)", handout=SPARING).advance(items, screen)
    for name in ("ann", "ben"):
        queue = TaskQueue(people, people.campaign("screen_items"), name)
        task = queue.next(now=now)
        assert task is not None
        fields = {"verdict": "discard", "reasons": ["ambiguous"]}
        queue.submit(task.slot_id, Submission("discard", fields=fields), now=now)
    assert len(people.tasks("screen_items")) == 1
    kept = context._replace(stage="kept")
    screening = ScreenItems(rule="majority(5)", handout=SPARING)
    screening.advance(items, kept)
    for name in ("ann", "ben", "cas"):
        queue = TaskQueue(people, people.campaign("kept"), name)
        if (task := queue.next(now=now)) is not None:
            queue.submit(task.slot_id, Submission(fields={"verdict": "keep"}), now=now)
    verdicts = screening.advance(items, kept)
    assert verdicts.waiting is None
    assert len(people.decisions("kept")) < 5
    assert [outcome.verdict for outcome in verdicts.outcomes.values()] == ["keep"]
    assert verdicts.summary["further_votes"]["closed_sure"] == 1


@pytest.mark.both_databases
def test_a_change_of_mind_and_a_late_decision_open_what_is_not_sure_any_more(
    people: ReviewStore, context: CampaignContext, make_items: MakeItems, now: datetime
) -> None:
    opened(context, make_items(jigsaw=1))
    late = TaskQueue(people, people.campaign("verify"), "cas")
    held = late.next(now=now)
    assert held is not None
    task = say(people, "ann", "accept", now)
    say(people, "ben", "accept", now)
    assert states(people) == ["done"]
    queue = TaskQueue(people, people.campaign("verify"), "ben")
    queue.submit(queue.open(task, now=now).slot_id, Submission("reject", reasons=("unclear",)), now=now)
    assert states(people) == ["open"]
    queue.submit(queue.open(task, now=now).slot_id, Submission("accept"), now=now + timedelta(minutes=1))
    assert states(people) == ["done"]
    late.submit(held.slot_id, Submission("reject", reasons=("unclear",)), now=now + timedelta(minutes=2))
    [decided] = [len(people.decisions("verify"))]
    assert decided == 3
    closed = Overview(people, people.campaign("verify")).closed_sure()
    assert closed == ((1, 2) if states(people) == ["done"] else (0, 0))


@pytest.mark.both_databases
def test_taking_the_setting_back_or_asking_for_more_opens_and_giving_it_closes(
    people: ReviewStore, context: CampaignContext, make_items: MakeItems, now: datetime
) -> None:
    items = make_items(jigsaw=2)
    opened(context, items, AssignmentSettings())
    for name in ("ann", "ben"):
        say(people, name, "accept", now)
    assert states(people) == ["open", "open"]
    opened(context, items)
    assert sorted(states(people)) == ["done", "open"]
    opened(context, items, AssignmentSettings.model_validate({"further_votes": {"first": 3, "until": 0.6}}))
    assert states(people) == ["open", "open"]
    opened(context, items)
    opened(context, items, AssignmentSettings.model_validate({"further_votes": {"until": 0.999}}))
    assert states(people) == ["open", "open"]
    opened(context, items)
    opened(context, items, AssignmentSettings())
    assert states(people) == ["open", "open"]


@pytest.mark.parametrize("decision", ["reject", "send_back"])
def test_an_adjudicator_overrules_or_sends_back_what_was_sure(
    people: ReviewStore, context: CampaignContext, make_items: MakeItems, now: datetime, decision: str
) -> None:
    items, rule = make_items(jigsaw=1), "adjudicated(majority(7))"
    sparing = AssignmentSettings.model_validate({"further_votes": {"first": 5, "until": 0.6}})
    step = Verify(rule=rule, handout=sparing)
    step.advance(items, context)
    for name, decided in zip(PEOPLE, ("accept", "reject", "accept", "accept", "accept"), strict=True):
        say(people, name, decided, now)
    assert states(people) == ["done"]
    assert Overview(people, people.campaign("verify")).closed_sure() == (1, 2)
    people.upsert_annotator("judge")
    queue = AdjudicationQueue(people, people.campaign("verify"), "judge")
    [case] = queue.queue()
    assert not case.waits  # the rule settles it, though annotators differ
    queue.open(case.task_id, now=now)
    reasons = ("unclear",) if decision == "reject" else ()
    queue.decide(case.task_id, Submission(decision, reasons=reasons, note="look again"), now=now)
    assert Overview(people, people.campaign("verify")).closed_sure() == (0, 0)
    for handout in (sparing, AssignmentSettings()):
        verdicts = Verify(rule=rule, handout=handout).advance(items, context)
        assert states(people) == (["done"] if decision == "reject" else ["open"])
        assert (verdicts.waiting is None) == (decision == "reject")
        if decision == "reject":
            assert verdicts.outcomes[items[0].item_id].reason == "rejected"


def answers(seed: int, times: int) -> Sequence[tuple[str, bool]]:
    """Return the next annotator and whether they are right."""
    rng = np.random.default_rng(seed)
    return [(PEOPLE[rng.integers(5)], bool(rng.random() < 0.95)) for _ in range(times)]


def closings(store: ReviewStore) -> list[tuple[Any, ...]]:
    with store.reading() as connection:
        rows = connection.exec_driver_sql(
            "SELECT task_id, votes, decision, probability, low, high, is_withdrawn, model_id FROM closings ORDER BY id"
        )
        return [tuple(row) for row in rows]


@pytest.mark.both_databases
def test_the_same_decisions_in_the_same_order_close_the_same_tasks_after_an_interruption_too(
    store: ReviewStore, store_url: str, context: CampaignContext, make_items: MakeItems, now: datetime, tmp_path: Path
) -> None:
    sparing = AssignmentSettings.model_validate({"further_votes": {"first": 2, "until": 0.8}})
    items, closed = make_items(jigsaw=40), []
    path = tmp_path / "twice.sqlite"
    for url, is_interrupted in ((store_url, False), (f"sqlite:///{path}", True)):
        there = context._replace(store_url=url)
        opened(there, items, sparing)
        steps = answers(3, 150)
        for start in range(0, len(steps), 30 if is_interrupted else len(steps)):
            with open_store(url) as again:
                for name in PEOPLE:
                    again.upsert_annotator(name)
                for name, is_right in steps[start : start + (30 if is_interrupted else len(steps))]:
                    queue = TaskQueue(again, again.campaign("verify"), name)
                    task = queue.next(now=now)
                    if task is not None:
                        queue.submit(task.slot_id, Submission("accept" if is_right else "reject"), now=now)
                if is_interrupted:
                    opened(there, items, sparing)
        with open_store(url) as again:
            closed.append(closings(again))
            with again.reading() as connection:
                models = connection.exec_driver_sql("SELECT decisions FROM rater_models ORDER BY id").scalars().all()
    assert closed[0] == closed[1]
    assert len(closed[0]) > 10
    assert list(models) == [LEAST_NEW * (place + 1) for place in range(len(models))]


def test_a_decision_costs_no_more_in_a_larger_campaign_and_an_estimate_comes_seldom(
    tmp_path: Path, empty_store: bytes, context: CampaignContext, make_items: MakeItems, now: datetime
) -> None:
    costs = []
    for count in (60, 600):
        path = tmp_path / f"{count}.sqlite"
        path.write_bytes(empty_store)
        opened(context._replace(store_url=f"sqlite:///{path}"), make_items(jigsaw=count))
        with open_store(f"sqlite:///{path}") as store:
            for name in PEOPLE:
                store.upsert_annotator(name)

            def work(store: ReviewStore = store) -> None:
                for place in range(9):
                    say(store, PEOPLE[place % 3], "accept", now)

            work()
            costs.append(instructions(store, work))
            assert not estimate_anew(store, store.campaign("verify"))
            say(store, "ann", "accept", now)
            say(store, "ben", "accept", now)
            with store.reading() as connection:
                assert connection.exec_driver_sql("SELECT decisions FROM rater_models").scalars().all() == [LEAST_NEW]
    assert costs[1] < 1.2 * costs[0]


def test_a_decision_is_taken_though_the_estimate_that_it_makes_due_fails(
    context: CampaignContext, make_items: MakeItems, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = Verify(rule="majority(3)", handout=AssignmentSettings.model_validate({"further_votes": {"first": 1}}))
    assert step.advance(make_items(jigsaw=4), context).waiting is not None

    def fail(*_: object) -> bool:
        raise sa.exc.OperationalError("an estimate", {}, OSError("the disk is full"))

    monkeypatch.setattr("benchwright.annotation.workflow.task_queue.estimate_anew", fail)
    with open_store(context.store_url) as store:
        store.upsert_annotator("ann")
        queue = TaskQueue(store, store.campaign(context.stage), "ann")
        task = queue.next(now=now)
        assert task is not None
        queue.submit(task.slot_id, Submission("accept"), now=now)
        assert [entry.task_id for entry in queue.history()] == [task.task_id]
